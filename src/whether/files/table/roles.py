"""Which column of a table is what: the event, the times, the ids and the features."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whether.files.table.findings import TableError
from whether.files.table.names import name_columns, suggest
from whether.validate import ArgumentError


@dataclass(frozen=True)
class Roles:
    """The columns with the event and the times, as the user named them, and what their values mean."""

    event: str
    time: str | None = None
    follow_up: str | None = None
    entry: str | None = None
    endpoint: str | None = None  # date, or number where the entries are, at which follow-up ended for everybody
    event_value: tuple[str, ...] = ()  # of the event column: mean that the event was seen
    competing: tuple[str, ...] = ()  # mean that something else came first and ruled it out
    event_is_dated: bool = False  # the event column holds its date, and nothing where it was not seen
    last_contact: str | None = None  # date last seen, beside that of the event
    entry_time: str | None = None  # when observation began, event-free, on the scale of the times
    time_lower: str | None = None  # last time without the event, where it came between two visits
    never_after: float | None = None  # from this time on the event does not come any more

    def __post_init__(self) -> None:
        """Refuse combinations that mean nothing."""
        refused = next((said for said, is_wrong in self._rules() if is_wrong), None)
        if refused is not None:
            raise ArgumentError(refused)
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if twice is not None:
            first, second, *_ = (role for role, name in self._named() if name == twice)
            raise ArgumentError(
                f"Column {twice!r} was given as `{first}` and as `{second}`: it can be only one of them."
            )

    def _rules(self) -> Iterator[tuple[str, bool]]:
        """What is wrong with a combination, and whether it is this one."""
        ends = self.endpoint is not None
        yield "`endpoint` needs `entry`: the column with everybody's date of entry.", ends and self.entry is None
        is_lost = self.entry is not None and not ends and not self.has_time
        yield "`entry` needs `endpoint` (the date at which follow-up ended), or `time` with dates.", is_lost
        both = ends and self.follow_up is not None
        yield "Give `follow_up`, or `entry` and `endpoint` from which it follows, not both.", both
        both = self.event_is_dated and self.time is not None
        yield "Give `time`, or `event_date` (and `last_contact`) from which it follows, not both.", both
        both = self.event_is_dated and bool(self.event_value or self.competing)
        yield "`event_value` and `competing` are values of `event`, but `event_date` was given in its place.", both
        alone = self.last_contact is not None and not self.event_is_dated
        yield "`last_contact` goes with `event_date`; with `event`, one column `time` has both dates.", alone
        ends_nowhere = self.event_is_dated and self.last_contact is None and not ends
        yield (
            "`event_date` needs `last_contact` or `endpoint`: when people without the event were last seen.",
            (ends_nowhere),
        )
        for name in ("entry_time", "time_lower", "never_after"):
            yield (
                f"`{name}` is on the scale of the times: give `time`, too.",
                (getattr(self, name) is not None and not self.has_time),
            )

    @property
    def has_time(self) -> bool:
        """Whether there are times of the event."""
        return self.time is not None or self.event_is_dated

    @property
    def columns(self) -> list[str]:
        """Names of the columns that have a role."""
        return [name for _, name in self._named()]

    def _named(self) -> list[tuple[str, str]]:
        """The parameters that name columns, and the columns."""
        event = "event_date" if self.event_is_dated else "event"
        others = ("time", "follow_up", "entry", "last_contact", "entry_time", "time_lower")
        named = [(event, self.event), *((role, getattr(self, role)) for role in others)]
        return [(role, name) for role, name in named if name is not None]


def settle_roles(
    event: str | None, event_date: str | None, *, endpoint: Any, event_value: Any, competing: Any, **named: Any
) -> Roles:
    """Settle the roles of columns by the parameters of `read_cohort`; values are taken as cells would have them."""
    column = event if event_date is None else event_date
    if column is None or (event is not None and event_date is not None):
        raise ArgumentError(
            "Give either `event`, the column that says whether the event was seen, or `event_date`, the column with "
            "its date."
        )
    end = None if endpoint is None else _write(endpoint)
    values: dict[str, Any] = {"event_value": _write_all(event_value), "competing": _write_all(competing)}
    return Roles(column, endpoint=end, event_is_dated=event_date is not None, **values, **named)


def _write(value: Any) -> str:
    """Write a value as a cell would have it; dates without their time of day."""
    return str(value).removesuffix(" 00:00:00")


def _write_all(values: Any) -> tuple[str, ...]:
    if values is None:
        return ()
    listed = [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
    return tuple(_write(value) for value in listed)


# Names of columns whose equal values are rows of one person, and not of a family or a centre.
PERSON = re.compile(r"(?i)patient|subject|person|participant|employee|woman|mother|(^|[_\W])(pat|pid|mrn|id)$")


@dataclass(frozen=True)
class Choice:
    """The other columns: which may become features (by name or not), and what else they are for."""

    candidates: list[str]
    is_named: bool = False
    ids: list[str] = field(default_factory=list)
    categorical: list[str] = field(default_factory=list)
    propensity: list[str] = field(default_factory=list)
    by: list[str] = field(default_factory=list)
    keep: list[str] = field(default_factory=list)  # features even if they seem to give the outcome away

    def asks_for(self, name: str) -> bool:
        """Whether the user named a column as a feature."""
        return self.is_named or name in self.keep or name in self.propensity


def choose_columns(names: Sequence[str], roles: Roles, uses: Mapping[str, Iterable[str] | None]) -> Choice:
    """Settle what columns are for, by the parameters of `read_cohort`; a name is refused if absent, or used twice."""
    wanted, dropped, ids, codes, propensity, grouping, by, kept = (
        _listed(uses.get(use))
        for use in ("features", "drop", "id", "categorical", "propensity_features", "group", "by", "keep")
    )
    if not ids and not dropped:
        ids = [name for name in grouping if PERSON.search(name)]
    for name in (*roles.columns, *wanted, *dropped, *ids, *codes, *propensity, *grouping, *by, *kept):
        check_column(name, names)
    lost = next((name for name in dropped if name in roles.columns), None)
    if lost is not None:
        raise ArgumentError(f"`drop` has {lost!r}, which was given as the event or a time: it cannot be left out.")
    outcome = next((name for name in by if name in roles.columns), None)
    if outcome is not None:
        raise ArgumentError(f"`by` has {outcome!r}, the event or a time: groups are of what comes before.")
    taken = {*roles.columns, *dropped, *ids, *grouping}
    used_twice = next((name for name in (*wanted, *propensity, *codes, *kept) if name in taken), None)
    if used_twice is not None:
        raise ArgumentError(f"Column {used_twice!r} cannot be a feature: it has another use, or was dropped.")
    candidates = wanted if uses["features"] is not None else [name for name in names if name not in taken]
    absent = next((name for name in propensity if name not in candidates), None)
    if absent is not None:
        raise ArgumentError(f"`propensity_features` has {absent!r}, which `features` has not.")
    return Choice(candidates, uses["features"] is not None, ids, codes, propensity, by, kept)


def _listed(names: Iterable[str] | None) -> list[str]:
    """Names without repetition; one name is a list of one."""
    return list(dict.fromkeys([names] if isinstance(names, str) else names or ()))


def check_column(name: str, names: Sequence[str]) -> None:
    """Refuse the name of a column that is not there."""
    if name not in names:
        hint = suggest(name, names) or (
            " Is the separator one of comma, semicolon, tab and bar (|)?" if len(names) == 1 else ""
        )
        raise TableError(f"The table has no column {name!r} (it has {name_columns(names)}).{hint}")
