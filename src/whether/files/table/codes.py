"""Names of categories: the same for the same cell, whatever else is in the table and however the file stores it.

What a column was when a model learned from it is part of the model, and a later table is read in that way, cell by
cell. So nobody's risk depends on the other rows of a table.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whether.files.table.columns import MISSING_AMONG_NUMBERS, MISSING_WORDS, NUMBER, Column, guess_column, is_text

WHOLE = r"^[+]?(-?)0*([0-9]+)$"
COMMA = r"^[+-]?[0-9]+,[0-9]+$"
LARGEST = 2.0**63


def as_categories(column: Column) -> pa.ChunkedArray:
    """Cells as the names of categories; a whole number is written without a decimal point, whatever the file said."""
    if column.kind == "number":
        return name_numbers(column.data if column.cells is None else column.cells)
    if column.kind == "date" and column.data.type != pa.string():
        return column.data.cast(pa.date32()).cast(pa.string())
    return column.data


def name_numbers(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers as names, each by itself; text that is no number stays as it is."""
    kind = cells.type
    if pa.types.is_boolean(kind):
        return cells.cast(pa.int8()).cast(pa.string())
    if is_text(kind):
        return _name_text(cells.cast(pa.string()))
    if not pa.types.is_floating(kind):  # whole numbers, and decimals
        return _name_text(cells.cast(pa.string()))
    doubles = cells.cast(pa.float64())
    known = pc.if_else(pc.is_nan(doubles), None, doubles)
    whole = pc.and_(pc.equal(pc.floor(known), known), pc.less(pc.abs(known), LARGEST))
    named = pc.if_else(whole, known, 0.0).cast(pa.int64()).cast(pa.string())
    return pc.if_else(whole, named, known.cast(pa.string()))


def _name_text(text: pa.ChunkedArray) -> pa.ChunkedArray:
    coded = text.combine_chunks().dictionary_encode()  # few numbers in many rows: each is named once
    names = pa.array([None if cell is None else _name(cell) for cell in coded.dictionary.to_pylist()], type=pa.string())
    return pa.chunked_array([names.take(coded.indices)])


def _name(cell: str) -> str:
    one = pa.array([cell])
    if pc.match_substring_regex(one, WHOLE)[0].as_py():
        return str(pc.replace_substring_regex(one, WHOLE, r"\1\2")[0].as_py())
    written = cell.replace(",", ".") if pc.match_substring_regex(one, COMMA)[0].as_py() else cell
    if not pc.match_substring_regex(pa.array([written]), NUMBER)[0].as_py() or not np.isfinite(float(written)):
        return cell
    return str(name_numbers(pa.chunked_array([pa.array([float(written)])]))[0].as_py())


def read_as(kind: str, name: str, data: pa.ChunkedArray) -> Column:
    """Read a column as what it was in training: "number", "text", or "code" for numbers that are categories."""
    if kind == "number":
        return _read_numbers(name, data)
    if pa.types.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if not is_text(data.type):  # the file says what the cells are
        column = guess_column(name, data)
        return column if column.kind in ("empty", "other") else Column(name, "text", as_categories(column))
    trimmed = pc.utf8_trim_whitespace(data.cast(pa.string()))
    missing = MISSING_AMONG_NUMBERS if kind == "code" else MISSING_WORDS
    text = pc.if_else(pc.is_in(trimmed, value_set=pa.array(missing)), None, trimmed)
    if text.null_count == len(text):
        return Column(name, "empty", text)
    return Column(name, "text", _name_text(text) if kind == "code" else text)


def _read_numbers(name: str, data: pa.ChunkedArray) -> Column:
    column = guess_column(name, data)
    if column.kind != "text":
        return column
    # "-" is no number, but says that none is known, and does so too where no other row has one.
    gaps = pc.is_in(column.data, value_set=pa.array(MISSING_AMONG_NUMBERS))
    is_empty = pc.all(pc.fill_null(gaps, True)).as_py()
    return Column(name, "empty", pa.chunked_array([pa.nulls(len(data), pa.string())])) if is_empty else column
