"""Propensities that need no times: none (e = 1), a known constant, a logistic function of features."""

from typing import Any

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


def _constant(value: float, observed: Array) -> Terms:
    n = observed.shape[-1]
    return Terms(np.full(n, value), np.zeros((0, n)), np.zeros((0, 0, n)))
