"""Which columns of a training table become features, and how: the rules, each with the sentence that tells it.

No column is left out or changed without a note. A column that the user asked for by name and that cannot be used is an
error; one that was only found in the table is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.columns import Column, as_categories, count_numbers
from whether.files.table.encoder import CategoryPlan, Encoder, NumberPlan, Plan, first_cell
from whether.files.table.notes import SMALLEST_GROUP, Notes, TableError, count_people, name_columns

Array = NDArray[np.float64]

# More categories than these are pooled; text with more different values than people can share is a name or a remark.
MOST_LEVELS = 20
MANY_VALUES = 50
ID_NAME = re.compile(
    r"^(\(column 1\)|unnamed.*|index|__index_level_.*|row|row_?(id|names?|numbers?)|mrn|uuid|pid|guid)$|(^|[_\W])id$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Observed:
    """What was seen of each person, which no feature may repeat: the event, and times and lengths of follow-up."""

    event: NDArray[np.bool_]
    times: tuple[Array, ...] = ()


@dataclass(frozen=True)
class Wishes:
    """What the user said about the columns.

    Attributes
    ----------
    named : bool
        Whether the columns were asked for by name.
    categorical : collection of str
        Columns whose numbers are categories.
    keeps_missing : bool
        Whether the learner copes with gaps.
    ids : tuple of str
    """

    named: bool = False
    categorical: Collection[str] = ()
    keeps_missing: bool = False
    ids: tuple[str, ...] = ()


def learn_encoder(columns: Mapping[str, Column], wishes: Wishes, observed: Observed, notes: Notes) -> Encoder:
    """Decide how columns become features.

    Parameters
    ----------
    columns : mapping of str to Column
        Columns that may become features.
    wishes : Wishes
    observed : Observed
    notes : Notes
        Gets what was decided.
    """
    planner = _Planner(wishes, observed, notes)
    plans = [plan for plan in (planner.plan(column) for column in columns.values()) if plan is not None]
    kept = planner.distinct_features(plans, columns)
    if not kept:
        raise TableError("No column is left that could be a feature: " + _reasons(notes))
    used = [plan for plan in plans if set(plan.outputs()) & set(kept)]
    _describe(used, notes)
    return Encoder(tuple(used), tuple(kept), wishes.ids)


def _reasons(notes: Notes) -> str:
    left_out = [note.text for note in notes.items if "left out" in note.text]
    return " ".join(left_out[:3]) or "the table has none besides those with the event, the times and the ids."


def _describe(plans: list[Plan], notes: Notes) -> None:
    numbers = [plan.name for plan in plans if isinstance(plan, NumberPlan)]
    if numbers:
        notes.say(f"Used as numbers: {name_columns(numbers, 50)}.")
    for plan in plans:
        if isinstance(plan, CategoryPlan):
            notes.say(
                f"Used as categories: {plan.name!r} ({name_columns(plan.levels[1:], 30)}, each compared with "
                f"{plan.levels[0]!r})."
            )


class _Planner:
    """The rules."""

    def __init__(self, wishes: Wishes, observed: Observed, notes: Notes) -> None:
        self.wishes, self.observed, self.notes = wishes, observed, notes

    def plan(self, column: Column) -> Plan | None:
        """Return how a column becomes features, or None if it is left out."""
        if column.how:
            self.notes.say(f"Column {column.name!r} was read {column.how}.")
        if column.kind == "empty":
            return self._leave_out(column, "is empty")
        if column.kind == "other":
            return self._leave_out(column, f"holds {column.data.type}, which is neither number nor text")
        if column.kind == "date" and column.name not in self.wishes.categorical:
            return self._leave_out(column, f"holds dates, such as {first_cell(column)[1]!r}; a number can be a feature")
        if column.kind == "text" or column.name in self.wishes.categorical:
            return self._plan_categories(column)
        return self._plan_numbers(column)

    def _leave_out(self, column: Column, reason: str, is_warning: bool = False) -> Plan | None:
        if self.wishes.named:
            raise TableError(f"Column {column.name!r} {reason}, so it cannot be a feature.")
        (self.notes.warn if is_warning else self.notes.say)(f"Column {column.name!r} {reason}: it was left out.")
        return None

    def _plan_numbers(self, column: Column) -> Plan | None:
        values = column.numbers()
        known = values[~np.isnan(values)] if column.n_missing else values
        if known.min() == known.max():
            return self._leave_out(column, f"is always {known[0]:g}")
        reason = self._repeats_outcome(values)
        if reason:
            return self._leave_out(column, reason, is_warning=True)
        if _looks_like_id(column.name, known):
            if not self.wishes.named:
                return self._leave_out(column, "looks like an id, with another number in each row", is_warning=True)
            self.notes.warn(f"Column {column.name!r} looks like an id, with another number in each row.")
        n_missing = values.size - known.size
        if self.wishes.keeps_missing:
            return NumberPlan(column.name, float("nan"))
        # Where nothing is missing the median waits for later tables, and some of the people tell it well enough.
        fill = float(np.median(known if n_missing else known[:: max(1, known.size // 100_000)]))
        if n_missing == 0:
            return NumberPlan(column.name, fill)
        flags = n_missing >= SMALLEST_GROUP
        flagged = "; a feature of its own says where" if flags else ""
        self.notes.say(
            f"Column {column.name!r} has {count_people(n_missing)} gaps, filled with the median, {fill:g}{flagged}."
        )
        return NumberPlan(column.name, fill, flags)

    def _repeats_outcome(self, values: Array) -> str:
        event, head = self.observed.event, slice(0, 1000)  # a glance at the first people settles most columns
        for same in (event, ~event):
            if np.array_equal(values[head], same[head]) and np.array_equal(values, same):
                return "says the same as the event"
        shares = (np.mean(values == times) for times in self.observed.times if np.any(values[head] == times[head]))
        share = float(max(shares, default=0.0))
        if share > 0.5:
            return f"equals the time or follow-up of {100 * share:.0f} % of the people, so it seems to be no feature"
        return ""

    def _plan_categories(self, column: Column) -> Plan | None:
        counted = pc.value_counts(as_categories(column).drop_null())
        names, counts = counted.field("values").to_pylist(), counted.field("counts").to_pylist()
        ranked = sorted(zip(counts, names, strict=True), key=lambda pair: (-pair[0], pair[1]))
        if len(names) == 1:
            return self._leave_out(column, f"is always {names[0]!r}")
        if column.kind == "text" and len(names) > MOST_LEVELS:
            self._refuse_broken_numbers(column)
        n_known = sum(counts)
        if len(names) > MANY_VALUES and len(names) > n_known / 2:
            reason = f"looks like an id or a remark, with {len(names):,} different values in {n_known:,} rows"
            return self._leave_out(column, reason, is_warning=True)
        levels = tuple(name for count, name in ranked[:MOST_LEVELS] if count >= SMALLEST_GROUP)
        if not levels:
            reason = f"has no category with at least {SMALLEST_GROUP} people"
            return self._leave_out(column, reason, is_warning=True)
        return self._category_plan(column, levels, n_pooled=n_known - sum(count for count, _ in ranked[: len(levels)]))

    def _category_plan(self, column: Column, levels: tuple[str, ...], n_pooled: int) -> Plan | None:
        pools, flags = n_pooled >= SMALLEST_GROUP, column.n_missing >= SMALLEST_GROUP
        if len(levels) == 1 and not pools and not flags:
            return self._leave_out(column, f"is {levels[0]!r} for all but {count_people(n_pooled + column.n_missing)}")
        if n_pooled:
            where = "are one category, '(other)'" if pools else f"count as {levels[0]!r}, the most frequent"
            self.notes.say(f"Column {column.name!r}: rare categories ({count_people(n_pooled)} people) {where}.")
        if column.n_missing:
            where = "are a category, '(missing)'" if flags else f"count as {levels[0]!r}, the most frequent"
            self.notes.say(f"Column {column.name!r}: {count_people(column.n_missing)} gaps {where}.")
        return CategoryPlan(column.name, levels, pools, flags)

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
            for name, values in zip(plan.outputs(), plan.encode(columns[plan.name], Notes()), strict=True):
                if name in kept:
                    raise TableError(f"Two features would be called {name!r}: rename column {plan.name!r}.")
                # Adding zero turns -0.0 into 0.0, which has other bytes.
                digest = hashlib.sha256(np.ascontiguousarray(values + 0.0).data).digest()
                if digest in seen:
                    self._report_twin(name, seen[digest])
                elif values.size < 2 or not np.all(values == values[0]):
                    seen[digest] = name
                    kept.append(name)
        return kept

    def _report_twin(self, name: str, twin: str) -> None:
        self.notes.say(f"Feature {name!r} is the same as {twin!r} for everybody: it was left out.")


def _looks_like_id(name: str, known: Array) -> bool:
    """Whole numbers, another one in each row: by name, or because they count the rows."""
    if known.size < 2 * SMALLEST_GROUP or not np.array_equal(known[:1000], np.floor(known[:1000])):
        return False
    if not np.array_equal(known, np.floor(known)) or np.unique(known).size < known.size:
        return False
    counts_rows = known.max() - known.min() + 1 == known.size
    return bool(counts_rows or ID_NAME.search(name))
