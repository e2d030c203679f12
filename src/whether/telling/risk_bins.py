"""One set of edges for everything that counts people by risk, so that no two tables differ by a few people.

Between two edges of the histogram lie nobody or enough people of each kind, labeled and unlabeled; they are among those
of the thresholds, between which lie nobody or enough people. Whatever is subtracted is then a sum over whole bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from whether.telling.disclosure import Disclosure

Array = NDArray[np.float64]

# Bins between thresholds, before any are merged, and how many of them a bin of the histogram may be wide.
N_FINE = 100
WIDTHS = (5, 10, 20, 25)
STEPS: Array = np.arange(N_FINE + 1) / N_FINE


@dataclass(frozen=True, eq=False)
class RiskBins:
    """Edges from 0 to 1, for the histogram and, finer, for thresholds.

    The bins of the histogram are so many per cent wide, but for those at the ends, which may be open: "below 20 %".
    """

    coarse: Array
    fine: Array
    width: int


def merge_risks(risks: Array, labeled: NDArray[np.bool_], disclosure: Disclosure) -> RiskBins | None:
    """Merge bins of risks until each holds nobody or enough people; None where not even all together do."""
    counts = np.column_stack([count_by(risks[who], STEPS) for who in (labeled, ~labeled)])
    if not disclosure.allows(*counts.sum(axis=0)):
        return None
    found = [(_equal_edges(counts, width, disclosure), width) for width in WIDTHS]
    edges, width = max(found, key=lambda one: _detail(counts, one[0]))
    everybody = counts.sum(axis=1, keepdims=True)
    inner = [a + part.start for a, b in pairwise(edges) for part in disclosure.merge(everybody[a:b])]
    return RiskBins(STEPS[edges], STEPS[[*inner, N_FINE]], width)


def _equal_edges(counts: NDArray[np.int64], width: int, disclosure: Disclosure) -> list[int]:
    """Edges of bins of one width, each with nobody or enough people of each kind; the two at the ends reach further."""
    below = np.concatenate([np.zeros((1, counts.shape[1]), dtype=np.int64), counts.cumsum(axis=0)])
    places = range(0, N_FINE + 1, width)

    def is_allowed(start: int, stop: int) -> bool:
        return disclosure.allows(*(below[stop] - below[start]))

    best = [0, N_FINE]
    for first in (place for place in places[1:-1] if is_allowed(0, place)):
        edges = [0, first]
        for place in places:
            if place > first and is_allowed(edges[-1], place) and place - edges[-1] == width:
                edges.append(place)
            elif place > first:
                break
        # What lies beyond the last bin goes to it, with as many bins as it takes.
        while len(edges) > 1 and edges[-1] < N_FINE and not is_allowed(edges[-1], N_FINE):
            edges.pop()
        found = edges if edges[-1] == N_FINE else [*edges, N_FINE]
        if _detail(counts, found) > _detail(counts, best):
            best = found
    return best


def _detail(counts: NDArray[np.int64], edges: list[int]) -> tuple[float, int]:
    """How much bins tell of people: the entropy of who is in which, then their number."""
    people = np.add.reduceat(counts.sum(axis=1), edges[:-1])
    share = people[people > 0] / people.sum()
    return round(float(-(share * np.log(share)).sum()), 9), len(edges)


def bin_of(values: Array, edges: Array) -> NDArray[np.intp]:
    """Number of the bin in which each value lies; an edge belongs to the bin above it, the last one to its own."""
    return np.searchsorted(edges[1:-1], values, side="right")


def count_by(values: Array, edges: Array) -> NDArray[np.int64]:
    """Number of values in each bin."""
    return np.bincount(bin_of(values, edges), minlength=edges.size - 1)


def is_same_order(values: Array, others: Array) -> bool:
    """Whether one rises with the other, so that people above a value of one are those above some value of the other."""
    return bool(np.all(np.diff(values[np.argsort(others, kind="stable")]) >= -1e-12))
