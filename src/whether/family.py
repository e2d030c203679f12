"""Families of "ever": what the outcome's predictor says about the event happening at all.

A family is one function, ``never``: the probability that the event never happens to a person with the predictor eta.
Time enters both in the same way. To a person without the event up to t the predictor has fallen by what a time
distribution S has used up by then:

    Pr(event still to come | none up to t) = 1 - never(eta + log S(t))
    Pr(no event up to t)                   = never(eta) / never(eta + log S(t))

In the *mixture* a person is positive or not: never = 1 / (1 + e^eta), S is the survival function of positives, and the
second line is 1 - p + p S(t). In the *promotion-time* model the event has hidden causes, Poisson many with mean
theta = e^eta, each with a time drawn from one distribution, and the first of them is the event: never = exp(-theta),
and the second line is exp(-theta F(t)) with F = 1 - S. What raises theta makes the event likelier and brings it
forward.

A third one is for labels without times: the predictor is the logit of a label, from which the risk is read off.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from whether.arrays import Array
from whether.distributions import DISTRIBUTIONS, Jet, ResidualDistribution, softplus_expit


class Family(ABC):
    """What the outcome's predictor says about the event ever happening."""

    name: ClassVar[str]
    ratio_kind: ClassVar[str]  # what the exponential of an outcome slope means
    # The event happens to people whose predictor exceeds a draw from this distribution.
    threshold: ClassVar[ResidualDistribution]

    def __eq__(self, other: object) -> bool:
        # By what they are: a journey to another process makes another object of a family.
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def log_never(self, x: Array) -> Jet:
        """Log probability that the event never happens, with two derivatives."""
        return self.threshold.log_survival(x)

    def log_ever(self, x: Array) -> Jet:
        """Log probability that the event happens at some time, with two derivatives."""
        return self.threshold.log_cdf(x)

    def probability(self, x: Array) -> tuple[Array, Array]:
        """Probability that the event ever happens, and its slope."""
        never = self.log_never(x)
        return -np.expm1(never.value), -np.exp(never.value) * never.first

    def posterior(self, eta: Array, log_missed: Array) -> Array:
        """Probability that the event is still to come to a person who was not seen to have it."""
        return self.probability(eta + log_missed)[0]

    def posterior_slope(self, eta: Array, log_missed: Array) -> Array:
        """Slope of that probability in eta."""
        return self.probability(eta + log_missed)[1]

    def log_unseen(self, before: Jet, after: Jet, log_missed: Array) -> Jet:
        """Log probability of no event so far, with derivatives in eta, from ``log_never`` before and after waiting."""
        return Jet(before.value - after.value, before.first - after.first, before.second - after.second)

    @abstractmethod
    def log_odds(self, x: Array) -> Array:
        """Log odds of the event ever happening."""

    @abstractmethod
    def from_log_odds(self, log_odds: Array) -> Array:
        """Return the predictor at which the log odds are these."""

    @abstractmethod
    def log_missed(self, eta: Array, log_missed: Array) -> Array:
        """Log probability that a positive was missed, from that of the time distribution."""


class Mixture(Family):
    """A person is positive or not; the predictor is the logit of being so."""

    name = "mixture"
    ratio_kind = "odds ratio"
    threshold = DISTRIBUTIONS["loglogistic"]

    def probability(self, x: Array) -> tuple[Array, Array]:
        """Expit, and its slope."""
        p = softplus_expit(x)[1]
        return p, p * (1 - p)

    def log_odds(self, x: Array) -> Array:
        """The predictor itself."""
        return x

    def from_log_odds(self, log_odds: Array) -> Array:
        """The log odds themselves."""
        return log_odds

    def log_missed(self, eta: Array, log_missed: Array) -> Array:
        """That of the time distribution, which is the positives' own."""
        return log_missed


class PromotionTime(Family):
    """Hidden causes, Poisson many, of which the first is the event; the predictor is the log of their mean number."""

    name = "promotion time"
    ratio_kind = "rate ratio"
    threshold = DISTRIBUTIONS["exponential"]

    def log_unseen(self, before: Jet, after: Jet, log_missed: Array) -> Jet:
        """Minus theta F: where causes are many and hardly one is due, a difference would be lost in rounding."""
        due = -np.expm1(log_missed)
        return Jet(before.value * due, before.first * due, before.second * due)

    def log_odds(self, x: Array) -> Array:
        """Log(e^theta - 1)."""
        return np.asarray(self.log_ever(x).value - self.log_never(x).value)

    def from_log_odds(self, log_odds: Array) -> Array:
        """Log(-log(1 - p)), which is the log of softplus."""
        # Far below zero softplus is the exponential of its argument, and would underflow.
        return np.where(log_odds < -30, log_odds, np.log(softplus_expit(np.maximum(log_odds, -30.0))[0]))

    def log_missed(self, eta: Array, log_missed: Array) -> Array:
        """Not all causes of a positive need come late for it: by Bayes, how far the log odds fall."""
        return np.minimum(self.log_odds(eta + log_missed) - self.log_odds(eta), 0.0)


class Proportional(Family):
    """The propensity is k times the risk p, so that a label has the probability k p^2; the predictor is its logit.

    Labels tell that probability and nothing else, so it is fitted to them as it is, and p = sqrt(Pr(label) / k) is read
    off. Where that exceeds 1 the risk is as good as 1, and still rises with the predictor: no two people swap places.
    """

    name = "proportional"
    ratio_kind = "odds ratio"
    threshold = DISTRIBUTIONS["loglogistic"]
    doubt = 1e-6  # what is left of doubt about the surest

    def __init__(self, highest_propensity: float) -> None:
        self.highest_propensity = highest_propensity

    def probability(self, x: Array) -> tuple[Array, Array]:
        """The root of Pr(label) / k, and its slope."""
        label, k = softplus_expit(x)[1], self.highest_propensity
        root = (1 - self.doubt) * np.sqrt(label / k)
        is_sure, rest = label >= k, self.doubt / max(1 - k, 1e-12)
        p = np.where(is_sure, 1 - rest * (1 - label), root)
        return p, np.where(is_sure, rest * label * (1 - label), 0.5 * root * (1 - label))

    def posterior(self, eta: Array, log_missed: Array) -> Array:
        """By Bayes, from the probability that a positive was missed."""
        return softplus_expit(self.log_odds(eta) + log_missed)[1]

    def posterior_slope(self, eta: Array, log_missed: Array) -> Array:
        """Slope of (p - Pr(label)) / (1 - Pr(label)), which is what the posterior is."""
        (p, slope), label = self.probability(eta), softplus_expit(eta)[1]
        return np.asarray((slope - label * (1 - p)) / np.maximum(1 - label, 1e-12))

    def log_odds(self, x: Array) -> Array:
        """Of the risk."""
        p = self.probability(x)[0]
        return np.asarray(np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(1 - p, 1e-16)))

    def from_log_odds(self, log_odds: Array) -> Array:
        """Logit of k p^2."""
        label = self.highest_propensity * (softplus_expit(log_odds)[1] / (1 - self.doubt)) ** 2
        return np.asarray(np.log(np.maximum(label, 1e-300)) - np.log1p(-np.minimum(label, 1 - 1e-16)))

    def log_missed(self, eta: Array, log_missed: Array) -> Array:
        """Log(1 - Pr(label) / p)."""
        share = softplus_expit(eta)[1] / np.maximum(self.probability(eta)[0], 1e-300)
        return np.log1p(-np.minimum(share, 1 - 1e-16))


MIXTURE, PROMOTION_TIME = Mixture(), PromotionTime()
