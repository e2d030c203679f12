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

if TYPE_CHECKING:
    import pandas as pd

DATA_VARIABLE = "WHETHER_DATA"
_CATALOGUE = "datasets.json"


class MissingDataError(FileNotFoundError):
    """A cohort table is not where it was looked for."""


def data_folder(path: str | Path | None = None) -> Path:
    """Return the folder of the cohort tables.

    Parameters
    ----------
    path : str or Path, optional
        The folder. Default: that of the environment variable WHETHER_DATA, else ``../shared/data`` beside a checkout.

    Raises
    ------
    MissingDataError
        If no catalogue of tables is there.
    """
    checkout = Path(__file__).resolve().parents[3]
    folder = Path(path or os.environ.get(DATA_VARIABLE) or checkout.parent / "shared" / "data")
    if not (folder / _CATALOGUE).is_file():
        raise MissingDataError(
            f"No cohort tables in {folder} ({_CATALOGUE} is missing): set {DATA_VARIABLE} to the folder that has them"
        )
    return folder


def describe_table(name: str, path: str | Path | None = None) -> dict[str, Any]:
    """Return what the catalogue says of a table: file, features, unit, endpoint and horizon.

    Parameters
    ----------
    name : str
        Name of the table in the catalogue.
    path : str or Path, optional
        Folder of the tables, as in `data_folder`.
    """
    folder = data_folder(path)
    catalogue = json.loads((folder / _CATALOGUE).read_text(encoding="utf-8"))
    if name not in catalogue:
        raise ValueError(f"No table is called {name!r} in {folder / _CATALOGUE}; there are {', '.join(catalogue)}.")
    about: dict[str, Any] = catalogue[name]
    return about


def load_table(name: str, path: str | Path | None = None) -> pd.DataFrame:
    """Return a table as it is stored; it is read once per process and must not be changed.

    Parameters
    ----------
    name : str
        Name of the table in the catalogue.
    path : str or Path, optional
        Folder of the tables, as in `data_folder`.
    """
    file = data_folder(path) / describe_table(name, path)["file"]
    if not file.is_file():
        raise MissingDataError(f"The table {name!r} is listed in {file.parent}, but {file.name} is not there")
    return _read(file)


@lru_cache(maxsize=4)
def _read(file: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_parquet(file)
