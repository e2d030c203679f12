"""Looking back: for every step of follow-up, who was unlabeled at its start and who has turned up by its end.

A deadline that is put back by any amount leaves some people unlabeled then, each followed so far. Whether they turned
up within the next step is known for everybody whose follow-up reaches its end. Taken over all deadlines, a person
stands once in every step that was reached, and all these rows together are what a classifier learns from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.arrays import Array, Rows
from whether.coarsen import coarsen_times
from whether.cohort import Cohort
from whether.propensity import equal_event_edges

# People who must have been followed to the end of a step, or it is not looked at.
FEWEST_TO_THE_END = 5.0
# Features up to which products of all pairs are taken, and the standard deviations at which features end in them.
MOST_FOR_PRODUCTS, FAR = 11, 3.0


def step_edges(cohort: Cohort, n_steps: int) -> Array:
    """Ends of steps with about equal numbers of events, none of them one person's own time.

    Steps whose end hardly anybody reached are left out, so later events say nothing; one step is always left.
    """
    timed = cohort.without_known_negatives()
    time, weight, follow_up = timed.required("time"), timed.weights, timed.required("follow_up")
    seen = timed.labeled
    edges = equal_event_edges(time[seen], n_steps, weight[seen])
    edges = np.unique(coarsen_times(time, weight, edges))
    order = np.argsort(follow_up)
    passed = np.concatenate([[0.0], np.cumsum(weight[order])])
    reaching = passed[-1] - passed[np.searchsorted(follow_up[order], edges)]
    kept = edges[reaching >= FEWEST_TO_THE_END]
    return kept if kept.size else edges[-1:]


@dataclass(frozen=True)
class StepDesign:
    """What a learner is told of a person in a step: the features, and how far follow-up has come.

    Attributes
    ----------
    clock : ndarray of shape (K,)
        Log of the middle of each step, in spreads around their mean.
    mean, scale : ndarray of shape (d,) or None
        Of the features, where the learner is linear: it is told their squares, products and cubes, their products with
        the clock, and the step itself. None for learners that find out about curves on their own.
    """

    clock: Array
    mean: Array | None = None
    scale: Array | None = None

    @classmethod
    def of(cls, cohort: Cohort, edges: Array, *, is_linear: bool) -> StepDesign:
        """Return the design for the people of a cohort."""
        middle = np.log(edges) + np.log(np.concatenate([[0.5], edges[:-1] / edges[1:]])) / 2
        clock = (middle - middle.mean()) / max(float(middle.std()), 1e-12)
        if not is_linear:
            return cls(clock)
        mean = np.average(cohort.features, axis=0, weights=cohort.weight)
        scale = np.sqrt(np.average((cohort.features - mean) ** 2, axis=0, weights=cohort.weight))
        return cls(clock, mean, np.where(scale > 0, scale, 1.0))

    def columns(self, features: Array, step: Rows) -> Array:
        """Columns of people in the steps given, one for each person."""
        clock = self.clock[step][:, None]
        if self.mean is None:
            return np.column_stack([features, clock])
        z = np.clip((features - self.mean) / self.scale, -FAR, FAR)
        of_step = np.eye(self.clock.size)[step][:, 1:]
        first, second = np.triu_indices(z.shape[1]) if z.shape[1] <= MOST_FOR_PRODUCTS else (np.arange(z.shape[1]),) * 2
        products = z[:, first] * z[:, second]
        return np.column_stack([of_step, z, clock * z, products, clock**2 * z, clock * z**2, z**3])


def person_steps(cohort: Cohort, edges: Array, design: StepDesign) -> Cohort:
    """Cohort with a row for each step in which a person was unlabeled at the start and followed to the end.

    Who turned up in the step is labeled. Rows of a person stay together: they are a group.
    """
    follow_up, time = cohort.required("follow_up"), cohort.required("time")
    starts = np.concatenate([[0.0], edges[:-1]])
    turned_up = np.where(cohort.labeled, time, np.inf)
    present = (follow_up[:, None] >= edges) & (turned_up[:, None] > starts)
    person, step = np.nonzero(present)
    columns = design.columns(cohort.features[person], step)
    groups = np.arange(cohort.n) if cohort.groups is None else cohort.groups
    return Cohort(
        columns,
        turned_up[person] <= edges[step],
        tuple(f"column {number}" for number in range(columns.shape[1])),
        weight=None if cohort.weight is None else cohort.weight[person],
        groups=np.unique(groups[person], return_inverse=True)[1],
    )


