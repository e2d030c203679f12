"""Mean ranks of methods over worlds, and how far apart they have to be to mean anything (Demsar, JMLR 2006).

A world counts once, with its mean over replicates: replicates of one cohort share most of their people.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

# A method without a score in more worlds than this is not ranked: the worlds that all have would be too few.
MOST_MISSING = 0.1


@dataclass(frozen=True)
class Ranking:
    """Methods by their mean ranks, the best first."""

    labels: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_worlds: int  # Those in which every ranked method has a score.
    p_value: float  # Friedman's test that all methods are alike; NaN where it cannot be made.
    critical_distance: float  # Nemenyi's: mean ranks that differ by less may differ by chance.
    not_ranked: tuple[tuple[str, int], ...] = ()  # Methods with the number of worlds in which they have no score.

    def rank_of(self, label: str) -> float | None:
        """Return the mean rank of a method; None if it is not ranked."""
        return self.mean_ranks[self.labels.index(label)] if label in self.labels else None

    @property
    def cliques(self) -> list[tuple[int, int]]:
        """First and last of each longest run of methods whose mean ranks are no further apart than the distance."""
        runs: list[tuple[int, int]] = []
        for first, rank in enumerate(self.mean_ranks):
            last = max(i for i, other in enumerate(self.mean_ranks) if other - rank <= self.critical_distance)
            if last > first and (not runs or last > runs[-1][1]):
                runs.append((first, last))
        return runs


def rank_methods(
    scores: Mapping[tuple[str, str], float], labels: Sequence[str], *, more_is_better: bool, level: float = 0.05
) -> Ranking | None:
    """Rank methods within each world and average; None where fewer than two methods or worlds are left.

    Parameters
    ----------
    scores : mapping
        The score of a world and a label; what failed is not there.
    labels : sequence of str
        The methods.
    more_is_better : bool
        Whether the highest score has rank 1.
    level : float
        Of the test of which the critical distance is made.
    """
    worlds = list(dict.fromkeys(world for world, _ in scores))
    missing = {label: sum((world, label) not in scores for world in worlds) for label in labels}
    ranked = [label for label in labels if missing[label] <= MOST_MISSING * len(worlds)]
    shared = [world for world in worlds if all((world, label) in scores for label in ranked)]
    if len(ranked) < 2 or len(shared) < 2:
        return None
    table = np.array([[scores[world, label] for label in ranked] for world in shared])
    ranks = rankdata(-table if more_is_better else table, axis=1)
    means = ranks.mean(axis=0)
    order = np.argsort(means, kind="stable")
    return Ranking(
        tuple(ranked[i] for i in order),
        tuple(float(means[i]) for i in order),
        len(shared),
        float(friedmanchisquare(*table.T).pvalue) if len(ranked) > 2 and np.ptp(ranks) else math.nan,
        critical_distance(len(ranked), len(shared), level),
        tuple((label, missing[label]) for label in labels if label not in ranked and missing[label] < len(worlds)),
    )


def critical_distance(n_methods: int, n_worlds: int, level: float = 0.05) -> float:
    """Nemenyi's distance of mean ranks.

    Parameters
    ----------
    n_methods, n_worlds : int
    level : float
        Of the test.
    """
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_worlds)))
