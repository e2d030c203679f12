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
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.optimize import Status
from whether.learners.parallel import n_threads, one_blas_thread
from whether.learners.rows import RowProblem, RowTerms, deal_folds
from whether.propensity import Propensity

Array = NDArray[np.float64]

N_FOLDS = 5
# On fewer rows LightGBM's threads wait for each other longer than they work.
MANY_ROWS = 20_000


@dataclass(frozen=True)
class Offset:
    """Where the trees start: the predictors of a linear fit on some of the columns."""

    name: str
    fit: LinearFit
    columns: NDArray[np.intp]
    fill: Array

    @property
    def kappa(self) -> float:
        """How far trees of the outcome move the time part along."""
        return self.fit.kappa or 0.0

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit and propensity predictors of the offset."""
        kept = features[:, self.columns]
        return self.fit.predict(np.where(np.isnan(kept), self.fill, kept))


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


def combine(
    offset: Offset, eta: Array | None, v: Array, grown: Array | None, timed: Array | None
) -> tuple[Array | None, Array]:
    """Predictors from the offset and what the trees of each part add; the outcome's move the time part along."""
    sloped = np.array(offset.fit.propensity.sloped, dtype=bool)
    shift = np.zeros(v.shape[1])
    if grown is not None:
        eta = np.asarray(eta) + grown
        shift = shift + offset.fit.propensity.index_sign * offset.kappa * grown
    if timed is not None:
        shift = shift + timed
    return eta, v + sloped[:, None] * shift


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
        forest = _Forest(self, cohort, columns, has_outcome, tuple(known or {}), int(rng.integers(2**31 - 1)))
        held_out = deal_folds(cohort, problem.observed, N_FOLDS) == 0
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

    def _result(self, name: str, final: _Growth, trials: dict[str, _Growth], n_rounds: int) -> FitResult:
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


@dataclass
class _Growth:
    """Trees grown so far, and the round after which held-out people were predicted best."""

    outcome: Any
    timing: Any
    levels: Array
    n: int
    log_likelihood: float = 0.0
    best_value: float = -np.inf
    best_round: int = 0


class _Forest:
    """LightGBM's binned data, built once, and the loop that grows trees on them."""

    def __init__(
        self,
        learner: BoostedLearner,
        cohort: Cohort,
        columns: NDArray[np.intp],
        has_outcome: bool,
        known: tuple[int, ...],
        seed: int,
    ) -> None:
        import lightgbm

        self.lightgbm, self.learner, self.known, self.seed = lightgbm, learner, known, seed
        self.features = cohort.features
        categorical = {int(i) for i in learner.categorical_features}
        every = np.arange(cohort.features.shape[1])
        self.outcome_data = self._bin(every, categorical) if has_outcome else None
        same = has_outcome and np.array_equal(columns, every)
        self.timing_data = self.outcome_data if same else (self._bin(columns, categorical) if columns.size else None)

    def _parameters(self) -> dict[str, Any]:
        learner = self.learner
        return {
            "objective": "none",
            "learning_rate": learner.learning_rate,
            "num_leaves": learner.num_leaves,
            "min_data_in_leaf": learner.min_data_in_leaf,
            "lambda_l2": learner.lambda_l2,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_col_wise": True,
            "num_threads": n_threads() if self.features.shape[0] >= MANY_ROWS else 1,
            "seed": self.seed,
            "verbose": -1,
        }

    def _bin(self, columns: NDArray[np.intp], categorical: set[int]) -> Any:
        data = self.lightgbm.Dataset(
            self.features[:, columns],
            label=np.zeros(self.features.shape[0]),
            categorical_feature=[i for i, column in enumerate(columns) if int(column) in categorical],
            params=self._parameters(),
            free_raw_data=True,
        )
        return data.construct()

    def grow(self, offset: Offset, problem: RowProblem, held_out: NDArray[np.bool_], n_rounds: int) -> _Growth:
        """Grow trees from an offset; people held out have no say in them and judge each round."""
        eta, v = offset.predict(self.features)
        propensity = problem.propensity
        grows_time = self.timing_data is not None and any(propensity.sloped)
        growth = _Growth(
            outcome=None if eta is None else self.lightgbm.Booster(self._parameters(), self.outcome_data),
            timing=self.lightgbm.Booster(self._parameters(), self.timing_data) if grows_time else None,
            levels=np.zeros(v.shape[0]),
            n=v.shape[1],
        )
        loop = _Loop(self.learner, offset, problem, held_out, self.known, (eta, v))
        with one_blas_thread():  # its threads would fight with LightGBM's
            for number in range(n_rounds):
                loop.step(growth, number)
                if held_out.any() and number - growth.best_round >= self.learner.patience:
                    break
        growth.log_likelihood = float(problem.weight @ loop.terms(growth.levels).value)
        return growth


class _Loop:
    """One run of boosting: the current predictors and what each tree is grown on."""

    def __init__(
        self,
        learner: BoostedLearner,
        offset: Offset,
        problem: RowProblem,
        held_out: NDArray[np.bool_],
        known: tuple[int, ...],
        start: tuple[Array | None, Array],
    ) -> None:
        self.learner, self.offset, self.problem, self.known = learner, offset, problem, known
        self.eta, self.v = start
        self.held_out = held_out
        self.weight = np.where(held_out, 0.0, problem.weight)
        self.sloped = np.array(problem.propensity.sloped, dtype=bool)
        self.grown: Array | None = None
        self.timed: Array | None = None

    def terms(self, levels: Array) -> RowTerms:
        """Derivatives of everybody's likelihood at the current predictors."""
        eta, v = combine(self.offset, self.eta, self.v + levels[:, None], self.grown, self.timed)
        return self.problem.evaluate(eta, v)

    def step(self, growth: _Growth, number: int) -> None:
        """Judge the trees so far on held-out people, then add one tree to each part and move the levels.

        One look at the likelihood, which costs more than the trees, serves both trees and the levels. The timing trees
        in it are those of the round before: LightGBM tells the sum of its trees only when it asks for a target.
        """
        looks = 0

        def look() -> RowTerms:
            nonlocal looks
            if looks == 0:
                self.current = self.terms(growth.levels)
                self._judge(growth, self.current, number)
            looks += 1
            return self.current

        def outcome_target(grown: Array, _: Any) -> tuple[Array, Array]:
            self.grown = np.asarray(grown, dtype=float)
            return self._outcome_target(look())

        def timing_target(timed: Array, _: Any) -> tuple[Array, Array]:
            self.timed = np.asarray(timed, dtype=float)
            return self._timing_target(look())

        if growth.outcome is not None:
            growth.outcome.update(fobj=outcome_target)
        if growth.timing is not None:
            growth.timing.update(fobj=timing_target)
        self._move_levels(growth, look())

    def _move_levels(self, growth: _Growth, terms: RowTerms) -> None:
        first = int(self.eta is not None)
        free = [k for k in range(self.sloped.size) if not self.sloped[k] and k not in self.known]
        if not free:
            return
        _, pull, stiffness = self.problem.propensity.penalty((self.v + growth.levels[:, None]).mean(axis=1))
        for k in free:
            gradient = float(self.weight @ terms.gradient[first + k]) - pull[k]
            curvature = float(self.weight @ terms.curvature[first + k]) + max(stiffness[k, k], 0.0)
            growth.levels[k] += np.clip(0.3 * gradient / max(curvature, 1.0), -0.2, 0.2)

    def _judge(self, growth: _Growth, terms: RowTerms, number: int) -> None:
        if self.held_out.any():
            weight = self.problem.weight[self.held_out]
            value = float(np.average(terms.value[self.held_out], weights=weight))
            if value > growth.best_value + 1e-6:
                growth.best_value, growth.best_round = value, number

    def _outcome_target(self, terms: RowTerms) -> tuple[Array, Array]:
        along = self.problem.propensity.index_sign * self.offset.kappa
        gradient = terms.gradient[0] + along * terms.gradient[1:][self.sloped].sum(axis=0)
        curvature = terms.curvature[0] + along**2 * terms.curvature[1:][self.sloped].sum(axis=0)
        return -self.weight * gradient, self.weight * curvature

    def _timing_target(self, terms: RowTerms) -> tuple[Array, Array]:
        first = int(self.eta is not None)
        gradient = self.learner.timing_rate * terms.gradient[first:][self.sloped].sum(axis=0)
        return -self.weight * gradient, self.weight * terms.curvature[first:][self.sloped].sum(axis=0)
