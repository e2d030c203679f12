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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator

from whether.arrays import Array, Flags, Rows
from whether.learners.boosted.boosted_fit import BoostedFit, Offset, gains_of
from whether.learners.boosted.contributions import mean_contributions
from whether.learners.boosted.forest import Forest, Growth
from whether.learners.fit_result import FitResult, Status
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.progress import progress
from whether.learners.rows import RowProblem, deal_folds, order_by_content, usable_folds
from whether.learners.task import Learner, Task
from whether.validate import ArgumentError, resolve_directions

N_FOLDS = 5
# On larger cohorts offsets are compared on a part of the rows, about this many.
MOST_COMPARED = 20_000
# Where trees may start: from the linear model, or from no features at all.
OFFSETS = ("linear", "level")
# They are told apart when their held-out likelihoods differ by so many standard errors.
STANDARD_ERRORS = 2.0


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
    monotone : dict of str or int to int, optional
        Features, by name or position, along which the risk must not fall (1) or must not rise (-1), everything else
        being equal. Times and propensity are free.
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
        monotone: Mapping[str | int, int] | None = None,
        linear: LinearLearner | None = None,
    ) -> None:
        self.learning_rate, self.num_leaves = learning_rate, num_leaves
        self.min_data_in_leaf, self.lambda_l2 = min_data_in_leaf, lambda_l2
        self.bagging_fraction, self.timing_rate, self.max_rounds = bagging_fraction, timing_rate, max_rounds
        self.patience, self.categorical_features = patience, categorical_features
        self.monotone, self.linear = monotone, linear

    def with_categories(self, columns: Iterable[int]) -> BoostedLearner:
        """Return the learner with further columns that hold category codes."""
        learner = copy.copy(self)
        learner.categorical_features = sorted({*self.categorical_features, *columns})
        return learner

    def for_times(self) -> BoostedLearner:
        """Return the learner without constraints, which are about the outcome."""
        learner = copy.copy(self)
        learner.monotone = None
        return learner

    def directions(self, task: Task) -> dict[int, int]:
        """Directions in which features may move the outcome, by their positions in a task."""
        if self.monotone and not task.has_outcome:
            raise ArgumentError("monotone is about the outcome part, and in this model everybody is positive.")
        return resolve_directions(self.monotone, task.cohort.names, "monotone", self.categorical_features)

    def fit(self, task: Task) -> BoostedFit:
        """Grow trees under the most likely candidate."""
        # Every tree is grown on a draw of rows, which must not depend on where in the table people stand. The labeled
        # come first: their rows, and those of the others, then follow each other in memory.
        task = task.take(order_by_content(task.cohort))
        cohort, seed, learner = task.cohort, int(task.rng.integers(2**31 - 1)), self.linear or LinearLearner()
        offsets = self._offsets(task, learner)
        task = task.under(offsets[0].fit.propensity)
        problem, forest = RowProblem(cohort, task.criterion(), task.share), Forest(self, task, seed)
        comparison = self._compare(task, learner.settled(offsets[0].fit), seed, problem, forest)
        offset = next(offset for offset in offsets if offset.name == comparison.winner)
        if cohort.n > MOST_COMPARED:
            # Of so many people a fifth can be spared: they say when to stop, and what was grown is kept.
            final = forest.grow(offset, problem, _deal(task, problem) == 0, self.max_rounds)
            final.back_to_best()
            n_rounds = last_round = final.best_round
        else:
            # All rows carry a little more than those kept for growing, and so do a few more rounds.
            n_rounds = int(np.ceil(float(np.mean(comparison.rounds[offset.name])) * N_FOLDS / (N_FOLDS - 1)))
            final = forest.grow(offset, problem, np.zeros(cohort.n, dtype=bool), n_rounds)
            last_round = max(max(rounds) for rounds in comparison.rounds.values())
        status = Status.MAX_ROUNDS if last_round >= self.max_rounds - 1 else Status.CONVERGED
        size = n_rounds * self.num_leaves
        result = FitResult.of_one_start(offset.name, status, n_rounds, final.log_likelihood, size, cohort.n)
        trees = final.outcome, final.timing, task.columns
        gains = gains_of(*trees, task.every_column.size)
        made = BoostedFit(offset, *trees, final.levels, gains, None, result)
        return replace(made, reliance=mean_contributions(made, cohort))

    def _compare(
        self, task: Task, settled: LinearLearner, seed: int, problem: RowProblem, forest: Forest
    ) -> OffsetComparison:
        """Grow trees from each offset with a fold held out, until the better one is clear; on a part of many rows."""
        if task.cohort.n > MOST_COMPARED:
            task = task.take(np.arange(0, task.cohort.n, -(-task.cohort.n // MOST_COMPARED)))
            problem, forest = RowProblem(task.cohort, task.criterion(), task.share), Forest(self, task, seed)
        cohort, comparison, folds = task.cohort, OffsetComparison(), _deal(task, problem)
        with progress(N_FOLDS, "Folds to tell starts apart") as bar:
            for number in usable_folds(folds, cohort.labeled):
                # Without the held-out people, whose likelihood would else favour the linear model.
                for offset in self._offsets(task.take(np.flatnonzero(folds != number)), settled):
                    comparison.add(offset.name, forest.grow(offset, problem, folds == number, self.max_rounds))
                bar.advance()
                if comparison.decided:
                    break
        return comparison

    def _offsets(self, task: Task, learner: LinearLearner) -> list[Offset]:
        """Fit the linear model on the numeric columns, and the model without features under its propensity."""
        numeric = np.setdiff1d(task.every_column, np.asarray(self.categorical_features, dtype=int))
        filled, fill = _fill_gaps(task.select(numeric))
        linear = learner.fit(filled)
        # Slopes against a constraint: their features are left to the trees, which keep to it.
        while (against := _against(linear, numeric, self.directions(task))).any():
            numeric = numeric[~against]
            filled, fill = _fill_gaps(task.select(numeric))
            linear = learner.fit(filled)
        none = np.empty(0, dtype=np.intp)
        # What becomes of negatives has no trees: it is linear in both.
        kept_level = numeric if linear.propensity.other_sloped else none
        level_task = replace(filled, columns=none, outcome_columns=none) if kept_level.size else task.select(none)
        level = replace(learner, shrinkage=0.0).fit(level_task.under(linear.propensity))
        return [
            Offset(OFFSETS[0], linear, numeric, fill),
            Offset(OFFSETS[1], level, kept_level, fill[: kept_level.size]),
        ]


def _deal(task: Task, problem: RowProblem) -> Rows:
    """Fold of each person."""
    cohort = task.cohort
    return deal_folds(cohort.labeled, problem.observed.ranks(), cohort.features, N_FOLDS, groups=cohort.groups)


def _fill_gaps(task: Task) -> tuple[Task, Array]:
    """Return the task with means in place of missing values, and these means."""
    kept = task.cohort.features
    fill = np.nan_to_num(np.nanmean(kept, axis=0)) if kept.size else np.zeros(kept.shape[1])
    return replace(task, cohort=replace(task.cohort, features=np.where(np.isnan(kept), fill, kept))), fill


def _against(linear: LinearFit, columns: Rows, directions: dict[int, int]) -> Flags:
    """Which columns have a slope in the direction that is not allowed."""
    if not directions:
        return np.zeros(columns.size, dtype=bool)
    slopes = linear.predictor.outcome_line(columns.size)[1]
    return np.array([directions.get(int(column), 0) for column in columns]) * slopes < 0


class OffsetComparison:
    """Offsets compared on held-out people, fold by fold: their log-likelihoods at the best round, and that round."""

    def __init__(self) -> None:
        self.values: dict[str, list[Array]] = {name: [] for name in OFFSETS}
        self.rounds: dict[str, list[int]] = {name: [] for name in OFFSETS}

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
