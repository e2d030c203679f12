"""For how long people were, or would have been, followed: a few points that stand for a cohort."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array
from whether.coarsen import coarsen_times
from whether.cohort import Cohort

# Points that stand for the follow-up of the training cohort when a propensity is averaged over it.
N_FOLLOW_UP_POINTS = 40
# People on whom their quantiles are taken at most.
MOST_FOR_QUANTILES = 20_000


def potential_follow_up(cohort: Cohort) -> Array:
    """Quantiles of the follow-up: of the potential one if it is known, else by reversing Kaplan and Meier's roles."""
    # A part of a large cohort tells its quantiles as well; features say nothing, and are not copied.
    cohort = cohort.select(np.arange(0)).thin(MOST_FOR_QUANTILES)
    shares = (np.arange(N_FOLLOW_UP_POINTS) + 0.5) / N_FOLLOW_UP_POINTS
    weight = cohort.weights
    if cohort.follow_up is not None:
        values, mass = cohort.follow_up, weight
    else:
        values, mass = cohort.required("time"), _reverse_kaplan_meier_mass(cohort, weight)
    order = np.argsort(values)
    cumulative = np.cumsum(mass[order])
    chosen = values[order][np.searchsorted(cumulative, shares * cumulative[-1])]
    return coarsen_times(values, weight, chosen)


def _reverse_kaplan_meier_mass(cohort: Cohort, weight: Array) -> Array:
    """Probability mass of the censoring time at each person's time; an event is what censors it."""
    time = cohort.required("time")
    # At equal times an event comes before a censoring, so a person censored then was still at risk.
    order = np.lexsort((~cohort.labeled, time))
    at_risk = np.cumsum(weight[order][::-1])[::-1]
    ended = ~cohort.labeled[order] * weight[order]
    remaining = np.cumprod(1 - ended / np.maximum(at_risk, 1e-300))
    mass = np.empty(cohort.n)
    mass[order] = np.concatenate([[1.0], remaining[:-1]]) - remaining
    mass[order[-1]] += remaining[-1]  # the longest observed, whatever ended it
    return mass
