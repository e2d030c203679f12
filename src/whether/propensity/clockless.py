"""Propensities that need no times: none (e = 1), known for all or for each, a logistic function of features."""

from typing import Any, ClassVar

import numpy as np

from whether.arrays import Array
from whether.distributions import softplus_expit
from whether.propensity.base import Propensity, Terms
from whether.validate import check_share


class Certain(Propensity):
    """Every positive is seen: e = 1. Logistic regression on the labels."""

    predictors = ()
    sloped = ()

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log 1."""
        return _constant(0.0, observed)

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log 0: an unlabeled person is negative."""
        return _constant(-np.inf, observed)


class KnownFrequency(Propensity):
    """A share of the positives is seen that is known, and the same for all: e = c."""

    predictors = ()
    sloped = ()

    def __init__(self, label_frequency: float) -> None:
        self.label_frequency = check_share(label_frequency, "label_frequency")

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log c."""
        return _constant(float(np.log(self.label_frequency)), observed)

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log(1 - c)."""
        with np.errstate(divide="ignore"):
            return _constant(float(np.log1p(-self.label_frequency)), observed)


class KnownPropensity(Propensity):
    """The chance to be seen is known for everybody, and stands where follow-up does.

    It is follow-up on a clock on which the events of positives come evenly between 0 and 1.
    """

    predictors = ()
    sloped = ()
    needs_follow_up: ClassVar[bool] = True

    def locate(self, time: Array) -> Array:
        """The chance itself."""
        return time

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log of the chance."""
        return _constant(np.log(observed), observed)

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log of what it lacks to 1."""
        with np.errstate(divide="ignore"):
            return _constant(np.log1p(-observed), observed)


class LogisticPropensity(Propensity):
    """The propensity is expit of one predictor: a constant (SCAR), or with slopes on a subset of the features (SAR)."""

    predictors = ("propensity",)

    def __init__(self, sloped: bool) -> None:
        self.sloped = (sloped,)

    def log_seen(self, v: Array, observed: Array) -> Terms:
        """Log expit(v)."""
        softplus, missed = softplus_expit(-v[0])
        return Terms(-softplus, missed[None], (-missed * (1 - missed))[None, None])

    def log_missed(self, v: Array, observed: Array) -> Terms:
        """Log expit(-v)."""
        softplus, seen = softplus_expit(v[0])
        return Terms(-softplus, -seen[None], (-seen * (1 - seen))[None, None])

    def parameters(self) -> dict[str, Any]:
        """Whether it has slopes."""
        return {"sloped": self.sloped[0]}


def _constant(value: float | Array, observed: Array) -> Terms:
    n = observed.shape[-1]
    return Terms(np.full(n, value), np.zeros((0, n)), np.zeros((0, 0, n)))
