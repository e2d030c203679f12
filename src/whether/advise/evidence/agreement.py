"""Whether the risks of the event-time model agree with the curves that the data show without a model.

People are put into groups by their risk under the model. In each group Kaplan and Meier's curve says, without a model,
how many have the event by the end of follow-up; the model says how many should. The test compares the events of each
group with the hazards that its people ran while they were followed, which holds whatever follow-up depends on. A risk
that does not rise along a straight line on the logit scale, or a level that is wrong for a part of the people, shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from whether.advise.evidence.hypothesis import DEATHS, NOT_EXACT, HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import EventTimeFits, ProbeFit, design_probe, event_time_candidates
from whether.advise.evidence.shape import LEAST_LEFT, cumulative_hazard, log_hazard_slopes
from whether.facts import RestsOn
from whether.propensity.survival_time import SurvivalTimePropensity
from whether.survival import kaplan_meier

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# Above so many people a part of them is compared: for as many the fit is there already.
MANY_ROWS, PART_ROWS = 20_000, 5_000
# Groups at most, and events in each at least.
MOST_GROUPS, EVENTS_PER_GROUP = 8, 20
# Part of a group that must be under observation where its curve is read: its end hangs on a few people.
LEAST_AT_RISK = 0.1


@dataclass(frozen=True)
class AgreementEvidence:
    """Whether risks by the event-time model agree with curves without a model, in groups from low to high risk."""

    #: Score test of as many events as expected in each group, the coefficients having been estimated. Under the null it
    #: rejects in 1 to 3 % of 100 runs at the nominal 5 % in three worlds, and in all of 100 where the risk is curved
    #: (`python -m benchmarks evidence levels 100 agreement`).
    test: HypothesisTest
    #: Groups that were compared; 0 where there is no test.
    n_groups: int
    #: Share with the event by Kaplan and Meier's curve minus that by the model at the same time, in the group where
    #: they differ most; NaN where there is no test.
    largest_gap: Annotated[float, RestsOn(("events",))]


def examine_agreement(material: Material, fits: EventTimeFits, *, some_died: bool = False) -> AgreementEvidence | None:
    """Return the evidence on the risks of the event-time model; None where there are no event times.

    Where some died first the model that is fitted has a part for deaths, which the probe of this test has not.
    """
    if not material.has_time:
        return None
    null, whole = "risks agree with the curves of events, group by group", material.cohort
    cohort = whole if whole.n <= MANY_ROWS else whole.thin(PART_ROWS)
    if cohort.time_lower is not None or some_died:
        return AgreementEvidence(HypothesisTest(null, note=DEATHS if some_died else NOT_EXACT), 0, math.nan)
    design = design_probe(cohort, event_time_candidates(cohort))
    if design.cohort is None:
        return AgreementEvidence(HypothesisTest(null, note=design.note), 0, math.nan)
    fit = fits.of(design.cohort)
    n_groups = min(MOST_GROUPS, fit.people.n_labeled // EVENTS_PER_GROUP)
    groups = _risk_groups(fit, n_groups) if n_groups > 1 else []
    if len(groups) < 2:
        note = "too few events" if n_groups < 2 else "everybody has the same risk"
        return AgreementEvidence(HypothesisTest(null, note=note), 0, math.nan)
    gaps = [_gap(fit, group) for group in groups]
    return AgreementEvidence(_test(fit, groups, null, design.note), len(groups), max(gaps, key=abs))


def _risk_groups(fit: ProbeFit, n_groups: int) -> list[Rows]:
    """People from the lowest to the highest risk, with about as many events in each group; equal risks together."""
    risks, n_events = fit.risks, fit.people.n_labeled
    edges = np.unique(np.quantile(risks[:n_events], np.linspace(0, 1, n_groups + 1)[1:-1]))
    group = np.searchsorted(edges, risks, side="right")
    parts = [np.flatnonzero(group == number) for number in range(edges.size + 1)]
    return [part for part in parts if np.count_nonzero(part < n_events) >= EVENTS_PER_GROUP // 2]


def _test(fit: ProbeFit, groups: list[Rows], null: str, note: str) -> HypothesisTest:
    n_events = fit.people.n_labeled
    inside = np.zeros((fit.people.n, len(groups)))
    for number, group in enumerate(groups):
        inside[group, number] = 1.0
    events = np.arange(fit.people.n) < n_events
    excess = inside * (events - _hazards(fit))[:, None]
    rise = inside[:n_events].T @ log_hazard_slopes(fit)
    # The estimated coefficients take up what they can of an excess.
    rest = excess - fit.people.influence @ rise.T
    values, vectors = eigh(rest.T @ rest, excess.T @ excess)
    kept = values > LEAST_LEFT
    if not kept.any():
        return HypothesisTest(null, note="the model fits each of the groups exactly")
    statistic = float(((vectors[:, kept].T @ excess.sum(axis=0)) ** 2 / values[kept]).sum())
    return HypothesisTest.of(null, statistic, int(kept.sum()), note)


def _hazards(fit: ProbeFit) -> Array:
    """Cumulative hazard of the event that each person ran while under observation."""
    observed, found = fit.people.observed, cumulative_hazard(fit.risks, _over(fit, fit.people.observed.end))
    return found if observed.entry is None else found - cumulative_hazard(fit.risks, _over(fit, observed.entry))


def _over(fit: ProbeFit, place: Array) -> Array:
    """Part of each one's event-time distribution that is over at a place; none at time zero, which is NaN."""
    propensity = fit.fit.propensity
    assert isinstance(propensity, SurvivalTimePropensity)
    start = np.isnan(place)
    over = 1 - np.exp(propensity.log_missed(fit.predictors[1], np.where(start, 0.0, place)).value)
    return np.where(start, 0.0, over)


def _gap(fit: ProbeFit, group: Rows) -> float:
    """Share of a group with the event by its curve minus that by the model, at the last time that enough reach."""
    observed, seen = fit.people.observed, group < fit.people.n_labeled
    # Places are logarithms of time, in a unit of their own.
    entry = None if observed.entry is None else np.exp(np.nan_to_num(observed.entry[group], nan=-np.inf))
    curve = kaplan_meier(seen, np.exp(observed.end[group]), entry=entry)
    reached = np.flatnonzero((curve.events > 0) & (curve.at_risk >= LEAST_AT_RISK * group.size))
    if not reached.size:
        return 0.0
    end, risk = curve.times[reached[-1]], fit.risks[group]
    by_model = risk * _over(fit, np.full(fit.people.n, np.log(end)))[group]
    # Whoever entered late stands for those whose event came before.
    stands = np.ones(group.size)
    if observed.entry is not None:
        stands = 1 / np.maximum(1 - risk * _over(fit, observed.entry)[group], 1e-6)
    return float(1 - curve.survival[reached[-1]] - np.average(by_model, weights=stands))
