"""Event and times of everybody, read from the columns that hold them, and checked.

Errors say the row (from 1, the header not counted) and the parameter that would help, in backticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.columns import Column, as_days, count_values, first_cell, guess_column, parse_day, parse_number
from whether.files.table.findings import DatesToYears, EventRead, Finding, TableError, name_columns
from whether.files.table.roles import Roles
from whether.validate import ArgumentError

Array = NDArray[np.float64]

YES = ("yes", "y", "true", "t")
NO = ("no", "n", "false", "f")
DAYS_PER_YEAR = 365.25


@dataclass(frozen=True)
class Outcome:
    """Event and times of everybody, checked; entry as a number in the unit of the times, decimal years for dates."""

    event: NDArray[np.bool_]
    time: Array | None = None
    follow_up: Array | None = None
    entry: Array | None = None


def read_outcome(table: pa.Table, roles: Roles, findings: list[Finding]) -> Outcome:
    """Read event and times."""
    event = read_event(_column(table, roles.event), table[roles.event], roles.event_value, findings)
    follow_up = None if roles.follow_up is None else _read_durations(_column(table, roles.follow_up), "follow-up")
    since = None if roles.entry is None else _Entry(_column(table, roles.entry), roles.endpoint, findings)
    if since is not None and since.follow_up is not None:
        follow_up = since.follow_up
    time = None
    if roles.time is not None:
        column = _column(table, roles.time)
        if since is not None and column.kind == "date":
            time = since.until(column, event)
        else:
            time = _read_durations(column, "time")
    return Outcome(event, time, follow_up, None if since is None else since.dates)


def _column(table: pa.Table, name: str) -> Column:
    return guess_column(name, table[name])


# ---------------------------------------------------------------- event


def read_event(column: Column, cells: pa.ChunkedArray, value: str | None, findings: list[Finding]) -> NDArray[np.bool_]:
    """Whether the event was seen, of everybody; the value that means so is by default 1, true or yes."""
    if column.kind == "empty":
        raise TableError(f"Column {column.name!r} is empty, so nobody's event is known.")
    _refuse_gaps(column, "0 means that the event was not seen")
    if value is not None:
        return _event_is(column, value, findings)
    values = column.numbers() if column.kind == "number" else np.empty(0)
    if values.size and np.all((values == 0) | (values == 1)):
        event = values == 1
    elif (event := _event_of_words(column, findings)) is None:
        found = sorted(pc.unique(cells.drop_null()).to_pylist()[:1000], key=repr)
        raise TableError(
            f"Column {column.name!r} must be 0 or 1 (or yes and no, true and false); it has the values "
            f"{name_columns([str(cell) for cell in found], 6)}. If one of them means that the event was seen, give it "
            "as `event_value`."
        )
    _refuse_one_class(column.name, event)
    return event


def _event_is(column: Column, value: str, findings: list[Finding]) -> NDArray[np.bool_]:
    cells = column.data.cast(pa.string())
    event = np.asarray(pc.equal(cells, value.strip()).to_numpy(), dtype=bool)
    if not event.any():
        found = sorted(pc.unique(cells).to_pylist())
        raise TableError(f"Column {column.name!r} never has the value {value!r}; it has {name_columns(found, 6)}.")
    _tell_event(column, cells, event, findings)
    _refuse_one_class(column.name, event)
    return event


def _event_of_words(column: Column, findings: list[Finding]) -> NDArray[np.bool_] | None:
    if column.kind != "text":
        return None
    words = pc.utf8_lower(column.data)
    if not pc.all(pc.is_in(words, value_set=pa.array([*YES, *NO]))).as_py():
        return None
    event = np.asarray(pc.is_in(words, value_set=pa.array(YES)).to_numpy(), dtype=bool)
    _tell_event(column, column.data, event, findings)
    return event


def _tell_event(column: Column, cells: pa.ChunkedArray, event: NDArray[np.bool_], findings: list[Finding]) -> None:
    seen, unseen = (count_values(cells.filter(pa.array(mask))) for mask in (event, ~event))
    findings.append(EventRead(column.name, seen, unseen))


def _refuse_one_class(name: str, event: NDArray[np.bool_]) -> None:
    if not event.any():
        raise TableError(f"Nobody has the event: column {name!r} says no for all {event.size:,} people.")
    if event.all():
        raise TableError(
            f"Everybody has the event: column {name!r} says yes for all {event.size:,} people. If people without it "
            "were left out of the table, put them back."
        )


# ---------------------------------------------------------------- times


def _read_durations(column: Column, what: str) -> Array:
    if column.kind == "date":
        raise TableError(
            f"Column {column.name!r} holds dates, but the {what} is a length of time. Give everybody's date of entry "
            "as `entry` and the date at which follow-up ended as `endpoint`."
        )
    if column.kind == "empty":
        raise TableError(f"Column {column.name!r} is empty, so no {what} is known.")
    if column.kind != "number":
        row, cell = first_cell(column)
        raise TableError(f"Column {column.name!r} must hold the {what} as numbers; row {row} holds {cell!r}.")
    _refuse_gaps(column, f"the {what} must be known of everybody")
    values = column.numbers()
    _refuse(column.name, what, values, ~np.isfinite(values), "is infinite")
    _refuse(column.name, what, values, values <= 0, "is not above zero")
    return values


def _refuse_gaps(column: Column, why: str) -> None:
    if column.n_missing:
        row = pc.index(pc.is_null(column.data), True).as_py() + 1
        raise TableError(
            f"Column {column.name!r} has gaps: {column.n_missing:,} of {len(column.data):,} cells are empty (first: "
            f"row {row}), but {why}. Fill them in or leave these rows out."
        )


def _refuse(name: str, what: str, values: Array, bad: NDArray[np.bool_], reason: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise TableError(
            f"The {what} in column {name!r} {reason} for {int(bad.sum()):,} of {bad.size:,} people (first: row "
            f"{row + 1}, {values[row]:g}). Put these rows right or leave them out."
        )


class _Entry:
    """Everybody's entry, and the follow-up from it to the endpoint; in years where they are dates."""

    def __init__(self, column: Column, endpoint: str | None, findings: list[Finding]) -> None:
        self.name, self.has_dates = column.name, column.kind == "date"
        if column.kind not in ("date", "number"):
            raise TableError(f"Column {column.name!r} must hold the dates of entry, as 2020-12-31.")
        _refuse_gaps(column, "the entry of everybody must be known")
        self.start = as_days(column) if self.has_dates else column.numbers()
        self.follow_up = None if endpoint is None else self._follow_up(endpoint)
        if self.has_dates:
            findings.append(DatesToYears())

    @property
    def dates(self) -> Array:
        """Entries in the unit of the times."""
        return _to_years(self.start) if self.has_dates else self.start

    def _follow_up(self, endpoint: str) -> Array:
        end = parse_day(endpoint) if self.has_dates else parse_number(endpoint)
        if end is None:
            wanted = "a date such as 2020-12-31" if self.has_dates else "a number, as the entries are"
            raise ArgumentError(f"`endpoint` must be {wanted}, got {endpoint!r}.")
        length = (end - self.start) / (DAYS_PER_YEAR if self.has_dates else 1.0)
        late = length <= 0
        if late.any():
            raise TableError(
                f"{int(late.sum()):,} of {late.size:,} people enter at or after the endpoint {endpoint} (first: row "
                f"{int(np.argmax(late)) + 1}). Leave them out, or give a later `endpoint`."
            )
        return length

    def until(self, column: Column, event: NDArray[np.bool_]) -> Array:
        """Time from entry to a date; without the event, at most the follow-up, which also fills gaps."""
        if not self.has_dates:
            raise TableError(f"Column {column.name!r} holds dates, but the entries in {self.name!r} are numbers.")
        time = (as_days(column) - self.start) / DAYS_PER_YEAR
        if self.follow_up is not None:
            time = np.where(event, time, np.fmin(time, self.follow_up))
            late = event & (time > self.follow_up)
            if late.any():
                raise TableError(
                    f"{int(late.sum()):,} people have their event after the endpoint (first: row "
                    f"{int(np.argmax(late)) + 1}). At the endpoint it was not seen: set it to 0, or give a later "
                    "`endpoint`."
                )
        unknown = np.isnan(time)
        if unknown.any():
            raise TableError(
                f"Column {column.name!r} has gaps: {int(unknown.sum()):,} cells are empty (first: row "
                f"{int(np.argmax(unknown)) + 1}). The date of the event is needed of everybody who had it, and "
                "without `endpoint` the date last seen of everybody else."
            )
        _refuse(column.name, "time from entry", time, time <= 0, "is not above zero")
        return time


def read_date(text: str) -> float | None:
    """A date as entries have it: decimal years where it is written as 2020-12-31, else a number; None if neither."""
    day = parse_day(text)
    return parse_number(text) if day is None else _to_years(day)


def _to_years(days: Any) -> Any:
    return 1970 + days / DAYS_PER_YEAR
