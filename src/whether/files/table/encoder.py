"""From columns to features: the same numbers for the same cells, in every process that holds the encoder.

A column of numbers is one feature, with its gaps filled. A column of categories is one feature for each category but
the most frequent, with which the others are compared. What was learned from the training table is plain data and part
of a model file; `whether.files.table.learn` learns it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.facts import FEWEST
from whether.files.table.codes import as_categories, name_numbers, read_as
from whether.files.table.columns import Column, count_values, first_cell
from whether.files.table.findings import (
    AllEmpty,
    ColumnFinding,
    Finding,
    GapsCoded,
    GapsFilled,
    Held,
    TableError,
    UnknownCategories,
)
from whether.files.table.names import name_columns, suggest

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BeyondTraining(ColumnFinding):
    """People of a new table have values that are far from those of everybody whom the model learned from."""

    people: int
    lowest: float
    highest: float

    @property
    def is_warning(self) -> bool:
        """Their risks may mislead."""
        return True


@dataclass(frozen=True)
class NumberPlan:
    """How a column of numbers becomes features: what fills gaps (NaN: nothing), and whether a feature says where.

    Values below ``lowest`` or above ``highest`` are unlike all that were learned from; see `coarse_limits`.
    """

    name: str
    fill: float
    flags_missing: bool = False
    lowest: float = math.nan
    highest: float = math.nan

    kind = "number"  # how the cells of later tables are read

    @property
    def is_open(self) -> bool:
        """Whether there are no limits beyond which values are unlike all that were learned from."""
        return math.isnan(self.lowest) and math.isnan(self.highest)

    def outputs(self) -> list[str]:
        """Names of the features."""
        return [self.name] + [f"{self.name} is missing"] * self.flags_missing

    def encode(self, column: Column, findings: list[Finding]) -> Iterator[Array]:
        """Features, in the order of their names."""
        values = _numbers(column)
        fills = column.n_missing > 0 and not math.isnan(self.fill)
        if fills and column.kind != "empty":
            findings.append(GapsFilled(self.name, column.n_missing, self.fill, in_training=False))
        # Mostly nobody is: one look at both ends then spares what would be made to count them.
        is_within = values.size == 0 or self.is_open or (values.min() >= self.lowest and values.max() <= self.highest)
        beyond = 0 if is_within else int(np.count_nonzero((values < self.lowest) | (values > self.highest)))
        if beyond:
            findings.append(BeyondTraining(self.name, beyond, self.lowest, self.highest))
        yield np.where(np.isnan(values), self.fill, values) if fills else values
        if self.flags_missing:
            yield np.isnan(values).astype(float)


@dataclass(frozen=True)
class CategoryPlan:
    """How a column of categories becomes features.

    The first level, the most frequent, is what the others are compared with and has no feature. All other categories,
    seen in training or not, share a feature or count as the first, and so do gaps. Cells were numbers or text, and are
    read as such in later tables.
    """

    name: str
    levels: tuple[str, ...]
    pools_others: bool = False
    flags_missing: bool = False
    are_numbers: bool = False

    @property
    def kind(self) -> str:
        """How the cells of later tables are read."""
        return "code" if self.are_numbers else "text"

    def outputs(self) -> list[str]:
        """Names of the features."""
        special = ["(other)"] * self.pools_others + ["(missing)"] * self.flags_missing
        return [f"{self.name}={level}" for level in (*self.levels[1:], *special)]

    def encode(self, column: Column, findings: list[Finding]) -> Iterator[Array]:
        """Features, in the order of their names."""
        if column.kind == "other":
            raise TableError(
                f"Column {self.name!r} holds {column.data.type}, which cannot be a category: leave it out with `drop`."
            )
        codes, missing = self._code(column, findings)
        for code in range(1, len(self.levels)):
            yield (codes == code).astype(float)
        if self.pools_others:
            yield ((codes < 0) & ~missing).astype(float)
        if self.flags_missing:
            yield missing.astype(float)

    def _code(self, column: Column, findings: list[Finding]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Position of each cell's category among the levels, -1 for none, and which cells are gaps."""
        if column.kind == "empty":
            return np.full(len(column.data), -1), np.ones(len(column.data), dtype=bool)
        cells = as_categories(column)
        found = pc.fill_null(pc.index_in(cells, value_set=pa.array(self.levels, type=pa.string())), -1)
        codes = np.asarray(found.to_numpy(), dtype=np.int64)
        missing = np.asarray(pc.is_null(cells).to_numpy(), dtype=bool)
        if missing.any():
            counts_as = None if self.flags_missing else Held(self.levels[0], FEWEST)  # levels have at least so many
            findings.append(GapsCoded(self.name, int(missing.sum()), counts_as))
        strange = (codes < 0) & ~missing
        if strange.any() and not self.are_numbers:
            self._refuse_lost_zeros(cells.filter(pa.array(strange)))
        if strange.any() and not self.pools_others:
            held = count_values(cells.filter(pa.array(strange)))
            if not (codes >= 0).any():
                found = sorted(entry.value for entry in held)
                raise TableError(
                    f"No value of column {self.name!r} was seen in training: expected {name_columns(self.levels)}, "
                    f"found {name_columns(found, 4)}."
                )
            findings.append(UnknownCategories(self.name, held, self.levels[0]))
        return codes, missing

    def _refuse_lost_zeros(self, strange: pa.ChunkedArray) -> None:
        """Refuse numbers where training had text, as 1067 for 01067: they would be some other category."""
        named = name_numbers(pa.chunked_array([pa.array(self.levels, type=pa.string())])).to_pylist()
        learned = dict(zip(named, self.levels, strict=True))
        lost = next((cell for cell in strange.unique().to_pylist() if cell in learned), None)
        if lost is not None:
            raise TableError(
                f"Column {self.name!r} has {lost!r} where training had {learned[lost]!r}: the cells were text then, "
                "and have become numbers. Save the column as text."
            )


Plan = NumberPlan | CategoryPlan


@dataclass(frozen=True)
class Encoder:
    """Turns the columns of a table into features.

    Attributes
    ----------
    plans : tuple of NumberPlan or CategoryPlan
        One for each column that is used.
    features : tuple of str
        Names of the features that are kept; those that never varied, or repeated another, are not.
    ids : tuple of str
        Columns that say who a person is. They are never features.
    """

    plans: tuple[Plan, ...]
    features: tuple[str, ...]
    ids: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are used."""
        return tuple(plan.name for plan in self.plans)

    def columns_among(self, names: Sequence[str]) -> list[str]:
        """Columns to read of a table with these; of any table one, so that its rows can be counted."""
        self.check_columns(names)
        return list(self.columns or names[:1])

    def features_of(self, column: str) -> list[str]:
        """Names of the features that come from a column."""
        made = [name for plan in self.plans if plan.name == column for name in plan.outputs()]
        return [name for name in made if name in self.features]

    def without_limits(self) -> Encoder:
        """Return what encodes people who are learned from, of whom none is unlike these."""
        open_plans = (
            replace(plan, lowest=math.nan, highest=math.nan) if isinstance(plan, NumberPlan) else plan
            for plan in self.plans
        )
        return replace(self, plans=tuple(open_plans))

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a table without the columns that are needed, and say which."""
        absent = [name for name in self.columns if name not in names]
        if absent:
            hint = suggest(absent[0], [name for name in names if name not in self.columns])
            raise TableError(
                f"The table lacks {len(absent)} of the {len(self.columns)} columns that the model needs: "
                f"{name_columns(absent)}.{hint}"
            )

    def encode_table(self, table: pa.Table, findings: list[Finding]) -> Array:
        """Features of a new table, shape (n, k)."""
        self.check_columns(table.column_names)
        columns = {plan.name: read_as(plan.kind, plan.name, table[plan.name]) for plan in self.plans}
        findings += [AllEmpty(name) for name, column in columns.items() if column.kind == "empty"]
        return self.encode(columns, table.num_rows, findings)

    def encode(self, columns: Mapping[str, Column], n: int, findings: list[Finding]) -> Array:
        """Features of n people, of columns whose kinds are known, shape (n, k)."""
        matrix = np.empty((n, len(self.features)), order="F")  # written column by column
        positions = {name: position for position, name in enumerate(self.features)}
        for plan in self.plans:
            for name, values in zip(plan.outputs(), plan.encode(columns[plan.name], findings), strict=True):
                if name in positions:
                    matrix[:, positions[name]] = values
        return matrix


def _numbers(column: Column) -> Array:
    if column.kind == "empty":
        return np.full(len(column.data), np.nan)
    if column.kind != "number":
        row, cell = first_cell(column)
        raise TableError(f"Column {column.name!r} should hold numbers, but row {row} holds {cell!r}.")
    values = column.numbers()
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(values.sum())  # if not, there may be gaps, too large a sum, or an infinity
    infinite = np.zeros(0, dtype=bool) if is_finite else np.isinf(values)
    if infinite.any():
        raise TableError(
            f"Column {column.name!r} is infinite in row {int(np.argmax(infinite)) + 1}. Leave the cell empty."
        )
    return values
