"""Tables as files, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from whether.files.table.columns import is_text
from whether.files.table.findings import TableError
from whether.files.whole_files import atomic_path

# A spreadsheet takes cells that begin like this for formulas and runs them.
FORMULA = r"^[=+\-@\t\r]"


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".parquet", ".feather"):
        raise TableError(f"{str(path)!r} must end in .csv, .parquet or .feather.")
    return suffix[1:]


def write_table(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write a table; numbers are read back to the last bit."""
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    kind = check_format(path)
    if kind == "csv":
        table = pa.table({name: _plain(name, table[name]) for name in table.column_names})
    write = {"parquet": pyarrow.parquet.write_table, "feather": pyarrow.feather.write_feather}
    with atomic_path(path) as unfinished:
        write.get(kind, pyarrow.csv.write_csv)(table, unfinished)


def _plain(name: str, data: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as CSV can have it, without text that a spreadsheet would run when it opens the file."""
    if pa.types.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if pa.types.is_nested(data.type) or pa.types.is_binary(data.type) or pa.types.is_large_binary(data.type):
        raise TableError(f"Column {name!r} holds {data.type}, which CSV cannot have. Write Parquet, or leave it out.")
    if not is_text(data.type):
        return data
    text = data.cast(pa.string())
    row = pc.index(pc.match_substring_regex(text, FORMULA), True).as_py()
    if row >= 0:
        raise TableError(
            f"Column {name!r} has a cell that a spreadsheet would run as a formula (row {row + 1}: "
            f"{text[row].as_py()[:40]!r}). Write Parquet, which spreadsheets do not run, or clean the column."
        )
    return text
