"""Sheets of Excel workbooks (and of OpenDocument ones, which the same library reads) as tables."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from whether.files.table.codes import name_numbers
from whether.files.table.findings import Finding, SheetRead, TableError, Unnamed
from whether.files.table.names import name_columns, suggest

LARGEST = 2**31  # bytes that a workbook may unfold to
OLD = b"\xd0\xcf\x11\xe0"
BOOKS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")


def is_workbook(path: Path, start: bytes) -> bool:
    """Whether a file is a workbook, by what is in it."""
    if start.startswith(OLD):
        return True
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False
    return any(book in names for book in BOOKS)


def read_workbook(path: Path, start: bytes, sheet: str | None, findings: list[Finding]) -> pa.Table:
    """Table of a sheet; where several have cells, its name is needed."""
    try:
        from python_calamine import CalamineWorkbook
    except ImportError as error:
        raise TableError("Reading an Excel workbook needs python-calamine: pip install 'whether[excel]'.") from error
    _refuse_large(path, start)
    # The reader is a compiled one; whatever it says about a file is about the file.
    try:
        book = CalamineWorkbook.from_path(str(path))
        chosen = _choose(path, book, sheet)
        rows = book.get_sheet_by_name(chosen).to_python(skip_empty_area=True)
    except TableError:
        raise
    except Exception as error:
        raise TableError(f"{str(path)!r} is a damaged workbook, or a protected one ({error}).") from error
    if len(book.sheet_names) > 1:
        findings.append(SheetRead(chosen))
    if not rows:
        raise TableError(f"Sheet {chosen!r} of {str(path)!r} is empty.")
    return _to_table(rows, findings)


def _refuse_large(path: Path, start: bytes) -> None:
    if start.startswith(OLD):
        return
    with zipfile.ZipFile(path) as archive:
        size = sum(info.file_size for info in archive.infolist())
    if size > LARGEST:
        raise TableError(f"{str(path)!r} would expand to {size / 2**30:,.1f} GB. Save the table as CSV or Parquet.")


def _choose(path: Path, book: Any, sheet: str | None) -> str:
    names = list(book.sheet_names)
    if sheet is not None:
        if sheet not in names:
            raise TableError(
                f"{str(path)!r} has no sheet {sheet!r} (it has {name_columns(names)}).{suggest(sheet, names)}"
            )
        return sheet
    filled = [name for name in names if len(names) == 1 or book.get_sheet_by_name(name).to_python(nrows=1)]
    if len(filled) != 1:
        raise TableError(f"{str(path)!r} has {len(names)} sheets, {name_columns(names)}: say which with `sheet`.")
    return str(filled[0])


def _to_table(rows: list[list[Any]], findings: list[Finding]) -> pa.Table:
    header, *below = rows
    names = []
    for position, cell in enumerate(header):
        name = _write(cell) if cell != "" else ""
        if not name:
            name = f"(column {position + 1})"
            findings.append(Unnamed(name, position + 1))
        names.append(name)
    while below and all(cell == "" for cell in below[-1]):
        below.pop()
    columns = list(zip(*below, strict=True)) if below else [()] * len(names)
    return pa.Table.from_arrays([to_array(column) for column in columns], names=names)


def to_array(cells: Sequence[Any]) -> pa.Array:
    """Array of one kind; a sheet lets every cell have its own, and then all are taken as text."""
    values = [None if cell == "" else cell for cell in cells]
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.array(values, type=pa.bool_())
    if kinds and kinds <= {int, float}:
        return pa.array(values, type=pa.float64())
    if kinds and kinds <= {datetime.date, datetime.datetime}:
        days = [
            value if value is None or isinstance(value, datetime.datetime) else _midnight(value) for value in values
        ]
        return pa.array(days, type=pa.timestamp("us"))
    return pa.array([None if value is None else _write(value) for value in values], type=pa.string())


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime(day.year, day.month, day.day)


def _write(value: Any) -> str:
    """A cell as text: numbers as categories are named, dates without their midnight."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(name_numbers(pa.chunked_array([pa.array([float(value)])]))[0].as_py())
    return str(value).removesuffix(" 00:00:00").strip()
