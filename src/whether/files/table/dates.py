"""Dates as columns and options hold them: days, months or years, in the orders that people write."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.columns import ISO_DATE, LOCAL_DATE, MONTH, Column, spell_date
from whether.files.table.findings import TableError
from whether.files.table.names import shorten

Array = NDArray[np.float64]

EPOCH = datetime.date(1970, 1, 1).toordinal()
DAYS_PER_YEAR = 365.25
CLOCK = re.compile(
    r"[^ T]*[ T](?P<hour>[0-9]{1,2})(:(?P<minute>[0-9]{2})(:(?P<second>[0-9]{2}([.,][0-9]+)?))?)?"
    r"(Z|(?P<sign>[+-])(?P<far>[0-9]{2}):?(?P<farther>[0-9]{2})?)?"
)
MIDDLE = 15  # day of a month that stands for all of it
CALENDAR = (1700, 2200)  # years in which people live
BUDDHIST, LAST_ERA = 543, 2800
FEW = 100  # numbers that mostly say that not all are dates


def as_days(column: Column) -> Array:
    """Days since 1970 of a column of dates; NaN where nothing is known, and a month is its middle."""
    if column.data.type != pa.string():
        micros = column.data.cast(pa.int64()).cast(pa.float64(), safe=False)
        return np.asarray(micros.to_numpy(), dtype=float) / 86_400e6
    # Few dates are written in many rows: each is read once.
    coded = column.data.combine_chunks().dictionary_encode()
    written = coded.dictionary.to_pylist()
    cells = [_parts(cell) for cell in written]
    order = _order(column, [cell for cell in cells if len(cell) == 3])
    days = [
        _day(column, *_read_parts(cell, order)) + _part_of_day(column, text)
        for cell, text in zip(cells, written, strict=True)
    ]
    return np.append(days, np.nan)[pc.fill_null(coded.indices, len(days)).to_numpy()]


def _part_of_day(column: Column, cell: str) -> float:
    """Time of day as a part of the day, at Greenwich where the cell says how far from there it is."""
    if len(re.split("[ T]", cell, maxsplit=1)[-1]) in (0, len(cell)):
        return 0.0
    found = CLOCK.fullmatch(cell)
    if found is None or int(found["hour"]) > 24 or int(found["minute"] or 0) > 59:
        raise TableError(
            f"Column {column.name!r} has a time of day that does not exist: {shorten(cell)!r}. Put it right, or empty "
            "the cell."
        )
    seconds = 3600.0 * int(found["hour"]) + 60 * int(found["minute"] or 0)
    seconds += float((found["second"] or "0").replace(",", "."))
    if found["sign"]:
        away = 3600 * int(found["far"]) + 60 * int(found["farther"] or 0)
        seconds -= away if found["sign"] == "+" else -away
    return seconds / 86_400


def _parts(cell: str) -> list[str]:
    return re.split(r"[./ T-]", cell)[:3]


def _read_parts(cell: list[str], order: tuple[int, int, int]) -> tuple[int, int, int]:
    """Year, month and day."""
    if len(cell) == 2:
        year, month = cell if len(cell[0]) == 4 else cell[::-1]
        return int(year), int(month), MIDDLE
    return int(cell[order[0]]), int(cell[order[1]]), int(cell[order[2]])


def _order(column: Column, cells: list[list[str]]) -> tuple[int, int, int]:
    """Places of year, month and day; whether the day is first the dates themselves must tell."""
    if not cells or len(cells[0][0]) == 4:
        return 0, 1, 2
    day_first, month_first = (max(int(cell[place]) for cell in cells) > 12 for place in (0, 1))
    if day_first and month_first:
        raise TableError(
            f"Column {column.name!r} has dates of both orders, some with the day first and some with the month first. "
            "Write all of them as 2020-12-31."
        )
    if not day_first and not month_first:
        example = shorten(column.data.drop_null()[0].as_py())
        raise TableError(
            f"Column {column.name!r} has dates such as {example!r} in which day and month cannot be told apart. Write "
            "them as 2020-12-31."
        )
    return (2, 1, 0) if day_first else (2, 0, 1)


def _day(column: Column, year: int, month: int, day: int) -> float:
    try:
        return float(datetime.date(year, month, day).toordinal() - EPOCH)
    except ValueError:
        raise TableError(
            f"Column {column.name!r} has a date that does not exist: year {year}, month {month}, day {day}. Put "
            "it right, or empty the cell."
        ) from None


def parse_end(text: str) -> float | None:
    """Days since 1970 of a date that an option gives, at the end of a month or year where it is one; None if none.

    A date that may be read two ways is none.
    """
    cell = spell_date(text.strip()) or text.strip()
    try:
        if re.fullmatch("[0-9]{4}", cell):
            return _count(int(cell), 12, 31)
        if re.fullmatch("[0-9]{8}", cell):
            cell = f"{cell[:4]}-{cell[4:6]}-{cell[6:]}"
        parts = _parts(cell)
        if re.match(MONTH, cell):
            year, month, _ = _read_parts(parts, (0, 1, 2))
            return _count(year, month, calendar.monthrange(year, month)[1])
        if re.match(ISO_DATE, cell):
            return _count(*_read_parts(parts, (0, 1, 2)))
        first, second = (int(part) for part in parts[:2]) if re.match(LOCAL_DATE, cell) else (1, 1)
        if first != second and (first <= 12) == (second <= 12):
            return None
        return _count(*_read_parts(parts, (2, 1, 0) if second <= 12 else (2, 0, 1))) if len(parts) == 3 else None
    except ValueError:
        return None


def _count(year: int, month: int, day: int) -> float:
    return float(datetime.date(year, month, day).toordinal() - EPOCH)


def read_whole_dates(column: Column) -> Column:
    """Read numbers such as 20201231, if all are days, as dates, where dates may be."""
    if column.kind != "number" or not _are(_may_be_days, column.numbers()):
        return column
    whole = column.data.cast(pa.int64()).cast(pa.string())
    written = pc.replace_substring_regex(whole, r"^(....)(..)(..)$", r"\1-\2-\3")
    return Column(column.name, "date", written, "as dates, such as 20201231")


def refuse_whole_dates(column: Column) -> None:
    """Refuse numbers all of which are days, months or years: they would be taken for lengths of time."""
    values = column.numbers()
    for may_be, what in ((_may_be_days, "dates"), (_may_be_months, "months"), (_may_be_years, "years")):
        if _are(may_be, values):
            raise TableError(
                f"Column {column.name!r} holds {what} as numbers, such as {values[~np.isnan(values)][0]:.10g}, and no "
                "lengths of time. Write dates as 2020-12-31 and give the date of entry as `entry`, or give the time "
                "from entry."
            )


def refuse_far_dates(name: str, days: Array) -> None:
    """Refuse dates that nobody living has seen: codes for a missing value, and years of another era."""
    far = (days < _count(CALENDAR[0], 1, 1)) | (days >= _count(CALENDAR[1], 1, 1))
    if far.any():
        row = int(np.argmax(far))
        first = datetime.date.fromordinal(EPOCH + int(np.floor(days[row]))).isoformat()
        raise TableError(
            f"Column {name!r} has dates before {CALENDAR[0]} or after {CALENDAR[1] - 1} for {int(far.sum()):,} of "
            f"{far.size:,} people (first: row {row + 1}, {first}). If such a date is a code for a missing value, empty "
            "these cells. If the years are of the Buddhist era, take 543 from each."
        )


def _are(may_be: Callable[[Array], bool], values: Array) -> bool:
    """Whether all known numbers are something; the first few decide in most cases."""
    values = values[~np.isnan(values)]
    return bool(values.size) and may_be(values[:FEW]) and may_be(values)


def _may_be_days(values: Array) -> bool:
    """Whether all numbers are days such as 20201231, of any era."""
    days = values % 100
    return bool(np.all((days >= 1) & (days <= 31))) and _may_be_months(values // 100) and bool(np.all(values % 1 == 0))


def _may_be_months(values: Array) -> bool:
    """Whether all numbers are months such as 202012, of any era."""
    years, months = values // 100, values % 100
    may_be = (values % 1 == 0) & (years > 1800) & (years < LAST_ERA) & (months >= 1) & (months <= 12)
    return bool(np.all(may_be))


def _may_be_years(values: Array) -> bool:
    """Whether all numbers are years of our days, or of those of the Buddhist era: no length lies between these only."""
    return any(bool(np.all((values > first) & (values < first + 150))) for first in (1920, 1920 + BUDDHIST))


def to_years(days: Array) -> Array:
    """Decimal years of days since 1970."""
    return 1970 + days / DAYS_PER_YEAR
