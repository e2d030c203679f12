"""Who the people are, with and without a recorded event: what goes into the first table of a publication.

Cells are of nobody or of many people: levels of few are pooled as `memberships` does, few gaps count as filled, and
quartiles are means of the people around them, so that none is somebody's own value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from whether.analysis.memberships import MISSING, OTHER, Membership, is_few, pool
from whether.analysis.result import Analysis
from whether.facts import FEWEST, People, RestsOn
from whether.files.table.encoder import CategoryPlan, NumberPlan

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

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
    plans = [NumberPlan(name, np.nan) for name in cohort.names] if analysis.encoder is None else analysis.encoder.plans
    rows: list[NumberRow | LevelRow] = []
    pooled: list[Membership] = []
    for plan in plans[:MOST_COLUMNS]:
        membership = _levels(plan, values, labeled.size)
        if membership is None:
            rows += _numbers(plan.name, values, labeled)
            continue
        pooled.append(pool(membership, labeled, pooled))
        for position, level in enumerate(pooled[-1].levels):
            at = pooled[-1].rows(position)
            rows.append(LevelRow(plan.name, level, at.size, int(np.count_nonzero(labeled[at]))))
    n_events = int(np.count_nonzero(labeled))
    return CohortTable(labeled.size, n_events, tuple(rows), max(0, len(plans) - MOST_COLUMNS))


def _levels(plan: NumberPlan | CategoryPlan, values: dict[str, Array], n: int) -> Membership | None:
    """Levels of a column of categories, or of one of zeros and ones; None of other numbers."""
    if isinstance(plan, CategoryPlan):
        marks = [(name, values[name] == 1) for name in plan.outputs() if name in values]
        code = np.zeros(n, dtype=np.intp)
        for position, (_, mark) in enumerate(marks, start=1):
            code[mark] = position
        named = [name.removeprefix(f"{plan.name}=") for name, _ in marks]
        levels = (plan.levels[0], *({"(missing)": MISSING, "(other)": OTHER}.get(level, level) for level in named))
        return Membership(plan.name, levels, code)
    known = values.get(plan.name)
    if known is None or not np.isin(known[~np.isnan(known)], (0.0, 1.0)).all() or plan.flags_missing:
        return None
    missing = np.isnan(known)
    levels = ("0", "1", MISSING) if missing.any() else ("0", "1")
    return Membership(plan.name, levels, np.where(missing, 2, np.nan_to_num(known)).astype(np.intp))


def _numbers(name: str, values: dict[str, Array], labeled: Flags) -> list[NumberRow]:
    """One row of a column of numbers; none of a column that became no feature."""
    if name not in values:
        return []
    column = values[name]
    missing = values.get(f"{name} is missing", np.zeros(labeled.size)) == 1
    missing |= np.isnan(column)
    if is_few(missing, labeled) or is_few(~missing, labeled):
        column, missing = np.where(np.isnan(column), np.nanmedian(column), column), np.zeros_like(missing)
    parts = (~missing, ~missing & labeled, ~missing & ~labeled)
    if not all(part.any() for part in parts):
        return []
    gaps = int(np.count_nonzero(missing)), int(np.count_nonzero(missing & labeled))
    everybody, with_event, without_event = (summarize(column[part]) for part in parts)
    return [NumberRow(name, everybody, with_event, without_event, *gaps)]


def summarize(values: Array) -> Summary:
    """Mean, standard deviation, median and quartiles; the latter as means of the people around them."""
    ordered = np.sort(values)
    quartiles = (_around(ordered, share) for share in (0.5, 0.25, 0.75))
    return Summary(float(values.mean()), float(values.std(ddof=min(1, values.size - 1))), *quartiles)


def _around(ordered: Array, share: float) -> float:
    middle = round(share * (ordered.size - 1))
    reach = FEWEST // 2
    start = min(max(middle - reach, 0), max(ordered.size - FEWEST, 0))
    return float(ordered[start : start + FEWEST].mean())
