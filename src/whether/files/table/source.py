"""From a file to columns: the kind of file is told by its first bytes, not by its name.

Used by the program. Text tables arrive as text, cell by cell; what the cells mean is decided in
`whether.files.table.columns`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

from whether.files.table.database import read_duckdb, read_sqlite
from whether.files.table.notes import Notes, TableError, name_columns
from whether.files.table.text import read_text_table

# Given the names of a table's columns, the names of those to read.
Choose = Callable[[Sequence[str]], Sequence[str]]

MOST_COLUMNS = 10_000
SAVE_AS = "Save the table as CSV, Parquet or Feather."
# What some files that are no tables begin with, and what to say.
FOREIGN = (
    (b"PK\x03\x04", f"is a zip archive or an Excel workbook. {SAVE_AS}"),
    (b"\xd0\xcf\x11\xe0", f"is an old Excel workbook. {SAVE_AS}"),
    (b"\x1f\x8b", "is compressed (gzip). Unpack it first."),
    (b"BZh", "is compressed (bzip2). Unpack it first."),
    (b"\xfd7zXZ", "is compressed (xz). Unpack it first."),
    (b"%PDF", f"is a PDF document. {SAVE_AS}"),
    (b"<stata_dta>", f"is a Stata file. {SAVE_AS}"),
)


def read_table(
    path: str | os.PathLike[str], *, query: str | None = None, choose: Choose | None = None
) -> tuple[pa.Table, Notes]:
    """Read a table.

    Parameters
    ----------
    path : path-like
        CSV (separated by comma, semicolon, tab or bar), Parquet, Feather, SQLite or DuckDB.
    query : str, optional
        Query to a SQLite or DuckDB file.
    choose : callable, optional
        Chooses the columns to read; all by default.

    Returns
    -------
    table : pyarrow.Table
        The chosen columns, with at least one row.
    notes : Notes
    """
    path, notes = Path(path), Notes()
    start = _first_bytes(path)
    kind = _kind(path, start)
    if kind in ("sqlite", "duckdb"):
        table = (read_sqlite if kind == "sqlite" else read_duckdb)(path, query)
        _check_names(path, table.column_names)
        if choose is not None:
            table = table.select(list(choose(table.column_names)))
    elif query is not None:
        raise TableError(f"{str(path)!r} is no SQLite or DuckDB file, so there is nothing to put a query to.")
    elif kind == "text":
        table = read_text_table(path, start, notes, lambda names: _chosen(path, names, choose))
    else:
        table = _read_arrow(path, kind, choose)
    if table.num_rows == 0:
        raise TableError(f"{str(path)!r} has columns but no rows.")
    return table, notes


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


def _kind(path: Path, start: bytes) -> str:
    for magic, what in FOREIGN:
        if start.startswith(magic):
            raise TableError(f"{str(path)!r} {what}")
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"FEA1")):
        return "feather"
    if start.startswith(b"SQLite format 3\0"):
        return "sqlite"
    if start[8:12] == b"DUCK":
        return "duckdb"
    visible = start.lstrip(b"\xef\xbb\xbf").lstrip().lower()
    if visible.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise TableError(f"{str(path)!r} is a web page or XML, not a table. {SAVE_AS}")
    if visible.startswith((b"{", b"[{", b"[[")):
        raise TableError(f"{str(path)!r} looks like JSON, not a table. {SAVE_AS}")
    return "text"


def _read_arrow(path: Path, kind: str, choose: Choose | None) -> pa.Table:
    import pyarrow.feather
    import pyarrow.parquet

    try:
        if kind == "parquet":
            with pyarrow.parquet.ParquetFile(path) as file:
                return file.read(columns=_chosen(path, file.schema_arrow.names, choose))
        table = pyarrow.feather.read_table(path)
        return table.select(_chosen(path, table.column_names, choose))
    except TableError:
        raise
    # Arrow raises several kinds of error on a damaged file, OSError among them.
    except (pa.ArrowException, OSError, ValueError) as error:
        what = "Parquet" if kind == "parquet" else "Feather"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TableError(f"{str(path)!r} is a damaged {what} file ({reason}).") from error


def _chosen(path: Path, names: Sequence[str], choose: Choose | None) -> list[str]:
    _check_names(path, names)
    return list(names if choose is None else choose(names))


def _check_names(path: Path, names: Sequence[str]) -> None:
    if len(names) > MOST_COLUMNS:
        raise TableError(
            f"{str(path)!r} has {len(names):,} columns; at most {MOST_COLUMNS:,} are read. Is it turned on its side, "
            "with a column for each person?"
        )
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(
            f"{str(path)!r} has more than one column called {name_columns(twice)}. Rename or remove one of them."
        )
