"""Uncertainty of models without standard errors: refits under random weights.

Each refit weighs people, or groups that belong together, by independent exponential draws (Rubin's Bayesian bootstrap).
Nobody is in a sample twice, so that a learner which holds people out to know when to stop does so honestly.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri
from sklearn.base import clone

from whether.advise.variants import fit_to
from whether.analysis.still_to_come import predict_still
from whether.analysis.uncertainty import Spread, log_odds
from whether.analysis.windows import predict_windows
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.learners.boosted import BoostedFit
from whether.learners.parallel import in_processes
from whether.learners.progress import progress

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

N_REFITS = 20
# People times features above which that many refits would take too long.
LARGEST = 200_000


@dataclass(frozen=True, eq=False)
class Refits:
    """What refits under random weights found."""

    lower: Array  # limits of each person's risk
    upper: Array
    risks: Array  # a row for each refit, a column for each person
    still: Array  # 0 for the labeled
    windows: NDArray[np.float32]  # a table for each refit, with a row for each length of time

    def spread(self, rows: Rows, counted: Rows) -> Spread:
        """Standard errors of the sums over some people, and over those of them who may still have the event."""
        mean_risks, unseen = self.risks[:, rows].mean(axis=1), self.still[:, counted].sum(axis=1)
        return Spread(float(np.std(mean_risks, ddof=1)), float(np.std(unseen, ddof=1)))

    def window_errors(self, counted: Rows) -> list[float]:
        """Standard errors of how many of some people have the event within each length of time."""
        return [float(error) for error in np.std(self.windows[:, :, counted].sum(axis=2), axis=0, ddof=1)]


def refit(
    model: CensoredClassifier,
    X: Any,
    cohort: Cohort,
    *,
    level: float,
    rng: np.random.Generator,
    lengths: tuple[float, ...] = (),
) -> Refits | None:
    """Fit the chosen learner anew to people, or groups, with weights; None where that would take too long."""
    if cohort.features.size > LARGEST:
        return None
    group = np.arange(cohort.n) if cohort.groups is None else cohort.groups
    weights = [rng.exponential(size=int(group.max()) + 1)[group] for _ in range(N_REFITS)]
    risks, still = np.empty((N_REFITS, cohort.n)), np.empty((N_REFITS, cohort.n))
    windows = np.empty((N_REFITS, len(lengths), cohort.n), dtype=np.float32)
    work = partial(_refit_once, _as_it_was_fitted(model), X, cohort, lengths)
    with progress(N_REFITS, "Refits") as bar:
        for i, found in enumerate(in_processes(work, weights, cohort.features.size)):
            risks[i], still[i], windows[i] = found
            bar.advance()
    center = log_odds(model.predict_proba(X)[:, 1])
    width = float(ndtri(0.5 + level / 2)) * np.std(log_odds(risks), axis=0, ddof=1)
    return Refits(expit(center - width), expit(center + width), risks, still, windows)


def _as_it_was_fitted(model: CensoredClassifier) -> CensoredClassifier:
    """Return the classifier, to be fitted anew with the learner that was chosen, and the penalty of its linear part.

    Which penalty is best hardly depends on the weights, and to look for it again would take a quarter of the time.
    """
    fresh: CensoredClassifier = clone(model)
    if model.selection_ is not None:
        fresh.set_params(learner=model.selection_.chosen)
    if isinstance(model.model_, BoostedFit) and "shrinkage" in fresh.get_params(deep=False):
        fresh.set_params(shrinkage=model.model_.offset.fit.shrinkage)
    return fresh


def _refit_once(
    fresh: CensoredClassifier, X: Any, cohort: Cohort, lengths: tuple[float, ...], weight: Array
) -> tuple[Array, Array, Array]:
    """Risks of everybody, and the chance of those without the event to have it still, ever and within some times."""
    model = clone(fresh)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the fit itself warned of is told
        fit_to(cohort, model, X, sample_weight=weight * (cohort.n / weight.sum()))
        still = np.nan_to_num(predict_still(model, X, cohort))
        return model.predict_proba(X)[:, 1], still, predict_windows(model, X, cohort, lengths)
