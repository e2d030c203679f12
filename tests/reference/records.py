"""Results of other programs, and the tables that they were fitted to; neither is part of the package."""

import importlib.util
import json
import os
from functools import lru_cache
from pathlib import Path

import pandas as pd

FOLDER_VARIABLE = "WHETHER_REFERENCE"
BESIDE = Path(__file__).resolve().parents[3] / "shared" / "reference"
# The German breast cancer study, which R's flexsurv and Python's lifelines ship alike: 686 people, times in days.
BREAST_CANCER = "bc"


def reference_folder():
    """Folder of the results: WHETHER_REFERENCE, or ../shared/reference beside the repository; None if there is none."""
    folder = Path(os.environ.get(FOLDER_VARIABLE) or BESIDE)
    return folder if (folder / "reference.json").is_file() else None


@lru_cache(maxsize=1)
def read_records():
    """All records, in their order, and after each the published result of Stata that it quotes."""
    records = json.loads((reference_folder() / "reference.json").read_text(encoding="utf-8"))
    return [one for record in records for one in (record, *_quoted(record))]


def _quoted(record):
    if "stata" in record:  # without its log-likelihood, which was not published
        yield {
            **record,
            "id": f"{record['id']}_stata",
            "package": "Stata",
            "coefficients": record["stata"],
            "loglik": None,
        }


def has_table(name):
    if name == BREAST_CANCER:
        return importlib.util.find_spec("lifelines") is not None
    return _file(name).is_file()


@lru_cache(maxsize=8)
def read_table(name):
    """Table with the columns ``time``, ``event``, ``weight`` and the features."""
    if name == BREAST_CANCER:
        from lifelines.datasets import load_gbsg2

        return load_gbsg2().rename(columns={"cens": "event"}).assign(weight=1.0)
    table = pd.read_parquet(_file(name))
    if name == "fertility":  # the cohort table itself, rounded as the records say
        table["prev_interval"] = table["prev_interval"].astype("float64").round(3)
    return table


def _file(name):
    if name == "fertility":
        return reference_folder().parent / "data" / "fertility.parquet"
    return reference_folder() / f"{name}_ref.parquet"
