"""Minimisers of smooth objectives: damped Newton, and L-BFGS where parameters are many (more on it in `whitened`).

They know nothing of people, labels or times. Every outcome is a `Status` with its sentence. Used by the linear learner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dposv, dpotrf
from scipy.optimize import minimize

from whether.arrays import Array
from whether.learners.fit_result import Status
from whether.learners.linear.penalized import Evaluation

# The longest step in any coordinate.
LONGEST_STEP = 4.0
# From this number of parameters on the Hessian costs several times what the gradient does, and is kept for a while.
SEVERAL_PARAMETERS = 200
# Above this number of parameters it costs more than it saves.
MANY_PARAMETERS = 1_200


class Guide(NamedTuple):
    """What is known of the curvature of a likelihood, besides which there are penalties."""

    curvature: Array  # in the coefficients, roughly
    moves: tuple[tuple[Array, Array], ...] = ()  # changes of the variables, and of the likelihood's gradient by them

    def of_share(self, share: float) -> Guide:
        """What it is of so many times the people."""
        return Guide(share * self.curvature, tuple((change, share * bend) for change, bend in self.moves))


@dataclass(frozen=True)
class Optimum:
    """Where an optimizer ended."""

    parameters: Array
    evaluation: Evaluation  # there, or within the tolerance of it
    status: Status
    n_steps: int
    guide: Guide | None = None  # what led there, where it was not the Hessian


def newton(
    evaluate: Callable[[Array], Evaluation], start: Array, *, tolerance: float = 1e-9, max_steps: int = 100
) -> Optimum:
    """Minimise by Newton's method on the exact Hessian, damped.

    Where the Hessian is not positive definite the absolute values of its eigenvalues are used, which turns a saddle
    into a descent direction; a saddle reached exactly is left along its steepest downward curvature. A step is at most
    ``LONGEST_STEP`` in any coordinate and is halved until the objective falls. It stops when the Newton decrement
    (about twice the attainable fall of the objective) is below ``tolerance``, that is when the parameters are within
    ``sqrt(tolerance)`` standard errors of the optimum.
    """
    parameters, current = start, evaluate(start)
    if not np.isfinite(current.value):
        return Optimum(parameters, current, Status.NOT_FINITE, 0)
    for n_steps in range(max_steps):
        step = descent_direction(current, tolerance)
        leaves_saddle = float(step @ current.hessian @ step) < -tolerance
        if -float(step @ current.gradient) < tolerance and not leaves_saddle:
            # The last step is taken without another look: it squares an error that is already small.
            return Optimum(parameters + step, current, Status.CONVERGED, n_steps)
        step = step * min(1.0, LONGEST_STEP / np.max(np.abs(step)))
        improved = _backtrack(evaluate, parameters, current, step)
        if improved is None:
            return Optimum(parameters, current, Status.FLAT, n_steps)
        parameters, current = improved
    return Optimum(parameters, current, Status.MAX_STEPS, max_steps)


def descent_direction(at: Evaluation, tolerance: float) -> Array:
    """Newton step, with the Hessian's eigenvalues made positive where they are not."""
    # LAPACK itself: in a fit to a few hundred people what SciPy does around it takes longer than the solution.
    _, step, is_indefinite = dposv(np.asarray_chkfinite(at.hessian), np.asarray_chkfinite(at.gradient))
    if not is_indefinite:
        return np.asarray(-step)
    values, vectors = eigh(at.hessian)
    magnitude = np.abs(values)
    # Directions of little curvature are not trusted far from the optimum: their steps would be halved anyway.
    step = -vectors @ ((vectors.T @ at.gradient) / np.maximum(magnitude, 1e-2 * magnitude.max() + 1e-300))
    if -float(step @ at.gradient) >= tolerance:
        return np.asarray(step)
    # A saddle: the gradient vanishes but the objective falls on both sides along this direction.
    downward = vectors[:, 0] if vectors[:, 0] @ at.gradient <= 0 else -vectors[:, 0]
    falls = values[0] < -1e-8 * magnitude.max()
    return np.asarray(step + downward * np.sqrt(2.0 / magnitude[0]) if falls else step)


def _backtrack(
    evaluate: Callable[[Array], Evaluation], parameters: Array, current: Evaluation, step: Array
) -> tuple[Array, Evaluation] | None:
    # Half the curvature counts where it is negative, so that leaving a saddle is held to a real fall too.
    expected = float(step @ current.gradient) + min(0.5 * float(step @ current.hessian @ step), 0.0)
    length = 1.0
    for _ in range(40):
        trial = parameters + length * step
        evaluation = evaluate(trial)
        if np.isfinite(evaluation.value) and evaluation.value <= current.value + 1e-4 * length**2 * expected:
            return trial, evaluation
        length *= 0.5
    return None


def polish(
    evaluate: Callable[[Array], Evaluation],
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    start: Array,
    max_steps: int,
    tolerance: float,
    hessian: Array | None = None,
) -> Optimum:
    """Minimise from a start that is already close: one Newton step, then steps that keep the second Hessian.

    So close to the optimum a step with a slightly old Hessian gains several digits and costs a gradient only. Falls
    back to `newton` where a step does not help much. The first step may be taken with a Hessian that is known nearby.
    """
    first = None if hessian is None else _step_with(hessian, evaluate, value_and_gradient, start, tolerance)
    if first is None:
        first = newton(evaluate, start, tolerance=tolerance, max_steps=min(1, max_steps))
    if first.status.converged:
        return first
    ends = _keep_hessian(value_and_gradient, first.parameters, first.evaluation, min(6, max_steps) - 1, tolerance)
    return (
        ends if ends.status.converged else newton(evaluate, ends.parameters, tolerance=tolerance, max_steps=max_steps)
    )


def _step_with(
    hessian: Array,
    evaluate: Callable[[Array], Evaluation],
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    start: Array,
    tolerance: float,
) -> Optimum | None:
    """Take one step with a Hessian from nearby; None where it does not help."""
    at = Evaluation(*value_and_gradient(start), hessian)
    if not np.isfinite(at.value):
        return None
    parameters = start + descent_direction(at, tolerance)
    reached = evaluate(parameters)
    return Optimum(parameters, reached, Status.MAX_STEPS, 1) if reached.value <= at.value else None


def follow(
    evaluate: Callable[[Array], Evaluation],
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    start: Array,
    max_steps: int,
    tolerance: float,
    hessian: Array | None = None,
) -> Optimum:
    """Minimise from the optimum of a problem that differs little: like `polish`, with the Hessian of the start.

    A last step with the old Hessian gains a digit or so, where a Newton step doubles them. Where one is known from
    nearby it is taken for that of the start.
    """
    current = evaluate(start) if hessian is None else Evaluation(*value_and_gradient(start), hessian)
    ends = Optimum(start, current, Status.NOT_FINITE, 0)
    if np.isfinite(current.value) and _is_convex(current):
        ends = _keep_hessian(value_and_gradient, start, current, min(4, max_steps), tolerance)
    return (
        ends if ends.status.converged else newton(evaluate, ends.parameters, tolerance=tolerance, max_steps=max_steps)
    )


def _is_convex(at: Evaluation) -> bool:
    return not dpotrf(np.asarray_chkfinite(at.hessian))[1]


def _keep_hessian(
    value_and_gradient: Callable[[Array], tuple[float, Array]],
    parameters: Array,
    current: Evaluation,
    max_steps: int,
    tolerance: float,
) -> Optimum:
    """Go on with one Hessian; it ends early, and has not converged, where a step does not help much."""
    previous = np.inf
    for n_steps in range(max_steps + 1):
        step = descent_direction(current, tolerance)
        decrement = -float(step @ current.gradient)
        if decrement < tolerance:
            return Optimum(parameters + step, current, Status.CONVERGED, n_steps)
        if n_steps == max_steps or decrement > 0.1 * previous or np.max(np.abs(step)) > LONGEST_STEP:
            break
        value, gradient = value_and_gradient(parameters + step)
        if not value <= current.value:
            break
        parameters, current = parameters + step, Evaluation(value, gradient, current.hessian)
        previous = decrement
    return Optimum(parameters, current, Status.MAX_STEPS, n_steps)


def lbfgs(
    value_and_gradient: Callable[[Array], tuple[float, Array]], start: Array, *, tolerance: float, max_steps: int
) -> Optimum:
    """Minimise by L-BFGS: no Hessian, for models with many parameters.

    It does not know how far the optimum is, so it stops where a step gains less than a hundredth of the tolerance.
    """
    size = max(1.0, abs(value_and_gradient(start)[0]))
    options = {"maxiter": max_steps, "ftol": max(1e-12, 1e-2 * tolerance / size), "gtol": 1e-5}
    result = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", options=options)
    status = {0: Status.CONVERGED, 1: Status.MAX_STEPS}.get(result.status, Status.FLAT)
    parameters = np.asarray(result.x)
    value, gradient = value_and_gradient(parameters)
    return Optimum(parameters, Evaluation(value, gradient, np.empty((0, 0))), status, int(result.nit))
