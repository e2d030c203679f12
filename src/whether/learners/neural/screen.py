"""Which features a network is given, where there are many: those in whose bins the likelihood is not flat.

Networks pick up noise from every column they see, and with hundreds of columns that hides what a few of them say. A
feature matters at a starting point if people in some of its bins want a predictor raised and in others lowered: the
slopes of the log-likelihood, averaged in bins of the feature, then differ by more than chance. Bins see curves that a
correlation would miss. Features that matter in combination only are not seen; a network on all of them competes.
"""

import numpy as np
from scipy.stats import chi2

from whether.arrays import Array, Rows
from whether.learners.neural.batches import Batch, BatchCriterion
from whether.learners.neural.outputs import OutputLayout

N_BINS = 8
# With no more features than this all are used.
MANY_FEATURES = 30
# Events for each feature that is let in, and how many are in any case.
EVENTS_PER_FEATURE, FEWEST_ALLOWED = 10, 20


class Screen:
    """The bins of a cohort's features."""

    def __init__(self, features: Array) -> None:
        self.bins: Rows = np.empty(features.shape, dtype=np.intp)
        shares = np.linspace(0, 1, N_BINS + 1)[1:-1]
        for number, column in enumerate(features.T):
            # Equal values share a bin: two values make two bins.
            self.bins[:, number] = np.searchsorted(np.unique(np.quantile(column, shares)), column)

    def choose(self, predictors: Array, batch: Batch, likelihood: BatchCriterion, layout: OutputLayout) -> Rows:
        """Features that matter at some predictors, by the slopes of the outcome logit and of the sloped predictors.

        The threshold lets one feature in by chance, whatever their number; the most that are let in are one for ten
        events. The best is always there.
        """
        slopes, first = likelihood.slopes(predictors[None], batch)[0], int(layout.has_outcome)
        scores = [slopes[:, 0]] * first
        scores += [slopes[:, [first + k for k in layout.sloped]].sum(axis=1)] if layout.sloped else []
        chance = np.ones(self.bins.shape[1])
        for score in scores:
            chance = np.minimum(chance, self._chance(score - score.mean(), batch.rows[0]))
        most = max(FEWEST_ALLOWED, batch.n_labeled // EVENTS_PER_FEATURE)
        n_chosen = min(most, max(1, int(np.count_nonzero(chance < 1 / chance.size))))
        return np.sort(np.argsort(chance, kind="stable")[:n_chosen])

    def _chance(self, score: Array, rows: Rows) -> Array:
        """Probability of such differences between bins, or larger ones, if the feature did not matter."""
        variance, result = max(float(np.mean(score**2)), 1e-300), np.empty(self.bins.shape[1])
        for number, bins in enumerate(self.bins[rows].T):
            size, total = np.bincount(bins), np.bincount(bins, weights=score)
            used = size > 0
            statistic = float(np.sum(total[used] ** 2 / size[used])) / variance
            result[number] = chi2.sf(statistic, max(1, int(used.sum()) - 1))
        return result
