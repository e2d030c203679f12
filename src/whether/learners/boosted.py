"""The boosted learner: gradient-boosted trees on the outcome logit and on the propensity's sloped predictors.

LightGBM grows the trees on the row gradients and the EM curvature of the one likelihood. Trees start from an offset,
the linear solution or no features at all, whichever predicts held-out people better with the trees added; so what the
linear model can say is kept, and its shared index with it: trees of the outcome move the time part along by kappa, and
trees of the time part itself learn more slowly, under the same early stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from whether.cohort import Cohort
from whether.learners.base import FittedModel, Learner
from whether.learners.fit_result import FitResult, StartResult
from whether.learners.folds import deal_folds
from whether.learners.forest import Forest, Growth, Offset, combine
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.optimize import Status
from whether.learners.rows import RowProblem
from whether.propensity import Propensity

Array = NDArray[np.float64]

N_FOLDS = 5


@dataclass(frozen=True)
class BoostedFit(FittedModel):
    """Fitted trees on top of their offset.

    Attributes
    ----------
    offset : Offset
    outcome, timing : lightgbm.Booster or None
        Trees of the outcome logit, and of the propensity's sloped predictors on their own columns.
    timing_columns : ndarray of int
    levels : ndarray of shape (K,)
        What the propensity's predictors moved by for everybody.
    held_out : dict
        Best held-out log-likelihood per person and number of rounds, by offset.
    """

    offset: Offset
    outcome: Any
    timing: Any
    timing_columns: NDArray[np.intp]
    levels: Array
    result: FitResult
    held_out: dict[str, tuple[float, int]]

    @property
    def propensity(self) -> Propensity:  # type: ignore[override]
        """The propensity that was fitted."""
        return self.offset.fit.propensity

    @property
    def linear_part(self) -> LinearFit:
        """The linear fit under the trees."""
        return self.offset.fit

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        eta, v = self.offset.predict(features)
        grown = None if self.outcome is None else self.outcome.predict(features, raw_score=True)
        timed = None if self.timing is None else self.timing.predict(features[:, self.timing_columns], raw_score=True)
        return combine(self.offset, eta, v + self.levels[:, None], grown, timed)

    def importances(self) -> dict[str, Array]:
        """Total gain of each feature, by part of the model."""
        n_features = self.offset.columns.size if self.outcome is None else self.outcome.num_feature()
        gains = {}
        if self.outcome is not None:
            gains["outcome"] = self.outcome.feature_importance("gain").astype(float)
        if self.timing is not None:
            gains["propensity"] = np.zeros(max(n_features, int(self.timing_columns.max()) + 1))
            gains["propensity"][self.timing_columns] = self.timing.feature_importance("gain")
        return gains


class BoostedLearner(Learner, BaseEstimator):
    """Gradient-boosted trees (LightGBM) for every part of the model.

    Parameters
    ----------
    learning_rate : float, default=0.1
    num_leaves : int, default=8
    min_data_in_leaf : int, default=20
    lambda_l2 : float, default=5.0
        As in LightGBM.
    timing_rate : float, default=0.25
        Learning rate of the propensity's trees as a share of the outcome's.
    max_rounds : int, default=1000
        Most rounds of boosting; early stopping on held-out likelihood decides.
    patience : int, default=25
        Rounds without improvement after which it stops.
    categorical_features : sequence of int, default=()
        Positions of columns that hold category codes (whole numbers); they are split natively.
    linear : LinearLearner, optional
        Settings of the linear offset.
    """

    allows_missing = True

    def __init__(
        self,
        *,
        learning_rate: float = 0.1,
        num_leaves: int = 8,
        min_data_in_leaf: int = 20,
        lambda_l2: float = 5.0,
        timing_rate: float = 0.25,
        max_rounds: int = 1000,
        patience: int = 25,
        categorical_features: Sequence[int] = (),
        linear: LinearLearner | None = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_data_in_leaf = min_data_in_leaf
        self.lambda_l2 = lambda_l2
        self.timing_rate = timing_rate
        self.max_rounds = max_rounds
        self.patience = patience
        self.categorical_features = categorical_features
        self.linear = linear

    def fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        *,
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool = True,
        known: dict[int, float] | None = None,
    ) -> BoostedFit:
        """Grow trees under the most likely candidate; see `Learner.fit`."""
        offsets = self._offsets(cohort, candidates, columns, rng, has_outcome, known or {})
        problem = RowProblem(cohort, offsets[0].fit.propensity)
        forest = Forest(self, cohort, columns, has_outcome, tuple(known or {}), int(rng.integers(2**31 - 1)))
        held_out = deal_folds(cohort.labeled, problem.observed, cohort.features, N_FOLDS) == 0
        trials = {offset.name: forest.grow(offset, problem, held_out, self.max_rounds) for offset in offsets}
        offset = max(offsets, key=lambda offset: trials[offset.name].best_value)
        # All rows carry a little more than those kept for growing, and so do a few more rounds.
        n_rounds = int(np.ceil(trials[offset.name].best_round * N_FOLDS / (N_FOLDS - 1)))
        final = forest.grow(offset, problem, np.zeros(cohort.n, dtype=bool), n_rounds)
        return BoostedFit(
            offset=offset,
            outcome=final.outcome,
            timing=final.timing,
            timing_columns=columns,
            levels=final.levels,
            result=self._result(offset.name, final, trials, n_rounds),
            held_out={name: (trial.best_value, trial.best_round) for name, trial in trials.items()},
        )

    def _offsets(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool,
        known: dict[int, float],
    ) -> list[Offset]:
        """Fit the linear model on the numeric columns, and the model without features under its propensity."""
        numeric = np.setdiff1d(np.arange(cohort.features.shape[1]), np.asarray(self.categorical_features, dtype=int))
        kept = cohort.features[:, numeric]
        fill = np.nan_to_num(np.nanmean(kept, axis=0)) if kept.size else np.zeros(numeric.size)
        filled = replace(cohort, features=np.where(np.isnan(kept), fill, kept))
        inside = np.flatnonzero(np.isin(numeric, columns))
        learner = self.linear or LinearLearner()
        settings: dict[str, Any] = {"rng": rng, "has_outcome": has_outcome, "known": known}
        linear = learner.fit(filled, candidates, columns=inside, **settings)
        empty = np.empty(0, dtype=np.intp)
        nothing = replace(cohort, features=cohort.features[:, :0])
        plain = replace(learner, shrinkage=0.0)
        level = plain.fit(nothing, [linear.propensity], columns=empty, **settings)
        return [Offset("linear", linear, numeric, fill), Offset("level", level, empty, np.zeros(0))]

    def _result(self, name: str, final: Growth, trials: dict[str, Growth], n_rounds: int) -> FitResult:
        exhausted = max(trial.best_round for trial in trials.values()) >= self.max_rounds - 1
        status = Status.MAX_ROUNDS if exhausted else Status.CONVERGED
        return FitResult(
            status=status,
            n_steps=n_rounds,
            log_likelihood=final.log_likelihood,
            objective=-final.log_likelihood,
            n_parameters=n_rounds * self.num_leaves,
            starts=(StartResult(name, -final.log_likelihood, status, n_rounds, 1.0),),
            n_draft=final.n,
        )
