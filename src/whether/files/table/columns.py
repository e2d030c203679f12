"""What the cells of a column are: numbers, categories, dates or nothing at all.

Text is read as numbers only if every cell is one, so that no cell is ever lost in silence. Used by the encoder and by
the program where it reads events and times.
"""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.findings import Held, TableError
from whether.files.table.names import shorten

Array = NDArray[np.float64]

# Cells of text that say that nothing is known.
MISSING_WORDS = ("", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null")
# In text they may be values, but among numbers these too can only mean that nothing is known.
MISSING_AMONG_NUMBERS = (*MISSING_WORDS, "na", "None", "none", ".", "-", "?")
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
DECIMAL_COMMA = r"^[+-]?[0-9]+(,[0-9]+)?$"
# 1,234 may be a thousand or one and a bit.
AMBIGUOUS_COMMA = r"^[+-]?([1-9][0-9]{0,2},[0-9]{3}|[0-9]+)$"
ISO_DATE = r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}([ T][0-9:.,+Z-]*)?$"
LOCAL_DATE = r"^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}([ T][0-9:.,+Z-]*)?$"
# 26 July 2019, 26-Jul-2019, 26JUL2019, July 26, 2019.
WORDED_DATE = (
    r"^((?P<day>[0-9]{1,2})\.?[ -]?(?P<month>[A-Za-z]{3,9})\.?[ -]?"
    r"|(?P<named>[A-Za-z]{3,9})\.? (?P<then>[0-9]{1,2}),? )(?P<year>[0-9]{4})$"
)
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
# Days since 1970 of the first and last day of the calendar, and how many units a day has.
FIRST_DAY, LAST_DAY = (
    day.toordinal() - datetime.date(1970, 1, 1).toordinal() for day in (datetime.date.min, datetime.date.max)
)
PER_DAY = {"D": 1.0, "s": 86_400.0, "ms": 86_400e3, "us": 86_400e6, "ns": 86_400e9}
MONTH = r"^([0-9]{4}[-/](0?[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/][0-9]{4})$"


@dataclass(frozen=True)
class Column:
    """A column of a table, and what its cells are: "number", "text", "date", "empty" or "other".

    The data are doubles for numbers; trimmed text, with nulls for cells that say that nothing is known; dates; else as
    they were. ``how`` says how they were read, where that is not obvious. ``cells`` are numbers as the table has them:
    whole ones beyond 2^53 are no doubles.
    """

    name: str
    kind: str
    data: pa.ChunkedArray
    how: str = ""
    cells: pa.ChunkedArray | None = None

    @property
    def n_missing(self) -> int:
        """Number of cells in which nothing is known."""
        return int(self.data.null_count)

    def numbers(self) -> Array:
        """Cells as numbers, NaN where nothing is known."""
        return np.asarray(self.data.to_numpy(), dtype=float)


def guess_column(name: str, data: pa.ChunkedArray) -> Column:
    """Find out what the cells of a column are."""
    kind = data.type
    if pa.types.is_dictionary(kind):  # the different values are stored apart
        data = data.cast(kind.value_type)
        kind = data.type
    if pa.types.is_null(kind) or data.null_count == len(data):
        return Column(name, "empty", data)
    is_kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    if any(is_kind(kind) for is_kind in is_kinds):
        return replace(_from_numbers(name, data), cells=data)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return Column(name, "date", _within_calendar(name, data).cast(pa.timestamp("us"), safe=False))
    if is_text(kind):
        return _from_text(name, data.cast(pa.string()))
    return Column(name, "other", data)


def is_text(kind: pa.DataType) -> bool:
    """Whether cells are text, in whichever way it is stored."""
    return str(kind) in ("string", "large_string", "string_view")


def _within_calendar(name: str, data: pa.ChunkedArray) -> pa.ChunkedArray:
    """Refuse dates beyond the calendar, which would come out as others."""
    unit = getattr(data.type, "unit", "D" if data.type == pa.date32() else "ms")
    counts = data.cast(pa.int32() if unit == "D" else pa.int64()).cast(pa.float64(), safe=False)
    days = np.asarray(counts.to_numpy(), dtype=float) / PER_DAY[unit]
    strange = (days < FIRST_DAY) | (days >= LAST_DAY + 1)
    if strange.any():
        raise TableError(
            f"Column {name!r} has a date beyond the years 1 to 9999 in row {int(np.argmax(strange)) + 1}. Put it "
            "right, or empty the cell."
        )
    return data


def _from_numbers(name: str, data: pa.ChunkedArray) -> Column:
    if pa.types.is_boolean(data.type):
        return Column(name, "number", data.cast(pa.int8()).cast(pa.float64()), "true is 1 and false is 0")
    if data.type != pa.float64():
        data = data.cast(pa.float64(), safe=False)
    # A sum is a number only if all terms are: a look at each of them is mostly spared.
    if math.isnan(pc.sum(data, min_count=0).as_py()) and _any(pc.is_nan(data)):
        data = pc.if_else(pc.is_nan(data), None, data)
    return Column(name, "empty" if data.null_count == len(data) else "number", data)


def _from_text(name: str, data: pa.ChunkedArray) -> Column:
    trimmed = pc.utf8_trim_whitespace(data)
    text = _without(trimmed, MISSING_WORDS)
    if text.null_count == len(text):
        return Column(name, "empty", text)
    numbers = _without(trimmed, MISSING_AMONG_NUMBERS)
    if numbers.null_count < len(numbers):
        found = _parse_numbers(name, numbers)
        if found is not None:
            return replace(found, cells=numbers)
    if _every(text, ISO_DATE) or _every(text, LOCAL_DATE):
        return Column(name, "date", text)
    if _every(text, MONTH):
        return Column(name, "date", text, "as months, each at its middle")
    if _every(text, WORDED_DATE) and (dates := _from_words(text)) is not None:
        return Column(name, "date", dates)
    return Column(name, "text", text)


def _from_words(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Dates with the month in words as 2019-07-26; None where a word is no month, or not in English."""
    coded = text.combine_chunks().dictionary_encode()
    written = [spell_date(cell) for cell in coded.dictionary.to_pylist()]
    if None in written:
        return None
    return pa.chunked_array([pa.array(written, pa.string()).take(coded.indices)])


def spell_date(cell: str) -> str | None:
    """Return a date with the month in words as 2019-07-26; None if it is none."""
    found = re.match(WORDED_DATE, cell)
    word = (found["month"] or found["named"]).lower() if found else ""
    months = [number for number, month in enumerate(MONTHS, 1) if month.startswith(word) or word == month[:4]]
    if found is None or len(months) != 1:
        return None
    return f"{found['year']}-{months[0]:02d}-{int(found['day'] or found['then']):02d}"


def _parse_numbers(name: str, text: pa.ChunkedArray) -> Column | None:
    try:
        numbers = text.cast(pa.float64())
    except pa.ArrowInvalid:
        if not _every(text, DECIMAL_COMMA):
            return None
        if _every(text, AMBIGUOUS_COMMA):
            example = shorten(text[pc.index(pc.match_substring(text, ","), True).as_py()].as_py())
            raise TableError(
                f"Column {name!r} has numbers with commas, such as {example!r}, that may be decimals or thousands. "
                "Write them with a decimal point and without separators."
            ) from None
        numbers = pc.replace_substring(text, ",", ".").cast(pa.float64())
        return Column(name, "number", numbers, "with decimal commas")
    infinite = pc.invert(pc.is_finite(numbers))
    if not _any(infinite):
        return Column(name, "number", numbers)
    row = pc.index(pc.and_(infinite, pc.match_substring_regex(text, NUMBER)), True).as_py()
    if row >= 0:
        cell = shorten(text[row].as_py())
        raise TableError(f"Column {name!r} has a number that is too large in row {row + 1}: {cell!r}. Put it right.")
    return None  # "inf" and "nan" are words, not measurements


def _without(data: pa.ChunkedArray, words: tuple[str, ...]) -> pa.ChunkedArray:
    listed = pc.is_in(data, value_set=pa.array(words))
    return pc.if_else(listed, None, data) if _any(listed) else data


def _any(mask: pa.ChunkedArray) -> bool:
    return bool(pc.any(mask, min_count=0).as_py())


def _every(text: pa.ChunkedArray, pattern: str) -> bool:
    """Whether all known cells match; the first few decide in most cases."""
    parts = (text.slice(0, 1000), text)
    return all(pc.all(pc.match_substring_regex(part, pattern), min_count=0).as_py() for part in parts)


def count_numbers(column: Column) -> tuple[int, int, str]:
    """Of a text column: how many cells are numbers, and row (from 1) and content of the first that is not."""
    is_number = pc.match_substring_regex(column.data, NUMBER)
    row = pc.index(is_number, False).as_py()
    return int(pc.sum(is_number, min_count=0).as_py()), row + 1, shorten(str(column.data[row].as_py()))


def first_cell(column: Column) -> tuple[int, str]:
    """Row (from 1) and content of the first cell that is not a number, or of the first that says something."""
    if column.kind == "text":
        return count_numbers(column)[1:]
    row = pc.index(pc.is_valid(column.data), True).as_py()
    return row + 1, shorten(str(column.data[row].as_py()))


def count_values(cells: pa.ChunkedArray) -> tuple[Held, ...]:
    """Different values of a column of text, the most frequent first."""
    counted = pc.value_counts(cells.drop_null())
    pairs = zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
    return tuple(sorted((Held(*pair) for pair in pairs), key=lambda held: (-held.people, held.value)))


def parse_number(text: str) -> float | None:
    """A number as Python writes it; None if it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def count_rows_alike(table: pa.Table) -> NDArray[np.int64]:
    """How many rows have each combination of cells; a name such as "." would mean something else to Arrow."""
    numbered = table.rename_columns([f"column {number}" for number in range(table.num_columns)])
    counted = numbered.group_by(numbered.column_names).aggregate([([], "count_all")])
    return np.asarray(counted["count_all"].to_numpy())


def words_of(name: str) -> list[str]:
    """Words of a column's name, in small letters.

    >>> words_of("daysToRelapse_2")
    ['days', 'to', 'relapse', '2']
    """
    found = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+", name)
    return [word.casefold() for word in found]
