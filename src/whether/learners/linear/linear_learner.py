"""The linear learner: features to predictors by Newton's method on the exact Hessian.

It knows nothing of restrictions: a task goes in, a `LinearFit` comes out, and the rows are forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from whether.arrays import Array
from whether.cohort import Cohort
from whether.inference import Covariance, invert_information
from whether.learners.fit_result import FitResult, StartResult, Status
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.linear_fit import LinearFit
from whether.learners.linear.nonnegative import NonNegativeObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import (
    MANY_PARAMETERS,
    SEVERAL_PARAMETERS,
    Optimum,
    descent_direction,
    follow,
    lbfgs,
    newton,
    polish,
)
from whether.learners.linear.penalized import PenalizedObjective
from whether.learners.linear.profiled import ProfiledObjective
from whether.learners.linear.ridge import settle_ridge
from whether.learners.linear.search import EXACT, Search
from whether.learners.linear.shrinkage import TOLERANCE, TOLERANCE_OF_FOLDS, End, held_out_values, usual_penalty
from whether.learners.linear.starts import label_coefficients
from whether.learners.linear.streamed import StreamedObjective
from whether.learners.linear.whitened import TRUSTED_STEPS, lbfgs_with_curvature
from whether.learners.parallel import one_blas_thread
from whether.learners.population import DRAFT_LABELED, DRAFT_ROWS, LARGER_ROWS, Population, larger_rows
from whether.learners.rows import step_of_part
from whether.learners.task import Learner, Task
from whether.propensity import FreeBaseline
from whether.validate import ArgumentError

# With more parameters the covariance would cost more than the fit, and is not computed.
MOST_WITH_ERRORS = 400
# Without penalties a coefficient of a standardised feature whose standard error is above 100 has run away.
LEAST_INFORMATION = 1e-4
# Precision, in about half log-likelihood units, to which large cohorts are fitted.
NEAR = 1e-4
# A further Newton step should not gain more than half of this, in units of log-likelihood.
STEEP = 1e-6


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
        Whether the covariance is the sandwich. Where people belong to groups it always is, with their scores summed.
    is_exact : bool
        Whether all starts run to the end, and all rows decide which end is the best: for maximum likelihood, where
        digits are compared.
    """

    ridge: float | str = "auto"
    shrinkage: float | str = 0.0
    n_starts: int = 3
    max_iter: int = 100
    sandwich: bool = False
    is_exact: bool = False

    def fit(self, task: Task) -> LinearFit:
        """Fit the candidates and keep the most likely."""
        if task.population is not None:
            return self._fit_population(task, task.population)
        with one_blas_thread():
            objective = self._objective(task, may_round=self._is_large(task.cohort))
            if task.risk is not None and task.risk.nonnegative:
                composite = NonNegativeObjective(objective, task.risk)
                optimum = newton(composite.evaluate, label_coefficients(objective), max_steps=self.max_iter)
                return self._finish(IndexedObjective(objective), optimum)
            most = DRAFT_ROWS // objective.cost_of_rows, DRAFT_LABELED // objective.cost_of_rows
            search = self._search(task, objective if self.is_exact else objective.part(*most).rounded())
            whole = objective.under(search.objective.criterion)
            larger = whole.part(larger_rows(whole.n, whole.features.shape[0]), DRAFT_LABELED)
            return self._finish(*self._polish(whole, larger, search), search)

    def _fit_population(self, task: Task, population: Population) -> LinearFit:
        """Fit to people who come in blocks; settled is on parts of them what is settled on parts of large cohorts."""
        if isinstance(task.propensity, FreeBaseline):
            raise ArgumentError(
                "A baseline that is left open is no sum over people, so rows that come in blocks cannot tell it. Take "
                "MixtureCureClassifier, which names a distribution, or fit a sample in memory."
            )
        with one_blas_thread():
            ridge = settle_ridge(self.ridge, population.sample, (population.events, population.people))
            objective = StreamedObjective(task, population, ridge)
            search = self._search(task, objective.part(DRAFT_ROWS))
            criterion = search.objective.criterion
            larger = objective.part(LARGER_ROWS).under(criterion)
            return self._finish(*self._polish(objective.under(criterion), larger, search), search)

    def _search(self, task: Task, draft: LinearObjective) -> Search:
        """Settle start, candidate and penalty."""
        search = Search(self, draft, _fixed(task))
        criteria = [task.criterion(candidate) for candidate in task.candidates]
        search.compare(criteria, task.levels(), task.rng)
        search.settle_shrinkage(criteria)
        return search

    def _is_large(self, cohort: Cohort) -> bool:
        """Whether all rows of a cohort are fitted to no more digits than `NEAR` has."""
        events = int(np.count_nonzero(cohort.labeled))
        return not self.is_exact and step_of_part(cohort.n, events, DRAFT_ROWS, DRAFT_LABELED) > 1

    def _objective(self, task: Task, *, may_round: bool = False) -> LinearObjective:
        """Return what is minimised: the profile likelihood, where a baseline is to be found."""
        ridge = settle_ridge(self.ridge, task.cohort)
        if isinstance(task.propensity, FreeBaseline):
            return ProfiledObjective(task, ridge)
        return LinearObjective(task, ridge, may_round=may_round)

    def fit_from(self, task: Task, narrow: LinearFit) -> LinearFit:
        """Fit from the optimum of a model with fewer slopes alone; its features are the first of the task's."""
        with one_blas_thread():
            objective = self._objective(task)
            indexed = IndexedObjective(objective, float(self.shrinkage), _fixed(task))
            return self._finish(indexed, self.solve(indexed, indexed.from_coefficients(embed(narrow, objective))))

    def held_out_log_likelihood(self, task: Task, fit: LinearFit) -> float:
        """Mean log-likelihood of people under the model of a fit, with its penalties, fitted without them."""
        with one_blas_thread():
            objective = LinearObjective(task.under(fit.propensity), fit.ridge).part(DRAFT_ROWS, DRAFT_LABELED)
            indexed = IndexedObjective(objective, fit.shrinkage, _fixed(task))
            start = indexed.from_coefficients(fit.coefficients)
            end = End("held out", indexed, self.solve(indexed, start, TOLERANCE))
            values = held_out_values(objective, [end], self.solve_near)
            return float(values.sum()) / (objective.n if objective.weight is None else float(objective.weight.sum()))

    def usual(self, task: Task) -> LinearLearner:
        """Return these settings for a first look: one start, and the usual penalty on departures from the index."""
        shrinkage = usual_penalty(task.propensity) if self.shrinkage == "cv" else self.shrinkage
        return replace(self, ridge=settle_ridge(self.ridge, task.cohort), shrinkage=shrinkage, n_starts=1)

    def settled(self, fit: LinearFit) -> LinearLearner:
        """Return these settings with the penalties that a fit came to."""
        return replace(self, ridge=fit.ridge, shrinkage=fit.shrinkage)

    def solve(
        self, indexed: IndexedObjective, start: Array, tolerance: float = 1e-9, near: End | None = None
    ) -> Optimum:
        """Minimise from one start, until the end is within the tolerance, in about half log-likelihood units.

        Comparing models needs less precision, and gets no more than 30 steps (ten times as many without a Hessian).
        Where parameters are several, the curvature at an end nearby is used, of other rows or under other penalties.
        """
        max_steps = self.max_iter if tolerance < TOLERANCE_OF_FOLDS else min(30, self.max_iter)
        if indexed.size <= SEVERAL_PARAMETERS or isinstance(indexed.objective, ProfiledObjective):
            return newton(indexed.evaluate, start, max_steps=max_steps, tolerance=tolerance)
        if indexed.size <= MANY_PARAMETERS:
            guide = None if near is None else near.guide_to(indexed)
            # Without a fold the end is near, or in another basin, where nobody wants to go.
            max_steps = TRUSTED_STEPS if tolerance == TOLERANCE_OF_FOLDS else 10 * max_steps
            return lbfgs_with_curvature(indexed, start, guide, tolerance=tolerance, max_steps=max_steps)
        return lbfgs(indexed.value_and_gradient, start, tolerance=tolerance, max_steps=10 * max_steps)

    def solve_near(self, indexed: IndexedObjective, start: Array, tolerance: float, near: End | None = None) -> Optimum:
        """Minimise from the optimum of a problem that differs little, in a penalty or in a fold of the rows."""
        is_profiled, known = isinstance(indexed.objective, ProfiledObjective), None
        if indexed.size > SEVERAL_PARAMETERS and not is_profiled:
            return self.solve(indexed, start, tolerance, near)
        if is_profiled and near is not None and near.indexed.size == indexed.size:
            known = near.hessian_of(indexed, start)  # with a free baseline it costs more than a step with an old one
        max_steps = min(30, self.max_iter)
        return follow(indexed.evaluate, indexed.value_and_gradient, start, max_steps, tolerance, known)

    def _polish(
        self, objective: PenalizedObjective, larger: LinearObjective, search: Search
    ) -> tuple[IndexedObjective, Optimum]:
        """Go from the draft's solution to the optimum of all rows, by way of a larger part of them."""
        indexed, end = IndexedObjective(objective, search.shrinkage, search.fixed), search.best
        if indexed.size > MANY_PARAMETERS:
            return indexed, self.solve(indexed, end.optimum.parameters, 1e-9 if self.is_exact else NEAR)
        if search.objective.n == objective.n:
            return indexed, self.solve(indexed, end.optimum.parameters, near=end)
        known = None  # of the Hessian
        if 4 * larger.n < objective.n:
            on_larger = IndexedObjective(larger, search.shrinkage, search.fixed)
            precision = NEAR if larger.may_be_rounded else EXACT
            end = End("larger", on_larger, self.solve(on_larger, end.optimum.parameters, precision, end))
            known = end.hessian_of(indexed, end.optimum.parameters) if indexed.size <= SEVERAL_PARAMETERS else None
        start, tolerance = end.optimum.parameters, EXACT if self.is_exact else NEAR
        if indexed.size > SEVERAL_PARAMETERS:
            return indexed, self.solve(indexed, start, tolerance)
        return indexed, polish(indexed.evaluate, indexed.value_and_gradient, start, self.max_iter, tolerance, known)

    def _judge(self, optimum: Optimum) -> Status:
        """How an optimization ended; where digits are compared, one that no step improves must also have no slope."""
        at = optimum.evaluation
        if not self.is_exact or optimum.status is not Status.FLAT or at.hessian.size == 0:
            return optimum.status
        decrement = -float(descent_direction(at, EXACT) @ at.gradient)
        return Status.STALLED if decrement > max(STEEP, 1e-12 * abs(at.value)) else Status.FLAT

    def _finish(self, indexed: IndexedObjective, optimum: Optimum, search: Search | None = None) -> LinearFit:
        """Keep of an optimum what does not need the rows."""
        objective, parameters = indexed.objective, optimum.parameters
        only = StartResult("neutral", optimum.evaluation.value, optimum.status, optimum.n_steps, 1.0)
        result = FitResult(
            status=self._judge(optimum),
            n_steps=optimum.n_steps,
            log_likelihood=indexed.penalty(parameters) - optimum.evaluation.value,
            objective=optimum.evaluation.value,
            n_parameters=indexed.size - indexed.fixed.size,
            starts=(only,) if search is None else search.start_results(),
            n_draft=objective.n if search is None else search.n_scouts,
            distributions={} if search is None else search.likelihoods,
        )
        return LinearFit(
            propensity=objective.fitted_propensity(indexed.to_coefficients(parameters)),
            result=result,
            predictor=objective.predictor(indexed.to_coefficients(parameters)),
            covariance=_covariance(indexed, optimum, self.sandwich, self.is_exact),
            ridge=objective.ridge,
            shrinkage=indexed.shrinkage,
            kappa=float(parameters[-1]) if indexed.indexed else None,
            path=None if search is None else search.path,
        )


def _fixed(task: Task) -> tuple[int, ...]:
    """Positions of intercepts that are known, or that a free baseline makes up for."""
    known = {*task.known, *task.propensity.without_level}
    return tuple(sorted(predictor + int(task.has_outcome) for predictor in known))


def embed(narrow: LinearFit, wide: LinearObjective) -> Array:
    """Return the coefficients with which a model with more slopes is the narrower one."""
    theta, start, layout = narrow.coefficients, np.zeros(wide.layout.size), narrow.predictor.layout
    columns, new = wide.standardization.columns, wide.layout
    start[: layout.n_predictors] = theta[: layout.n_predictors]
    for known, old, place, features in (
        (theta[layout.other], narrow.other_columns, new.other, new.of_other),
        (narrow.outcome_slopes, narrow.outcome_columns, new.outcome, new.of_outcome),
        (narrow.shared_slopes, narrow.shared_columns, new.shared, new.of_shared),
    ):
        by_column = np.zeros(columns.size)
        by_column[old] = known
        start[place] = by_column[columns[features]]
    return start


def _covariance(indexed: IndexedObjective, optimum: Optimum, sandwich: bool, is_exact: bool) -> Covariance:
    """Covariance of the coefficients at an optimum; none where there was no Hessian."""
    if optimum.evaluation.hessian.size == 0:
        return Covariance(None)
    if optimum.guide is not None:  # a rough one led to the optimum, and tells nothing of errors
        if indexed.size > MOST_WITH_ERRORS:
            return Covariance(None)
        optimum = replace(optimum, evaluation=indexed.evaluate(optimum.parameters))
    objective, jacobian = indexed.objective, indexed.jacobian(optimum.parameters)
    sandwich = sandwich or (isinstance(objective, LinearObjective) and objective.groups is not None)
    meat = objective.score_products(indexed.to_coefficients(optimum.parameters), jacobian) if sandwich else None
    least = LEAST_INFORMATION if is_exact else 0.0
    found = invert_information(optimum.evaluation.hessian, meat, indexed.fixed.tolist(), least)
    if found.matrix is None:
        return Covariance(None, None if found.flat is None else jacobian @ found.flat)
    return Covariance(jacobian @ found.matrix @ jacobian.T)
