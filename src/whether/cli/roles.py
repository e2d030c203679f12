"""Which column of a table is what: the event, the times, the ids and the features, read and checked.

Errors say the row (from 1, the header not counted) and the option that would help.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.cli.problems import CommandError
from whether.files.table import (
    Column,
    Notes,
    TableError,
    as_days,
    first_cell,
    guess_column,
    name_columns,
    parse_day,
    suggest,
)

Array = NDArray[np.float64]

YES = ("yes", "y", "true", "t")
NO = ("no", "n", "false", "f")
DAYS_PER_YEAR = 365.25


@dataclass(frozen=True)
class Roles:
    """What the user said the columns are.

    Attributes
    ----------
    event : str
    time, follow_up, entry : str or None
    endpoint : str or None
        Date (or number, where entry is one) at which follow-up ended for everybody.
    event_value : str or None
        The value of the event column that means that the event was seen.
    """

    event: str
    time: str | None = None
    follow_up: str | None = None
    entry: str | None = None
    endpoint: str | None = None
    event_value: str | None = None

    def __post_init__(self) -> None:
        """Refuse combinations that mean nothing."""
        if self.endpoint is not None and self.entry is None:
            raise CommandError("--endpoint needs --entry: the column with everybody's date of entry.")
        if self.entry is not None and self.endpoint is None and self.time is None:
            raise CommandError("--entry needs --endpoint (the date at which follow-up ended), or --time with dates.")
        if self.endpoint is not None and self.follow_up is not None:
            raise CommandError("Give --follow-up, or --entry and --endpoint from which it follows, not both.")
        columns = self.columns()
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise CommandError(f"Column {twice!r} cannot be two of event, time, follow-up and entry.")

    def columns(self) -> list[str]:
        """Names of the columns that have a role."""
        return [name for name in (self.event, self.time, self.follow_up, self.entry) if name is not None]


@dataclass(frozen=True)
class Outcome:
    """Event and times of everybody, checked; entry as a number in the unit of the times, decimal years for dates."""

    event: NDArray[np.bool_]
    time: Array | None
    follow_up: Array | None
    entry: Array | None = None


def split_names(options: Iterable[str] | None, names: Sequence[str]) -> list[str] | None:
    """Names of columns given as ``a,b``; a name with a comma in it is given whole, or in quotes."""
    if options is None:
        return None
    found: list[str] = []
    for option in options:
        found += [option] if option in names else [part.strip() for part in next(csv.reader([option]), [])]
    listed = [name for name in dict.fromkeys(found) if name]
    if not listed:
        return None
    for name in listed:
        check_column(name, names)
    return listed


def check_column(name: str, names: Sequence[str]) -> None:
    """Refuse the name of a column that is not there."""
    if name not in names:
        hint = suggest(name, names) or (" Is the separator one of , ; tab |?" if len(names) == 1 else "")
        raise TableError(f"The table has no column {name!r} (it has {name_columns(names)}).{hint}")


def read_outcome(table: pa.Table, roles: Roles, notes: Notes) -> Outcome:
    """Read event and times."""
    event = read_event(guess_column(roles.event, table[roles.event]), table[roles.event], roles.event_value, notes)
    follow_up = None if roles.follow_up is None else _read_durations(_column(table, roles.follow_up), "follow-up")
    since = None if roles.entry is None else _Entry(_column(table, roles.entry), roles.endpoint, notes)
    if since is not None and since.follow_up is not None:
        follow_up = since.follow_up
    time = None if roles.time is None else _read_time(_column(table, roles.time), since, event)
    return Outcome(event, time, follow_up, None if since is None else since.dates)


def _column(table: pa.Table, name: str) -> Column:
    return guess_column(name, table[name])


# ---------------------------------------------------------------- event


def read_event(column: Column, cells: pa.ChunkedArray, value: str | None, notes: Notes) -> NDArray[np.bool_]:
    """Whether the event was seen, of everybody.

    Parameters
    ----------
    column : Column
    cells : pyarrow.ChunkedArray
        As they are in the file.
    value : str or None
        What means that it was seen; by default 1, true or yes.
    notes : Notes
    """
    if column.kind == "empty":
        raise TableError(f"Column {column.name!r} is empty, so nobody's event is known.")
    _refuse_gaps(column, "0 means that the event was not seen")
    if value is not None:
        return _event_is(column, value, notes)
    event = _event_of_numbers(column) if column.kind == "number" else _event_of_words(column, notes)
    if event is None:
        found = sorted(pc.unique(cells.drop_null()).to_pylist()[:1000], key=repr)
        raise TableError(
            f"Column {column.name!r} must be 0 or 1 (or yes and no, true and false); it has the values "
            f"{name_columns([str(cell) for cell in found], 6)}. If one of them means that the event was seen, give it "
            "as --event-value."
        )
    _refuse_one_class(column.name, event)
    return event


def _event_is(column: Column, value: str, notes: Notes) -> NDArray[np.bool_]:
    cells = column.data.cast(pa.string())
    event = np.asarray(pc.equal(cells, value.strip()).to_numpy(), dtype=bool)
    if not event.any():
        found = sorted(pc.unique(cells).to_pylist())
        raise TableError(f"Column {column.name!r} never has the value {value!r}; it has {name_columns(found, 6)}.")
    notes.say(f"Column {column.name!r}: {value!r} means that the event was seen, everything else that it was not.")
    _refuse_one_class(column.name, event)
    return event


def _event_of_numbers(column: Column) -> NDArray[np.bool_] | None:
    values = column.numbers()
    return values == 1 if np.all((values == 0) | (values == 1)) else None


def _event_of_words(column: Column, notes: Notes) -> NDArray[np.bool_] | None:
    if column.kind != "text":
        return None
    words = pc.utf8_lower(column.data)
    if not pc.all(pc.is_in(words, value_set=pa.array([*YES, *NO]))).as_py():
        return None
    found = name_columns(sorted(pc.unique(column.data).to_pylist()))
    notes.say(f"Column {column.name!r} was read as yes or no from {found}.")
    return np.asarray(pc.is_in(words, value_set=pa.array(YES)).to_numpy(), dtype=bool)


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
            "as --entry and the date at which follow-up ended as --endpoint."
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

    def __init__(self, column: Column, endpoint: str | None, notes: Notes) -> None:
        self.name, self.has_dates = column.name, column.kind == "date"
        if column.kind not in ("date", "number"):
            raise TableError(f"Column {column.name!r} must hold the dates of entry, as 2020-12-31.")
        _refuse_gaps(column, "the entry of everybody must be known")
        self.start = as_days(column) if self.has_dates else column.numbers()
        self.follow_up = None if endpoint is None else self._follow_up(endpoint)
        if self.has_dates:
            notes.say("Times are in years of 365.25 days.")

    @property
    def dates(self) -> Array:
        """Entries in the unit of the times."""
        return 1970 + self.start / DAYS_PER_YEAR if self.has_dates else self.start

    def _follow_up(self, endpoint: str) -> Array:
        end = parse_day(endpoint) if self.has_dates else _to_number(endpoint)
        if end is None:
            wanted = "a date such as 2020-12-31" if self.has_dates else "a number, as the entries are"
            raise CommandError(f"--endpoint must be {wanted}, got {endpoint!r}.")
        length = (end - self.start) / (DAYS_PER_YEAR if self.has_dates else 1.0)
        late = length <= 0
        if late.any():
            raise TableError(
                f"{int(late.sum()):,} of {late.size:,} people enter at or after the endpoint {endpoint} (first: row "
                f"{int(np.argmax(late)) + 1}). Leave them out, or give a later --endpoint."
            )
        return length

    def since(self, column: Column, event: NDArray[np.bool_]) -> Array:
        """Time from entry to a date; without the event, at most the follow-up, which also fills gaps."""
        time = (as_days(column) - self.start) / DAYS_PER_YEAR
        if self.follow_up is not None:
            time = np.where(event, time, np.fmin(time, self.follow_up))
            late = event & (time > self.follow_up)
            if late.any():
                raise TableError(
                    f"{int(late.sum()):,} people have their event after the endpoint (first: row "
                    f"{int(np.argmax(late)) + 1}). At the endpoint it was not seen: set it to 0, or give a later "
                    "--endpoint."
                )
        unknown = np.isnan(time)
        if unknown.any():
            raise TableError(
                f"Column {column.name!r} has gaps: {int(unknown.sum()):,} cells are empty (first: row "
                f"{int(np.argmax(unknown)) + 1}). The date of the event is needed of everybody who had it, and "
                "without --endpoint the date last seen of everybody else."
            )
        _refuse(column.name, "time from entry", time, time <= 0, "is not above zero")
        return time


def _to_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _read_time(column: Column, entry: _Entry | None, event: NDArray[np.bool_]) -> Array:
    if entry is None or column.kind != "date":
        return _read_durations(column, "time")
    if not entry.has_dates:
        raise TableError(f"Column {column.name!r} holds dates, but the entries in {entry.name!r} are numbers.")
    return entry.since(column, event)
