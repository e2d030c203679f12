"""Which columns of a training table become features, and how: the rules, each with the finding that tells it.

No column is left out or changed without a finding. A column that the user asked for by name and that cannot be used is
an error; one that was only found in the table is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from whether.coarsen import coarse_limits
from whether.facts import FEWEST
from whether.files.table import findings as finding
from whether.files.table.codes import as_categories
from whether.files.table.columns import Column, count_numbers, count_values
from whether.files.table.encoder import CategoryPlan, Encoder, NumberPlan, Plan
from whether.files.table.findings import Finding, Held, Reason, TableError
from whether.files.table.leaks import Leak, find_leaks
from whether.files.table.missing_codes import find_code
from whether.files.table.outcome import Outcome
from whether.files.table.roles import Choice
from whether.validate import find_outlying

Array = NDArray[np.float64]

# More categories than these are pooled; text with more different values than people can share is a name or a remark.
MOST_LEVELS = 20
MANY_VALUES = 50
# So many people tell a median well enough, where it only waits for gaps in later tables.
MOST_FOR_MEDIAN = 100_000
ID_NAME = re.compile(
    r"^(\(column 1\)|unnamed.*|index|__index_level_.*|row|row_?(id|names?|numbers?)|mrn|uuid|pid|guid)$|(^|[_\W])id$",
    re.IGNORECASE,
)


def learn_encoder(
    columns: Mapping[str, Column], choice: Choice, outcome: Outcome, findings: list[Finding], *, keep_gaps: bool = False
) -> Encoder:
    """Decide how columns become features, which may not repeat the outcome; the findings get what was decided."""
    leaks = find_leaks({name: column for name, column in columns.items() if name not in choice.keep}, outcome)
    planner = _Planner(choice, leaks, findings, keep_gaps)
    plans = [plan for plan in (planner.plan(column) for column in columns.values()) if plan is not None]
    kept = planner.distinct_features(plans, columns)
    asks_for_none = choice.is_named and not choice.candidates
    if not kept and not asks_for_none:
        raise TableError(f"No column is left that could be a feature: {_reasons(findings)}")
    used = [plan for plan in plans if set(plan.outputs()) & set(kept)]
    numbers = tuple(plan.name for plan in used if isinstance(plan, NumberPlan))
    findings += [finding.UsedAsNumbers(numbers)] * bool(numbers)
    categories = (plan.name for plan in used if plan.name not in numbers)
    findings += [finding.UsedAsCategories(name, planner.levels[name]) for name in categories]
    return Encoder(tuple(used), tuple(kept), tuple(choice.ids))


def _reasons(findings: list[Finding]) -> str:
    left_out = [found for found in findings if isinstance(found, finding.LeftOut)]
    reasons = "; ".join(f"column {found.column!r} {found.reason.value}" for found in left_out[:3])
    if any(found.reason in finding.LEAKS for found in left_out):
        reasons += ". A column that was known before the event is kept with `keep`"
    return (reasons or "the table has none besides those with the event, the times and the ids") + "."


class _Planner:
    """The rules."""

    def __init__(self, choice: Choice, leaks: Mapping[str, Leak], findings: list[Finding], keep_gaps: bool) -> None:
        self.choice, self.leaks, self.findings, self.keep_gaps = choice, leaks, findings, keep_gaps
        self.levels: dict[str, tuple[Held, ...]] = {}

    def plan(self, column: Column) -> Plan | None:
        """Return how a column becomes features, or None if it is left out."""
        if column.how:
            self.findings.append(finding.Converted(column.name, column.how))
        if column.kind == "empty":
            return self._leave_out(column, Reason.EMPTY)
        if column.kind == "other":
            return self._leave_out(column, Reason.STRANGE)
        leak = self.leaks.get(column.name)
        if leak is not None and leak.certain:
            return self._leave_out(column, leak.reason, beside=leak.beside)
        plan = self._plan_values(column)
        if leak is not None and plan is not None:
            self.findings.append(finding.Suspected(column.name, leak.reason, leak.auc))
        return plan

    def _plan_values(self, column: Column) -> Plan | None:
        code = None if column.name in self.choice.categorical else find_code(column)
        if code is not None:
            self.findings.append(finding.LikelyCode(column.name, code))
        if column.name in self.choice.categorical or column.kind == "text":
            return self._plan_categories(column)
        return self._leave_out(column, Reason.DATES) if column.kind == "date" else self._plan_numbers(column)

    def _leave_out(self, column: Column, reason: Reason, *held: Held, beside: str = "") -> Plan | None:
        if self.choice.asks_for(column.name):
            example = f" ({held[0].value!r})" if held else ""
            known = " If it was known before the event, name it in `keep`, too." if reason in finding.LEAKS else ""
            raise TableError(f"Column {column.name!r} {reason.value}{example}, so it cannot be a feature.{known}")
        self.findings.append(finding.LeftOut(column.name, reason, held, beside))
        return None

    def _plan_numbers(self, column: Column) -> Plan | None:
        values = column.numbers()
        known = values[~np.isnan(values)] if column.n_missing else values
        if known.min() == known.max():
            return self._leave_out(column, Reason.CONSTANT, Held(f"{known[0]:g}", known.size))
        if _looks_like_id(column.name, known):
            if not self.choice.asks_for(column.name):
                return self._leave_out(column, Reason.ID)
            self.findings.append(finding.LooksLikeId(column.name))
        if find_outlying(known[:, None], [column.name]):
            self.findings.append(finding.Outlying(column.name))
        limits = coarse_limits(known)
        if self.keep_gaps:
            return NumberPlan(column.name, float("nan"), False, *limits)
        if not column.n_missing:
            return NumberPlan(column.name, middle(known[:: -(-known.size // MOST_FOR_MEDIAN)]), False, *limits)
        fill, flags = middle(known), column.n_missing >= FEWEST
        self.findings.append(finding.GapsFilled(column.name, column.n_missing, fill, flags))
        return NumberPlan(column.name, fill, flags, *limits)

    def _plan_categories(self, column: Column) -> Plan | None:
        held = count_values(as_categories(column))
        n_known = len(column.data) - column.n_missing
        if len(held) == 1:
            return self._leave_out(column, Reason.CONSTANT, held[0])
        if column.kind == "text" and len(held) > MOST_LEVELS:
            self._refuse_broken_numbers(column)
        if len(held) > MANY_VALUES and len(held) > n_known / 2:
            return self._leave_out(column, Reason.REMARK)
        levels = tuple(entry for entry in held[:MOST_LEVELS] if entry.people >= FEWEST)
        if not levels:
            return self._leave_out(column, Reason.ALL_RARE)
        return self._pool(column, levels, held[len(levels) :])

    def _pool(self, column: Column, levels: tuple[Held, ...], rare: tuple[Held, ...]) -> Plan | None:
        n_rare = sum(entry.people for entry in rare)
        pools, flags = n_rare >= FEWEST, column.n_missing >= FEWEST
        if len(levels) == 1 and not pools and not flags:
            return self._leave_out(column, Reason.NEARLY_CONSTANT, levels[0])
        if rare:
            self.findings.append(finding.RarePooled(column.name, len(rare), n_rare, None if pools else levels[0]))
        if column.n_missing:
            self.findings.append(finding.GapsCoded(column.name, column.n_missing, None if flags else levels[0]))
        self.levels[column.name] = levels
        return CategoryPlan(column.name, tuple(entry.value for entry in levels), pools, flags, column.kind == "number")

    def _refuse_broken_numbers(self, column: Column) -> None:
        n_numbers, row, cell = count_numbers(column)
        if n_numbers > (len(column.data) - column.n_missing) / 2:
            raise TableError(
                f"Column {column.name!r} holds numbers except for a few cells (row {row} holds {cell!r}). Put them "
                "right or empty them, or leave the column out."
            )

    def distinct_features(self, plans: list[Plan], columns: Mapping[str, Column]) -> list[str]:
        """Names of the features, without those that never vary or repeat another."""
        seen: dict[bytes, str] = {}
        kept: list[str] = []
        for plan in plans:
            for name, values in zip(plan.outputs(), plan.encode(columns[plan.name], []), strict=True):
                if name in kept:
                    raise TableError(f"Two features would be called {name!r}: rename column {plan.name!r}.")
                # Adding zero turns -0.0 into 0.0, which has other bytes.
                digest = hashlib.sha256(np.ascontiguousarray(values + 0.0).data).digest()
                if digest in seen:
                    self.findings.append(finding.SameFeature(name, seen[digest]))
                elif values.size < 2 or not np.all(values == values[0]):
                    seen[digest] = name
                    kept.append(name)
        return kept


def middle(known: Array) -> float:
    """The median; where it is the value of a few people, the mean over enough people in the middle instead."""
    median = float(np.median(known))
    if not 0 < np.count_nonzero(known == median) < FEWEST:
        return median
    first = max(0, (known.size - FEWEST) // 2)
    return float(np.sort(known)[first : known.size - first].mean())


def _looks_like_id(name: str, known: Array) -> bool:
    """Whole numbers, another one in each row: by name, or because they count the rows."""
    if known.size < 2 * FEWEST or not np.array_equal(known[:1000], np.floor(known[:1000])):
        return False
    if not np.array_equal(known, np.floor(known)) or np.unique(known).size < known.size:
        return False
    return bool(ID_NAME.search(name)) or counts_rows(known)


def counts_rows(known: Array) -> bool:
    """Whether numbers are those of rows: each whole number between the smallest and the largest, once."""
    return known.max() - known.min() + 1 == known.size == np.unique(known).size
