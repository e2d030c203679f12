"""Whether event times have the shape that the event-time model gives them: observed against expected events.

For each person the model says how the event-free share falls with the part u = F(t | x) of the event-time distribution
that is over: S = 1 - p u. Events in bins of u are compared with the hazards that people ran there while they were
followed. A wrong residual distribution puts events into the wrong bins, whatever the features and the follow-up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from whether.advise.evidence.hypothesis import NOT_EXACT, HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import EventTimeFits, ProbeFit, design_probe, event_time_candidates
from whether.likelihood import Likelihood
from whether.propensity.survival_time import SurvivalTimePropensity

Array = NDArray[np.float64]

# Rows on which the test is made at most.
MOST_ROWS = 20_000
# Bins at most, and events in each at least.
MOST_BINS, EVENTS_PER_BIN = 5, 20
# Residual spread, in that of log times, below which the features say when the event comes: there is no shape to test.
NO_NOISE = 0.01
# Part of the variance of an excess that the coefficients must leave for it to say anything.
LEAST_LEFT = 0.05


@dataclass(frozen=True)
class ShapeEvidence:
    """Whether the residual distribution of the event-time model fits."""

    #: Score test of as many events as expected in each bin of u, the coefficients having been estimated. Under the null
    #: it rejects in 2.4 to 6.0 % of 250 runs at the nominal 5 % in eleven worlds (`python -m benchmarks evidence levels
    #: 250 shape`).
    test: HypothesisTest
    #: Half the sum of differences between observed and expected events over the number of events: the share of events
    #: that come when the model does not expect them. NaN where there is no test.
    misplaced_share: float
    distribution: str  #: The residual distribution, chosen by likelihood.


def examine_shape(material: Material, fits: EventTimeFits) -> ShapeEvidence | None:
    """Return the evidence on the shape of event times; None where there are none."""
    if not material.has_time:
        return None
    cohort = material.cohort.thin(MOST_ROWS)
    design = design_probe(cohort, event_time_candidates(cohort))
    null = "event times have the shape of the event-time model"
    if cohort.time_lower is not None:
        return ShapeEvidence(HypothesisTest(null, note=NOT_EXACT), math.nan, "no fit")
    if design.cohort is None:
        return ShapeEvidence(HypothesisTest(null, note=design.note), math.nan, "no fit")
    fit = fits.of(design.cohort)
    n_bins = min(MOST_BINS, int(np.count_nonzero(design.cohort.labeled)) // EVENTS_PER_BIN)
    if n_bins < 2:
        return ShapeEvidence(HypothesisTest(null, note="too few events"), math.nan, fit.distribution)
    if fit.noise < NO_NOISE:
        note = "the features say when the event comes, but for less than a hundredth of the spread"
        return ShapeEvidence(HypothesisTest(null, note=note), math.nan, fit.distribution)
    excess, rise = _excess_events(fit, n_bins)
    total = excess.sum(axis=0)
    # The estimated coefficients take up what they can of an excess.
    rest = excess - fit.people.influence @ rise.T
    values, vectors = eigh(rest.T @ rest, excess.T @ excess)
    kept = values > LEAST_LEFT
    statistic = float(((vectors[:, kept].T @ total) ** 2 / values[kept]).sum())
    misplaced = float(np.abs(total).sum() / 2 / np.count_nonzero(design.cohort.labeled))
    return ShapeEvidence(HypothesisTest.of(null, statistic, int(kept.sum()), design.note), misplaced, fit.distribution)


def _excess_events(fit: ProbeFit, n_bins: int) -> tuple[Array, Array]:
    """Observed minus expected events of each person in bins of u with as many events each, and how they answer.

    The second is the slope of the sum of expected events in the coefficients, one row per bin: that of the log hazard,
    summed over the events themselves.
    """
    propensity = fit.fit.propensity
    assert isinstance(propensity, SurvivalTimePropensity)
    observed, v = fit.people.observed, fit.predictors[1]
    over = 1 - np.exp(propensity.log_missed(v, observed.end).value)
    n_events = fit.people.n_labeled
    edges = np.quantile(over[:n_events], np.linspace(0, 1, n_bins + 1))
    edges[0], edges[-1] = 0.0, 1.0
    hazard = cumulative_hazard(fit.risks, np.minimum(over, edges[1:, None]))
    if observed.entry is not None:  # what was over at entry nobody ran
        place = np.where(np.isnan(observed.entry), 0.0, observed.entry)
        entered = np.where(np.isnan(observed.entry), 0.0, 1 - np.exp(propensity.log_missed(v, place).value))
        hazard -= cumulative_hazard(fit.risks, np.minimum(entered, edges[1:, None]))
    bins = np.clip(np.searchsorted(edges, over[:n_events], side="left") - 1, 0, n_bins - 1)
    here = (bins == np.arange(n_bins)[:, None]).astype(float)
    excess = -np.diff(hazard, axis=0, prepend=0.0).T
    excess[:n_events] += here.T
    return excess, here @ log_hazard_slopes(fit)


def cumulative_hazard(risk: Array, over: Array) -> Array:
    """Cumulative hazard of the event where a part of the event-time distribution is over."""
    return np.asarray(-np.log1p(-np.minimum(risk * over, 1 - 1e-12)))


def log_hazard_slopes(fit: ProbeFit) -> Array:
    """Gradient in the coefficients of the log hazard of each event: of its density less that of surviving so far."""
    n, layout, likelihood = fit.people.n_labeled, fit.fit.predictor.layout, Likelihood(fit.fit.propensity)
    (eta, v), observed = fit.predictors, fit.people.observed.take(slice(0, fit.people.n_labeled))
    density, survival = (
        likelihood.terms(eta[:n], v[:, :n], observed, labeled=labeled).gradient for labeled in (True, False)
    )
    by_predictor, x = density - survival, fit.people.features[:n]
    shared = by_predictor[list(layout.sloped)].sum(axis=0)[:, None] * x[:, : layout.n_shared]
    return np.hstack([by_predictor.T, by_predictor[0][:, None] * x, shared])
