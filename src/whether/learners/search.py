"""The search for the right basin: starts, residual distributions and the penalty on departures from the index.

It runs on all rows of a small cohort and on a part of a large one; the learner then polishes what it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from whether.learners.fit_result import StartResult, correlation
from whether.learners.index import IndexedObjective
from whether.learners.objective import LinearObjective
from whether.learners.optimize import Optimum
from whether.learners.shrinkage import ShrinkagePath, candidate_penalties, choose_shrinkage
from whether.learners.starts import starting_points
from whether.propensity import Propensity

Array = NDArray[np.float64]


class Solver(Protocol):
    """What the search needs of the learner."""

    @property
    def shrinkage(self) -> float | str:
        """Penalty on departures from the index, or "cv"."""

    @property
    def n_starts(self) -> int:
        """Number of starts."""

    def solve(self, indexed: IndexedObjective, start: Array, *, roughly: bool = False) -> Optimum:
        """Minimise from one start."""


class End(NamedTuple):
    """Where a start ended."""

    name: str
    indexed: IndexedObjective
    optimum: Optimum

    @property
    def coefficients(self) -> Array:
        """Coefficients reached."""
        return self.indexed.to_coefficients(self.optimum.parameters)


class Search:
    """Starts, candidates and penalties tried, and the best so far.

    Parameters
    ----------
    learner : Solver
    objective : LinearObjective
        The rows to search on.
    fixed : tuple of int
        Intercepts that are known.

    Attributes
    ----------
    shrinkage : float
        The penalty; the loosest candidate until one is chosen.
    variables : ndarray
        Variables of the best solution.
    likelihoods : dict
        Penalised log-likelihood by candidate, where there were several.
    path : ShrinkagePath or None
    """

    def __init__(self, learner: Solver, objective: LinearObjective, fixed: tuple[int, ...]) -> None:
        self.learner = learner
        self.objective = objective
        self.fixed = fixed
        loosest = candidate_penalties(objective.propensity)[-1]
        self.shrinkage = loosest if learner.shrinkage == "cv" else float(learner.shrinkage)
        self.likelihoods: dict[str, float] = {}
        self.ends: list[End] = []
        self.path: ShrinkagePath | None = None

    @property
    def propensity(self) -> Propensity:
        """The most likely candidate."""
        return self.objective.propensity

    def compare_starts(self, candidates: Sequence[Propensity], levels: Array, rng: np.random.Generator) -> None:
        """Run the first start under every candidate, and the other starts under the most likely one."""
        points = starting_points(self.objective, levels, self.learner.n_starts, rng)
        name, start = points[0]
        tried = [self._run(self.objective, name, start)]
        for candidate in candidates[1:]:
            # The shapes differ little, so one candidate's optimum is the next one's start.
            tried.append(self._run(self.objective.with_propensity(candidate), name, tried[0].coefficients))
        if len(candidates) > 1:
            named = zip(candidates, tried, strict=True)
            self.likelihoods = {candidate.name: -end.optimum.evaluation.value for candidate, end in named}
        first = min(tried, key=lambda end: end.optimum.evaluation.value)
        self.objective = first.indexed.objective
        self.ends = [first, *(self._run(self.objective, *point) for point in points[1:])]
        # Where optima are equally likely (p and e exchanged, say) the earlier start, the stated belief, wins.
        lowest = min(end.optimum.evaluation.value for end in self.ends)
        self.ends.sort(key=lambda end: max(end.optimum.evaluation.value - lowest, 1e-2))
        self.variables = self.ends[0].optimum.parameters

    def _run(self, objective: LinearObjective, name: str, start: Array) -> End:
        indexed = IndexedObjective(objective, self.shrinkage, self.fixed)
        return End(name, indexed, self.learner.solve(indexed, indexed.from_coefficients(start), roughly=True))

    def settle_shrinkage(self) -> None:
        """Choose the penalty by cross-validation if asked to, and move the solution there."""
        best = self.ends[0]
        if self.learner.shrinkage != "cv" or not best.indexed.indexed:
            return
        labels = next(end for end in self.ends if end.name == "labels")
        self.path, coefficients = choose_shrinkage(
            self.objective, labels.coefficients, best.coefficients, self.learner.solve, self.fixed
        )
        self.shrinkage = self.path.chosen
        indexed = IndexedObjective(self.objective, self.shrinkage, self.fixed)
        self.variables = indexed.from_coefficients(coefficients)

    def start_results(self) -> tuple[StartResult, ...]:
        """What became of each start, the best first; before a penalty was chosen by cross-validation."""
        rows = slice(0, None, max(1, self.objective.n // 2000))
        logits = [self.objective.predictors(end.coefficients, rows)[0] for end in self.ends]
        return tuple(
            StartResult(
                end.name,
                end.optimum.evaluation.value,
                end.optimum.status,
                end.optimum.n_steps,
                _agreement(logits[0], eta),
            )
            for end, eta in zip(self.ends, logits, strict=True)
        )


def _agreement(first: Array | None, second: Array | None) -> float:
    return 1.0 if first is None or second is None else correlation(first, second)
