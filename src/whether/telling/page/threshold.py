"""What a decision threshold does, for every threshold that may be shown: the numbers behind the slider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.telling.page.reading import Reading

Array = NDArray[np.float64]

N_STEPS = 100


@dataclass(frozen=True)
class Sweep:
    """People above each threshold, and how many of them are expected to be positive.

    Attributes
    ----------
    key : str
    title : str
        Who is selected from.
    measure : str
        What the threshold is put on.
    thresholds : list of float
        Ascending, from 0.
    selected : list of int
        People at or above each threshold.
    positive : list of float
        Expected positives among them.
    """

    key: str
    title: str
    measure: str
    thresholds: list[float]
    selected: list[int]
    positive: list[float]

    def rows(self, most: int = 12) -> list[dict[str, Any]]:
        """Return some thresholds with everything that follows from them.

        Parameters
        ----------
        most : int
        """
        picked = np.unique(np.linspace(0, len(self.thresholds) - 1, most).round().astype(int))
        return [self.row(int(i)) for i in picked]

    def row(self, i: int) -> dict[str, Any]:
        """Return what follows from one threshold.

        Parameters
        ----------
        i : int
            Position of the threshold.
        """
        n, positive, total = self.selected[i], self.positive[i], self.positive[0]
        return {
            "threshold": self.thresholds[i],
            "selected": n,
            "share": n / self.selected[0],
            "true": positive,
            "false": n - positive,
            "missed": total - positive,
            "precision": positive / n if n else None,
            "sensitivity": positive / total if total else None,
        }


def sweeps(reading: Reading) -> list[Sweep]:
    """Sweep thresholds over those without a recorded event, and over everybody as if they were new.

    Parameters
    ----------
    reading : Reading
    """
    # How many have no recorded event would tell how many have one, and so may the sum of the risks.
    if not reading.tells_events:
        return []
    unlabeled = ~reading.cohort.labeled
    candidates = [
        (
            "unlabeled",
            "people of this cohort without a recorded event",
            "the probability that the event is still to come",
            reading.analysis.still[unlabeled],
        ),
        ("new", "new people like those of this cohort", "the risk that the event ever happens", reading.analysis.risks),
    ]
    found = [sweep(reading, key, title, measure, values) for key, title, measure, values in candidates]
    return [one for one in found if one is not None]


def sweep(reading: Reading, key: str, title: str, measure: str, values: Array) -> Sweep | None:
    """Sweep thresholds over some people; None where there are too few.

    Parameters
    ----------
    reading : Reading
    key, title, measure : str
    values : ndarray
        Probabilities.
    """
    edges = np.linspace(0, 1, N_STEPS + 1)
    # A probability of exactly 1 belongs to the last bin.
    position = np.minimum((np.nan_to_num(values) * N_STEPS).astype(int), N_STEPS - 1)
    counts = np.bincount(position, minlength=N_STEPS)
    sums = np.bincount(position, weights=np.nan_to_num(values), minlength=N_STEPS)
    runs = reading.disclosure.merge(counts[:, None])
    # Nobody expected to be positive is what a method says that takes every event for seen: no threshold to choose.
    if len(runs) < 2 or sums.sum() <= 0:
        return None
    starts = np.array([run.start for run in runs])
    selected = np.add.reduceat(counts, starts)[::-1].cumsum()[::-1]
    positive = np.add.reduceat(sums, starts)[::-1].cumsum()[::-1]
    # Thresholds above which nobody is left say nothing.
    kept = selected > 0
    if np.count_nonzero(kept) < 2:
        return None
    return Sweep(
        key,
        title,
        measure,
        np.round(edges[starts][kept], 2).tolist(),
        selected[kept].astype(int).tolist(),
        np.round(positive[kept], 1).tolist(),
    )
