"""Event and times of everybody, read from the columns that hold them, and checked.

Errors say the row (from 1, the header not counted) and the parameter that would help, in backticks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whether.files.table.columns import Column, first_cell, guess_column
from whether.files.table.dates import refuse_whole_dates
from whether.files.table.event import read_event
from whether.files.table.findings import Converted, Finding, LikelyCode, NeverAfter, RowsLeftOut, TableError
from whether.files.table.missing_codes import find_code
from whether.files.table.roles import Roles
from whether.files.table.time_zero import (
    Entry,
    count_people,
    read_dates,
    refuse,
    refuse_gaps,
    refuse_unknown,
    settle_follow_up,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FEWEST_ROWS = 20


@dataclass(frozen=True)
class Outcome:
    """Event and times of everybody, checked; entry as a number in the unit of the times, decimal years for dates."""

    event: Flags
    time: Array | None = None
    follow_up: Array | None = None
    entry: Array | None = None
    competing: Flags | None = None  # something else came first and ruled the event out
    entry_time: Array | None = None  # when observation began, event-free, on the scale of the times
    time_lower: Array | None = None  # last time at which the event had not come; the time itself where that is exact
    known_negative: Flags | None = None  # past the last time at which the event comes

    def take(self, rows: NDArray[Any]) -> Outcome:
        """Return the outcome of these people."""
        known = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}
        taken: dict[str, Any] = {name: None if values is None else values[rows] for name, values in known.items()}
        return Outcome(**taken)


def read_outcome(
    table: pa.Table, roles: Roles, findings: list[Finding], *, is_part: bool = False
) -> tuple[Outcome, Flags | None]:
    """Read event and times, of a table or a part of one; and which rows can be, where some cannot."""
    event, competing = read_event(table, roles, findings, is_part=is_part)
    reader = _Times(table, roles, event, findings, is_part=is_part)
    time = reader.read_time()
    lower, entry_time = reader.read_lower(time), reader.read_entry_time()
    outcome = Outcome(event, time, reader.read_follow_up(time), reader.entry_dates, competing, entry_time, lower)
    if roles.never_after is not None:
        outcome = dataclasses.replace(outcome, known_negative=_find_negatives(outcome, roles.never_after, findings))
    return outcome, _find_possible(outcome, roles, findings)


def _find_negatives(outcome: Outcome, limit: float, findings: list[Finding]) -> Flags:
    assert outcome.time is not None, "the roles have been checked"
    past = ~outcome.event & (outcome.time >= limit)
    late = outcome.event & (outcome.time > limit)
    if late.any():
        raise TableError(
            f"{count_people(late)} the event after {limit:g} (first: row {int(np.argmax(late)) + 1}), when by "
            "`never_after` it can no longer happen. Give a later one."
        )
    findings.append(NeverAfter(limit, int(past.sum()), int((~outcome.event).sum())))
    return np.asarray(past)


def _find_possible(outcome: Outcome, roles: Roles, findings: list[Finding]) -> Flags | None:
    """Which rows can be: observation begins before it ends, and the last visit without the event is not after it."""
    if outcome.time is None:
        return None
    possible = np.ones(outcome.event.size, dtype=bool)
    checks = (
        (roles.entry_time, outcome.entry_time, "is not before the time", np.greater_equal),
        (roles.time_lower, outcome.time_lower, "is after the time", np.greater),
    )
    for name, values, reason, breaks in checks:
        if name is not None and values is not None:
            bad = breaks(values, outcome.time)
            if bad.any():
                findings.append(RowsLeftOut(name, reason, int(bad.sum())))
            possible &= ~bad
    return None if possible.all() else possible


class _Times:
    """Times of everybody, from columns of lengths or of dates."""

    def __init__(
        self, table: pa.Table, roles: Roles, event: Flags, findings: list[Finding], *, is_part: bool = False
    ) -> None:
        self.table, self.roles, self.event, self.findings, self.is_part = table, roles, event, findings, is_part
        self.since = None if roles.entry is None else Entry(self._column(roles.entry), roles.endpoint, findings)

    def _column(self, name: str) -> Column:
        column = guess_column(name, self.table[name])
        if column.how:
            self.findings.append(Converted(name, column.how))
        code = None if self.is_part else find_code(column)  # of a part nobody is told
        if code is not None:
            self.findings.append(LikelyCode(name, code))
        return column

    def _dated(self, name: str) -> Column:
        """Return a column that may hold dates, where there are entries from which they are counted."""
        column = self._column(name)
        return column if self.since is None else read_dates(column, self.findings)

    @property
    def entry_dates(self) -> Array | None:
        return None if self.since is None else self.since.dates

    def read_time(self) -> Array | None:
        """Time of the event or, without it, of the end of follow-up."""
        if self.roles.event_is_dated:
            return self._time_of_two()
        if self.roles.time is None:
            return None
        column = self._dated(self.roles.time)
        if self.since is not None and column.kind == "date":
            return self.since.until(column.name, self.since.length(column), self.event)
        time = read_durations(column, "time")
        if self.since is not None:
            self.since.refuse_dates(column.name, time)
            self.since.refuse_late(time, self.event)
        return time

    def _time_of_two(self) -> Array:
        """Time from the date of the event where there is one, else from that of the last contact, if it has its own."""
        names = [name for name in (self.roles.event, self.roles.last_contact) if name is not None]
        columns = [self._dated(name) for name in names]
        if self.since is not None:
            lengths = [self.since.length(column) for column in columns]
        else:
            lengths = [read_durations(column, "time", gaps=True) for column in columns]
        last = lengths[1] if len(lengths) > 1 else np.full(self.event.size, np.nan)
        time = np.where(self.event, lengths[0], last)
        if self.since is not None:
            return self.since.until(names[-1], time, self.event)
        refuse_unknown(names[-1], time)
        return time

    def read_follow_up(self, time: Array | None) -> Array | None:
        """How long people were, or would have been, followed."""
        if self.roles.follow_up is not None:
            follow_up = read_durations(self._column(self.roles.follow_up), "follow-up")
            self._refuse_short(follow_up, time)
            return follow_up
        if self.since is None or self.since.planned is None:
            return None
        return settle_follow_up(self.event, time, self.since.planned, self.findings)

    def _refuse_short(self, follow_up: Array, time: Array | None) -> None:
        """Refuse a follow-up that ends before the event."""
        short = self.event & (False if time is None else time > follow_up)
        if time is not None and short.any():
            row = int(np.argmax(short))
            raise TableError(
                f"{count_people(short)} the event after the end of the follow-up in column {self.roles.follow_up!r} "
                f"(first: row {row + 1}, event at {time[row]:.6g}, follow-up {follow_up[row]:.6g}). `follow_up` is how "
                "long each person was, or would have been, followed: correct these rows or leave them out."
            )

    def read_lower(self, time: Array | None) -> Array | None:
        """Last time without the event, of people with it; a blank means that the time is exact."""
        if self.roles.time_lower is None or time is None:
            return None
        column = self._dated(self.roles.time_lower)
        if self.since is not None and column.kind == "date":
            lower = self.since.length(column)
        else:
            lower = read_durations(column, "last time without the event", gaps=True, zero=True)
        return np.where(self.event & ~np.isnan(lower), lower, time)

    def read_entry_time(self) -> Array | None:
        """When observation began, on the scale of the times."""
        if self.roles.entry_time is None:
            return None
        return read_durations(self._column(self.roles.entry_time), "time of entry", zero=True)


def read_durations(column: Column, what: str, *, gaps: bool = False, zero: bool = False) -> Array:
    """Lengths of time in a column, above zero (or not below) and, unless gaps may be, known of everybody."""
    if column.kind == "date":
        raise TableError(
            f"Column {column.name!r} holds dates, but the {what} is a length of time. Give everybody's date of entry "
            "as `entry`, from which times are counted, and the date at which follow-up ended, if known, as `endpoint`."
        )
    if column.kind == "empty":
        raise TableError(f"Column {column.name!r} is empty, so no {what} is known.")
    if column.kind != "number":
        row, cell = first_cell(column)
        raise TableError(f"Column {column.name!r} must hold the {what} as numbers; row {row} holds {cell!r}.")
    if not gaps:
        refuse_gaps(column, f"The {what} must be known for everybody")
    refuse_whole_dates(column)
    values = column.numbers()
    refuse(column.name, what, values, np.isinf(values), "is infinite")
    reason = "is below zero" if zero else "is not above zero"
    refuse(column.name, what, values, values < 0 if zero else values <= 0, reason)
    return values


def refuse_few(name: str, n: int, left: str = "") -> None:
    """Refuse a table of too few rows to learn from."""
    if n < FEWEST_ROWS:
        raise TableError(
            f"{name!r} has {n} row{'s' * (n != 1)}{left}, which is too few: at least {FEWEST_ROWS} people are needed "
            "to learn from."
        )


def refuse_remains(name: str, event: Flags, n_read: int, findings: Iterable[Finding]) -> None:
    """Refuse what is left of a table without the rows that cannot be, where nothing can be learned from it."""
    why = " and ".join(f"column {one.column!r} {one.reason}" for one in findings if isinstance(one, RowsLeftOut))
    refuse_few(name, event.size, f" left of {n_read:,} (in the others {why})")
    if event.all() or not event.any():
        which = "all" if event.any() else "none"
        raise TableError(
            f"Of {n_read:,} rows {event.size:,} are left, and {which} of them have the event: in the others {why}."
        )
