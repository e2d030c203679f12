"""Times that a model may keep: near those of people, but nobody's own."""

import numpy as np

from whether.arrays import Array
from whether.facts import FEWEST

# Steps of the logarithm to which others are raised: three digits, whatever the unit.
STEP = 1e-3


def coarsen_times(times: Array, weight: Array, chosen: Array) -> Array:
    """Raise some of everybody's times to a grid of three digits, except what a group of people share.

    The grid is anchored at the mean of the logarithms, so that the unit of time does not matter.

    Examples
    --------
    >>> coarsen_times(np.array([1.0, 2.0, 4.0]), np.ones(3), np.array([4.0])).round(4).tolist()
    [4.0034]
    """
    anchor = float(np.average(np.log(times), weights=weight))
    raised = np.exp(anchor + STEP * (np.floor(np.round((np.log(chosen) - anchor) / STEP, 6)) + 1))
    known, place = np.unique(times, return_inverse=True)
    people = np.bincount(place, weights=weight)
    shared = people[np.searchsorted(known, chosen)] >= FEWEST
    return np.where(shared, chosen, raised)
