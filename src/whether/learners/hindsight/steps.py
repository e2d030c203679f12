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
from whether.facts import FEWEST
from whether.propensity import equal_event_edges

# People who must have been followed to the end of a step, or it is not looked at.
FEWEST_TO_THE_END = 5.0
# Bins of a step at most, and how far before a time that many events share a bin ends.
BINS_PER_STEP, JUST_BEFORE = 8, 1e-3
SMALLEST_SHARE = 1e-6
# Features up to which powers and products of them are taken, and the standard deviations at which they end there.
MOST_FOR_CURVES, FAR = 11, 3.0


@dataclass(frozen=True)
class Steps:
    """Steps of follow-up, each of one or more bins in which events come alike for everybody.

    The steps are what a classifier tells apart, and so have to be few. The bins say when within a step events come:
    all at its end, where there is a gap before it or a date on which they are recorded.

    Attributes
    ----------
    bins : ndarray of shape (m,)
        Upper ends of the bins.
    step : ndarray of int of shape (m,)
        Step that each belongs to.
    log_share : ndarray of shape (m,)
        Log share of a step's events that come in the bin.
    """

    bins: Array
    step: Rows
    log_share: Array

    @property
    def edges(self) -> Array:
        """Ends of the steps."""
        return np.asarray(self.bins[np.flatnonzero(np.diff(self.step, append=self.step[-1] + 1))])

    @classmethod
    def of(cls, cohort: Cohort, n_steps: int) -> Steps:
        """Cut the follow-up of a cohort into steps with about equal numbers of events.

        None ends at one person's own time. What hardly anybody was followed to is left out, so later events say
        nothing; one step is always left.
        """
        timed = cohort.without_known_negatives()
        bins = _bin_edges(timed, n_steps)
        came = _share_by_bin(timed, bins)
        # A bin without events is no step: it goes with the next in which they come.
        filled = np.flatnonzero(came > 2 * SMALLEST_SHARE * came.sum())
        following = np.minimum(np.searchsorted(filled, np.arange(bins.size)), filled.size - 1)
        middle = (np.cumsum(came) - came / 2)[filled[following]]
        step = np.unique(np.floor(n_steps * middle / came.sum()), return_inverse=True)[1]
        return cls(bins, step, np.log(came / np.bincount(step, weights=came)[step]))


def _bin_edges(cohort: Cohort, n_steps: int) -> Array:
    """Ends of bins with about equal numbers of events, and just before times that many of them share."""
    time, weight, follow_up = cohort.required("time"), cohort.weights, cohort.required("follow_up")
    seen = cohort.labeled
    # A group of people in each: nobody's event is a bin of its own.
    n_bins = int(np.clip(weight[seen].sum() / FEWEST, 2, BINS_PER_STEP * n_steps))
    ends = equal_event_edges(time[seen], n_bins, weight[seen])
    at_once = np.array([weight[seen & (time == end)].sum() for end in ends]) >= FEWEST
    edges = np.unique(np.concatenate([coarsen_times(time, weight, ends), (1 - JUST_BEFORE) * ends[at_once]]))
    order = np.argsort(follow_up)
    passed = np.concatenate([[0.0], np.cumsum(weight[order])])
    reaching = passed[-1] - passed[np.searchsorted(follow_up[order], edges)]
    kept = edges[reaching >= FEWEST_TO_THE_END]
    return kept if kept.size else edges[-1:]


def _share_by_bin(cohort: Cohort, bins: Array) -> Array:
    """Probability that the event comes in each bin, whoever it is; next to nothing where none came."""
    weight, follow_up = cohort.weights, cohort.required("follow_up")
    turned_up = np.where(cohort.labeled, cohort.required("time"), np.inf)
    left, came, start = 1.0, np.empty(bins.size), 0.0
    for position, end in enumerate(bins):
        there = weight * ((follow_up >= end) & (turned_up > start))
        hazard = float(there @ (turned_up <= end)) / max(float(there.sum()), 1e-300)
        came[position], left, start = left * hazard, left * (1 - hazard), end
    return np.maximum(came, SMALLEST_SHARE * max(float(came.sum()), SMALLEST_SHARE))


@dataclass(frozen=True)
class StepDesign:
    """What a learner is told of a person in a step: the features, how far follow-up has come, and curves of both.

    Attributes
    ----------
    clock : ndarray of shape (K,)
        Log of the middle of each step, in spreads around their mean.
    curved : ndarray of int or None
        Features of which there are products with the clock and, if they are few, squares, products and cubes; and the
        step itself. A linear model, on which trees start too, needs them. None for learners that find out about curves
        on their own.
    mean, scale : ndarray
        Of these features.
    """

    clock: Array
    curved: Rows | None = None
    mean: Array | None = None
    scale: Array | None = None

    @classmethod
    def of(cls, cohort: Cohort, edges: Array, curved: Rows | None) -> StepDesign:
        """Return the design for the people of a cohort."""
        middle = np.log(edges) + np.log(np.concatenate([[0.5], edges[:-1] / edges[1:]])) / 2
        clock = (middle - middle.mean()) / max(float(middle.std()), 1e-12)
        if curved is None:
            return cls(clock)
        features = cohort.features[:, curved]
        weight = cohort.weights[:, None] * ~np.isnan(features)
        total = np.maximum(weight.sum(axis=0), 1e-300)
        mean = (weight * np.nan_to_num(features)).sum(axis=0) / total
        scale = np.sqrt((weight * np.nan_to_num(features - mean) ** 2).sum(axis=0) / total)
        return cls(clock, curved, mean, np.where(scale > 0, scale, 1.0))

    def columns(self, features: Array, step: Rows) -> Array:
        """Columns of people in the steps given, one for each person; the features, as they are, come first."""
        clock = self.clock[step][:, None]
        if self.curved is None or self.mean is None or self.scale is None:
            return np.column_stack([features, clock])
        z = np.clip(np.nan_to_num((features[:, self.curved] - self.mean) / self.scale), -FAR, FAR)
        of_step = np.eye(self.clock.size)[step][:, 1:]
        common = [features, clock, of_step, clock * z]
        if z.shape[1] > MOST_FOR_CURVES:
            return np.column_stack(common)
        first, second = np.triu_indices(z.shape[1])
        return np.column_stack([*common, z[:, first] * z[:, second], clock**2 * z, clock * z**2, z**3])


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
