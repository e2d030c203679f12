"""The boosted learner: gradient-boosted trees on the outcome logit and on the propensity's sloped predictors.

LightGBM grows the trees on the row gradients and the EM curvature of the one likelihood. Trees start from an offset:
the linear solution, no features at all, or halfway between them. The linear model keeps what a line can say; where it
is useless it is worse than nothing, because it mistakes what drives the times for what drives the risk. So trees are
grown from both with a fold held out in turn, until held-out people tell the two starts apart. Often they do not: then
it is no features at all where trees say more than the line, and mostly halfway where they say less. Outcome and times
learn at the same rate: where times learn more slowly, the outcome takes over what belongs to them. The levels of both,
and the scale of times, are told by the people who are held out, on average over folds.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from whether.arrays import Array, Flags, Rows
from whether.learners.boosted.boosted_fit import BoostedFit, Offset, gains_of
from whether.learners.boosted.comparison import OFFSETS, OffsetComparison
from whether.learners.boosted.contributions import mean_contributions
from whether.learners.boosted.forest import Forest
from whether.learners.boosted.loop import Growth
from whether.learners.boosted.spread import N_FOLDS, deal, grow_spread
from whether.learners.fit_result import FitResult, Status
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.population import Population
from whether.learners.progress import progress
from whether.learners.rows import RowProblem, order_by_content, step_of_part, usable_folds
from whether.learners.task import Learner, Task
from whether.validate import ArgumentError, resolve_directions

# On larger cohorts offsets are compared on a part of the rows, about this many.
MOST_COMPARED = 20_000
# Learning rate, share of people on whom a tree is grown, and bins, with more than so many people. Of many, a smaller
# share is enough for a tree, and steps may be longer: with 200,000 people the AUC was 0.001 lower at half the time, and
# with 10,000 steps a fifth longer cost 0.0015. Of few, fewer bins are enough, and half of the time of a tree goes by
# their number.
BY_SIZE = {0: (0.125, 0.6, 63), 5_000: (0.15, 0.6, 63), MOST_COMPARED: (0.15, 0.3, 255), 500_000: (0.25, 0.3, 255)}
# Rows, with so many labeled ones, up to which the penalties of the linear model are chosen.
FEW_ROWS, FEW_LABELED = 2_000, 500


class BoostedLearner(Learner, BaseEstimator):
    """Gradient-boosted trees (LightGBM) for every part of the model.

    Parameters
    ----------
    learning_rate : float, optional
        0.125 unless given; 0.15 with more than 5,000 people, 0.25 with more than 500,000.
    num_leaves : int, default=8
    min_data_in_leaf : int, default=20
        As in LightGBM, of the people drawn.
    lambda_l2 : float, default=5.0
    bagging_fraction : float, optional
        Share of people, drawn afresh, on whom each tree is grown. 0.6 unless given, and 0.3 with more than 20,000.
    max_bin : int, optional
        As in LightGBM. 63 unless given, and 255 with more than 20,000 people.
    timing_rate : float, default=1.0
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
        learning_rate: float | None = None,
        num_leaves: int = 8,
        min_data_in_leaf: int = 20,
        lambda_l2: float = 5.0,
        bagging_fraction: float | None = None,
        max_bin: int | None = None,
        timing_rate: float = 1.0,
        max_rounds: int = 1000,
        patience: int = 25,
        categorical_features: Sequence[int] = (),
        monotone: Mapping[str | int, int] | None = None,
        linear: LinearLearner | None = None,
    ) -> None:
        self.learning_rate, self.num_leaves = learning_rate, num_leaves
        self.min_data_in_leaf, self.lambda_l2 = min_data_in_leaf, lambda_l2
        self.bagging_fraction, self.max_bin, self.timing_rate = bagging_fraction, max_bin, timing_rate
        self.max_rounds, self.patience, self.categorical_features = max_rounds, patience, categorical_features
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

    def of_size(self, n: int) -> BoostedLearner:
        """Return the learner with what depends on the number of people settled."""
        learner, least = copy.copy(self), max(least for least in BY_SIZE if least < max(n, 1))
        rate, share, bins = BY_SIZE[least]
        learner.learning_rate = rate if self.learning_rate is None else self.learning_rate
        learner.bagging_fraction = share if self.bagging_fraction is None else self.bagging_fraction
        learner.max_bin = bins if self.max_bin is None else self.max_bin
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
        population = task.population
        if population is not None and task.share is not None:
            raise ArgumentError(
                "A known share of positives is about all people at once: rows in blocks cannot have it."
            )
        task = replace(task, population=None).take(order_by_content(task.cohort))
        cohort, seed = task.cohort, int(task.rng.integers(2**31 - 1))
        linear = self._linear_settings(task)
        line, level = self._offsets(task, linear)
        task = task.under(line.fit.propensity)
        problem, forest = self._prepare(task, seed)
        comparison = self._compare(task, (line, level), linear.settled(line.fit), seed, problem, forest)
        offset = comparison.choose(line, level, apart=_apart(task, line, level))
        final, n_rounds = self._finish(task, offset, comparison, problem, forest, population)
        last_round = n_rounds if final.best_round else comparison.last_round
        status = Status.MAX_ROUNDS if last_round >= self.max_rounds - 1 else Status.CONVERGED
        size, n = n_rounds * self.num_leaves, cohort.n if population is None else population.n
        result = FitResult.of_one_start(offset.name, status, n_rounds, final.log_likelihood, size, n)
        trees = final.outcome, final.timing, task.columns
        gains = gains_of(*trees, task.every_column.size)
        made = BoostedFit(offset.moved(final.levels), *trees, gains, None, result)
        return replace(made, reliance=mean_contributions(made, cohort))

    def _prepare(self, task: Task, seed: int) -> tuple[RowProblem, Forest]:
        problem = RowProblem(task.cohort, task.criterion(), task.share)
        return problem, Forest(self.of_size(task.cohort.n), task, seed)

    def _finish(
        self,
        task: Task,
        offset: Offset,
        comparison: OffsetComparison,
        problem: RowProblem,
        forest: Forest,
        population: Population | None,
    ) -> tuple[Growth, int]:
        """Grow the trees that are kept, from all people, and return how many rounds they have."""
        n = task.cohort.n if population is None else population.n
        # All rows carry a little more than those kept for growing, and so do a few more rounds.
        n_rounds = int(np.ceil(comparison.pace * comparison.mean_round(offset.name) * N_FOLDS / (N_FOLDS - 1)))
        levels_at = partial(comparison.levels_at, offset.name)
        # Of many people a fifth can be spared: they say when to stop, and what was grown is kept.
        spares = n > MOST_COMPARED
        if population is not None:
            most = None if spares else n_rounds
            final = grow_spread(self.of_size(n), task, offset, forest.seed, population, most, levels_at)
        elif spares:
            final = forest.grow(offset, problem, deal(task, problem) == 0, self.max_rounds, levels_at)
        else:
            final = forest.grow(offset, problem, np.zeros(n, dtype=bool), n_rounds, levels_at)
        return final, final.best_round if spares else n_rounds

    def _compare(
        self,
        task: Task,
        offsets: tuple[Offset, Offset],
        settled: LinearLearner,
        seed: int,
        problem: RowProblem,
        forest: Forest,
    ) -> OffsetComparison:
        """Grow trees from each offset with a fold held out, until the better one is clear; on a part of many rows."""
        if task.cohort.n > MOST_COMPARED:
            task = task.take(np.arange(0, task.cohort.n, -(-task.cohort.n // MOST_COMPARED)))
            problem, forest = self._prepare(task, seed)
        cohort, comparison, folds = task.cohort, OffsetComparison(task.cohort.n), deal(task, problem)
        most = 1 if comparison.is_large else N_FOLDS
        with progress(most, "Folds to tell starts apart") as bar:
            for number in usable_folds(folds, cohort.labeled)[:most]:
                if not comparison.is_large:
                    # Without the held-out people, whose likelihood would else favour the linear model.
                    offsets = self._offsets(task.take(np.flatnonzero(folds != number)), settled)
                for offset in offsets:
                    growth = forest.try_out(offset, problem, folds == number, self.max_rounds, comparison.pace)
                    comparison.add(offset.name, growth)
                bar.advance()
                if comparison.decided:
                    break
        return comparison

    def _linear_settings(self, task: Task) -> LinearLearner:
        """Settings of the linear model, which is only a start: of many people, with the penalties that are usual."""
        linear, n_labeled = self.linear or LinearLearner(), int(np.count_nonzero(task.cohort.labeled))
        step = step_of_part(task.cohort.n, n_labeled, FEW_ROWS, FEW_LABELED)
        return linear if step == 1 else linear.usual(self._numeric(task)[1])

    def _numeric(self, task: Task) -> tuple[Rows, Task, Array]:
        """Columns that a line can have, the task on these alone, without gaps, and what stands in for these."""
        numeric = np.setdiff1d(task.every_column, np.asarray(self.categorical_features, dtype=int))
        return numeric, *_fill_gaps(task.select(numeric))

    def _line(self, task: Task, learner: LinearLearner) -> tuple[Offset, Task]:
        """Fit the linear model on the numeric columns, and return the task that it was fitted to."""
        numeric, filled, fill = self._numeric(task)
        linear = learner.fit(filled)
        # Slopes against a constraint: their features are left to the trees, which keep to it.
        while (against := _against(linear, numeric, self.directions(task))).any():
            numeric = numeric[~against]
            filled, fill = _fill_gaps(task.select(numeric))
            linear = learner.fit(filled)
        return Offset(OFFSETS[0], linear, numeric, fill), filled

    def _offsets(self, task: Task, learner: LinearLearner) -> tuple[Offset, Offset]:
        """Fit the linear model, and the model without features under its propensity."""
        line, filled = self._line(task, learner)
        propensity, none = line.fit.propensity, np.empty(0, dtype=np.intp)
        # What becomes of negatives has no trees: it is linear in both.
        kept = line.columns if propensity.other_sloped else none
        level_task = replace(filled, columns=none, outcome_columns=none) if kept.size else task.select(none)
        level = replace(learner, shrinkage=0.0).fit(level_task.under(propensity))
        return line, Offset(OFFSETS[1], level, kept, line.fill[: kept.size])


def _apart(task: Task, linear: Offset, level: Offset) -> float:
    """Difference between the mean risks of both offsets."""
    if not task.has_outcome:
        return 0.0
    cohort = task.cohort.thin(MOST_COMPARED)
    logits = (np.asarray(offset.predict(cohort.features)[0]) for offset in (linear, level))
    one, other = (task.family.probability(logit)[0] for logit in logits)
    return abs(float(np.average(one - other, weights=cohort.weight)))


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
