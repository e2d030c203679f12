"""Refits of a classifier under random weights: how far its risks move where nothing else says how sure they are.

Each refit weighs people, or groups that belong together, by independent exponential draws (Rubin's Bayesian bootstrap).
Nobody is in a sample twice, so that a learner which holds people out to know when to stop does so honestly.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from whether.arrays import Array, Rows
from whether.learners.boosted import BoostedFit
from whether.learners.linear.linear_fit import Moves
from whether.learners.parallel import in_processes
from whether.learners.progress import progress
from whether.learners.task import FittedModel

if TYPE_CHECKING:
    from whether.estimators.censored import CensoredClassifier

N_REFITS = 20
# People times features above which that many refits would take too long.
LARGEST = 200_000


@dataclass(frozen=True)
class Refits:
    """Fits of one classifier to the same people under random weights; small, and without people in it.

    Attributes
    ----------
    models : tuple of FittedModel
    moves : Moves or None
        How far other models of the same people are from this one, where an analysis fitted any.
    """

    models: tuple[FittedModel, ...]
    moves: Moves | None = None

    def stand_ins(self, model: CensoredClassifier) -> list[CensoredClassifier]:
        """Return the classifier as each refit has it; all else that it knows of people is as it was."""
        found = []
        for fitted in self.models:
            other = copy.copy(model)
            other.model_ = fitted
            found.append(other)
        return found

    def log_odds(self, model: CensoredClassifier, X: Any) -> Array:
        """Log odds of each person's risk by each refit: a row for each of them."""
        return np.array([other.decision_function(X) for other in self.stand_ins(model)])


def can_be_refitted(X: Any) -> bool:
    """Whether a table is small enough to learn from it that many times."""
    return int(np.prod(X.shape)) <= LARGEST


def refit(
    model: CensoredClassifier,
    X: Any,
    y: Any,
    known: dict[str, Any],
    *,
    weight: Array | None,
    groups: Rows | None,
    rng: np.random.Generator,
) -> Refits:
    """Fit the learner that was chosen anew, with random weights for people or groups; ``known`` is for ``fit``."""
    n = len(y)
    group = np.arange(n) if groups is None else groups
    own = np.ones(n) if weight is None else weight
    draws = []
    for _ in range(N_REFITS):
        drawn = own * rng.exponential(size=int(group.max()) + 1)[group]
        draws.append((drawn * (own.sum() / drawn.sum()), int(rng.integers(2**31 - 1))))
    work = partial(_refit_once, _as_it_was_fitted(model), X, y, known)
    found = []
    with progress(N_REFITS, "Refits") as bar:
        for fitted in in_processes(work, draws, int(np.prod(X.shape))):
            found.append(fitted)
            bar.advance()
    return Refits(tuple(found))


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
    fresh: CensoredClassifier, X: Any, y: Any, known: dict[str, Any], draw: tuple[Array, int]
) -> FittedModel:
    weight, seed = draw
    model = clone(fresh).set_params(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the fit itself warned of is told
        fitted: FittedModel = model.fit(X, y, **known, sample_weight=weight).model_
    return fitted
