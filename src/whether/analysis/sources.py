"""What an analysis is given: arrays, a table as it is, or a cohort that was read from one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from whether.analysis.result import Origin
from whether.files.table import Encoder, TableCohort, read_cohort
from whether.validate import ArgumentError

# What may be known of people besides label, times and features, and what is asked of those who may die first.
RECORDS = ("known_negative", "time_lower", "entry_time", "competing", "question")


@dataclass(frozen=True, eq=False)
class Source:
    """Features, labels, what is known besides, which rows belong together, by what people are told apart, origin."""

    X: Any
    y: Any
    known: dict[str, Any]
    groups: Any
    by: Any
    origin: Origin
    encoder: Encoder | None = None


def read_source(
    X: Any,
    y: Any,
    event: str | None,
    known: dict[str, Any],
    records: dict[str, Any],
    groups: Any,
    by: Any,
    origin: Origin | None,
    columns: dict[str, Any],
) -> Source:
    """Read a table where X is one; records are values, one per person, or as `read_cohort` takes them."""
    given = {name: values for name, values in records.items() if values is not None}
    if event is not None or "event_date" in columns:
        if "known_negative" in given:
            raise ArgumentError("`known_negative` is taken as values beside X and y; of a table say `never_after`.")
        of_table = {"group": groups, "by": by, **columns}
        of_table |= {name: given.pop(name) for name in ("competing", "entry_time", "time_lower") if name in given}
        X, by = read_cohort(X, event, **known, **of_table), None
    elif columns:
        raise ArgumentError(
            f"`{next(iter(columns))}` is about a table: name its column with the event as `event`, too."
        )
    if isinstance(X, TableCohort):
        by = X.by if by is None else by
        known = {**X.known, **X.beside, **given}
        return Source(X.X, X.y, known, X.groups, by, origin or describe_origin(X), X.encoder)
    if y is None:
        raise ArgumentError("analyze needs `y`, the labels; or `event`, the column of a table that has them.")
    return Source(X, y, {**known, **given}, groups, by, origin or Origin())


def describe_origin(cohort: TableCohort, *, unit: str = "", call: str = "", simulated: bool = False) -> Origin:
    """Say where the people of a table came from and what was done to it."""
    return Origin(
        name=cohort.name,
        event=cohort.roles.event,
        time=cohort.roles.time or "",
        follow_up=cohort.roles.follow_up or "",
        entry=cohort.roles.entry or "",
        entry_time=cohort.roles.entry_time or "",
        time_lower=cohort.roles.time_lower or "",
        last_contact=cohort.roles.last_contact or "",
        propensity_features=tuple(cohort.propensity_features or ()),
        unit=unit or ("years" if cohort.is_in_years else ""),
        findings=cohort.findings,
        call=call,
        simulated=simulated,
        n_persons=cohort.n_persons,
        rows_each=_count_rows(cohort) if cohort.n_persons else (),
    )


def _count_rows(cohort: TableCohort) -> tuple[int, ...]:
    """Count the rows of each person, the largest number first."""
    assert cohort.groups is not None, "persons with several rows are groups"
    return tuple(np.sort(np.unique(cohort.groups, return_counts=True)[1])[::-1].tolist())
