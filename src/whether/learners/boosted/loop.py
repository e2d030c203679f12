"""One run of boosting: current predictors, what the next trees are grown on, and what held-out people say of them.

A round looks at the likelihood once, block by block, for the trees of both parts and for the levels that everybody
shares. Blocks are small: what passes through them stays close to the processor, and LightGBM takes single precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from whether.arrays import Array, Flags
from whether.learners.boosted.boosted_fit import Offset
from whether.learners.rows import Block, RowProblem, Selected, work_through
from whether.propensity.observed import take_people

if TYPE_CHECKING:
    from whether.learners.boosted.forest import Forest

# Share of a Newton step that levels move by in a round, and the longest step.
LEVEL_RATE, LONGEST_STEP = 0.3, 0.2


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


class Side:
    """People whose predictors are kept: those on whom trees are grown, or those who judge them."""

    def __init__(self, offset: Offset, problem: RowProblem, features: Array, place: int) -> None:
        self.problem, self.place = problem, place
        self.eta, self.v = offset.predict(features)
        self.sloped = np.flatnonzero(problem.propensity.sloped)
        self.grown: Array | None = None
        self.timed: Array | None = None

    def follow(self, growth: Growth) -> None:
        """Take over what the trees add up to by now."""
        self.grown, self.timed = (self._sums(trees) for trees in (growth.outcome, growth.timing))

    def _sums(self, trees: Any) -> Array | None:
        # LightGBM keeps these sums, and shows them to whoever evaluates them.
        shown: list[Array] = []

        def look(sums: Array, _: Any) -> tuple[str, float, bool]:
            shown.append(sums)
            return "", 0.0, True

        if trees is None:
            return None
        (trees.eval_valid if self.place else trees.eval_train)(feval=look)
        return shown[0]

    def predictors(self, levels: Array, rows: Selected) -> tuple[Array | None, Array]:
        """Current predictors of a block of people."""
        v = take_people(self.v, rows) + levels[:, None]
        if self.timed is not None:
            timed = take_people(self.timed, rows)
            for k in self.sloped:
                v[k] += timed
        if self.eta is None:
            return None, v
        eta = take_people(self.eta, rows)
        return eta if self.grown is None else eta + take_people(self.grown, rows), v


class Loop:
    """The people of a run of boosting, and its rounds."""

    def __init__(
        self, forest: Forest, offset: Offset, problem: RowProblem, held_out: Flags, has_timing_data: bool
    ) -> None:
        self.forest, features = forest, forest.features
        self.judging: Side | None = None
        if held_out.any():
            kept, judging = np.flatnonzero(~held_out), np.flatnonzero(held_out)
            self.growing = Side(offset, problem.part(kept), features[kept], 0)
            self.judging = Side(offset, problem.part(judging), features[judging], 1)
        else:
            self.growing = Side(offset, problem, features, 0)
        self.sloped, self.n_levels = self.growing.sloped, len(problem.propensity.sloped)
        self.grows_time = has_timing_data and self.sloped.size > 0
        has_trees = {int(k) for k in self.sloped} if self.grows_time else set()
        self.free = [k for k in range(self.n_levels) if k not in has_trees and k not in forest.known]
        own = self.growing.v.sum(axis=1) + (0.0 if self.judging is None else self.judging.v.sum(axis=1))
        n, n_judges, *sums = forest.team.total(np.array([held_out.size, held_out.sum(), *own]))
        self.is_judged, self.mean = n_judges > 0, np.array(sums) / n
        # Every tree is grown on a draw of people. It is ours and not LightGBM's: the others need no derivatives then.
        self.share, self.rng = forest.share, np.random.default_rng([forest.seed, forest.team.rank])
        # Gradient and curvature for the trees of each part.
        self.targets = np.zeros((2, 2, self.growing.problem.weight.size), dtype=np.float32)

    def judge(self, growth: Growth, number: int) -> None:
        """Keep the round if held-out people are predicted best by the trees so far."""
        values = np.empty(0)
        if self.judging is not None:
            self.judging.follow(growth)
            values = self.judging.problem.weight * self._values(self.judging, growth.levels)
        (total,) = self.forest.team.total(np.array([values.sum()]))
        if number == 0:
            growth.first_values = values
        if total > growth.best_total:
            growth.best_total, growth.best_values = float(total), values
            growth.best_round, growth.best_levels = number, growth.levels

    def log_likelihood(self, growth: Growth) -> float:
        """Log-likelihood of the people on whom trees were grown."""
        self.growing.follow(growth)
        total = self.growing.problem.weight @ self._values(self.growing, growth.levels)
        return float(self.forest.team.total(np.array([total]))[0])

    @staticmethod
    def _values(side: Side, levels: Array) -> Array:
        values = np.empty(side.problem.weight.size)

        def fill_in(block: Block) -> None:
            values[block[0]] = side.problem.surrogate(block, *side.predictors(levels, block[0])).value

        work_through(side.problem.blocks, fill_in)
        return values

    def step(self, growth: Growth) -> None:
        """Add one tree to each part, and move the levels."""
        side = self.growing
        side.follow(growth)
        self.targets[:] = 0.0  # who is not drawn has no say
        drawn = side.problem.draw(self.share, self.rng)
        sums = work_through(drawn, lambda block: self._aim(block, growth.levels))
        slopes = self.forest.team.total(np.sum(sums, axis=0)) / self.share
        self._add_known_share([rows for rows, _ in drawn])
        for trees, target in zip((growth.outcome, growth.timing), self.targets, strict=True):
            if trees is not None:
                trees.update(fobj=lambda *_, target=target: tuple(target))
        growth.levels = growth.levels + self._level_steps(growth.levels, slopes.reshape(2, -1))

    def _add_known_share(self, drawn: list[Selected]) -> None:
        side = self.growing
        pull = None if side.eta is None else side.problem.pull_of_share(side.eta + np.asarray(side.grown))
        if pull is not None:
            for rows in drawn:
                self.targets[0][:, rows] += np.array(pull)[:, rows]

    def _aim(self, block: Block, levels: Array) -> Array:
        """Set what the next trees are grown on, of a block of people, and return the sums over it for the levels."""
        rows, side = block[0], self.growing
        gradient, curvature = side.problem.pull(block, *side.predictors(levels, rows))
        first, weight = int(side.eta is not None), take_people(side.problem.weight, rows)
        (outcome_slope, outcome_bend), (timing_slope, timing_bend) = self.targets
        if first:
            outcome_slope[rows], outcome_bend[rows] = -weight * gradient[0], weight * curvature[0]
        if self.grows_time:
            slope, bend = (sum(part[first + k] for k in self.sloped) for part in (gradient, curvature))
            timing_slope[rows] = (-self.forest.learner.timing_rate * weight) * slope
            timing_bend[rows] = weight * bend
        return np.array([weight @ part[first + k] for part in (gradient, curvature) for k in self.free])

    def _level_steps(self, levels: Array, slopes: Array) -> Array:
        """Steps of the levels, by gradient and curvature of those that are free, summed over people."""
        gradient, curvature = slopes
        _, pull, stiffness = self.growing.problem.propensity.penalty(self.mean + levels)
        curvature = curvature + np.maximum(np.diag(stiffness)[self.free], 0.0)
        steps = LEVEL_RATE * (gradient - pull[self.free]) / np.maximum(curvature, 1.0)
        moved = np.zeros(self.n_levels)
        moved[self.free] = np.minimum(np.maximum(steps, -LONGEST_STEP), LONGEST_STEP)
        return moved
