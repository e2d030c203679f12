"""The linear learner: features to predictors by Newton's method on the exact Hessian.

It knows nothing of restrictions: a propensity, the columns it may use and what is known go in, a `LinearFit` comes out.
Used by the estimators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.learners.fit_result import FitResult, StartResult, correlation
from whether.learners.index import IndexedObjective
from whether.learners.objective import Evaluation, LinearObjective
from whether.learners.optimize import Optimum, lbfgs, newton
from whether.learners.shrinkage import ShrinkagePath, candidate_penalties, choose_shrinkage
from whether.learners.starts import starting_points
from whether.propensity import Propensity

Array = NDArray[np.float64]

# Above this number of parameters the Hessian costs more than it saves.
MANY_PARAMETERS = 400
# On larger cohorts starts, distribution and penalty are settled on a part of the rows; a few full passes follow.
DRAFT_ROWS = 20_000
DRAFT_LABELED = 2_000


@dataclass(frozen=True)
class LinearFit:
    """A fitted linear model.

    Attributes
    ----------
    objective : LinearObjective
        Only its standardisation and layout are kept; the rows are dropped.
    propensity : Propensity
        The chosen one of the candidates.
    indexed : IndexedObjective
    optimum : Optimum
    result : FitResult
    path : ShrinkagePath or None
    meat : ndarray or None
        Outer product of the scores, for sandwich standard errors.
    """

    indexed: IndexedObjective
    optimum: Optimum
    result: FitResult
    path: ShrinkagePath | None
    meat: Array | None

    @property
    def objective(self) -> LinearObjective:
        """Standardisation and layout of the coefficients."""
        return self.indexed.objective

    @property
    def propensity(self) -> Propensity:
        """The propensity that was fitted."""
        return self.objective.propensity

    @property
    def coefficients(self) -> Array:
        """Coefficients on standardised features, laid out as in `LinearObjective`."""
        return self.indexed.to_coefficients(self.optimum.parameters)

    @property
    def kappa(self) -> float | None:
        """How strongly the outcome index drives the time part; None where it is free."""
        return float(self.optimum.parameters[-1]) if self.indexed.indexed else None

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        objective, coefficients = self.objective, self.coefficients
        raw = self.to_raw() @ coefficients
        layout, first = objective.layout, int(objective.has_outcome)
        ordered = features[:, objective.column_order]
        v = np.repeat(raw[first : layout.n_predictors, None], features.shape[0], axis=1)
        if layout.n_shared:
            v[objective.sloped - first] += ordered[:, : layout.n_shared] @ raw[layout.shared]
        eta = raw[0] + ordered @ raw[layout.outcome] if objective.has_outcome else None
        return eta, v

    def to_raw(self) -> Array:
        """Matrix from coefficients on standardised features to coefficients on the features as they are."""
        objective, layout = self.objective, self.objective.layout
        matrix = np.eye(layout.size)
        for slopes, predictors in ((layout.outcome, [0]), (layout.shared, objective.sloped)):
            size = slopes.stop - slopes.start
            positions = np.arange(slopes.start, slopes.stop)
            matrix[positions, positions] = 1 / objective.scale[:size]
            for predictor in predictors if size else []:
                matrix[predictor, positions] = -objective.mean[:size] / objective.scale[:size]
        return matrix


@dataclass(frozen=True)
class LinearLearner:
    """Settings of the linear learner.

    Parameters
    ----------
    ridge : float
        Penalty on squared standardised slopes, in units of one person's log-likelihood.
    shrinkage : float or "cv"
        Penalty on departures of the propensity's slopes from the shared index; 0 leaves them free.
    n_starts : int
        Number of starts where there can be several optima.
    max_iter : int
        Largest number of Newton steps per start.
    sandwich : bool
        Whether to prepare sandwich standard errors.
    """

    ridge: float = 0.01
    shrinkage: float | str = 0.0
    n_starts: int = 3
    max_iter: int = 100
    sandwich: bool = False

    def fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        *,
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool = True,
        known: dict[int, float] | None = None,
    ) -> LinearFit:
        """Fit the candidates and keep the most likely.

        Parameters
        ----------
        cohort : Cohort
        candidates : sequence of Propensity
            Propensities that observe the same of each person and differ in shape.
        columns : ndarray of int
            Features that the propensity may use.
        rng : numpy.random.Generator
            For random starts.
        has_outcome : bool
            False for the model in which everybody is positive.
        known : dict of int to float, optional
            Propensity predictors whose level is known and not estimated.
        """
        objective = LinearObjective(cohort, candidates[0], columns=columns, has_outcome=has_outcome, ridge=self.ridge)
        rows = _draft_rows(objective)
        draft = objective if rows.size == objective.n else objective.subset(rows)
        fixed = tuple(predictor + int(has_outcome) for predictor in known or {})
        search = _Search(self, draft, fixed, rng)
        levels = [_levels(candidate, cohort, known or {}) for candidate in candidates]
        search.compare_candidates(candidates, levels)
        path = search.settle_shrinkage()
        indexed = IndexedObjective(objective.with_propensity(search.objective.propensity), search.shrinkage, fixed)
        optimum = search.optimum
        if draft.n < objective.n:
            optimum = self.solve(indexed, optimum.parameters)
        return self.finish(indexed, optimum, search.start_results(), path, search.objective.n, search.likelihoods)

    def solve_roughly(self, indexed: IndexedObjective, start: Array) -> Optimum:
        """Minimise to a precision that is enough to compare models: a thousandth of a log-likelihood unit."""
        if indexed.size <= MANY_PARAMETERS:
            return newton(indexed.evaluate, start, max_steps=min(30, self.max_iter), tolerance=1e-3)
        return self.solve(indexed, start)

    def solve(self, indexed: IndexedObjective, start: Array) -> Optimum:
        """Minimise from one start."""
        if indexed.size <= MANY_PARAMETERS:
            return newton(indexed.evaluate, start, max_steps=self.max_iter)
        parameters, status, n_steps = lbfgs(indexed.value_and_gradient, start, max_steps=10 * self.max_iter)
        value, gradient = indexed.value_and_gradient(parameters)
        return Optimum(parameters, Evaluation(value, gradient, np.empty((0, 0))), status, n_steps)

    def finish(
        self,
        indexed: IndexedObjective,
        optimum: Optimum,
        starts: tuple[StartResult, ...],
        path: ShrinkagePath | None = None,
        n_draft: int | None = None,
        distributions: dict[str, float] | None = None,
    ) -> LinearFit:
        """Wrap an optimum up: likelihood, scores for the sandwich, and no rows kept."""
        objective, coefficients = indexed.objective, indexed.to_coefficients(optimum.parameters)
        meat = _score_products(objective, coefficients, indexed.jacobian(optimum.parameters)) if self.sandwich else None
        result = FitResult(
            status=optimum.status,
            n_steps=optimum.n_steps,
            log_likelihood=indexed.penalty(optimum.parameters) - optimum.evaluation.value,
            objective=optimum.evaluation.value,
            n_parameters=indexed.size - indexed.fixed.size,
            starts=starts,
            n_draft=n_draft or objective.n,
            distributions=distributions or {},
        )
        objective.drop_rows()
        return LinearFit(indexed, optimum, result, path, meat)


class _Search:
    """Starts, candidates and penalties tried on the draft rows, and the best so far."""

    def __init__(
        self, learner: LinearLearner, draft: LinearObjective, fixed: tuple[int, ...], rng: np.random.Generator
    ) -> None:
        self.learner = learner
        self.objective = draft
        self.fixed = fixed
        self.rng = rng
        loosest = candidate_penalties(draft.propensity)[-1]
        self.shrinkage = loosest if learner.shrinkage == "cv" else float(learner.shrinkage)
        self.likelihoods: dict[str, float] = {}
        self.ends: list[tuple[str, IndexedObjective, Optimum]] = []

    def compare_candidates(self, candidates: Sequence[Propensity], levels: Sequence[Array]) -> None:
        """Run one start under every candidate, and the other starts under the most likely one."""
        tried = []
        for candidate, level in zip(candidates, levels, strict=True):
            objective = self.objective.with_propensity(candidate)
            points = starting_points(objective, level, self.learner.n_starts, self.rng)
            tried.append((self._run(objective, *next(points)), points))
            if len(candidates) > 1:
                self.likelihoods[candidate.name] = -tried[-1][0][2].evaluation.value
        first, points = min(tried, key=lambda end: end[0][2].evaluation.value)
        self.objective = first[1].objective
        self.ends = [first, *(self._run(self.objective, *point) for point in points)]
        self._sort_ends()
        self.optimum = self.ends[0][2]

    def _run(self, objective: LinearObjective, name: str, start: Array) -> tuple[str, IndexedObjective, Optimum]:
        indexed = IndexedObjective(objective, self.shrinkage, self.fixed)
        return name, indexed, self.learner.solve(indexed, indexed.from_coefficients(start))

    def _sort_ends(self) -> None:
        # Where optima are equally likely (p and e exchanged, say) the earlier start, the stated belief, wins.
        lowest = min(end[2].evaluation.value for end in self.ends)
        self.ends.sort(key=lambda end: max(end[2].evaluation.value - lowest, 1e-3))

    def settle_shrinkage(self) -> ShrinkagePath | None:
        """Choose the penalty by cross-validation if asked to, and move the optimum there."""
        indexed = self.ends[0][1]
        if self.learner.shrinkage != "cv" or not indexed.indexed:
            return None
        named = {name: other.to_coefficients(end.parameters) for name, other, end in self.ends}
        free_start = next(iter(named.values()))
        path, coefficients = choose_shrinkage(
            self.objective, named.get("labels", free_start), free_start, self.learner.solve_roughly, self.fixed
        )
        self.shrinkage = path.chosen
        self.optimum = self._run(self.objective, "path", coefficients)[2]
        return path

    def start_results(self) -> tuple[StartResult, ...]:
        """What became of each start, the best first; before a penalty was chosen by cross-validation."""
        rows = slice(0, None, max(1, self.objective.n // 2000))
        ends = [(name, end, indexed.to_coefficients(end.parameters)) for name, indexed, end in self.ends]
        logits = [self.objective.predictors(coefficients, rows)[0] for _, _, coefficients in ends]
        return tuple(
            StartResult(name, end.evaluation.value, end.status, end.n_steps, _agreement(logits[0], eta))
            for (name, end, _), eta in zip(ends, logits, strict=True)
        )


def _agreement(first: Array | None, second: Array | None) -> float:
    return 1.0 if first is None or second is None else correlation(first, second)


def _draft_rows(objective: LinearObjective) -> NDArray[np.intp]:
    """Every k-th labeled and every k-th unlabeled row: all rows of a small cohort."""
    share = max(DRAFT_ROWS / objective.n, DRAFT_LABELED / max(objective.n_labeled, 1))
    step = 1 if objective.n <= 2 * DRAFT_ROWS else max(1, int(1 / min(share, 1.0)))
    return np.concatenate([np.arange(0, objective.n_labeled, step), np.arange(objective.n_labeled, objective.n, step)])


def _levels(candidate: Propensity, cohort: Cohort, known: dict[int, float]) -> Array:
    levels = candidate.start(cohort)
    for predictor, value in known.items():
        levels[predictor] = value
    return levels


def _score_products(objective: LinearObjective, coefficients: Array, jacobian: Array) -> Array:
    """Sum over people of the outer products of their scores; a weight counts as repeated people."""
    total, start = np.zeros((jacobian.shape[1], jacobian.shape[1])), 0
    for scores in objective.row_scores(coefficients):
        moved = scores @ jacobian
        rows = slice(start, start + scores.shape[0])
        per_person = moved if objective.weight is None else moved / np.maximum(objective.weight[rows, None], 1e-300)
        total += moved.T @ per_person
        start = rows.stop
    return total
