"""L-BFGS for hundreds of parameters, in variables in which the Hessian somewhere near is about the identity.

With so many parameters the Hessian costs as much as dozens of gradients. A rough one leads as far: what it lacks is
learned from the steps, and what was learned in one problem (a neighbour on a path of penalties, another distribution,
fewer people) serves the next one.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpotrf, dtrtrs

from whether.arrays import Array
from whether.learners.fit_result import Status
from whether.learners.linear.optimize import LONGEST_STEP, Guide, Optimum
from whether.learners.linear.penalized import Evaluation

# Steps that are remembered.
MEMORY = 20
# Steps after which a curvature is no longer trusted.
TRUSTED_STEPS = 25
# Share of the expected fall that a step has to bring, and share of the slope that may be left after it.
LEAST_FALL, MOST_SLOPE = 1e-4, 0.9
# Rise of the objective, as a share of it, that may be rounding: there the slope alone says whether a step helps.
ROUNDING = 1e-8
# Least curvature along a step, as a share of the rough one, to be learned from it.
LEAST_CURVATURE = 1e-2


class CurvedProblem(Protocol):
    """A problem whose Hessian is that of a likelihood, which is dear, and of penalties, which are cheap."""

    def evaluate_roughly(self, variables: Array) -> Evaluation:
        """Objective and gradient; and the Hessian of the likelihood, about."""

    def curved(self, variables: Array, curvature: Array) -> Array:
        """Hessian of the problem with that of the likelihood as given."""

    def value_and_gradient(self, variables: Array) -> tuple[float, Array]:
        """Objective and gradient."""


def lbfgs_with_curvature(
    problem: CurvedProblem, start: Array, guide: Guide | None, *, tolerance: float, max_steps: int
) -> Optimum:
    """Minimise by L-BFGS in variables in which the Hessian somewhere near is about the identity.

    In these variables the squared gradient is about the Newton decrement, so it stops where `newton` does. Where that
    takes long the curvature is computed anew.
    """
    parameters, status, n_steps = start, Status.MAX_STEPS, 0
    known: tuple[float, Array] | None = None
    while n_steps < max_steps and not status.converged:
        if guide is None or n_steps:
            rough = problem.evaluate_roughly(parameters)
            known, guide = (rough.value, rough.gradient), Guide(rough.hessian)
        steps = _Whitened(problem, parameters, guide, tolerance)
        status = steps.go(min(TRUSTED_STEPS, max_steps - n_steps), known)
        parameters, n_steps, guide = steps.parameters, n_steps + max(steps.n_steps, 1), steps.learned()
        if status in (Status.NOT_FINITE, Status.FLAT):
            break
    return Optimum(parameters, Evaluation(steps.value, steps.gradient, steps.hessian), status, n_steps, guide)


class _Point(NamedTuple):
    """A place, in whitened variables, with the objective there."""

    moved: Array
    parameters: Array
    value: float
    gradient: Array
    whitened: Array  # the gradient in whitened variables

    @property
    def decrement(self) -> float:
        return float(self.whitened @ self.whitened)


class _Whitened:
    """Steps from a point, in variables in which the Hessian there is about the identity."""

    def __init__(self, problem: CurvedProblem, start: Array, guide: Guide, tolerance: float) -> None:
        self.problem, self.start, self.guide, self.tolerance = problem, start, guide, tolerance
        self.hessian = problem.curved(start, guide.curvature)
        # Turned round, which changes nothing in it, it is in the order that LAPACK takes without another copy.
        self.factor, is_indefinite = dpotrf(np.asarray_chkfinite(self.hessian).T, lower=True)
        if is_indefinite:
            values, vectors = eigh(self.hessian)
            magnitude = np.abs(values)
            safe = np.maximum(magnitude, 1e-2 * magnitude.max() + 1e-300)
            self.factor = dpotrf((vectors * safe) @ vectors.T, lower=True)[0]
        self.moves: list[tuple[Array, Array]] = []
        if guide.moves:
            steps, bends = (np.stack(parts, axis=1) for parts in zip(*guide.moves, strict=True))
            bends = self._whiten(bends + self._penalties @ steps)
            for step, bend in zip((self.factor.T @ steps).T, bends.T, strict=True):
                self._remember(step, bend)
        self.n_steps = 0

    @cached_property
    def _penalties(self) -> Array:
        """Hessian of the penalties alone."""
        return self.problem.curved(self.start, np.zeros_like(self.guide.curvature))

    def _whiten(self, gradient: Array) -> Array:
        return np.asarray(dtrtrs(self.factor, gradient, lower=True)[0])

    def _unwhiten(self, moved: Array) -> Array:
        return np.asarray(dtrtrs(self.factor, moved, lower=True, trans=1)[0])

    def _remember(self, step: Array, bend: Array) -> None:
        if float(step @ bend) > LEAST_CURVATURE * float(step @ step):
            self.moves = [*self.moves[1 - MEMORY :], (step, bend)]

    def learned(self) -> Guide:
        """What is known of the curvature of the likelihood by now."""
        if not self.moves:
            return Guide(self.guide.curvature)
        steps, bends = (np.stack(parts, axis=1) for parts in zip(*self.moves, strict=True))
        changes = self._unwhiten(steps)
        moves = zip(changes.T, (self.factor @ bends - self._penalties @ changes).T, strict=True)
        return Guide(self.guide.curvature, tuple(moves))

    def _look(self, moved: Array) -> _Point:
        parameters = self.start + self._unwhiten(moved)
        return self._point(moved, parameters, *self.problem.value_and_gradient(parameters))

    def _point(self, moved: Array, parameters: Array, value: float, gradient: Array) -> _Point:
        return _Point(moved, parameters, value, gradient, self._whiten(gradient))

    def _direction(self, gradient: Array) -> Array:
        """Minus the gradient times the inverse Hessian that the remembered steps tell (two-loop recursion)."""
        direction, shares = -gradient, []
        for step, bend in reversed(self.moves):
            share = float(step @ direction) / float(step @ bend)
            direction = direction - share * bend
            shares.append(share)
        if self.moves:
            step, bend = self.moves[-1]
            direction = direction * (float(step @ bend) / float(bend @ bend))
        for (step, bend), share in zip(self.moves, reversed(shares), strict=True):
            direction = direction + (share - float(bend @ direction) / float(step @ bend)) * step
        return direction

    def _advance(self, at: _Point, direction: Array) -> _Point | None:
        """Go along a direction until the objective falls, and not much of its slope is left; None if it does not."""
        slope = float(at.whitened @ direction)
        length = min(1.0, LONGEST_STEP / max(float(np.max(np.abs(self._unwhiten(direction)))), 1e-300))
        best, shortest = None, None
        for _ in range(25):
            point = self._look(at.moved + length * direction)
            left, rise = float(point.whitened @ direction), point.value - at.value
            falls = np.isfinite(point.value) and rise <= LEAST_FALL * length * slope
            falls = falls or (rise <= ROUNDING * abs(at.value) and abs(left) <= -MOST_SLOPE * slope)
            if not falls and best is not None:
                return best
            if falls and (left >= MOST_SLOPE * slope or shortest is not None):
                return point
            if falls:
                best, length = point, 2 * length
                continue
            shortest = length
            bend = 2 * (point.value - at.value - length * slope) / length**2 if np.isfinite(point.value) else np.inf
            length = float(np.clip(-slope / bend if bend > 0 else 0.0, 0.1 * length, 0.5 * length))
        return best

    def go(self, max_steps: int, known: tuple[float, Array] | None = None) -> Status:
        """Take so many steps at most; the last one, to where the gradient points, without another look.

        Objective and gradient at the start may be known.
        """
        known = self.problem.value_and_gradient(self.start) if known is None else known
        at, status = self._point(np.zeros(self.start.size), self.start, *known), Status.MAX_STEPS
        if not np.isfinite(at.value):
            status = Status.NOT_FINITE
        while status is Status.MAX_STEPS and at.decrement >= self.tolerance and self.n_steps < max_steps:
            direction = self._direction(at.whitened)
            if float(direction @ at.whitened) >= 0:
                self.moves, direction = [], -at.whitened
            found = self._advance(at, direction)
            if found is None:
                status = Status.FLAT
                break
            self._remember(found.moved - at.moved, found.whitened - at.whitened)
            at, self.n_steps = found, self.n_steps + 1
        self.value, self.gradient, self.parameters = at.value, at.gradient, at.parameters
        if status is Status.MAX_STEPS and at.decrement < self.tolerance:
            status = Status.CONVERGED
            self.parameters = at.parameters + self._unwhiten(self._direction(at.whitened))
        return status
