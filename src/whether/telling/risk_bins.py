"""One set of edges for everything that counts people by risk, so that no two tables differ by a few people.

Between two edges of the histogram lie nobody or enough people of each kind, labeled and unlabeled; they are among those
of the thresholds, between which lie nobody or enough people. Whatever is subtracted is then a sum over whole bins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.telling.disclosure import Disclosure

Array = NDArray[np.float64]

# Bins of the histogram, and bins between thresholds, before any are merged.
N_COARSE, N_FINE = 20, 100
STEPS: Array = np.arange(N_FINE + 1) / N_FINE


@dataclass(frozen=True, eq=False)
class RiskBins:
    """Edges from 0 to 1, for the histogram and, finer, for thresholds."""

    coarse: Array
    fine: Array


def merge_risks(risks: Array, labeled: NDArray[np.bool_], disclosure: Disclosure) -> RiskBins | None:
    """Merge bins of risks until each holds nobody or enough people; None where not even all together do."""
    counts = np.column_stack([count_by(risks[who], STEPS) for who in (labeled, ~labeled)])
    per_bin = N_FINE // N_COARSE
    runs = disclosure.merge(counts.reshape(N_COARSE, per_bin, 2).sum(axis=1))
    if not runs:
        return None
    everybody = counts.sum(axis=1, keepdims=True)
    starts = [per_bin * run.start for run in runs]
    stops = [*starts[1:], N_FINE]
    inner = [a + part.start for a, b in zip(starts, stops, strict=True) for part in disclosure.merge(everybody[a:b])]
    return RiskBins(STEPS[[*starts, N_FINE]], STEPS[[*inner, N_FINE]])


def bin_of(values: Array, edges: Array) -> NDArray[np.intp]:
    """Number of the bin in which each value lies; an edge belongs to the bin above it, the last one to its own."""
    return np.searchsorted(edges[1:-1], values, side="right")


def count_by(values: Array, edges: Array) -> NDArray[np.int64]:
    """Number of values in each bin."""
    return np.bincount(bin_of(values, edges), minlength=edges.size - 1)


def is_same_order(values: Array, others: Array) -> bool:
    """Whether one rises with the other, so that people above a value of one are those above some value of the other."""
    return bool(np.all(np.diff(values[np.argsort(others, kind="stable")]) >= -1e-12))
