"""The linear learner for a residual distribution that is left open.

A parametric fit comes first: it finds the basin, settles the penalties and says how wide residuals are. Then two steps
alternate, and both raise the same likelihood: given the distribution, Newton's method on the coefficients; given the
coefficients, the shares of the distribution's kernels by EM. No kernel lies after the largest residual of a seen event,
so that whoever was followed past it, by more than the width of a kernel, counts as negative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from whether.arrays import Array
from whether.learners.fit_result import Status
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.linear_fit import LinearFit
from whether.learners.linear.linear_learner import LinearLearner
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum
from whether.learners.linear.penalized import Evaluation
from whether.learners.linear.residual_shares import (
    FIRST_STRENGTH,
    KernelPeople,
    choose_strength,
    estimate_shares,
    events_of,
    penalty_matrix,
    residuals_of,
)
from whether.learners.parallel import one_blas_thread
from whether.learners.population import DRAFT_LABELED, DRAFT_ROWS
from whether.learners.task import Task
from whether.open_residuals import OpenResiduals
from whether.propensity import Propensity, TwoSidedPropensity

# Standard deviation of a kernel: this share of that of the residuals of seen events with one event, falling with the
# fifth root of their number, and no less than what the penalty on a parametric scale would stop at, in spreads.
KERNEL_WIDTH, SMALLEST_WIDTH = 0.8, 0.05
# Knots are so many widths apart; many more of them than this would say nothing new.
KNOT_STEP, MOST_KNOTS = 0.75, 80
# Rounds end when the objective changes by less than this, in units of log-likelihood.
SMALLEST_GAIN = 1e-3
FINEST = 1e-9
# Until this round the range of the grid follows the residuals and the penalty on roughness is chosen; from then on the
# range only grows, and the penalty stays, so that rounds end.
N_FREE_ROUNDS = 10


@dataclass(frozen=True)
class OpenFit(LinearFit):
    """A fitted linear model with an open distribution, and the parametric one that it started from.

    The latter says how many events come later than any was seen, of which the former knows nothing.
    """

    pilot: LinearFit | None = None


@dataclass(frozen=True)
class OpenLearner(LinearLearner):
    """Settings of the linear learner, for event times whose residual distribution is estimated along with the rest."""

    def fit(self, task: Task) -> OpenFit:
        """Fit the parametric candidates, then the open distribution from the most likely of them."""
        with one_blas_thread():
            pilot = super().fit(task)
            whole = LinearObjective(task.under(pilot.propensity), pilot.ridge)
            draft = whole if self.is_exact else whole.part(DRAFT_ROWS, DRAFT_LABELED)
            alternation = Alternation(self, task, draft, pilot)
            status = alternation.run()
            indexed, optimum = alternation.finish(whole)
            total = whole.n if whole.weight is None else float(whole.weight.sum())
            fit = self._finish(indexed, alternation.profiled(indexed, optimum, total))
            ended = status if fit.result.status.converged else fit.result.status
            n_parameters = fit.result.n_parameters + round(alternation.n_shares)
            result = replace(pilot.result, status=ended, n_steps=fit.result.n_steps, objective=fit.result.objective)
            result = replace(result, log_likelihood=fit.result.log_likelihood, n_parameters=n_parameters)
            return OpenFit(**{**vars(fit), "result": result, "path": pilot.path}, pilot=pilot)


class Alternation:
    """Coefficients and distribution in turn, on some of the rows."""

    def __init__(self, learner: OpenLearner, task: Task, draft: LinearObjective, pilot: LinearFit) -> None:
        self.learner, self.task, self.draft, self.shrinkage = learner, task, draft, pilot.shrinkage
        events = events_of(pilot.propensity)
        self.pilot, self.spread = pilot.propensity, events.spread
        self.strength = FIRST_STRENGTH  # of the penalty on a rough distribution
        self.location = draft.layout.first  # place of the location's intercept among the coefficients
        residuals = residuals_of(draft, pilot.coefficients)
        self.residuals = self._first_grid(residuals[: draft.n_labeled])
        self.theta = np.delete(pilot.coefficients, self.location + 1)  # the scale
        self._set_criterion()

    def _first_grid(self, residuals: Array) -> OpenResiduals:
        """A grid with the mean and the spread of the residuals of seen events, its shares those of a normal."""
        weight = np.ones(residuals.size) if self.draft.weight is None else self.draft.weight[: residuals.size]
        mean = float(np.average(residuals, weights=weight))
        spread = float(np.sqrt(np.average((residuals - mean) ** 2, weights=weight)))
        width = max(KERNEL_WIDTH * spread * weight.sum() ** -0.2, SMALLEST_WIDTH * self.spread)
        counted = residuals[weight > 0]
        step = max(KNOT_STEP * width, float(np.ptp(counted)) / MOST_KNOTS)
        width = step / KNOT_STEP
        knots = mean + step * np.arange(-MOST_KNOTS, MOST_KNOTS + 1)
        shares = np.exp(-0.5 * ((knots - mean) / max(spread, width)) ** 2)
        return OpenResiduals(knots, shares / shares.sum(), width)

    def _set_criterion(self) -> None:
        self.criterion = self.task.criterion(_with_residuals(self.pilot, self.residuals))
        self.objective = self.draft.under(self.criterion)

    def run(self) -> Status:
        """Alternate until the objective stays."""
        last = np.inf
        for n_rounds in range(self.learner.max_iter):
            self._update_residuals(is_free=n_rounds < N_FREE_ROUNDS)
            optimum = self._solve(self.objective, SMALLEST_GAIN / 10)
            if not np.isfinite(optimum.evaluation.value):
                return Status.NOT_FINITE
            if abs(last - optimum.evaluation.value) < SMALLEST_GAIN:
                return Status.CONVERGED
            last = optimum.evaluation.value
        return Status.MAX_STEPS

    def _solve(self, objective: LinearObjective, tolerance: float) -> Optimum:
        """Coefficients given the distribution; its shares move the location, which stays where the grid is."""
        indexed = IndexedObjective(objective, self.shrinkage, (self.location,))
        optimum = self.learner.solve(indexed, indexed.from_coefficients(self.theta), tolerance)
        self.theta = indexed.to_coefficients(optimum.parameters)
        return optimum

    def finish(self, whole: LinearObjective) -> tuple[IndexedObjective, Optimum]:
        """Fit the coefficients to all rows, and make the location the mean: residuals then have mean zero."""
        mean = self.residuals.mean
        self.residuals = self.residuals.moved(-mean)
        self.theta = self.theta.copy()
        self.theta[self.location] += mean / self.spread
        self._set_criterion()
        objective = whole.under(self.criterion)
        optimum = self._solve(objective, FINEST)
        indexed = IndexedObjective(objective, self.shrinkage)
        if optimum.evaluation.hessian.size:
            optimum = replace(optimum, evaluation=indexed.evaluate(optimum.parameters))
        return indexed, optimum

    def _ends(self) -> tuple[float, float]:
        """Smallest and largest residual of a seen event."""
        residuals = residuals_of(self.objective, self.theta)[: self.draft.n_labeled]
        if self.draft.weight is not None:
            residuals = residuals[self.draft.weight[: residuals.size] > 0]
        return float(residuals.min()), float(residuals.max())

    def _update_residuals(self, *, is_free: bool) -> None:
        """Estimate the shares anew, on the part of the grid that seen events span."""
        (lowest, highest), knots = self._ends(), self.residuals.knots
        if not is_free:
            lowest, highest = min(lowest, float(knots[0])), max(highest, float(knots[-1]))
        grid = self.residuals.on_range(lowest, highest)
        people = KernelPeople.of(self.objective, self.theta, grid)
        self.residuals = estimate_shares(people, grid, self.strength)
        if is_free:
            self.strength = choose_strength(people, self.residuals, self.strength)
        self._set_criterion()

    @property
    def n_shares(self) -> float:
        """Number of parameters that the distribution uses up, besides its mean: what its penalty leaves of them."""
        people = KernelPeople.of(self.objective, self.theta, self.residuals)
        scores, penalty = people.free_scores(self.residuals.shares), penalty_matrix(self.residuals, self.strength)
        information = scores.T @ (people.weight[:, None] * scores)
        return max(float(np.trace(np.linalg.solve(information + penalty, information))) - 1, 0.0)

    def profiled(self, indexed: IndexedObjective, optimum: Optimum, total: float) -> Optimum:
        """Take from the information of so many people on the coefficients what the shares have of it.

        They are estimated as well, on some of the rows.
        """
        at = optimum.evaluation
        if at.hessian.size == 0:
            return optimum
        people = self.draft.n if self.draft.weight is None else float(self.draft.weight.sum())
        hessian = at.hessian - total / people * self._lost_information(indexed, optimum.parameters)
        if np.linalg.eigvalsh(hessian)[0] <= 0:
            return optimum
        return replace(optimum, evaluation=Evaluation(at.value, at.gradient, hessian))

    def _lost_information(self, indexed: IndexedObjective, variables: Array) -> Array:
        """Information on the coefficients that lies in directions in which the shares can move, too."""
        theta, shares = indexed.to_coefficients(variables), self.residuals.shares
        weight = np.ones(self.draft.n) if self.draft.weight is None else self.draft.weight
        own = np.concatenate(list(self.objective.row_scores(theta))) @ indexed.jacobian(variables)
        own = own / np.maximum(weight[:, None], 1e-300)
        people = KernelPeople.of(self.objective, theta, self.residuals)
        # Residuals have the mean that they have: the location moves instead.
        held = np.vstack([shares, shares * (self.residuals.knots - self.residuals.mean)])
        free = np.linalg.svd(held)[2][2:]
        moving = people.free_scores(shares) @ free.T
        among = moving.T @ (weight[:, None] * moving) + free @ penalty_matrix(self.residuals, self.strength) @ free.T
        between = own.T @ (weight[:, None] * moving)
        lost = between @ np.linalg.solve(among, between.T)
        lost[indexed.fixed], lost[:, indexed.fixed] = 0.0, 0.0
        return np.asarray(lost)


def _with_residuals(propensity: Propensity, residuals: OpenResiduals) -> Propensity:
    """Return a propensity with another distribution of the residuals of event times."""
    if isinstance(propensity, TwoSidedPropensity):
        events = _with_residuals(propensity.events, residuals)
        return TwoSidedPropensity(events_of(events), propensity.deaths, propensity.other_ridge)
    given = events_of(propensity).parameters()
    return type(propensity)(**{**given, "distribution": residuals})
