"""A cured share and a distribution of event times for everybody alike: the models behind the RECeUS ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from whether.advise.evidence.probes import in_units_of
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.facts import RestsOn
from whether.likelihood import Likelihood
from whether.propensity import EventTimePropensity, FollowUpPropensity, Propensity, TwoSidedPropensity

Array = NDArray[np.float64]

# More rows than this add nothing to a model of three numbers.
MOST_ROWS = 20_000
# Distributions of event times, and of the times of death of those who never have the event.
DISTRIBUTION_NAMES, DEATH_NAMES = ("exponential", "weibull", "lognormal", "loglogistic"), ("weibull", "loglogistic")
# What is taken for zero, and the widest interval of a logarithm that an exponential can take.
SMALLEST, LONGEST = 1e-300, 700.0


@dataclass(frozen=True)
class CureFraction:
    """Share that never has the event, and how much of the rest is still to come when follow-up ends."""

    distribution: str  #: The one with the smallest AIC, with a cured share or without.
    #: Share that never has the event; 0 where a model without it was chosen.
    cured: Annotated[float, RestsOn(("events",))]
    #: Of those event-free at the end of the longest follow-up, ``S_u / S``: the survival of those who will have the
    #: event over that of everybody.
    ratio: float
    #: Share of those who will have the event whose event comes after the longest follow-up, ``S_u``.
    unseen: Annotated[float, RestsOn(("events",))]
    #: Standard error of the logarithm of the ratio; NaN where the model has no cured share, or where the ratio is zero
    #: but for rounding and has no slope.
    log_ratio_error: float
    #: Whether people were seen never to have the event, by dying first, say: the event-free are then not all open.
    sees_negatives: bool = False

    @property
    def ratio_limits(self) -> tuple[float, float]:
        """95 % interval of the ratio; NaN where it is not known."""
        if math.isnan(self.log_ratio_error):
            return math.nan, math.nan
        width = min(1.96 * self.log_ratio_error, LONGEST)
        return self.ratio * math.exp(-width), min(1.0, self.ratio * math.exp(width))

    @property
    def highest(self) -> float:
        """Share with the event if the ratio were at its upper limit: the most that the curve of events leaves open."""
        if self.sees_negatives and self.ratio > 0:
            later = (1 - self.cured) * self.unseen
            return float(np.fmin(np.fmax(later * (self.ratio_limits[1] / self.ratio - 1), 0.0) + 1 - self.cured, 1.0))
        event_free = self.cured + (1 - self.cured) * self.unseen  # at the end of the longest follow-up
        return float(np.fmax(1 - event_free * (1 - self.ratio_limits[1]), 1 - self.cured))


def estimate_cure_fraction(cohort: Cohort, *, from_labels: bool = False) -> CureFraction:
    """Fit parametric models with and without a cured share and keep the one with the smallest AIC.

    They read event or censoring times; with `from_labels`, everybody's potential follow-up, and all that is used of the
    event is whether it fell within. Where negatives are seen, by dying or otherwise, some share never has the event;
    when they die has a distribution of its own.
    """
    recorded = cohort.required("follow_up" if from_labels else "time")
    step = -(-recorded.size // MOST_ROWS)
    part = cohort.take(np.argsort(recorded, kind="stable")[::step])
    # The longest follow-up stays in: the question is what happens after it.
    longest = float(recorded.max())
    kind = FollowUpPropensity if from_labels else EventTimePropensity
    times = part.required("follow_up" if from_labels else "time")
    candidates: list[Propensity] = [*in_units_of(times, kind, DISTRIBUTION_NAMES)]
    if part.competing is not None:
        deaths = in_units_of(times, kind, DEATH_NAMES)
        candidates = [
            TwoSidedPropensity(one, other) for one in in_units_of(times, kind, DISTRIBUTION_NAMES) for other in deaths
        ]
    # Labels alone cannot tell a share without the event from a shape of the times: a cured share is assumed.
    is_certain = from_labels or part.seen_negative is not None
    fits = [_Fit(one, part, cured) for one in candidates for cured in ((True,) if is_certain else (True, False))]
    return min(fits, key=lambda fit: fit.aic).read(longest)


class _Fit:
    """Maximum likelihood of (logit of the share with the event, location, log scale) by L-BFGS."""

    def __init__(self, propensity: Propensity, cohort: Cohort, cured: bool) -> None:
        self.propensity, self.cured = propensity, cured
        observed, labeled = propensity.observe(cohort), cohort.labeled
        self.likelihood = Likelihood(propensity)
        self.rows = tuple((seen, observed.take(np.flatnonzero(labeled == seen))) for seen in (True, False))
        self.n, self.sees_negatives = cohort.n, observed.never is not None
        start = propensity.start(observed.end[labeled])
        bounds = [(-7.0, 4.0) if "scale" in name else (-20.0, 20.0) for name in propensity.predictors]
        if cured:
            start, bounds = np.concatenate([[0.0], start]), [(-15.0, 15.0), *bounds]
        result: Any = minimize(self._value, start, jac=True, method="L-BFGS-B", bounds=bounds)
        self.parameters: Array = np.asarray(result.x, dtype=float)
        self.aic = 2 * self.parameters.size + 2 * self.n * float(result.fun)

    def _value(self, parameters: Array) -> tuple[float, Array]:
        value, gradient = 0.0, np.zeros(parameters.size)
        for labeled, observed in self.rows:
            eta = np.full(observed.n, parameters[0]) if self.cured else None
            v = np.repeat(parameters[int(self.cured) :, None], observed.n, axis=1)
            terms = self.likelihood.terms(eta, v, observed, labeled=labeled)
            value -= float(terms.value.sum())
            gradient -= terms.gradient.sum(axis=1)
        return value / self.n, gradient / self.n

    def _tail(self, parameters: Array, longest: float) -> tuple[float, float]:
        """Share without the event, and survival of the others at the longest follow-up."""
        share = float(softplus_expit(parameters[:1])[1][0]) if self.cured else 1.0
        v = parameters[int(self.cured) :, None]
        later = self.propensity.log_left(v, self.propensity.locate(np.array([longest])))[0]
        return 1 - share, float(np.exp(later))

    def _log_ratio(self, parameters: Array, longest: float) -> float:
        cured, later = self._tail(parameters, longest)
        return float(np.log(max(later, SMALLEST)) - np.log(max(cured + (1 - cured) * later, SMALLEST)))

    def read(self, longest: float) -> CureFraction:
        """Return the cured share and the ratio at the end of the longest follow-up."""
        cured, later = self._tail(self.parameters, longest)
        if not self.cured:
            return CureFraction(self.propensity.name, 0.0, 1.0, later, math.nan)
        error = self._delta_method(longest) if later > SMALLEST else math.nan
        ratio = float(np.exp(self._log_ratio(self.parameters, longest)))
        return CureFraction(self.propensity.name, cured, ratio, later, error, self.sees_negatives)

    def _delta_method(self, longest: float) -> float:
        steps = [(self.parameters + step, self.parameters - step) for step in 1e-4 * np.eye(self.parameters.size)]
        information = self.n * np.array([self._value(up)[1] - self._value(down)[1] for up, down in steps]) / 2e-4
        rise = [self._log_ratio(up, longest) - self._log_ratio(down, longest) for up, down in steps]
        slope = np.array(rise) / 2e-4
        variance = float(slope @ np.linalg.lstsq((information + information.T) / 2, slope, rcond=1e-10)[0])
        return math.sqrt(variance) if variance > 0 else math.nan
