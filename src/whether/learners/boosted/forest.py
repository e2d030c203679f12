"""The loop that grows trees: LightGBM's binned data, built once, and one tree per part and round.

The learner decides where to start and when to stop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.learners.boosted.boosted_fit import Offset, combine, threads_for
from whether.learners.parallel import one_blas_thread
from whether.learners.progress import progress
from whether.learners.rows import RowProblem
from whether.learners.task import Task
from whether.likelihood import Surrogate

if TYPE_CHECKING:
    from whether.learners.boosted.boosted_learner import BoostedLearner


@dataclass
class Growth:
    """Trees grown so far, the round after which held-out people were predicted best, and their log-likelihoods then."""

    outcome: Any
    timing: Any
    levels: Array
    log_likelihood: float = 0.0
    best_round: int = 0
    best_values: Array = field(default_factory=lambda: np.array([-np.inf]))
    best_levels: Array = field(default_factory=lambda: np.empty(0))

    def back_to_best(self) -> None:
        """Forget what was grown after the best round."""
        self.levels = self.best_levels
        for trees in (self.outcome, self.timing):
            while trees is not None and trees.num_trees() > self.best_round:
                trees.rollback_one_iter()


class Forest:
    """LightGBM's binned data, built once, and the loop that grows trees on them."""

    def __init__(self, learner: BoostedLearner, task: Task, seed: int) -> None:
        import lightgbm

        self.lightgbm, self.learner, self.known, self.seed = lightgbm, learner, task.known, seed
        self.features, columns = task.cohort.features, task.columns
        categorical, directions = {int(i) for i in learner.categorical_features}, learner.directions(task)
        self.constraints = [directions.get(int(i), 0) for i in task.every_column] if directions else []
        self.outcome_data = self._bin(task.every_column, categorical) if task.has_outcome else None
        same = task.has_outcome and np.array_equal(columns, task.every_column)
        self.timing_data = self.outcome_data if same else (self._bin(columns, categorical) if columns.size else None)

    def _parameters(self) -> dict[str, Any]:
        given = ("learning_rate", "num_leaves", "min_data_in_leaf", "lambda_l2", "bagging_fraction")
        return {
            **{name: getattr(self.learner, name) for name in given},
            "objective": "none",
            "bagging_freq": 1,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_col_wise": True,
            "num_threads": threads_for(self.features.shape[0]),
            "seed": self.seed,
            "verbose": -1,
        }

    def _bin(self, columns: Rows, categorical: set[int]) -> Any:
        return self.lightgbm.Dataset(
            self.features[:, columns],
            label=np.zeros(self.features.shape[0]),
            categorical_feature=[i for i, column in enumerate(columns) if int(column) in categorical],
            params=self._parameters(),
        ).construct()

    def _outcome_booster(self) -> Any:
        constraints = {"monotone_constraints": self.constraints} if self.constraints else {}
        return self.lightgbm.Booster({**self._parameters(), **constraints}, self.outcome_data)

    def grow(self, offset: Offset, problem: RowProblem, held_out: Flags, n_rounds: int) -> Growth:
        """Grow trees from an offset; people held out have no say in them and judge each round."""
        loop = _Loop(self, offset, problem, held_out)
        grows_time = self.timing_data is not None and loop.sloped.any()
        growth = Growth(
            outcome=None if loop.eta is None else self._outcome_booster(),
            timing=self.lightgbm.Booster(self._parameters(), self.timing_data) if grows_time else None,
            levels=np.zeros(loop.sloped.size),
        )
        # BLAS's threads would fight with LightGBM's.
        with one_blas_thread(), progress(n_rounds, "Rounds of boosting") as bar:
            for number in range(n_rounds):
                loop.step(growth, number)
                bar.advance()
                if held_out.any() and number - growth.best_round >= self.learner.patience:
                    break
        growth.log_likelihood = float(problem.weight @ loop.terms(growth.levels).value)
        return growth


class _Loop:
    """One run of boosting: the current predictors and what each tree is grown on."""

    def __init__(self, forest: Forest, offset: Offset, problem: RowProblem, held_out: Flags) -> None:
        self.forest, self.offset, self.problem, self.held_out = forest, offset, problem, held_out
        self.eta, self.v = offset.predict(forest.features)
        self.weight = np.where(held_out, 0.0, problem.weight)
        self.sloped = np.array(problem.propensity.sloped, dtype=bool)
        self.grown: Array | None = None
        self.timed: Array | None = None

    def terms(self, levels: Array) -> Surrogate:
        """Derivatives of everybody's likelihood at the current predictors."""
        eta, v = combine(self.offset, self.eta, self.v + levels[:, None], self.grown, self.timed)
        return self.problem.evaluate(eta, v)

    def step(self, growth: Growth, number: int) -> None:
        """Judge the trees so far on held-out people, then add one tree to each part and move the levels.

        One look at the likelihood, which costs more than the trees, serves both trees and the levels. The timing trees
        in it are those of the round before: LightGBM tells the sum of its trees only when it asks for a target.
        """
        looks: list[Surrogate] = []

        def look() -> Surrogate:
            if not looks:
                looks.append(self.terms(growth.levels))
                self._judge(growth, looks[0], number)
            return looks[0]

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

    def _move_levels(self, growth: Growth, terms: Surrogate) -> None:
        first = int(self.eta is not None)
        has_trees = self.sloped if growth.timing is not None else np.zeros_like(self.sloped)
        free = [k for k in range(self.sloped.size) if not has_trees[k] and k not in self.forest.known]
        if not free:
            return
        _, pull, stiffness = self.problem.propensity.penalty((self.v + growth.levels[:, None]).mean(axis=1))
        for k in free:
            gradient = float(self.weight @ terms.gradient[first + k]) - pull[k]
            curvature = float(self.weight @ terms.curvature[first + k]) + max(stiffness[k, k], 0.0)
            growth.levels[k] += np.clip(0.3 * gradient / max(curvature, 1.0), -0.2, 0.2)

    def _judge(self, growth: Growth, terms: Surrogate, number: int) -> None:
        values = (self.problem.weight * terms.value)[self.held_out]
        if values.size and values.sum() > growth.best_values.sum():
            growth.best_values, growth.best_round, growth.best_levels = values, number, growth.levels.copy()

    def _outcome_target(self, terms: Surrogate) -> tuple[Array, Array]:
        along = self.problem.propensity.index_sign * self.offset.kappa
        gradient = terms.gradient[0] + along * terms.gradient[1:][self.sloped].sum(axis=0)
        curvature = terms.curvature[0] + along**2 * terms.curvature[1:][self.sloped].sum(axis=0)
        return -self.weight * gradient, self.weight * curvature

    def _timing_target(self, terms: Surrogate) -> tuple[Array, Array]:
        first = int(self.eta is not None)
        gradient = self.forest.learner.timing_rate * terms.gradient[first:][self.sloped].sum(axis=0)
        return -self.weight * gradient, self.weight * terms.curvature[first:][self.sloped].sum(axis=0)
