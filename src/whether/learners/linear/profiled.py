"""The likelihood of a linear model over a free baseline, as a function of its coefficients alone.

At every evaluation the baseline is the most likely one for these coefficients. The gradient is then that of the
likelihood with the baseline held; of the Hessian the part is taken away that the baseline can undo. What is left is the
profile information, of which the inverse is the covariance of the coefficients (Murphy and van der Vaart 2000).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from whether.arrays import Array, Rows
from whether.coarsen import coarsen_times
from whether.facts import FEWEST
from whether.learners.linear.baseline import Baseline, BaselineProblem, rises
from whether.learners.linear.event_times import EventTimes
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.penalized import Evaluation
from whether.learners.task import Task
from whether.propensity import CoxPropensity, FreeBaseline, Observed, Propensity, equal_event_edges

# Times at which a model keeps the cumulative baseline, at most; a group of events lies between two of them.
MOST_KNOTS = 100


class ProfiledObjective(LinearObjective):
    """Penalised negative profile log-likelihood of the coefficients, labeled people first."""

    cost_of_rows: ClassVar[int] = 2  # a baseline has to be found at every look

    def __init__(self, task: Task, ridge: float) -> None:
        super().__init__(task, ridge)
        self.clock = self.observed
        # Folds are dealt by the order of times, which is all that the coefficients know of them.
        order = np.unique(self.clock.end[0], return_inverse=True)[1]
        self.observed = replace(self.clock, end=order.astype(float))
        self._index()

    def _index(self) -> None:
        assert isinstance(self.propensity, FreeBaseline)
        self.events = EventTimes(self.clock, self.n_labeled, self.weight, self.propensity)
        self._first: Array | None = None  # jumps to start from
        self._theta: Array | None = None
        self._baseline: Baseline | None = None
        self._carried: Array | None = None  # slopes of the baseline in the coefficients, where last known

    def subset(self, rows: Rows) -> ProfiledObjective:
        """Objective of some rows, with a baseline of their own."""
        part = super().subset(rows)
        assert isinstance(part, ProfiledObjective)
        part.clock = self.clock.take(rows)
        part._index()
        if self._baseline is not None:
            part._first = self.events.hand_down(self._baseline.jumps, part.events)
        return part

    def baseline(self, theta: Array) -> Baseline:
        """The most likely baseline for some coefficients."""
        if self._baseline is None or not self._is_at(theta):
            eta, v = super().predictors(theta, slice(0, None))
            start = self._first if self._baseline is None else self._expect(theta)
            self._baseline = Baseline(BaselineProblem(self.events, np.asarray(eta), v[0]), start)
            self._placed, self._theta = self.events.observe(self._baseline.jumps), theta.copy()
            self._predictors = np.asarray(eta), v
        return self._baseline

    def predictors(self, theta: Array, rows: slice) -> tuple[Array | None, Array]:
        """Outcome logit and log hazard ratio of some rows; those for which the baseline was found are kept."""
        if not self.is_free or not self._is_at(theta):
            return super().predictors(theta, rows)
        eta, v = self._predictors
        return eta[rows], v[:, rows]

    def _is_at(self, theta: Array) -> bool:
        """Whether the present baseline is that of these coefficients."""
        return self._theta is not None and bool((theta == self._theta).all())

    def _expect(self, theta: Array) -> Array:
        """Jumps at other coefficients, to first order where the slope is known."""
        assert self._baseline is not None
        assert self._theta is not None
        jumps = self._baseline.jumps
        if self._carried is None:
            return jumps
        moved = rises(self._carried @ (self._theta - theta)) / jumps
        return np.asarray(jumps * np.exp(np.minimum(np.maximum(moved, -1.0), 1.0)))

    @property
    def placed(self) -> Observed:
        """What the likelihood reads of people under the present baseline."""
        return self._placed if self.is_free else self.observed

    @property
    def is_free(self) -> bool:
        """Whether there is a baseline to be found: under other criteria, of the labels alone say, there is none."""
        return isinstance(self.propensity, FreeBaseline)

    def row_values(self, theta: Array) -> Array:
        """Log-likelihood of each person, in the working order of rows, times its weight."""
        self.baseline(theta)
        return super().row_values(theta)

    def sums(self, theta: Array, *, with_hessian: bool) -> Evaluation:
        """Negative log-likelihood with derivatives, less what the baseline can undo; the upper triangle only."""
        if not self.is_free:
            return super().sums(theta, with_hessian=with_hessian)
        baseline = self.baseline(theta)
        at = super().sums(theta, with_hessian=with_hessian)
        if not with_hessian:
            return at
        crossed = self._crossed(baseline)
        carried = baseline.solve(crossed)
        self._carried = carried
        return at._replace(hessian=at.hessian - crossed.T @ carried)

    def _crossed(self, baseline: Baseline) -> Array:
        """Second derivatives between the cumulative baseline and the coefficients, one row per jump."""
        events, layout, (by_logit, by_hazard) = self.events, self.layout, baseline.crossed
        hazard, labeled = baseline.problem.hazard, slice(0, self.n_labeled)
        seen, features = events.weight_of[labeled] * hazard[labeled], self.features.take(events.who)
        crossed = np.empty((events.size, layout.size))
        crossed[:, 0], crossed[:, 1] = events.to_places(by_logit), events.to_places(by_hazard) + events.to_jumps(seen)
        for column, feature in zip(_places(layout.outcome), features.each(layout.of_outcome), strict=True):
            crossed[:, column] = events.to_places(by_logit * feature)
        for column, feature in zip(_places(layout.shared), features.each(layout.of_shared), strict=True):
            crossed[:, column] = events.to_places(by_hazard * feature)
        for column, feature in zip(_places(layout.shared), self.features.each(layout.of_shared), strict=True):
            crossed[:, column] += events.to_jumps(seen * feature[labeled])
        return crossed

    def fitted_propensity(self, theta: Array) -> Propensity:
        """Return the baseline at coarsened times, a group of events apart: nobody's own time or jump is in it."""
        if not self.is_free:
            return self.propensity
        events, jumps, (time, weight) = (
            self.events,
            self.baseline(theta).jumps,
            (self.clock.end[0], self.events.weight_of),
        )
        seen = slice(0, self.n_labeled)
        n_knots = int(np.clip(weight[seen].sum() // FEWEST, 1, MOST_KNOTS))
        edges = equal_event_edges(time[seen], n_knots, weight[seen])
        timed = slice(0, None) if self.clock.never is None else ~self.clock.never
        knots = coarsen_times(time[timed], weight[timed], edges)
        passed = np.append(0.0, np.cumsum(jumps))[events.passed(knots)]
        higher = rises(passed) > 0
        return CoxPropensity(knots[higher], passed[higher], events.is_closed, self.propensity.pseudo_people)

    def row_scores(self, theta: Array) -> Iterator[Array]:
        """Gradient of each person's log-likelihood in the coefficients, less what the baseline takes up of it."""
        taken, start = self._scores_of_baseline(self.baseline(theta)), 0
        for scores in super().row_scores(theta):
            yield scores - taken[start : start + scores.shape[0]]
            start += scores.shape[0]

    def _scores_of_baseline(self, baseline: Baseline) -> Array:
        """Each person's score in the cumulative baseline, carried over to the coefficients."""
        events, problem, labeled = self.events, baseline.problem, slice(0, self.n_labeled)
        carried = baseline.solve(self._crossed(baseline))
        taken, weight = np.zeros((self.n, carried.shape[1])), events.weight_of[labeled, None]
        by_jump = rises(carried) / baseline.jumps[:, None]
        passed = problem.hazard[labeled, None] * events.over_ties(carried)
        taken[labeled] = weight * (events.over_ties(by_jump) - passed)
        pull = events.weight * baseline.at.posterior * problem.hazard_of
        np.subtract.at(taken, events.who, pull[:, None] * carried[events.place - 1])
        return taken


def _places(part: slice) -> range:
    return range(part.start, part.stop)
