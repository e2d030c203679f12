"""Solve for the constants that give a world the rates it states.

The records store the solutions: solving anew for each cohort would tie every
cohort's constants to its own draws and make the stated rates exact by force.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import qmc

from whether.simulation.streams import FloatArray
from whether.simulation.truth import true_outcome_proba, true_propensity
from whether.simulation.worlds import FEATURE_DISTRIBUTION, World

_N_SIGNAL_FEATURES = 4
_LOG2_SAMPLE_SIZE = 17
_SEARCH_RANGE = (-15.0, 15.0)


def calibrate(world: World) -> World:
    """Return a world, whose signals read the first four features only, with its constants solved for its rates.

    The intercept of the outcome is solved for the stated share of positives, then the shift of follow-up for the stated
    share of positives not labeled. A constant whose rate is not stated is left alone. The sample is a fixed set of
    evenly spread points, so the result is the same each time.
    """
    X = _evenly_spread_features()

    def positive_rate(intercept: float) -> float:
        return float(np.mean(true_outcome_proba(replace(world, outcome_intercept=intercept), X)))

    def label_rate(shift: float) -> float:
        weights = true_outcome_proba(world, X)
        return float(np.average(true_propensity(replace(world, censoring_shift=shift), X), weights=weights))

    if world.positive_rate is not None:
        world = replace(world, outcome_intercept=_solve(positive_rate, world.positive_rate))
    if world.censoring_rate is not None:
        # The rate of labels rises with the shift; that of censoring falls.
        world = replace(world, censoring_shift=_solve(label_rate, 1.0 - world.censoring_rate))
    return world


@lru_cache(maxsize=1)
def _evenly_spread_features() -> FloatArray:
    """Return a large fixed sample of the features that signals read."""
    points = qmc.Sobol(_N_SIGNAL_FEATURES, scramble=False).random_base2(_LOG2_SAMPLE_SIZE)
    # The points start at the corner zero; half a step centers them.
    return FEATURE_DISTRIBUTION.quantile(points + 0.5 ** (_LOG2_SAMPLE_SIZE + 1))


def _solve(rate: Callable[[float], float], target: float) -> float:
    """Return the constant at which an increasing rate meets its target."""
    return float(brentq(lambda value: rate(value) - target, *_SEARCH_RANGE, xtol=1e-6))
