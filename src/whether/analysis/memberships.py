"""Who belongs to which level of a column: its values, ranges of its numbers, or nothing known.

Levels of few people are pooled with others here, before anything is computed of them: an interval of ten people tells
nothing, and a count of them too much. Pooled and not left out, so that no difference to a total gives them back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whether.facts import FEWEST
from whether.files.table import open_table
from whether.files.table.codes import as_categories
from whether.files.table.columns import Column, guess_column
from whether.files.table.dates import as_days
from whether.validate import ArgumentError, DataError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.intp]
# Groups that are counted elsewhere, each with those whose event was seen, where these are counted, too.
Beside = list[tuple[Flags, Flags]]

# Numbers of no more different values are a level each; others are cut into ranges, at most so many.
MOST_VALUES, MOST_RANGES = 6, 4
# The smallest levels beyond this number are pooled, so that a table of them can be read.
MOST_LEVELS = 12
# Pooled levels that are named one by one.
MOST_NAMED = 3
MISSING, OTHER, ALL = "missing", "other", "everybody"
DAYS_PER_YEAR = 365.2425


@dataclass(frozen=True, eq=False)
class Membership:
    """The levels of a column, and of each person the position of the own one among them."""

    column: str
    levels: tuple[str, ...]
    code: Codes

    def rows(self, level: int) -> Codes:
        """People of a level."""
        return np.flatnonzero(self.code == level)


def read_memberships(by: Any, X: Any, labeled: Flags, fewest: int = FEWEST) -> tuple[Membership, ...]:
    """Read levels from columns of a frame, from arrays under names, or from one array; pool what is too few."""
    found: list[Membership] = []
    for name, cells in _columns(by, X, labeled.size).items():
        column = guess_column(name, cells)
        if column.kind == "other":
            raise ArgumentError(f"`by` has {name!r}, whose cells are neither text, numbers nor dates: leave it out.")
        found.append(pool(_split(column, labeled, fewest), labeled, found, fewest))
    return tuple(found)


def _columns(by: Any, X: Any, n: int) -> dict[str, pa.ChunkedArray]:
    if by is None:
        return {}
    if isinstance(by, str) or (isinstance(by, (list, tuple)) and all(isinstance(name, str) for name in by)):
        return _of_frame([by] if isinstance(by, str) else list(dict.fromkeys(by)), X)
    if isinstance(by, pa.Table):
        return {name: by[name] for name in by.column_names}
    named = by if isinstance(by, Mapping) else {str(getattr(by, "name", None) or "group"): by}
    return {str(name): _of_array(str(name), values, n) for name, values in named.items()}


def _of_frame(names: list[str], X: Any) -> dict[str, pa.ChunkedArray]:
    known = list(getattr(X, "columns", ()))
    absent = next((name for name in names if name not in known), None)
    if absent is not None:
        raise ArgumentError(
            f"`by` names the column {absent!r}, which X has not. Give a table with `event`, or the values themselves: "
            f"by={{{absent!r}: values}}."
        )
    table = open_table(X).read(names)
    return {name: table[name] for name in names}


def _of_array(name: str, values: Any, n: int) -> pa.ChunkedArray:
    if np.shape(values) != (n,):
        raise DataError(f"`by` must have one value per person: {name!r} has the shape {np.shape(values)}, not ({n},).")
    try:
        return pa.chunked_array([pa.array(values, from_pandas=True)])
    except (pa.ArrowException, TypeError) as error:
        raise DataError(
            f"`by` has values of different kinds in {name!r}: {error}. Make them all text, or all numbers."
        ) from error


# ---------------------------------------------------------------- levels


def _split(column: Column, labeled: Flags, fewest: int) -> Membership:
    """Levels of a column in their order; those of whom nothing is known come last."""
    if column.kind in ("number", "date"):
        values = column.numbers() if column.kind == "number" else np.floor(1970 + as_days(column) / DAYS_PER_YEAR)
        known = np.isfinite(values)
        if np.unique(values[known]).size > MOST_VALUES:
            names, code = _cut(values, known, labeled, fewest)
        else:
            distinct, at = np.unique(values[known], return_inverse=True)
            names, code = [f"{value:.10g}" for value in distinct], np.full(values.size, distinct.size)
            code[known] = at
    else:
        cells = np.asarray(as_categories(column).to_pandas(), dtype=object)
        known = np.array([cell is not None and cell == cell for cell in cells])
        distinct, at = np.unique(cells[known].astype(str), return_inverse=True)
        order = _places(distinct.tolist())
        names, code = distinct[order].tolist(), np.full(cells.size, distinct.size)
        code[known] = np.argsort(order)[at]
    return Membership(column.name, tuple([*names, MISSING] if not known.all() else names), code.astype(np.intp))


def _places(names: list[str]) -> list[int]:
    """Order of levels: by their first number where all have one, as ranges of age have, else by the alphabet."""
    numbers = [re.search(r"\d+(\.\d+)?", name) for name in names]
    if not all(numbers):
        return list(range(len(names)))
    below = [bool(re.match(r"\s*(<|≤|under|below|less|up to|younger)", name, re.IGNORECASE)) for name in names]
    return sorted(range(len(names)), key=lambda i: (float(numbers[i][0]), not below[i], names[i]))  # type: ignore[index]


def _cut(values: Array, known: Flags, labeled: Flags, fewest: int) -> tuple[list[str], Codes]:
    """Ranges of about one size, as many as have enough people; their limits are round numbers and nobody's own."""
    low, high = np.quantile(values[known], [0.1, 0.9])
    width = (high - low) or np.ptp(values[known])
    step = 10.0 ** np.floor(np.log10(width / 10))
    for n_ranges in range(MOST_RANGES, 0, -1):
        wanted = np.quantile(values[known], np.arange(1, n_ranges) / n_ranges)
        cuts = np.unique(np.round(wanted / step) * step) + 0.0  # no minus zero
        code = np.where(known, np.searchsorted(cuts, values, side="left"), cuts.size + 1)
        size = np.bincount(code, minlength=cuts.size + 2)[: cuts.size + 1]
        if n_ranges == 1 or (size.all() and not any(is_few(code == i, labeled, fewest) for i in range(cuts.size + 1))):
            break
    named = [f"{cut:.10g}" for cut in cuts]
    between = [f"over {a} to {b}" for a, b in pairwise(named)]
    return [f"up to {named[0]}", *between, f"over {named[-1]}"] if named else ["known"], code


# ---------------------------------------------------------------- pools


def is_few(rows: Flags, labeled: Flags, fewest: int = FEWEST) -> bool:
    """Whether those with, or those without, a recorded event are some but few."""
    events = np.count_nonzero(rows & labeled)
    return any(0 < count < fewest for count in (events, np.count_nonzero(rows) - events))


def pool(membership: Membership, labeled: Flags, others: list[Membership], fewest: int = FEWEST) -> Membership:
    """Pool levels of few people, and their smallest neighbours until the pool itself has enough.

    ``fewest`` is how many are enough: more than `FEWEST` where rows are counted, of which a person may have several.
    """
    members = [membership.code == i for i in range(len(membership.levels))]
    size = [int(rows.sum()) for rows in members]
    nobody = np.zeros_like(labeled)
    beside = [(other.code == i, labeled) for other in others for i in range(len(other.levels))]
    # Notes on a column count its gaps, and its rare categories together, without saying who had the event.
    beside += [(rows, nobody) for rows in _noted(membership, members, size) if rows.sum() >= fewest]
    pooled = {i for i, rows in enumerate(members) if is_few(rows, labeled, fewest) or _betray_any(rows, beside, fewest)}
    alone = set(range(len(members))) - pooled
    while alone and (len(alone) >= MOST_LEVELS or not _may_stay(members, pooled, beside, labeled, fewest)):
        # Levels in a row, such as stages, are pooled with their neighbours.
        near = {i for i in alone if i - 1 in pooled or i + 1 in pooled} if len(alone) < MOST_LEVELS else alone
        smallest = min(near or alone, key=lambda i: size[i])
        alone.remove(smallest)
        pooled.add(smallest)
    if not pooled:
        return membership
    kept = sorted(alone)
    place = np.full(len(members), len(kept))
    place[kept] = np.arange(len(kept))
    levels = (*(membership.levels[i] for i in kept), _name_pool(membership.levels, size, pooled, kept, fewest))
    return Membership(membership.column, levels, place[membership.code])


def _may_stay(members: list[Flags], pooled: set[int], beside: Beside, labeled: Flags, fewest: int) -> bool:
    together = np.any([members[i] for i in pooled], axis=0) if pooled else np.zeros_like(members[0])
    return not is_few(together, labeled, fewest) and not _betray_any(together, beside, fewest)


def _noted(membership: Membership, members: list[Flags], size: list[int]) -> list[Flags]:
    """People of whom nothing is known, and those of categories that few people have."""
    known = [i for i, level in enumerate(membership.levels) if level != MISSING]
    rare = [members[i] for i in known if size[i] < FEWEST or membership.levels[i] == OTHER]
    gaps = [members[i] for i in range(len(members)) if i not in known]
    return [*gaps, np.any(rare, axis=0)] if rare else gaps


def _betray_any(rows: Flags, beside: Beside, fewest: int) -> bool:
    return any(_betray(rows, other, labeled, fewest) for other, labeled in beside)


def _betray(rows: Flags, other: Flags, labeled: Flags, fewest: int = FEWEST) -> bool:
    """Whether two groups that may overlap give few people back: where one part of them is empty, the others are known.

    >>> one, other = np.arange(40) < 20, np.arange(40) < 25
    >>> _betray(one, other, np.zeros(40, dtype=bool)), _betray(one, ~one, np.zeros(40, dtype=bool))
    (True, False)
    """
    parts = (rows & other, rows & ~other, ~rows & other, ~rows & ~other)
    return not all(part.any() for part in parts) and any(is_few(part, labeled, fewest) for part in parts)


def _name_pool(levels: tuple[str, ...], size: list[int], pooled: set[int], kept: list[int], fewest: int) -> str:
    """Name what was pooled; not a level that few people have."""
    if not kept:
        return ALL
    named = [levels[i] for i in sorted(pooled) if size[i] >= fewest or levels[i] == MISSING]
    if not named or len(named) > MOST_NAMED or len(named) < len(pooled) - 1:
        return OTHER
    *first, last = named if len(named) == len(pooled) else [*named, OTHER]
    return f"{', '.join(first)} or {last}" if first else last
