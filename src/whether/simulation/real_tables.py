"""Where the cohort tables are, and how they are read.

The tables are not part of the package. Everything that needs one asks here, so that a missing folder is one error with
one cure.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whether.validate import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

DATA_VARIABLE = "WHETHER_DATA"
_CATALOGUE = "datasets.json"


class MissingDataError(FileNotFoundError):
    """A cohort table is not where it was looked for."""


def data_folder(path: str | Path | None = None) -> Path:
    """Return the folder of the cohort tables: the one given, else that of the environment variable WHETHER_DATA."""
    chosen = path or os.environ.get(DATA_VARIABLE)
    advice = f"pass --data to `whether study run`, or set {DATA_VARIABLE} to the folder that has them"
    if not chosen:
        raise MissingDataError(f"The cohort tables are not part of the package: {advice}")
    if not (Path(chosen) / _CATALOGUE).is_file():
        raise MissingDataError(f"No cohort tables in {chosen} ({_CATALOGUE} is missing): {advice}")
    return Path(chosen)


def describe_table(name: str) -> dict[str, Any]:
    """Return what the catalogue says of a table: file, features, unit, endpoint and horizon."""
    folder = data_folder()
    catalogue = json.loads((folder / _CATALOGUE).read_text(encoding="utf-8"))
    if name not in catalogue:
        raise ArgumentError(f"No table is called {name!r} in {folder / _CATALOGUE}; there are {', '.join(catalogue)}.")
    about: dict[str, Any] = catalogue[name]
    return about


def load_table(name: str) -> pd.DataFrame:
    """Return a table as it is stored; it is read once per process and must not be changed."""
    file = data_folder() / describe_table(name)["file"]
    if not file.is_file():
        raise MissingDataError(f"The table {name!r} is listed in {file.parent}, but {file.name} is not there")
    return _read(file)


@lru_cache(maxsize=4)
def _read(file: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_parquet(file)
