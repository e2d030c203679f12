"""The linear learner over a free baseline, and what a model keeps of the baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from whether.arrays import Array
from whether.coarsen import coarsen_times
from whether.facts import FEWEST
from whether.learners.cox.profiled import ProfiledObjective
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum
from whether.learners.linear.ridge import settle_ridge
from whether.learners.linear.search import Search
from whether.learners.task import Task
from whether.propensity import CoxPropensity, FreeBaseline, equal_event_edges

# Times at which a model keeps the cumulative baseline, at most; and events between two of them, at least.
MOST_KNOTS = 100


@dataclass(frozen=True)
class CoxLearner(LinearLearner):
    """Settings of the linear learner that finds a free baseline along with the coefficients.

    Under a baseline that is given it is the linear learner, with one more coefficient: a factor on the baseline.
    """

    def fit(self, task: Task) -> LinearFit:
        """Fit coefficients and baseline."""
        is_free = isinstance(task.propensity, FreeBaseline)
        return super().fit(replace(task, known={0: 0.0}) if is_free else task)

    def objective(self, task: Task) -> LinearObjective:
        """Return what is minimised: under a free baseline the profile likelihood."""
        if not isinstance(task.propensity, FreeBaseline):
            return super().objective(task)
        return ProfiledObjective(task, settle_ridge(self.ridge, task.cohort))

    def _finish(self, indexed: IndexedObjective, optimum: Optimum, search: Search | None = None) -> LinearFit:
        fit, objective = super()._finish(indexed, optimum, search), indexed.objective
        if not isinstance(objective, ProfiledObjective):
            return fit
        return replace(fit, propensity=keep_baseline(objective, fit.coefficients))


def keep_baseline(objective: ProfiledObjective, coefficients: Array) -> CoxPropensity:
    """Return the baseline at some coarsened times, a group of events apart: nobody's own time or jump is in it."""
    events, jumps = objective.events, objective.baseline(coefficients).jumps
    time, weight = objective.observed.end[0], events.weight_of
    labeled = np.arange(objective.n) < objective.n_labeled
    n_knots = int(np.clip(weight[labeled].sum() // FEWEST, 1, MOST_KNOTS))
    edges = equal_event_edges(time[labeled], n_knots, weight[labeled])
    timed = ~np.zeros(objective.n, dtype=bool) if objective.observed.never is None else ~objective.observed.never
    knots = coarsen_times(time[timed], weight[timed], edges)
    passed = np.append(0.0, np.cumsum(jumps))[events.passed(knots)]
    rises = np.diff(passed, prepend=0.0) > 0
    return CoxPropensity(knots[rises], passed[rises], events.is_closed)
