"""Which columns of a table are read, and which of them may become features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whether.cli.problems import CommandError
from whether.cli.roles import Roles, check_column, split_names


@dataclass(frozen=True)
class Columns:
    """What the user said about the columns that may become features, as given on the command line."""

    features: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    categorical: Sequence[str] | None = None
    ids: Sequence[str] | None = None
    propensity: Sequence[str] | None = None
    group: str | None = None


class Choice:
    """The columns of a training table, chosen when their names are known.

    Attributes
    ----------
    candidates : list of str
        Columns that may become features.
    named : bool
        Whether they were asked for by name.
    ids, categorical, propensity : list of str
    group : str or None
        Column whose equal values are rows that belong together.
    """

    def __init__(self, roles: Roles, wishes: Columns, *, copies_ids: bool = False) -> None:
        self.roles, self.wishes, self.copies_ids = roles, wishes, copies_ids
        self.group = wishes.group
        self.named = False
        self.candidates: list[str] = []
        self.ids: list[str] = []
        self.categorical: list[str] = []
        self.propensity: list[str] = []

    def choose(self, names: Sequence[str]) -> list[str]:
        """Columns to read, of those that the table has."""
        for name in self.roles.columns():
            check_column(name, names)
        features = split_names(self.wishes.features, names)
        dropped = split_names(self.wishes.drop, names) or []
        self.ids = split_names(self.wishes.ids, names) or []
        self.categorical = split_names(self.wishes.categorical, names) or []
        self.propensity = split_names(self.wishes.propensity, names) or []
        grouping = [] if self.group is None else [self.group]
        for name in grouping:
            check_column(name, names)
        taken = {*self.roles.columns(), *dropped, *self.ids, *grouping}
        for name in (*(features or ()), *self.propensity, *self.categorical):
            if name in taken:
                raise CommandError(f"Column {name!r} cannot be a feature: it has another use, or was dropped.")
        self.named = features is not None
        self.candidates = [name for name in names if name not in taken] if features is None else features
        absent = next((name for name in self.propensity if name not in self.candidates), None)
        if absent is not None:
            raise CommandError(f"--propensity-features has {absent!r}, which --features has not.")
        copied = self.ids if self.copies_ids else []
        return list(dict.fromkeys([*self.roles.columns(), *grouping, *copied, *self.candidates]))
