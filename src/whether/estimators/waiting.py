"""Chances of people who have been without the event for some time, from the predictors of a model of times."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array
from whether.family import Family
from whether.propensity import Propensity


def chance_still(family: Family, propensity: Propensity, eta: Array, v: Array, waited: Array) -> Array:
    """Probability that the event is still to come to people without it, and alive, after they waited."""
    return family.posterior(eta, propensity.log_missed(v, propensity.locate(waited)).value)


def chance_within(family: Family, propensity: Propensity, eta: Array, v: Array, waited: Array, end: Array) -> Array:
    """Probability of the event up to ``end``, which may be infinite, for people without it after they waited."""
    still, ends = chance_still(family, propensity, eta, v, waited), np.isfinite(end)
    last = np.where(ends, log_without(family, propensity, eta, v, np.where(ends, end, 1.0)), -np.inf)
    with np.errstate(invalid="ignore"):  # nothing is left to come
        fallen = np.minimum(last - log_without(family, propensity, eta, v, waited), 0.0)
    return np.where(still > 0, -still * np.expm1(fallen), 0.0)


def log_without(family: Family, propensity: Propensity, eta: Array, v: Array, time: Array) -> Array:
    """Log probability that a positive has no event up to ``time``."""
    return family.log_missed(eta, np.asarray(propensity.log_left(v, propensity.locate(time))))
