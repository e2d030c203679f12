"""The linear learner: features to predictors by Newton's method on the exact Hessian.

It knows nothing of restrictions: a propensity, the columns it may use and what is known go in, a `LinearFit` comes out.
Used by the estimators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.learners.base import FittedModel, Learner
from whether.learners.fit_result import FitResult, StartResult
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import Evaluation, LinearObjective
from whether.learners.linear.optimize import Optimum, lbfgs, newton, polish
from whether.learners.linear.ridge import settle_ridge
from whether.learners.linear.search import Search
from whether.learners.linear.shrinkage import ShrinkagePath
from whether.learners.parallel import one_blas_thread
from whether.propensity import Propensity

Array = NDArray[np.float64]

# Above this number of parameters the Hessian costs more than it saves.
MANY_PARAMETERS = 400
# On larger cohorts starts, distribution and penalty are settled on a part of the rows; a few full passes follow.
DRAFT_ROWS = 10_000
DRAFT_LABELED = 2_000


@dataclass(frozen=True)
class LinearFit(FittedModel):
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
    def propensity(self) -> Propensity:  # type: ignore[override]
        """The propensity that was fitted."""
        return self.objective.propensity

    @property
    def linear_part(self) -> LinearFit:
        """The fit itself: other learners have a linear part below them."""
        return self

    @property
    def coefficients(self) -> Array:
        """Coefficients on standardised features, laid out as in `LinearObjective`."""
        return self.indexed.to_coefficients(self.optimum.parameters)

    @property
    def kappa(self) -> float | None:
        """How strongly the outcome index drives the time part; None where it is free."""
        return float(self.optimum.parameters[-1]) if self.indexed.indexed else None

    def settled(self, learner: LinearLearner) -> LinearLearner:
        """Return the settings of the learner with the penalties that this fit came to."""
        return replace(learner, ridge=self.objective.ridge, shrinkage=self.indexed.shrinkage)

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        objective, coefficients = self.objective, self.coefficients
        raw = self.to_raw() @ coefficients
        layout, first = objective.layout, int(objective.has_outcome)
        # Rows in one piece, whatever the table's layout: sums in another order would differ in the last digit.
        ordered = np.ascontiguousarray(features[:, objective.column_order])
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
class LinearLearner(Learner):
    """Settings of the linear learner.

    Parameters
    ----------
    ridge : float or "auto"
        Penalty on squared standardised slopes, in units of one person's log-likelihood; see `settle_ridge`.
    shrinkage : float or "cv"
        Penalty on departures of the propensity's slopes from the shared index; 0 leaves them free.
    n_starts : int
        Number of starts where there can be several optima.
    max_iter : int
        Largest number of Newton steps per start.
    sandwich : bool
        Whether to prepare sandwich standard errors.
    """

    ridge: float | str = "auto"
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
        """Fit the candidates and keep the most likely; see `Learner.fit`."""
        with one_blas_thread():
            return self._fit(cohort, candidates, columns, rng, has_outcome, known or {})

    def _fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool,
        known: dict[int, float],
    ) -> LinearFit:
        ridge = settle_ridge(self.ridge, cohort)
        objective = LinearObjective(cohort, candidates[0], columns=columns, has_outcome=has_outcome, ridge=ridge)
        fixed = tuple(predictor + int(has_outcome) for predictor in known)
        labeled = slice(0, objective.n_labeled)
        weight = None if objective.weight is None else objective.weight[labeled]
        levels = candidates[0].start(objective.observed[..., labeled], weight)
        for predictor, value in known.items():
            levels[predictor] = value
        draft = objective.part(DRAFT_ROWS, DRAFT_LABELED)
        search = Search(self, draft, fixed)
        search.compare(candidates, levels, rng)
        search.settle_shrinkage(candidates)
        full = objective.with_propensity(search.propensity)
        indexed, optimum = self._polish(full, search, fixed)
        return self.finish(indexed, optimum, search)

    def fit_from(self, objective: LinearObjective, coefficients: Array) -> LinearFit:
        """Fit from one start alone, and drop the rows of the objective.

        Parameters
        ----------
        objective : LinearObjective
        coefficients : ndarray
            Laid out as in the objective.
        """
        indexed = IndexedObjective(objective, float(self.shrinkage))
        with one_blas_thread():
            return self.finish(indexed, self.solve(indexed, indexed.from_coefficients(coefficients)))

    def solve(self, indexed: IndexedObjective, start: Array, tolerance: float = 1e-9) -> Optimum:
        """Minimise from one start.

        Parameters
        ----------
        indexed : IndexedObjective
        start : ndarray
            Starting variables.
        tolerance : float
            How far, in about half log-likelihood units, the end may be from the optimum. Comparing models needs less
            precision than the final fit, and is not given more than 30 steps (ten times as many without a Hessian).
        """
        max_steps = self.max_iter if tolerance < 1e-6 else min(30, self.max_iter)
        if indexed.size <= MANY_PARAMETERS:
            return newton(indexed.evaluate, start, max_steps=max_steps, tolerance=tolerance)
        parameters, status, n_steps = lbfgs(
            indexed.value_and_gradient, start, tolerance=tolerance, max_steps=10 * max_steps
        )
        value, gradient = indexed.value_and_gradient(parameters)
        return Optimum(parameters, Evaluation(value, gradient, np.empty((0, 0))), status, n_steps)

    def _polish(
        self, objective: LinearObjective, search: Search, fixed: tuple[int, ...]
    ) -> tuple[IndexedObjective, Optimum]:
        """Go from the draft's solution to the optimum of all rows, by way of a larger part of them."""
        indexed = IndexedObjective(objective, search.shrinkage, fixed)
        if search.objective.n == objective.n or indexed.size > MANY_PARAMETERS:
            return indexed, self.solve(indexed, search.variables)
        start, larger = search.variables, objective.part(5 * DRAFT_ROWS, DRAFT_LABELED)
        if 4 * larger.n < objective.n:
            start = self.solve(IndexedObjective(larger, search.shrinkage, fixed), start).parameters
        return indexed, polish(indexed.evaluate, indexed.value_and_gradient, start, max_steps=self.max_iter)

    def finish(self, indexed: IndexedObjective, optimum: Optimum, search: Search | None = None) -> LinearFit:
        """Wrap an optimum up: likelihood, scores for the sandwich, and no rows kept."""
        objective, coefficients = indexed.objective, indexed.to_coefficients(optimum.parameters)
        meat = _score_products(objective, coefficients, indexed.jacobian(optimum.parameters)) if self.sandwich else None
        only = StartResult("neutral", optimum.evaluation.value, optimum.status, optimum.n_steps, 1.0)
        result = FitResult(
            status=optimum.status,
            n_steps=optimum.n_steps,
            log_likelihood=indexed.penalty(optimum.parameters) - optimum.evaluation.value,
            objective=optimum.evaluation.value,
            n_parameters=indexed.size - indexed.fixed.size,
            starts=(only,) if search is None else search.start_results(),
            n_draft=objective.n if search is None else search.n_scouts,
            distributions={} if search is None else search.likelihoods,
        )
        objective.drop_rows()
        return LinearFit(indexed, optimum, result, None if search is None else search.path, meat)


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
