"""Which column of a table is what: the event, the times, the ids and the features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from whether.files.table.findings import TableError, name_columns, suggest
from whether.validate import ArgumentError


@dataclass(frozen=True)
class Roles:
    """The columns with the event and the times, as the user named them."""

    event: str
    time: str | None = None
    follow_up: str | None = None
    entry: str | None = None
    endpoint: str | None = None  # date, or number where the entries are, at which follow-up ended for everybody
    event_value: str | None = None  # of the event column: means that the event was seen

    def __post_init__(self) -> None:
        """Refuse combinations that mean nothing."""
        if self.endpoint is not None and self.entry is None:
            raise ArgumentError("`endpoint` needs `entry`: the column with everybody's date of entry.")
        if self.entry is not None and self.endpoint is None and self.time is None:
            raise ArgumentError("`entry` needs `endpoint` (the date at which follow-up ended), or `time` with dates.")
        if self.endpoint is not None and self.follow_up is not None:
            raise ArgumentError("Give `follow_up`, or `entry` and `endpoint` from which it follows, not both.")
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError(f"Column {twice!r} cannot be two of event, time, follow-up and entry.")

    @property
    def columns(self) -> list[str]:
        """Names of the columns that have a role."""
        return [name for name in (self.event, self.time, self.follow_up, self.entry) if name is not None]


@dataclass(frozen=True)
class Choice:
    """The other columns: which may become features (by name or not), and what else they are for."""

    candidates: list[str]
    is_named: bool = False
    ids: list[str] = field(default_factory=list)
    categorical: list[str] = field(default_factory=list)
    propensity: list[str] = field(default_factory=list)
    by: list[str] = field(default_factory=list)


def choose_columns(names: Sequence[str], roles: Roles, uses: Mapping[str, Iterable[str] | None]) -> Choice:
    """Settle what columns are for, by the parameters of `read_cohort`; a name is refused if absent, or used twice."""
    wanted, dropped, ids, codes, propensity, grouping, by = (
        _listed(uses[use]) for use in ("features", "drop", "id", "categorical", "propensity_features", "group", "by")
    )
    for name in (*roles.columns, *wanted, *dropped, *ids, *codes, *propensity, *grouping, *by):
        check_column(name, names)
    outcome = next((name for name in by if name in roles.columns), None)
    if outcome is not None:
        raise ArgumentError(f"`by` has {outcome!r}, the event or a time: groups are of what comes before.")
    taken = {*roles.columns, *dropped, *ids, *grouping}
    used_twice = next((name for name in (*wanted, *propensity, *codes) if name in taken), None)
    if used_twice is not None:
        raise ArgumentError(f"Column {used_twice!r} cannot be a feature: it has another use, or was dropped.")
    candidates = wanted if uses["features"] is not None else [name for name in names if name not in taken]
    absent = next((name for name in propensity if name not in candidates), None)
    if absent is not None:
        raise ArgumentError(f"`propensity_features` has {absent!r}, which `features` has not.")
    return Choice(candidates, uses["features"] is not None, ids, codes, propensity, by)


def _listed(names: Iterable[str] | None) -> list[str]:
    """Names without repetition; one name is a list of one."""
    return list(dict.fromkeys([names] if isinstance(names, str) else names or ()))


def check_column(name: str, names: Sequence[str]) -> None:
    """Refuse the name of a column that is not there."""
    if name not in names:
        hint = suggest(name, names) or (" Is the separator one of , ; tab |?" if len(names) == 1 else "")
        raise TableError(f"The table has no column {name!r} (it has {name_columns(names)}).{hint}")
