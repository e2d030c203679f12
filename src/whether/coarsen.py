"""Times and limits that a model may keep: near those of people, but nobody's own."""

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


def coarse_limits(values: Array) -> tuple[float, float]:
    """Limits beyond which a value is unlike all of these; NaN where there are too few to tell.

    The range is that of all but the lowest and the highest few people, rounded outwards to its first digit. The limits
    lie as far outside as it is wide; where somebody is beyond them, twice as far, and so on. So nobody's own value can
    be had from them.

    Examples
    --------
    >>> coarse_limits(np.linspace(21.3, 88.8, 500))
    (-50.0, 160.0)
    """
    if values.size < 2 * FEWEST:
        return float("nan"), float("nan")
    ordered = np.sort(values)
    low, high = float(ordered[FEWEST - 1]), float(ordered[-FEWEST])
    if not 0 < high - low < np.inf:
        return float("nan"), float("nan")
    step = 10.0 ** np.floor(np.log10(high - low))
    low, high = float(np.floor(low / step) * step), float(np.ceil(high / step) * step)
    width = high - low
    return low - width * _doubled(low - ordered[0], width), high + width * _doubled(ordered[-1] - high, width)


def _doubled(away: float, width: float) -> float:
    """The first of 1, 2, 4, ... widths that is not less than a distance."""
    return float(2.0 ** np.ceil(np.log2(max(away / width, 1.0))))
