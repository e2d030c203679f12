"""Tables as files, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from whether.atomic_file import atomic_path
from whether.tables.notes import TableError

FORMATS = {".csv": "csv", ".parquet": "parquet", ".feather": "feather"}
# A spreadsheet takes cells that begin like this for formulas and runs them.
FORMULA = r"^[=+\-@\t\r]"


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise TableError(f"{str(path)!r} must end in .csv, .parquet or .feather.")
    return FORMATS[suffix]


def write_table(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write a table; numbers are read back to the last bit."""
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    kind = check_format(path)
    if kind == "csv":
        refuse_formulas(table)
    with atomic_path(path) as unfinished:
        if kind == "csv":
            pyarrow.csv.write_csv(table, unfinished)
        elif kind == "parquet":
            pyarrow.parquet.write_table(table, unfinished)
        else:
            pyarrow.feather.write_feather(table, unfinished)


def refuse_formulas(table: pa.Table) -> None:
    """Refuse text that a spreadsheet would run when it opens the file."""
    for name in table.column_names:
        data = table[name]
        if not (pa.types.is_string(data.type) or pa.types.is_large_string(data.type)):
            continue
        row = pc.index(pc.match_substring_regex(data, FORMULA), True).as_py()
        if row >= 0:
            raise TableError(
                f"Column {name!r} has a cell that a spreadsheet would run as a formula (row {row + 1}: "
                f"{data[row].as_py()[:40]!r}). Write Parquet, which spreadsheets do not run, or clean the column."
            )
