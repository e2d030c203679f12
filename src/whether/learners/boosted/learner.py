"""The boosted learner: gradient-boosted trees on the outcome logit and on the propensity's sloped predictors.

LightGBM grows the trees on the row gradients and the EM curvature of the one likelihood. Trees start from an offset,
the linear solution or no features at all, whichever predicts held-out people better with the trees added; so what the
linear model can say is kept, and its shared index with it: trees of the outcome move the time part along by kappa, and
trees of the time part itself learn more slowly, under the same early stopping. Where the linear model is useless it is
worse than nothing, because it mistakes what drives the times for what drives the risk; so as many folds are held out
in turn as it takes to tell the two starts apart.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from whether.cohort import Cohort
from whether.learners.base import FittedModel, Learner
from whether.learners.boosted.trees import Forest, Growth, Offset, combine
from whether.learners.fit_result import FitResult, StartResult, Status
from whether.learners.folds import deal_folds
from whether.learners.linear.learner import LinearFit, LinearLearner
from whether.learners.progress import progress
from whether.learners.rows import RowProblem
from whether.propensity import Propensity

Array = NDArray[np.float64]

N_FOLDS = 5
# The offsets are told apart when their held-out likelihoods differ by so many standard errors.
STANDARD_ERRORS = 2.0


class OffsetComparison:
    """Offsets compared on held-out people, fold by fold.

    Attributes
    ----------
    values : dict of str to list of ndarray
        Weighted log-likelihood of each held-out person at the best round, by offset and fold.
    rounds : dict of str to list of int
        The best round, by offset and fold.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.values: dict[str, list[Array]] = {name: [] for name in names}
        self.rounds: dict[str, list[int]] = {name: [] for name in names}

    def add(self, name: str, growth: Growth) -> None:
        """Take in how one offset did on one fold."""
        self.values[name].append(growth.best_values)
        self.rounds[name].append(growth.best_round)

    @property
    def leader(self) -> str:
        """The offset with the highest held-out likelihood so far."""
        return max(self.values, key=lambda name: float(np.concatenate(self.values[name]).sum()))

    @property
    def decided(self) -> bool:
        """Whether chance is an unlikely reason for the leader's advantage over each of the others."""
        best = np.concatenate(self.values[self.leader])
        leads = [best - np.concatenate(values) for name, values in self.values.items() if name != self.leader]
        return all(lead.sum() > STANDARD_ERRORS * np.sqrt(lead.size) * lead.std() for lead in leads)

    @property
    def winner(self) -> str:
        """The leader if the comparison is decided, else the first, the linear model: small cohorts rarely say more."""
        return self.leader if self.decided else next(iter(self.values))

    def best_round(self, name: str) -> float:
        """Best number of rounds, averaged over the folds."""
        return float(np.mean(self.rounds[name]))

    def exhausted(self, max_rounds: int) -> bool:
        """Whether some growth was still improving at the last round allowed."""
        return max(max(rounds) for rounds in self.rounds.values()) >= max_rounds - 1


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
    comparison : OffsetComparison
        How the offsets compared on held-out people.
    """

    offset: Offset
    outcome: Any
    timing: Any
    timing_columns: NDArray[np.intp]
    levels: Array
    result: FitResult
    comparison: OffsetComparison

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
    bagging_fraction : float, default=0.6
        As in LightGBM; every tree is grown on a fresh draw of people.
    timing_rate : float, default=0.5
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
        bagging_fraction: float = 0.6,
        timing_rate: float = 0.5,
        max_rounds: int = 1000,
        patience: int = 25,
        categorical_features: Sequence[int] = (),
        linear: LinearLearner | None = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_data_in_leaf = min_data_in_leaf
        self.lambda_l2 = lambda_l2
        self.bagging_fraction = bagging_fraction
        self.timing_rate = timing_rate
        self.max_rounds = max_rounds
        self.patience = patience
        self.categorical_features = categorical_features
        self.linear = linear

    def with_categories(self, columns: Iterable[int]) -> BoostedLearner:
        """Return the learner with further columns that hold category codes."""
        learner = copy.copy(self)
        learner.categorical_features = sorted({*self.categorical_features, *columns})
        return learner

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
        # Labeled people first: their rows, and those of the others, then follow each other in memory.
        cohort = cohort.take(np.argsort(~cohort.labeled, kind="stable"))
        seed, settings = int(rng.integers(2**31 - 1)), {"rng": rng, "has_outcome": has_outcome, "known": known or {}}
        learner = self.linear or LinearLearner()
        offsets = self._offsets(cohort, candidates, columns, learner, settings)
        problem = RowProblem(cohort, offsets[0].fit.propensity)
        forest = Forest(self, cohort, columns, has_outcome, tuple(known or {}), seed)
        comparison = OffsetComparison(tuple(offset.name for offset in offsets))
        folds = deal_folds(cohort.labeled, problem.observed, cohort.features, N_FOLDS)
        settled = offsets[0].fit.settled(learner)
        with progress(N_FOLDS, "Folds to tell starts apart") as bar:
            for number in range(N_FOLDS):
                # Without the held-out people, whose likelihood would else favour the linear model.
                inside = cohort.take(np.flatnonzero(folds != number))
                for offset in self._offsets(inside, [problem.propensity], columns, settled, settings):
                    comparison.add(offset.name, forest.grow(offset, problem, folds == number, self.max_rounds))
                bar.advance()
                if comparison.decided:
                    break
        offset = next(offset for offset in offsets if offset.name == comparison.winner)
        # All rows carry a little more than those kept for growing, and so do a few more rounds.
        n_rounds = int(np.ceil(comparison.best_round(offset.name) * N_FOLDS / (N_FOLDS - 1)))
        final = forest.grow(offset, problem, np.zeros(cohort.n, dtype=bool), n_rounds)
        return BoostedFit(
            offset=offset,
            outcome=final.outcome,
            timing=final.timing,
            timing_columns=columns,
            levels=final.levels,
            result=self._result(offset.name, final, comparison.exhausted(self.max_rounds), n_rounds),
            comparison=comparison,
        )

    def _offsets(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        columns: NDArray[np.intp],
        learner: LinearLearner,
        settings: dict[str, Any],
    ) -> list[Offset]:
        """Fit the linear model on the numeric columns, and the model without features under its propensity."""
        numeric = np.setdiff1d(np.arange(cohort.features.shape[1]), np.asarray(self.categorical_features, dtype=int))
        kept = cohort.features[:, numeric]
        fill = np.nan_to_num(np.nanmean(kept, axis=0)) if kept.size else np.zeros(numeric.size)
        filled = replace(cohort, features=np.where(np.isnan(kept), fill, kept))
        inside = np.flatnonzero(np.isin(numeric, columns))
        linear = learner.fit(filled, candidates, columns=inside, **settings)
        empty = np.empty(0, dtype=np.intp)
        nothing = replace(cohort, features=cohort.features[:, :0])
        plain = replace(learner, shrinkage=0.0)
        level = plain.fit(nothing, [linear.propensity], columns=empty, **settings)
        return [Offset("linear", linear, numeric, fill), Offset("level", level, empty, np.zeros(0))]

    def _result(self, name: str, final: Growth, exhausted: bool, n_rounds: int) -> FitResult:
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
