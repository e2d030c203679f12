"""The loop that grows trees: LightGBM's binned data, built once, and one tree per part and round.

The learner decides where to start and when to stop. Where people are spread over the members of a team, LightGBM's own
network makes all of them grow the same trees, and what is summed over people here is summed over the team.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.blocks import ALONE, Team
from whether.learners.boosted.boosted_fit import Offset, combine, threads_for
from whether.learners.parallel import one_blas_thread
from whether.learners.progress import progress
from whether.learners.rows import RowProblem
from whether.learners.task import Task
from whether.likelihood import Surrogate

MINUTES_TO_CONNECT = 2

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
    first_values: Array = field(default_factory=lambda: np.empty(0))  # of the offset alone
    best_values: Array = field(default_factory=lambda: np.empty(0))
    best_total: float = -np.inf
    best_levels: Array = field(default_factory=lambda: np.empty(0))

    def back_to_best(self) -> None:
        """Forget what was grown after the best round."""
        self.levels = self.best_levels
        for trees in (self.outcome, self.timing):
            while trees is not None and trees.num_trees() > self.best_round:
                trees.rollback_one_iter()

    def without_people(self) -> Growth:
        """Return the trees alone, to be sent from where they were grown."""
        return replace(self, first_values=np.empty(0), best_values=np.empty(0))


class Forest:
    """LightGBM's binned data, built once, and the loop that grows trees on them."""

    def __init__(self, learner: BoostedLearner, task: Task, seed: int, team: Team = ALONE) -> None:
        import lightgbm

        self.lightgbm, self.learner, self.known, self.seed, self.team = lightgbm, learner, task.known, seed, team
        self.features, columns = task.cohort.features, task.columns
        categorical, directions = {int(i) for i in learner.categorical_features}, learner.directions(task)
        self.constraints = [directions.get(int(i), 0) for i in task.every_column] if directions else []
        self.outcome_data = self._bin(task.every_column, categorical) if task.has_outcome else None
        same = task.has_outcome and np.array_equal(columns, task.every_column)
        self.timing_data = self.outcome_data if same else (self._bin(columns, categorical) if columns.size else None)

    def _parameters(self, pace: float = 1.0, connection: int = 0) -> dict[str, Any]:
        given = ("num_leaves", "min_data_in_leaf", "lambda_l2", "bagging_fraction")
        return {
            **{name: getattr(self.learner, name) for name in given},
            "learning_rate": pace * self.learner.learning_rate,
            "objective": "none",
            "bagging_freq": 1,
            "feature_pre_filter": False,
            "deterministic": True,
            "force_col_wise": True,
            "num_threads": threads_for(self.features.shape[0]),
            "seed": self.seed,
            "verbose": -1,
            **(self._network(connection) if self.team.size > 1 else {}),
        }

    def _network(self, connection: int) -> dict[str, Any]:
        """How LightGBM finds the other members of the team; each set of trees has a connection of its own."""
        team, ports = self.team, [ports[connection] for ports in self.team.ports]
        return {
            "machines": ",".join(f"{host}:{port}" for host, port in zip(team.hosts, ports, strict=True)),
            "num_machines": team.size,
            "local_listen_port": ports[team.rank],
            "time_out": MINUTES_TO_CONNECT,
            "tree_learner": "data",
            "pre_partition": True,
        }

    def _bin(self, columns: Rows, categorical: set[int]) -> Any:
        data = self.lightgbm.Dataset(
            self.features[:, columns],
            label=np.zeros(self.features.shape[0]),
            categorical_feature=[i for i, column in enumerate(columns) if int(column) in categorical],
            params=self._parameters(),
        )
        # A team agrees on the bins, once it is connected.
        return data.construct() if self.team.size == 1 else data

    def _outcome_booster(self, pace: float) -> Any:
        constraints = {"monotone_constraints": self.constraints} if self.constraints else {}
        return self.lightgbm.Booster({**self._parameters(pace), **constraints}, self.outcome_data)

    def grow(self, offset: Offset, problem: RowProblem, held_out: Flags, n_rounds: int, pace: float = 1.0) -> Growth:
        """Grow trees from an offset, at a pace; people held out have no say in them and judge each round."""
        loop = _Loop(self, offset, problem, held_out)
        growth = Growth(
            outcome=None if loop.eta is None else self._outcome_booster(pace),
            timing=self.lightgbm.Booster(self._parameters(pace, 1), self.timing_data) if loop.grows_time else None,
            levels=np.zeros(loop.sloped.size),
        )
        # BLAS's threads would fight with LightGBM's.
        with one_blas_thread(), progress(n_rounds, "Rounds of boosting") as bar:
            for number in range(n_rounds):
                loop.step(growth, number)
                bar.advance()
                if loop.judges and number - growth.best_round >= self.learner.patience / pace:
                    break
        values = problem.weight @ loop.terms(growth.levels).value
        growth.log_likelihood = float(self.team.total(np.array([values]))[0])
        return growth

    def disconnect(self, growth: Growth) -> None:
        """End the connection to the other members of the team, of which a process has one at a time."""
        last = growth.timing or growth.outcome
        if self.team.size > 1 and last is not None:
            last.free_network()


class _Loop:
    """One run of boosting: the current predictors and what each tree is grown on."""

    def __init__(self, forest: Forest, offset: Offset, problem: RowProblem, held_out: Flags) -> None:
        self.forest, self.offset, self.problem, self.held_out = forest, offset, problem, held_out
        self.eta, self.v = offset.predict(forest.features)
        self.weight = np.where(held_out, 0.0, problem.weight)
        self.sloped = np.array(problem.propensity.sloped, dtype=bool)
        self.grows_time = forest.timing_data is not None and bool(self.sloped.any())
        has_trees = self.sloped if self.grows_time else np.zeros_like(self.sloped)
        self.free = [k for k in range(self.sloped.size) if not has_trees[k] and k not in forest.known]
        n, n_judges, *sums = forest.team.total(np.array([held_out.size, held_out.sum(), *self.v.sum(axis=1)]))
        self.judges, self.mean = n_judges > 0, np.array(sums) / n
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
        steps = np.zeros(self.sloped.size)

        def look() -> Surrogate:
            if not looks:
                looks.append(self.terms(growth.levels))
                steps[self.free] = self._judge(growth, looks[0], number)
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
        look()
        growth.levels += steps

    def _judge(self, growth: Growth, terms: Surrogate, number: int) -> Array:
        """Keep the round if it is the best so far, and return the steps of the levels; sums are those of the team."""
        values, first = (self.problem.weight * terms.value)[self.held_out], int(self.eta is not None)
        slopes = [self.weight @ part[first + k] for part in (terms.gradient, terms.curvature) for k in self.free]
        total, *sums = self.forest.team.total(np.array([values.sum(), *slopes]))
        if number == 0:
            growth.first_values = values
        if self.judges and total > growth.best_total:
            growth.best_total, growth.best_values = float(total), values
            growth.best_round, growth.best_levels = number, growth.levels.copy()
        gradient, curvature = np.array(sums).reshape(2, -1)
        _, pull, stiffness = self.problem.propensity.penalty(self.mean + growth.levels)
        curvature = curvature + np.maximum(np.diag(stiffness)[self.free], 0.0)
        return np.asarray(np.clip(0.3 * (gradient - pull[self.free]) / np.maximum(curvature, 1.0), -0.2, 0.2))

    def _outcome_target(self, terms: Surrogate) -> tuple[Array, Array]:
        return -self.weight * terms.gradient[0], self.weight * terms.curvature[0]

    def _timing_target(self, terms: Surrogate) -> tuple[Array, Array]:
        first = int(self.eta is not None)
        gradient = self.forest.learner.timing_rate * terms.gradient[first:][self.sloped].sum(axis=0)
        return -self.weight * gradient, self.weight * terms.curvature[first:][self.sloped].sum(axis=0)
