"""When everybody entered, and how long they were followed from there, in years where these are dates."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.columns import Column, first_cell, parse_number
from whether.files.table.dates import (
    CALENDAR,
    DAYS_PER_YEAR,
    EPOCH,
    as_days,
    parse_end,
    read_whole_dates,
    refuse_far_dates,
    to_years,
)
from whether.files.table.findings import Converted, DatesToYears, EndpointRead, Finding, LostEarlier, TableError
from whether.validate import ArgumentError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Share of the people without the event who must have been seen to the endpoint before it is taken for everybody's
# potential follow-up, and how far before it, as a part of the whole period, still counts: as `whether.advise` has it.
ADMINISTRATIVE_SHARE, SAME_END = 0.95, 0.01


class Entry:
    """Everybody's entry, and the follow-up that was planned from it to the endpoint."""

    def __init__(self, column: Column, endpoint: str | None, findings: list[Finding]) -> None:
        column = read_dates(column, findings)
        self.name, self.has_dates = column.name, column.kind == "date"
        if column.kind == "empty":
            raise TableError(f"Column {column.name!r} is empty, so no date of entry is known.")
        if column.kind not in ("date", "number"):
            row, cell = first_cell(column)
            wanted = "must hold the dates of entry, as 2020-12-31"
            raise TableError(f"Column {column.name!r} {wanted}; row {row} holds {cell!r}.")
        refuse_gaps(column, "The entry of everybody must be known")
        self.start = as_days(column) if self.has_dates else column.numbers()
        if self.has_dates:
            refuse_far_dates(column.name, self.start)
        self.unit = DAYS_PER_YEAR if self.has_dates else 1.0
        self.planned = None if endpoint is None else self._plan(endpoint, findings)
        if self.has_dates:
            findings.append(DatesToYears())

    @property
    def dates(self) -> Array:
        """Entries in the unit of the times."""
        return to_years(self.start) if self.has_dates else self.start

    @property
    def is_calendar(self) -> bool:
        """Whether entries are dates, or numbers that are years."""
        return self.has_dates or bool(np.all((self.start > CALENDAR[0]) & (self.start < CALENDAR[1])))

    def _plan(self, endpoint: str, findings: list[Finding]) -> Array:
        end = self._read_endpoint(endpoint, findings)
        length = (end - self.start) / self.unit
        late = length <= 0
        if late.any():
            raise TableError(
                f"{int(late.sum()):,} of {late.size:,} people enter at or after the endpoint {endpoint} (first: row "
                f"{int(np.argmax(late)) + 1}). Leave them out, or give a later `endpoint`."
            )
        return length

    def _read_endpoint(self, text: str, findings: list[Finding]) -> float:
        """Return the endpoint in the unit of the entries, however it was written."""
        number, day = parse_number(text), parse_end(text)
        first_day, last_day = ((year - 1970) * DAYS_PER_YEAR for year in CALENDAR)
        if not self.has_dates and number is not None:
            return number
        if day is None and number is not None and CALENDAR[0] < number < CALENDAR[1]:
            day = (number - 1970) * DAYS_PER_YEAR
        if day is None or not self.is_calendar:
            wanted = "a date such as 2020-12-31, a month or a year" if self.is_calendar else "a number, as the entries"
            raise ArgumentError(f"`endpoint` must be {wanted}, got {text!r}.")
        if not first_day <= day < last_day:
            raise ArgumentError(
                f"`endpoint` is in a year before {CALENDAR[0]} or after {CALENDAR[1] - 1}, got {text!r}. From a year "
                "of the Buddhist era take 543."
            )
        if len(text.strip()) < len("2020-1-1"):
            findings.append(EndpointRead(datetime.date.fromordinal(EPOCH + int(day)).isoformat()))
        return day if self.has_dates else float(to_years(np.float64(day)))

    def length(self, column: Column) -> Array:
        """Time from entry to the date in a column; NaN where there is none."""
        if column.kind == "empty":
            return np.full(self.start.size, np.nan)
        if column.kind not in ("date", "number") or (column.kind == "number" and self.has_dates):
            raise TableError(f"Column {column.name!r} must hold dates, as {self.name!r} does.")
        if column.kind == "date" and not self.has_dates and not self.is_calendar:
            raise TableError(f"Column {column.name!r} holds dates, but the entries in {self.name!r} are numbers.")
        if column.kind == "number":
            return column.numbers() - self.start
        end = as_days(column)
        refuse_far_dates(column.name, end)
        return (end - self.start) / DAYS_PER_YEAR if self.has_dates else to_years(end) - self.start

    def until(self, name: str, time: Array, event: Flags) -> Array:
        """Check times from entry; without the event they are at most the follow-up planned, which also fills gaps."""
        if self.planned is not None:
            self.refuse_late(time, event)
            time = np.where(event, time, np.fmin(time, self.planned))
        refuse_unknown(name, time)
        self._refuse_early(name, time)
        refuse(name, "time from entry", time, time <= 0, "is not above zero")
        return time

    def _refuse_early(self, name: str, time: Array) -> None:
        """Refuse dates before the entry, and say which date is the first of them."""
        early = time < 0
        if self.has_dates and early.any():
            row = int(np.argmax(early))
            there, entry = (write_day(day) for day in (self.start[row] + time[row] * DAYS_PER_YEAR, self.start[row]))
            raise TableError(
                f"The date in column {name!r} is before the entry in {self.name!r} for {int(early.sum()):,} of "
                f"{early.size:,} people (first: row {row + 1}, {there}, entry {entry}). Correct these rows or leave "
                "them out. If the date is a code for a missing value, empty these cells."
            )

    def refuse_dates(self, name: str, time: Array) -> None:
        """Refuse lengths of time that are dates on the scale of the entries, as years and serial numbers are."""
        since = time - self.dates
        if np.all(since >= 0) and since.max() < self.dates.min() and not (self.has_dates and time.max() > CALENDAR[1]):
            raise TableError(
                f"Column {name!r} seems to hold dates as numbers, such as {time[0]:g}: nobody's lies before the entry "
                f"in {self.name!r}. Write them as 2020-12-31, or give the time from entry."
            )

    def refuse_late(self, time: Array, event: Flags) -> None:
        """Refuse events after the endpoint, at which they were not seen; dates are rounded, so a little is allowed."""
        late = event & (False if self.planned is None else time > self.planned + _tolerance(self.planned))
        if late.any():
            raise TableError(
                f"{count_people(late)} the event after the endpoint (first: row {int(np.argmax(late)) + 1}). By the "
                "endpoint it was not seen: set the event to 0 there, or give a later `endpoint`."
            )


def read_dates(column: Column, findings: list[Finding]) -> Column:
    """Read whole numbers such as 20201231 as dates, where dates may be, and say so."""
    found = read_whole_dates(column)
    if found is not column:
        findings.append(Converted(column.name, found.how))
    return found


def count_people(who: Flags) -> str:
    """How many people have something, at the beginning of a sentence."""
    n = int(np.count_nonzero(who))
    return "1 person has" if n == 1 else f"{n:,} people have"


def write_day(days: float) -> str:
    """A number of days since 1970 as a date."""
    return datetime.date.fromordinal(EPOCH + math.floor(days + 1e-6)).isoformat()


def _tolerance(planned: Array) -> float:
    return SAME_END * float(planned.max())


def settle_follow_up(event: Flags, time: Array | None, planned: Array, findings: list[Finding]) -> Array | None:
    """Potential follow-up: to the endpoint, where nearly everybody without the event was seen until then.

    Whoever was lost was followed until then. Where many were, those with the event might have been, too, and nobody
    knows who: then potential follow-up is unknown.
    """
    if time is None:
        return planned
    lost = (time < planned - _tolerance(planned))[~event]
    if lost.mean() > 1 - ADMINISTRATIVE_SHARE:
        findings.append(LostEarlier(int(lost.sum()), lost.size))
        return None
    return np.maximum(np.where(event, planned, time), time)


def refuse_gaps(column: Column, why: str) -> None:
    """Refuse a column that is not filled in for everybody."""
    if column.n_missing:
        row = pc.index(pc.is_null(column.data), True).as_py() + 1
        raise TableError(
            f"Column {column.name!r} has empty cells: {column.n_missing:,} of {len(column.data):,} (first: row {row}). "
            f"{why}: fill them in or leave these rows out."
        )


def refuse_unknown(name: str, time: Array) -> None:
    """Refuse people of whom neither the event nor the end of follow-up has a date."""
    unknown = np.isnan(time)
    if unknown.any():
        raise TableError(
            f"Column {name!r} has empty cells: {int(unknown.sum()):,} (first: row {int(np.argmax(unknown)) + 1}). The "
            "date of the event is needed for everybody who had it, and without `endpoint` the date last seen for "
            "everybody else."
        )


def refuse(name: str, what: str, values: Array, bad: Flags, reason: str) -> None:
    """Refuse values that cannot be, and say where the first one is."""
    if bad.any():
        row = int(np.argmax(bad))
        code = (
            " If it is a code for a missing value, empty these cells." if values[row] in (-9, -99, -999, -9999) else ""
        )
        raise TableError(
            f"The {what} in column {name!r} {reason} for {int(bad.sum()):,} of {bad.size:,} people (first: row "
            f"{row + 1}, {values[row]:g}). Correct these rows or leave them out.{code}"
        )


def read_date(text: str) -> float | None:
    """A date as entries have it: decimal years where it is a day or a month, else a number; None if neither."""
    number, day = parse_number(text), parse_end(text)
    return number if number is not None or day is None else float(to_years(np.float64(day)))
