"""The search for the right basin: starts, residual distributions and the penalty on departures from the index.

It runs on all rows of a small cohort and on a part of a large one; the learner then polishes what it found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from whether.arrays import Array
from whether.learners.fit_result import StartResult, correlation
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.one_index import OneIndex
from whether.learners.linear.optimize import MANY_PARAMETERS, SEVERAL_PARAMETERS
from whether.learners.linear.shrinkage import End, choose_shrinkage, usual_penalty
from whether.learners.linear.shrinkage_path import ShrinkagePath
from whether.learners.linear.starts import starting_points
from whether.likelihood import Criterion

if TYPE_CHECKING:
    from whether.learners.linear.linear_learner import LinearLearner

# Rows on which starts are compared; where they end in different places all rows of the search decide.
SCOUT_ROWS = 2_000
SCOUT_LABELED = 250
# Precision, in about half log-likelihood units, to which starts and candidates are compared.
TOLERANCE = 0.1
EXACT = 1e-9
ROUNDING = 1e-6  # of the objective


class Search:
    """Starts, candidates and penalties tried, and the best so far."""

    def __init__(self, learner: LinearLearner, objective: LinearObjective, fixed: tuple[int, ...]) -> None:
        self.learner, self.objective, self.fixed = learner, objective, fixed
        usual = usual_penalty(objective.propensity)  # until one is chosen
        self.shrinkage = usual if learner.shrinkage == "cv" else float(learner.shrinkage)
        self.ends: list[End] = []
        self.likelihoods: dict[str, float] = {}  # penalised, by candidate, where there were several
        self.path: ShrinkagePath | None = None
        self.tolerance = EXACT if learner.is_exact else TOLERANCE

    def compare(self, candidates: Sequence[Criterion], levels: Array, rng: np.random.Generator) -> None:
        """Find the basins by several starts, then the best candidate and basin on all rows of the search."""
        if self._scout_along_index(levels, rng):
            self.compare_candidates(candidates, self._run_from(self.objective, self.ends[0]))
            return
        scouts = self.objective if self.learner.is_exact else self.objective.part(SCOUT_ROWS, SCOUT_LABELED)
        points = starting_points(scouts, levels, self.learner.n_starts, rng)
        ends = [self._run(scouts, *point) for point in points]
        first = self._best(ends)
        self.ends = [first, *(end for end in ends if end is not first)]
        self.n_scouts = scouts.n  # rows on which the starts were compared
        basins = self._distinct_ends() if scouts.n < self.objective.n else self.ends[:1]
        start = self._best([self._run_from(self.objective, end) for end in basins])
        self.compare_candidates(candidates, start)

    def _scout_along_index(self, levels: Array, rng: np.random.Generator) -> bool:
        """Compare the starts along one index, where slopes are many; returns whether that was done."""
        is_wide = SEVERAL_PARAMETERS < self.objective.layout.size <= MANY_PARAMETERS
        if self.learner.is_exact or not is_wide or not OneIndex.applies(self.objective):
            return False
        along = OneIndex(self.objective)
        scouts = along.objective.part(SCOUT_ROWS, SCOUT_LABELED)
        ends = [self._run(scouts, *point) for point in starting_points(scouts, levels, self.learner.n_starts, rng)]
        first = self._best(ends)
        first = self._run_from(along.objective, first)
        wide = IndexedObjective(self.objective, self.shrinkage, self.fixed)
        ordered = [first, *(end for end in ends if end.name != first.name)]
        self.ends = [End(end.name, wide, along.widen_optimum(end.optimum, end.indexed, wide)) for end in ordered]
        self.n_scouts = scouts.n
        return True

    def compare_candidates(self, candidates: Sequence[Criterion], start: End) -> None:
        """Fit each candidate from one solution, and keep the most likely."""
        # The shapes differ little, so one candidate's optimum is the next one's start.
        tried = [
            start
            if candidate.propensity is start.indexed.objective.propensity
            else self._take_over(self.objective.under(candidate), start)
            for candidate in candidates
        ]
        if len(candidates) > 1:
            named = zip(candidates, tried, strict=True)
            self.likelihoods = {candidate.propensity.name: -end.value for candidate, end in named}
        self.best = self._best(tried)
        self.objective = self.objective.under(self.best.indexed.objective.criterion)

    def _take_over(self, objective: LinearObjective, end: End) -> End:
        """Fit a candidate from the solution of another one."""
        theta, places = end.coefficients.copy(), slice(objective.layout.first, objective.layout.n_predictors)
        theta[places] = objective.propensity.levels_like(theta[places], end.indexed.objective.propensity)
        theta[list(self.fixed)] = end.coefficients[list(self.fixed)]
        return self._run(objective, end.name, theta, end)

    def _distinct_ends(self) -> list[End]:
        """Ends whose predictions differ from the best one's, after the best one."""
        results = self.start_results()
        distinct = zip(self.ends[1:], results[1:], strict=True)
        return [self.ends[0], *(end for end, result in distinct if result.agreement < 0.99)]

    def _run(self, objective: LinearObjective, name: str, start: Array, near: End | None = None) -> End:
        indexed = IndexedObjective(objective, self.shrinkage, self.fixed)
        return End(name, indexed, self.learner.solve(indexed, indexed.from_coefficients(start), self.tolerance, near))

    def _run_from(self, objective: LinearObjective, end: End) -> End:
        return self._run(objective, end.name, end.coefficients, end)

    def settle_shrinkage(self, candidates: Sequence[Criterion]) -> None:
        """Choose the penalty by cross-validation if asked to, and compare the candidates again there."""
        if self.learner.shrinkage != "cv" or not self.best.indexed.indexed:
            return
        labels = next(end for end in self.ends if end.name == "labels")
        self.path, chosen = choose_shrinkage(self.objective, labels, self.best, self.learner.solve_near, self.fixed)
        if self.path.chosen != self.shrinkage:
            self.shrinkage = self.path.chosen
            self.compare_candidates(candidates, self._run_from(self.objective, chosen))

    def start_results(self) -> tuple[StartResult, ...]:
        """What became of each start, the best first; before a penalty was chosen by cross-validation."""
        some = self.objective.subset(np.arange(0, self.objective.n, max(1, self.objective.n // 2000)))
        logits = [some.predictors(end.coefficients, slice(0, None))[0] for end in self.ends]
        results = []
        for end, eta in zip(self.ends, logits, strict=True):
            agreement = 1.0 if eta is None else correlation(np.asarray(logits[0]), eta)
            optimum = end.optimum
            results.append(StartResult(end.name, end.value, optimum.status, optimum.n_steps, agreement))
        return tuple(results)

    def _best(self, ends: list[End]) -> End:
        """The lowest end; of equally likely ones (p and e exchanged, say) the first, which is the stated belief."""
        lowest = min(end.value for end in ends)
        return next(end for end in ends if end.value <= lowest + max(2 * self.tolerance, ROUNDING))
