"""From a file or a data frame to columns, and back: what a file is its first bytes tell, not its name.

Text tables arrive as text, cell by cell; what the cells mean is decided in `whether.files.table.columns`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from whether.files.own_files import MARK, MODEL
from whether.files.table.columns import is_text
from whether.files.table.database import read_duckdb, read_sqlite
from whether.files.table.delimited import TextTable
from whether.files.table.findings import Finding, TableError
from whether.files.table.names import name_columns
from whether.files.table.several import STANDARD_INPUT, check_alike, keep_stream, list_files, stack
from whether.files.table.statistical import read_statistical, statistical_kind
from whether.files.table.workbook import is_workbook, read_workbook
from whether.files.whole_files import atomic_path
from whether.validate import ArgumentError

MOST_COLUMNS = 10_000
# A spreadsheet takes cells that begin like this for formulas and runs them.
FORMULA = r"^[=+\-@\t\r]"
# What files that can be read begin with.
OWN = {b"PAR1": "parquet", b"ARROW1": "feather", b"FEA1": "feather", b"SQLite format 3\0": "sqlite"}
SAVE_AS = "Save the table as CSV, Parquet or Feather."
# What some files that are no tables begin with, and what to say.
FOREIGN = (
    (b"PK\x03\x04", f"is a zip archive or a damaged Excel workbook. {SAVE_AS}"),
    (b"\x1f\x8b", "is compressed (gzip). Unpack it first."),
    (b"BZh", "is compressed (bzip2). Unpack it first."),
    (b"\xfd7zXZ", "is compressed (xz). Unpack it first."),
    (b"%PDF", f"is a PDF document. {SAVE_AS}"),
)


@dataclass(frozen=True)
class OpenTable:
    """A table whose columns are named, and which are to be read is still to be said."""

    name: str
    column_names: list[str]
    fetch: Callable[[list[str]], pa.Table]
    findings: list[Finding] = field(default_factory=list)
    held: Any = None  # what has to stay while the table is read, such as the copy of a pipe

    def __post_init__(self) -> None:
        """Refuse names that point at several columns, and a table turned on its side."""
        if len(self.column_names) > MOST_COLUMNS:
            raise TableError(
                f"{self.name!r} has {len(self.column_names):,} columns; at most {MOST_COLUMNS:,} are read. Is it "
                "turned on its side, with a column for each person?"
            )
        twice = [name for name, count in Counter(self.column_names).items() if count > 1]
        if twice:
            raise TableError(
                f"{self.name!r} has more than one column called {name_columns(twice)}. Rename or remove one of them."
            )

    def read(self, names: Sequence[str] | None = None) -> pa.Table:
        """Read some columns, or all; there is at least one row."""
        table = self.fetch(self.column_names if names is None else list(names))
        if table.num_rows == 0:
            raise TableError(f"{self.name!r} has columns but no rows.")
        return table


def open_table(table: Any, *, query: str | None = None, sheet: str | None = None) -> OpenTable:
    """Open a table and say which columns it has.

    Parameters
    ----------
    table : path-like, list of these, data frame, pyarrow.Table or OpenTable
        A file is CSV (separated by comma, semicolon, tab or bar), Parquet, Feather, Excel, Stata, SPSS, SAS, R (.rds),
        SQLite or DuckDB. A list, or a pattern such as ``part-*.csv``, is one table in several files, and ``-`` is
        standard input. A data frame is one of pandas, or any that has ``to_arrow``.
    query : str, optional
        Query to a SQLite or DuckDB file.
    sheet : str, optional
        Name of a sheet of a workbook.
    """
    if isinstance(table, OpenTable):
        return table
    files = table if isinstance(table, (list, tuple)) else [table]
    if not all(isinstance(file, (str, os.PathLike)) for file in files):
        return _open_frame(table if len(files) > 1 else files[0])
    if isinstance(table, (str, os.PathLike)):
        files = list_files(Path(table)) or [table]
    opened = [_open_file(Path(file), query, sheet) for file in files]
    if not opened:
        raise TableError("A list of files is empty.")
    return opened[0] if len(opened) == 1 else _join(str(table) if isinstance(table, (str, os.PathLike)) else "", opened)


def _join(pattern: str, opened: list[OpenTable]) -> OpenTable:
    check_alike([one.name for one in opened], [one.column_names for one in opened])
    findings = list(dict.fromkeys(finding for one in opened for finding in one.findings))

    def fetch(columns: list[str]) -> pa.Table:
        return stack([one.fetch(columns) for one in opened])

    return OpenTable(pattern or f"{opened[0].name} and others", opened[0].column_names, fetch, findings, held=opened)


def _open_file(given: Path, query: str | None, sheet: str | None) -> OpenTable:
    kept = keep_stream(given)
    path = given if kept is None else kept[0]
    name = "standard input" if str(given) == STANDARD_INPUT else str(given)
    start = _first_bytes(path)
    kind = _kind(path, start)
    findings: list[Finding] = []
    if query is not None and kind not in ("sqlite", "duckdb"):
        raise TableError(f"{str(path)!r} is not a SQLite or DuckDB file, so it cannot be queried.")
    if sheet is not None and kind != "workbook":
        raise ArgumentError(f"`sheet` names a sheet of a workbook, and {str(path)!r} is not one.")
    if kind == "text":
        text = TextTable(path, start)
        return OpenTable(name, text.names, text.read, text.findings, held=kept)
    if kind in ("parquet", "feather"):
        opened = _open_arrow(path, kind)
        return replace(opened, name=name, held=kept)
    if kind in ("sqlite", "duckdb"):
        answer = (read_sqlite if kind == "sqlite" else read_duckdb)(path, query)
    elif kind == "workbook":
        answer = read_workbook(path, start, sheet, findings)
    else:
        answer = read_statistical(path, kind, start, findings)
    return OpenTable(name, answer.column_names, answer.select, findings)


def _open_frame(frame: Any) -> OpenTable:
    if hasattr(frame, "to_arrow"):
        frame = frame.to_arrow()
    if isinstance(frame, pa.Table):
        return OpenTable("table", frame.column_names, frame.select)
    if not hasattr(frame, "columns"):
        raise TableError(f"A file or a data frame is needed, got a {type(frame).__name__}.")
    strange = next((name for name in frame.columns if not isinstance(name, str)), None)
    if strange is not None:
        raise TableError(f"Columns are named by text, but one is called {strange!r}. Rename it.")

    def fetch(columns: list[str]) -> pa.Table:
        try:
            return pa.Table.from_pandas(frame[columns], preserve_index=False)
        except (pa.ArrowException, TypeError) as error:
            raise TableError(
                f"Cells of a column are of different kinds: {error.args[-1]}. Make them all one kind."
            ) from error

    return OpenTable("table", list(frame.columns), fetch)


def _first_bytes(path: Path) -> bytes:
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder; a file is needed.")
    if not path.exists():
        raise TableError(f"There is no file {str(path)!r}.")
    with open(path, "rb") as file:
        start = file.read(4096)
    if not start:
        raise TableError(f"{str(path)!r} is empty.")
    return start


def _refuse_foreign(path: Path, start: bytes) -> None:
    """Refuse a file that is something else, and say what."""
    if MODEL.match(start):
        raise TableError(f"{str(path)!r} is a model file of whether, and a table is needed.")
    for magic, what in FOREIGN:
        if start.startswith(magic):
            raise TableError(f"{str(path)!r} {what}")


def _kind(path: Path, start: bytes) -> str:
    program = statistical_kind(path, start)
    if program is not None:
        return program
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")) and is_workbook(path, start):
        return "workbook"
    _refuse_foreign(path, start)
    for magic, kind in OWN.items():
        if start.startswith(magic):
            return kind
    if start[8:12] == b"DUCK":
        return "duckdb"
    visible = start.lstrip(b"\xef\xbb\xbf").lstrip().lower()
    if visible.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise TableError(f"{str(path)!r} is a web page or XML, not a table. {SAVE_AS}")
    if visible.startswith((b"{", b"[{", b"[[")):
        raise TableError(f"{str(path)!r} looks like JSON, not a table. {SAVE_AS}")
    return "text"


def _open_arrow(path: Path, kind: str) -> OpenTable:
    import pyarrow.feather
    import pyarrow.parquet

    def guarded(read: Callable[[], Any]) -> Any:
        # Arrow raises several kinds of error on a damaged file, OSError among them.
        try:
            return read()
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise TableError(f"{str(path)!r} is a damaged {kind.title()} file ({reason}).") from error

    if kind == "feather":
        table = guarded(lambda: _validated(pyarrow.feather.read_table(path)))
        return OpenTable(str(path), table.column_names, table.select)
    names = guarded(lambda: pyarrow.parquet.read_schema(path).names)

    def fetch(columns: list[str]) -> pa.Table:
        with pyarrow.parquet.ParquetFile(path) as file:
            return _validated(file.read(columns=columns))

    return OpenTable(str(path), names, lambda columns: guarded(lambda: fetch(columns)))


def _validated(table: pa.Table) -> pa.Table:
    """Return a table whose cells are all within it: Arrow trusts a file, and fails later, where it is used."""
    table.validate(full=True)
    return table


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".parquet", ".feather"):
        raise ArgumentError(f"{str(path)!r} must end in .csv, .parquet or .feather.")
    return suffix[1:]


def write_table(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write a table; numbers are read back to the last bit."""
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    kind = check_format(path)
    if kind == "csv":
        table = pa.table({name: _plain(name, table[name]) for name in table.column_names})
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), b"comment": MARK.encode()})
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
