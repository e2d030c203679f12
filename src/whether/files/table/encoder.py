"""From columns to features: the same numbers for the same cells, in every process that holds the encoder.

A column of numbers is one feature, with its gaps filled. A column of categories is one feature for each category but
the most frequent, with which the others are compared. What was learned from the training table is plain data and part
of a model file; `whether.files.table.learn` learns it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whether.files.table.columns import Column, as_categories, count_numbers, guess_column
from whether.files.table.notes import Notes, TableError, name_columns, suggest

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NumberPlan:
    """How a column of numbers becomes features.

    Attributes
    ----------
    name : str
    fill : float
        What gaps are filled with, the median of the training table; NaN where the learner copes with gaps.
    flags_missing : bool
        Whether a second feature says where gaps were.
    """

    name: str
    fill: float
    flags_missing: bool = False

    def outputs(self) -> list[str]:
        """Names of the features."""
        return [self.name] + [f"{self.name} is missing"] * self.flags_missing

    def encode(self, column: Column, notes: Notes) -> Iterator[Array]:
        """Features, in the order of their names."""
        values = _numbers(column)
        fills = column.n_missing > 0 and not math.isnan(self.fill)
        if fills and not self.flags_missing:
            notes.say(f"Column {self.name!r}: gaps were filled with the training median, {self.fill:g}.")
        yield np.where(np.isnan(values), self.fill, values) if fills else values
        if self.flags_missing:
            yield np.isnan(values).astype(float)


@dataclass(frozen=True)
class CategoryPlan:
    """How a column of categories becomes features.

    Attributes
    ----------
    name : str
    levels : tuple of str
        Categories; the first, the most frequent, is what the others are compared with and has no feature.
    pools_others : bool
        Whether all other categories, seen in training or not, share a feature; else they count as the first.
    flags_missing : bool
        Whether gaps have a feature; else they count as the first.
    """

    name: str
    levels: tuple[str, ...]
    pools_others: bool = False
    flags_missing: bool = False

    def outputs(self) -> list[str]:
        """Names of the features."""
        special = ["(other)"] * self.pools_others + ["(missing)"] * self.flags_missing
        return [f"{self.name}={level}" for level in (*self.levels[1:], *special)]

    def encode(self, column: Column, notes: Notes) -> Iterator[Array]:
        """Features, in the order of their names."""
        if column.kind == "other":
            raise TableError(f"Column {self.name!r} holds {column.data.type}, which is no category.")
        codes, missing = self._code(column, notes)
        for code in range(1, len(self.levels)):
            yield (codes == code).astype(float)
        if self.pools_others:
            yield ((codes < 0) & ~missing).astype(float)
        if self.flags_missing:
            yield missing.astype(float)

    def _code(self, column: Column, notes: Notes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Position of each cell's category among the levels, -1 for none, and which cells are gaps."""
        if column.kind == "empty":
            return np.full(len(column.data), -1), np.ones(len(column.data), dtype=bool)
        cells = as_categories(column)
        found = pc.fill_null(pc.index_in(cells, value_set=pa.array(self.levels, type=pa.string())), -1)
        codes = np.asarray(found.to_numpy(), dtype=np.int64)
        missing = np.asarray(pc.is_null(cells).to_numpy(), dtype=bool)
        strange = (codes < 0) & ~missing
        if strange.any() and not self.pools_others:
            self._report(cells, strange, codes, notes)
        return codes, missing

    def _report(self, cells: Any, strange: NDArray[np.bool_], codes: NDArray[np.int64], notes: Notes) -> None:
        values = sorted(pc.unique(cells.filter(pa.array(strange))).to_pylist())
        if not (codes >= 0).any():
            raise TableError(
                f"No value of column {self.name!r} was seen in training: expected {name_columns(self.levels)}, found "
                f"{name_columns(values, 4)}."
            )
        notes.warn(
            f"Column {self.name!r} has categories without a feature of their own, {name_columns(values, 4)}; they "
            f"count as {self.levels[0]!r}, the most frequent in training."
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

    def features_of(self, column: str) -> list[str]:
        """Names of the features that come from a column."""
        made = [name for plan in self.plans if plan.name == column for name in plan.outputs()]
        return [name for name in made if name in self.features]

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a table without the columns that are needed, and say which."""
        absent = [name for name in self.columns if name not in names]
        if absent:
            hint = suggest(absent[0], [name for name in names if name not in self.columns])
            raise TableError(
                f"The table lacks {len(absent)} of the {len(self.columns)} columns that the model needs: "
                f"{name_columns(absent)}.{hint}"
            )

    def encode_table(self, table: pa.Table, notes: Notes) -> Array:
        """Features of a new table, shape (n, k)."""
        self.check_columns(table.column_names)
        return self.encode({name: guess_column(name, table[name]) for name in self.columns}, notes)

    def encode(self, columns: Mapping[str, Column], notes: Notes) -> Array:
        """Features of columns whose kinds are known, shape (n, k)."""
        n = len(columns[self.columns[0]].data)
        matrix = np.empty((n, len(self.features)), order="F")  # written column by column
        positions = {name: position for position, name in enumerate(self.features)}
        for plan in self.plans:
            for name, values in zip(plan.outputs(), plan.encode(columns[plan.name], notes), strict=True):
                if name in positions:
                    matrix[:, positions[name]] = values
        return matrix

    def to_state(self) -> dict[str, Any]:
        """Plain data from which `from_state` makes the same encoder."""
        return {
            "columns": [
                {"type": "number", "name": plan.name, "fill": plan.fill, "flags_missing": plan.flags_missing}
                if isinstance(plan, NumberPlan)
                else {
                    "type": "category",
                    "name": plan.name,
                    "levels": list(plan.levels),
                    "pools_others": plan.pools_others,
                    "flags_missing": plan.flags_missing,
                }
                for plan in self.plans
            ],
            "features": list(self.features),
            "ids": list(self.ids),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Encoder:
        """Make an encoder from plain data, which is checked."""
        encoder = cls(tuple(_plan(item) for item in state["columns"]), _texts(state["features"]), _texts(state["ids"]))
        made = [name for plan in encoder.plans for name in plan.outputs()]
        if not set(encoder.features) <= set(made) or len(set(made)) < len(made):
            raise ValueError("features and columns do not belong together")
        return encoder


def _plan(item: Mapping[str, Any]) -> Plan:
    name, flags = _text(item["name"]), _flag(item["flags_missing"])
    if item["type"] == "number":
        return NumberPlan(name, float(item["fill"]), flags)
    if item["type"] != "category" or not item["levels"]:
        raise ValueError(f"unknown kind of column: {item['type']!r}")
    return CategoryPlan(name, _texts(item["levels"]), _flag(item["pools_others"]), flags)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"text expected, got {value!r}")
    return value


def _texts(values: Any) -> tuple[str, ...]:
    texts = tuple(_text(value) for value in list(values))
    if len(set(texts)) < len(texts):
        raise ValueError("a name occurs twice")
    return texts


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"true or false expected, got {value!r}")
    return value


def _numbers(column: Column) -> Array:
    if column.kind == "empty":
        return np.full(len(column.data), np.nan)
    if column.kind != "number":
        row, cell = first_cell(column)
        raise TableError(f"Column {column.name!r} should hold numbers, but row {row} holds {cell!r}.")
    values = column.numbers()
    infinite = np.isinf(values)
    if infinite.any():
        raise TableError(
            f"Column {column.name!r} is infinite in row {int(np.argmax(infinite)) + 1}. Leave the cell empty."
        )
    return values


def first_cell(column: Column) -> tuple[int, str]:
    """Row (from 1) and content of the first cell that is not a number, or of the first that says something."""
    if column.kind == "text":
        return count_numbers(column)[1:]
    row = pc.index(pc.is_valid(column.data), True).as_py()
    return row + 1, str(column.data[row].as_py())
