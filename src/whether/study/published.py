"""The paper's numbers: AUC and its standard deviation per study, world and method."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True)
class Published:
    """A number of the paper's tables: mean and standard deviation over replicates."""

    auc: float
    sd: float


@lru_cache(maxsize=1)
def _read() -> dict[tuple[str, str, str], Published]:
    text = resources.files("whether.study").joinpath("paper_tables.csv").read_text(encoding="utf-8")
    return {
        (line["study"], line["world"], line["method"]): Published(float(line["auc"]), float(line["sd"]))
        for line in csv.DictReader(text.splitlines())
    }


def find_published(study: str, world: str, method: str) -> Published | None:
    """Return the paper's number, if it has one, by the paper's name of the method."""
    return _read().get((study, world, method))
