"""One run of boosting: current predictors, what the next trees are grown on, and what held-out people say of them.

A round looks at the likelihood once, block by block, for the trees of both parts. Blocks are small: what passes through
them stays close to the processor, and LightGBM takes single precision.

What moves for everybody, the levels of the predictors, is told by people who are held out. Trees follow the people on
whom they are grown too closely, so that these would say that times vary less, and that fewer are positive, than is so.
Trees alone hardly move the levels of risk and time together: labels tell little of where both should be, and where the
offset puts them depends on what it cannot express.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from whether.arrays import Array, Flags
from whether.learners.boosted.boosted_fit import Offset
from whether.learners.rows import Block, RowProblem, Selected, work_through
from whether.propensity import Propensity
from whether.propensity.observed import take_people

if TYPE_CHECKING:
    from whether.learners.boosted.forest import Forest

# The longest step of a level between two looks at people held out.
LONGEST_STEP = 0.3
# Labeled people held out, for each level, from which on these are told.
LABELED_PER_LEVEL = 10


@dataclass
class Growth:
    """Trees grown so far, the round after which held-out people were predicted best, and their log-likelihoods then.

    Levels are what all predictors moved by for everybody, that of the outcome first; they are kept with the round from
    which they were so.
    """

    outcome: Any
    timing: Any
    levels: Array
    path: list[tuple[int, Array]] = field(default_factory=list)
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
        first = int(self.eta is not None)
        v = take_people(self.v, rows) + levels[first:, None]
        if self.timed is not None:
            timed = take_people(self.timed, rows)
            for k in self.sloped:
                v[k] += timed
        if self.eta is None:
            return None, v
        eta = take_people(self.eta, rows) + levels[0]
        return eta if self.grown is None else eta + take_people(self.grown, rows), v


class Loop:
    """The people of a run of boosting, and its rounds."""

    def __init__(
        self, forest: Forest, offset: Offset, problem: RowProblem, held_out: Flags, has_timing_data: bool
    ) -> None:
        self.forest, features, propensity = forest, forest.features, problem.propensity
        self.judging: Side | None = None
        if held_out.any():
            kept, judging = np.flatnonzero(~held_out), np.flatnonzero(held_out)
            self.growing = Side(offset, problem.part(kept), features[kept], 0)
            self.judging = Side(offset, problem.part(judging), features[judging], 1)
        else:
            self.growing = Side(offset, problem, features, 0)
        self.sloped, self.first = self.growing.sloped, int(self.growing.eta is not None)
        self.n_levels = self.first + len(propensity.sloped)
        self.grows_time = has_timing_data and self.sloped.size > 0
        own = self.growing.v.sum(axis=1) + (0.0 if self.judging is None else self.judging.v.sum(axis=1))
        counts = [held_out.size, held_out.sum(), np.count_nonzero(problem.labeled[held_out])]
        n, n_judges, n_told, *sums = forest.team.total(np.array([*counts, *own]))
        self.is_judged, self.mean = n_judges > 0, np.array(sums) / n
        self.free = self._find_free(propensity, problem, n_told)
        # Every tree is grown on a draw of people. It is ours and not LightGBM's: the others need no derivatives then.
        self.share, self.rng = forest.share, np.random.default_rng([forest.seed, forest.team.rank])
        # Gradient and curvature for the trees of each part.
        self.targets = np.zeros((2, 2, self.growing.problem.weight.size), dtype=np.float32)

    def _find_free(self, propensity: Propensity, problem: RowProblem, n_told: float) -> list[int]:
        """Levels that people held out can tell, of whom so many are labeled: without times they tell none."""
        free = [self.first + k for k in range(len(propensity.sloped)) if k not in self.forest.known]
        if self.first and problem.share is None:  # else trees alone find the level of the outcome
            free.insert(0, 0)
        return free if propensity.has_clock and n_told >= LABELED_PER_LEVEL * len(free) else []

    def judge(self, growth: Growth, number: int) -> Array:
        """Keep the round if held-out people are predicted best by the trees so far.

        Returns sums over them: of their slopes in the free levels, and of the products of these.
        """
        values, sums = np.empty(0), np.zeros((len(self.free) + 1, len(self.free)))
        if self.judging is not None:
            self.judging.follow(growth)
            values, sums = self._look(self.judging, growth.levels)
        total, *sums_of_all = self.forest.team.total(np.array([values.sum(), *sums.ravel()]))
        if number == 0:
            growth.first_values = values
        if total > growth.best_total:
            growth.best_total, growth.best_values = float(total), values
            growth.best_round, growth.best_levels = number, growth.levels
        growth.path.append((number, growth.levels))
        return np.reshape(sums_of_all, sums.shape)

    def move_levels(self, growth: Growth, sums: Array) -> None:
        """Move the levels by a step of Newton's, by sums over people held out."""
        if not self.free:
            return
        own, pull, stiffness = slice(self.first, None), np.zeros(self.n_levels), np.ones(self.n_levels)
        _, pull[own], bend = self.growing.problem.propensity.penalty(self.mean + growth.levels[own])
        stiffness[own] += np.maximum(np.diag(bend), 0.0)
        # The sum of products of slopes stands for the curvature; one person's more keeps in place what nobody tells.
        steps = np.linalg.solve(sums[1:] + np.diag(stiffness[self.free]), sums[0] - pull[self.free])
        growth.levels = growth.levels.copy()
        growth.levels[self.free] += steps / max(1.0, float(np.abs(steps).max()) / LONGEST_STEP)

    def log_likelihood(self, growth: Growth) -> float:
        """Log-likelihood of the people on whom trees were grown."""
        self.growing.follow(growth)
        values, _ = self._look(self.growing, growth.levels)
        return float(self.forest.team.total(np.array([values.sum()]))[0])

    def _look(self, side: Side, levels: Array) -> tuple[Array, Array]:
        """Log-likelihoods of people, weights applied, and the sums of `judge`."""
        values = np.empty(side.problem.weight.size)

        def look(block: Block) -> Array:
            rows, found = block[0], side.problem.surrogate(block, *side.predictors(levels, block[0]))
            weight, slopes = take_people(side.problem.weight, rows), np.ascontiguousarray(found.gradient[self.free])
            values[rows], weighted = weight * found.value, weight * slopes
            return np.vstack([weighted.sum(axis=1), np.dot(weighted, slopes.T)])

        return values, np.sum(work_through(side.problem.blocks, look), axis=0)

    def step(self, growth: Growth) -> None:
        """Add one tree to each part."""
        side = self.growing
        side.follow(growth)
        self.targets[:] = 0.0  # who is not drawn has no say
        drawn = side.problem.draw(self.share, self.rng)
        work_through(drawn, lambda block: self._aim(block, growth.levels))
        self._add_known_share([rows for rows, _ in drawn])
        for trees, target in zip((growth.outcome, growth.timing), self.targets, strict=True):
            if trees is not None:
                trees.update(fobj=lambda *_, target=target: tuple(target))

    def _add_known_share(self, drawn: list[Selected]) -> None:
        side = self.growing
        pull = None if side.eta is None else side.problem.pull_of_share(side.eta + np.asarray(side.grown))
        if pull is not None:
            for rows in drawn:
                self.targets[0][:, rows] += np.array(pull)[:, rows]

    def _aim(self, block: Block, levels: Array) -> None:
        """Set what the next trees are grown on, of a block of people."""
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
