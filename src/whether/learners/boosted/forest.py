"""The loop that grows trees: LightGBM's binned data, built once, and one tree per part and round.

The learner decides where to start and when to stop. Where people are spread over the members of a team, LightGBM's own
network makes all of them grow the same trees, and what is summed over people here is summed over the team.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.blocks import ALONE, Team
from whether.learners.boosted.boosted_fit import Offset, threads_for
from whether.learners.boosted.loop import Growth, Loop
from whether.learners.parallel import one_blas_thread
from whether.learners.progress import progress
from whether.learners.rows import RowProblem
from whether.learners.task import Task

MINUTES_TO_CONNECT = 2
# Rounds that are judged before patience ends.
JUDGED_PER_PATIENCE = 4

if TYPE_CHECKING:
    from whether.learners.boosted.boosted_learner import BoostedLearner


# Levels after so many rounds.
LevelsAt = Callable[[int], Array]


class Forest:
    """LightGBM's binned data, built once, and the loop that grows trees on them."""

    def __init__(self, learner: BoostedLearner, task: Task, seed: int, team: Team = ALONE) -> None:
        import lightgbm

        self.lightgbm, self.learner, self.known, self.seed, self.team = lightgbm, learner, task.known, seed, team
        self.share = float(learner.bagging_fraction or 1.0)
        self.features, columns = task.cohort.features, task.columns
        categorical, directions = {int(i) for i in learner.categorical_features}, learner.directions(task)
        self.constraints = [directions.get(int(i), 0) for i in task.every_column] if directions else []
        self.outcome_data = self._bin(task.every_column, categorical) if task.has_outcome else None
        same = task.has_outcome and np.array_equal(columns, task.every_column)
        self.timing_data = self.outcome_data if same else (self._bin(columns, categorical) if columns.size else None)

    def _parameters(self, pace: float = 1.0, connection: int = 0) -> dict[str, Any]:
        return {
            "num_leaves": self.learner.num_leaves,
            "lambda_l2": self.learner.lambda_l2,
            # LightGBM counts people who were not drawn for a tree, too.
            "min_data_in_leaf": int(np.ceil(self.learner.min_data_in_leaf / self.share)),
            "learning_rate": pace * float(self.learner.learning_rate or 0.1),
            "max_bin": int(self.learner.max_bin or 255),
            "objective": "none",
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

    def _booster(self, data: tuple[Any, Any], parameters: dict[str, Any]) -> Any:
        growing, judges = data
        booster = self.lightgbm.Booster(parameters, growing)
        return booster if judges is None else booster.add_valid(judges, "held out")

    def grow(self, offset: Offset, problem: RowProblem, held_out: Flags, n_rounds: int, levels_at: LevelsAt) -> Growth:
        """Grow trees from an offset, to be kept: where people are held out, up to the round that they judge best.

        Where nobody is, a function of the round says what the levels are.
        """
        growth, loop = self._run(offset, problem, held_out, n_rounds, levels_at=levels_at)
        if loop.is_judged:
            growth.back_to_best()
            growth.log_likelihood = growth.best_total
        growth.log_likelihood += loop.log_likelihood(growth)
        return growth

    def try_out(self, offset: Offset, problem: RowProblem, held_out: Flags, n_rounds: int, pace: float) -> Growth:
        """Grow trees from an offset, at a pace, for what people held out say of them."""
        return self._run(offset, problem, held_out, n_rounds, pace)[0]

    def _run(
        self,
        offset: Offset,
        problem: RowProblem,
        held_out: Flags,
        n_rounds: int,
        pace: float = 1.0,
        levels_at: LevelsAt | None = None,
    ) -> tuple[Growth, Loop]:
        """Grow trees; people held out have no say in them, and judge some of the rounds."""
        constraints = {"monotone_constraints": self.constraints} if self.constraints else {}
        outcome_data, timing_data = self._divide(held_out)
        loop = Loop(self, offset, problem, held_out, timing_data is not None)
        growth = Growth(
            outcome=self._booster(outcome_data, self._parameters(pace) | constraints) if outcome_data else None,
            timing=self._booster(timing_data, self._parameters(pace, 1)) if loop.grows_time else None,
            levels=np.zeros(loop.n_levels),
        )
        patience = self.learner.patience / pace
        every = max(1, int(patience / JUDGED_PER_PATIENCE))
        # BLAS's threads would fight with LightGBM's.
        with one_blas_thread(), progress(n_rounds, "Rounds of boosting") as bar:
            for number in range(n_rounds):
                if loop.is_judged and number % every == 0:
                    sums = loop.judge(growth, number)
                    if number - growth.best_round >= patience:
                        break
                    loop.move_levels(growth, sums)
                elif not loop.is_judged and levels_at is not None:
                    growth.levels = levels_at(number)
                loop.step(growth)
                bar.advance()
        return growth, loop

    def _divide(self, held_out: Flags) -> tuple[Any, Any]:
        """Binned data of the people on whom trees of either part are grown, and of those who judge them."""
        divided: list[Any] = []
        for data in (self.outcome_data, self.timing_data):
            if divided and data is self.outcome_data:
                divided.append(divided[0])
            elif data is None or not held_out.any():
                divided.append(None if data is None else (data, None))
            else:
                divided.append(tuple(data.subset(np.flatnonzero(rows)) for rows in (~held_out, held_out)))
        return divided[0], divided[1]

    def disconnect(self, growth: Growth) -> None:
        """End the connection to the other members of the team, of which a process has one at a time."""
        last = growth.timing or growth.outcome
        if self.team.size > 1 and last is not None:
            last.free_network()
