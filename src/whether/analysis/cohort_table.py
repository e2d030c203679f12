"""Who the people are, with and without a recorded event: what goes into the first table of a publication.

Cells are of nobody or of many people: levels of few are pooled as `memberships` does, few gaps count as filled, and
quartiles are means of the people around them, so that none is somebody's own value. Numbers of few different values are
counted, since a mean of them and its deviation would give the counts back. Where people are told apart by levels, no
difference to these may give back a few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from whether.analysis.memberships import MISSING, MOST_VALUES, OTHER, Membership, pool
from whether.analysis.result import Analysis
from whether.facts import FEWEST, People, RestsOn, fewest_rows
from whether.files.table.encoder import CategoryPlan, NumberPlan
from whether.files.table.findings import Finding, GapsCoded, RarePooled

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Values = Mapping[str, Array]  # columns of features by name

# Columns that are described; more make no table.
MOST_COLUMNS = 80


@dataclass(frozen=True)
class Summary:
    """Middle and spread of the numbers of some people."""

    mean: float
    deviation: float
    median: float
    lower: float  # quartiles
    upper: float


@dataclass(frozen=True)
class NumberRow:
    """A column of numbers; gaps, where there are some but few, count as the value that filled them."""

    column: str
    everybody: Annotated[Summary, RestsOn(("events",))]
    with_event: Annotated[Summary, RestsOn(("events",))]
    without_event: Annotated[Summary, RestsOn(("events",))]
    n_missing: Annotated[int, People("people")] = 0
    n_missing_events: Annotated[int, People("n_missing")] = 0


@dataclass(frozen=True)
class LevelRow:
    """A level of a column of categories, or several of few people."""

    column: str
    level: str
    n_people: Annotated[int, People("people")]
    n_events: Annotated[int, People("n_people")]


@dataclass(frozen=True)
class CohortTable:
    """The people, column by column."""

    n_people: int
    n_events: Annotated[int, People("people")]
    rows: tuple[NumberRow | LevelRow, ...]
    n_left_out: int = 0  # columns beyond the most that are described


def describe_cohort(analysis: Analysis) -> CohortTable:
    """Describe the columns of which an analysis read its features, by whether the event was recorded."""
    cohort, labeled = analysis.evidence.material.cohort, analysis.evidence.material.cohort.labeled
    values = dict(zip(cohort.names, cohort.features.T, strict=True))
    asked = {one.column: one for one in analysis.memberships}
    plans = [NumberPlan(name, np.nan) for name in cohort.names] if analysis.encoder is None else analysis.encoder.plans
    rows: list[NumberRow | LevelRow] = []
    fewest = fewest_rows(analysis.origin.rows_each)
    counted = list(analysis.memberships)  # whose levels have been counted
    for plan in plans[:MOST_COLUMNS]:
        membership = _levels(plan, values, labeled.size, analysis.origin.findings)
        if membership is None:
            rows += _numbers(plan.name, values, labeled, counted, fewest)
            continue
        # A column that people were told apart by has the same levels here.
        shown = asked.get(plan.name) or pool(membership, labeled, counted, fewest)
        counted.append(shown)
        for position, level in enumerate(shown.levels):
            at = shown.rows(position)
            rows.append(LevelRow(plan.name, level, at.size, int(np.count_nonzero(labeled[at]))))
    n_events = int(np.count_nonzero(labeled))
    return CohortTable(labeled.size, n_events, tuple(rows), max(0, len(plans) - MOST_COLUMNS))


def _levels(plan: NumberPlan | CategoryPlan, values: Values, n: int, findings: Sequence[Finding]) -> Membership | None:
    """Levels of a column of categories, or of few different numbers; None of other numbers."""
    if isinstance(plan, CategoryPlan):
        marks = [(name, values[name] == 1) for name in plan.outputs() if name in values]
        code = np.zeros(n, dtype=np.intp)
        for position, (_, mark) in enumerate(marks, start=1):
            code[mark] = position
        named = [name.removeprefix(f"{plan.name}=") for name, _ in marks]
        others = [{"(missing)": MISSING, "(other)": OTHER}.get(level, level) for level in named]
        first = _name_first(plan, findings, is_whole=len(named) == len(plan.outputs()))
        return Membership(plan.name, (first, *others), code)
    if plan.name not in values:
        return None
    column, missing = _with_gaps(plan.name, values)
    distinct, at = np.unique(column[~missing], return_inverse=True)
    if distinct.size > MOST_VALUES:
        return None
    code = np.full(n, distinct.size, dtype=np.intp)
    code[~missing] = at
    levels = [f"{value:.10g}" for value in distinct] + [MISSING] * bool(missing.any())
    return Membership(plan.name, tuple(levels), code)


def _name_first(plan: CategoryPlan, findings: Sequence[Finding], *, is_whole: bool) -> str:
    """Name the first level, and what counts as it for want of a feature; not whole, some features were left out."""
    about = [one for one in findings if isinstance(one, (RarePooled, GapsCoded)) and one.column == plan.name]
    joined = {OTHER if isinstance(one, RarePooled) else MISSING for one in about if one.counts_as is not None}
    joined |= set() if is_whole else {OTHER}
    return " or ".join([plan.levels[0], *sorted(joined, reverse=True)])


def _with_gaps(name: str, values: Values) -> tuple[Array, Flags]:
    """Cells of a column, and which of them are gaps."""
    column = values[name]
    return column, np.isnan(column) | (values.get(f"{name} is missing", np.zeros(column.size)) == 1)


def _numbers(name: str, values: Values, labeled: Flags, counted: list[Membership], fewest: int) -> list[NumberRow]:
    """One row of a column of numbers; none of a column that became no feature."""
    if name not in values:
        return []
    column, missing = _with_gaps(name, values)
    gaps = pool(Membership(name, ("known", MISSING), missing.astype(np.intp)), labeled, counted, fewest)
    if len(gaps.levels) == 1:
        column, missing = np.where(np.isnan(column), np.nanmedian(column), column), np.zeros_like(missing)
    elif missing.any():
        counted.append(gaps)
    parts = (~missing, ~missing & labeled, ~missing & ~labeled)
    if not all(part.any() for part in parts):
        return []
    sizes = int(np.count_nonzero(missing)), int(np.count_nonzero(missing & labeled))
    everybody, with_event, without_event = (summarize(column[part], fewest) for part in parts)
    return [NumberRow(name, everybody, with_event, without_event, *sizes)]


def summarize(values: Array, fewest: int = FEWEST) -> Summary:
    """Mean, standard deviation, median and quartiles; the latter as means of the people around them."""
    ordered = np.sort(values)
    quartiles = (_around(ordered, share, fewest) for share in (0.5, 0.25, 0.75))
    return Summary(float(values.mean()), float(values.std(ddof=min(1, values.size - 1))), *quartiles)


def _around(ordered: Array, share: float, fewest: int) -> float:
    middle = round(share * (ordered.size - 1))
    reach = fewest // 2
    start = min(max(middle - reach, 0), max(ordered.size - fewest, 0))
    return float(ordered[start : start + fewest].mean())
