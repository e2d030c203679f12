"""Whether recorded event times can be trusted: heaping, mass at the end of follow-up, and two comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, poisson

from whether.advise.evidence.compared_models import compare_models
from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.label_check import check_labels_against_times
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import EventTimeFits
from whether.evaluate.bootstrap import Interval
from whether.facts import People, Personal, RestsOn

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Right times are given up only on a clear contradiction: at the usual 5 % one right cohort in twenty would lose them.
# Late, noisy and batched records are far beyond this level.
CONTRADICTED = 0.001
# The windows in which events at the end of follow-up are counted, as parts of each person's own follow-up.
LAST_PART, LAST_WINDOW = 0.02, 0.10
# Records with more distinct values than this share of the events are continuous: there is nothing to heap on.
CONTINUOUS = 0.9


@dataclass(frozen=True)
class HeapedValue:
    """An event time that stands out, and the number of events at it."""

    time: Annotated[float, RestsOn(("n_events",))]
    n_events: Annotated[int, People("events")]


@dataclass(frozen=True)
class Heaping:
    """Round numbers among the event times."""

    distinct_share: Annotated[float, RestsOn(("n_repeated",))]  #: Number of distinct event times over that of events.
    #: Share of the events in excess of their neighbours at values that stand out.
    excess_share: Annotated[float, RestsOn(("n_at_values",))]
    values: tuple[HeapedValue, ...]  #: The values that stand out, the largest excess first.
    #: Usual distance between neighbouring values, over the median event time: a coarse record has a large one.
    step: Annotated[float, Personal(2)]
    #: Events beyond the first at their time, and events at values that stand out.
    n_repeated: Annotated[int, People("events")] = field(repr=False)
    n_at_values: Annotated[int, People("events")] = field(repr=False)


@dataclass(frozen=True)
class EndMass:
    """Events recorded at the very end of a person's follow-up."""

    #: Share of the events in the last 2 % of the person's follow-up.
    share: Annotated[float, RestsOn(("n_at_end", "n_near_end"))]
    #: The same, by a straight line through the number of events in the four parts of 2 % before.
    expected: Annotated[float, RestsOn(("n_at_end", "n_near_end"))]
    #: One-sided, normal approximation. Under the null it rejects in 2.8 to 4.9 % of 250 runs at the
    #: nominal 5 % in eight worlds where enough events are near the end to be told of (`python -m benchmarks evidence
    #: levels 250 end-mass`).
    p_value: Annotated[float, RestsOn(("n_at_end", "n_near_end"))]
    n_near_end: Annotated[int, People("events")] = field(repr=False)  #: in the last 10 %
    n_at_end: Annotated[int, People("n_near_end")] = field(repr=False)  #: in the last 2 %


@dataclass(frozen=True)
class TrustEvidence:
    """Whether recorded event times can be trusted."""

    heaping: Heaping | None  #: Of exact times; None where all events are known to lie in intervals.
    #: Without potential follow-up nobody knows how long labeled people would have been followed.
    end_mass: EndMass | None
    labels: HypothesisTest  #: `check_labels_against_times`: do labels within follow-up agree with the recorded times?
    #: Comparison of mean risk by the event-time model and by the follow-up model, which needs no event times. Both are
    #: consistent if times and model are right; see `compare_models` for its level. It tests the shape of the time
    #: model, too, which is why the advice asks for 0.1 % and a difference that matters. It is not run where events are
    #: few, where more than a tenth of the expected events come after the longest follow-up, both models extrapolating,
    #: nor where features tell event times nearly without noise.
    hausman: HypothesisTest
    #: Mean risk by the event-time model minus that by the follow-up model; None where they were not compared.
    risk_difference: Interval | None

    @property
    def reading(self) -> str:
        """Whether times are "contradicted", "not contradicted" or "not checked"."""
        if not self.labels.was_run:
            return "not checked"
        return "contradicted" if self.labels.rejects(CONTRADICTED) else "not contradicted"


def examine_time_trust(material: Material, fits: EventTimeFits, rng: np.random.Generator) -> TrustEvidence | None:
    """Return the evidence on event times; None where there are none."""
    if not material.has_time:
        return None
    cohort, labeled = material.cohort, material.cohort.labeled
    time = cohort.required("time")
    exact = labeled if cohort.time_lower is None else labeled & np.isnan(cohort.time_lower)
    heaping = measure_heaping(time[exact]) if exact.any() else None
    if not material.has_follow_up:
        missing = HypothesisTest("event times agree with labels and follow-up", note="potential follow-up is unknown")
        return TrustEvidence(heaping, None, missing, missing, None)
    follow_up = cohort.required("follow_up")
    hausman, difference = compare_models(material, fits, rng)
    return TrustEvidence(
        heaping,
        measure_end_mass(time[exact], follow_up[exact]) if exact.any() else None,
        check_labels_against_times(cohort, fits),
        hausman,
        difference,
    )


def measure_heaping(event_times: Array) -> Heaping:
    """Find values with many more events than their neighbours have."""
    values, counts = np.unique(event_times, return_counts=True)
    step = float(np.median(np.diff(values)) / np.median(event_times)) if values.size > 1 else math.inf
    distinct = values.size / event_times.size
    if distinct > CONTINUOUS or values.size < 5:
        return Heaping(distinct, 0.0, (), step, event_times.size - values.size, 0)
    padded = np.pad(counts.astype(float), 3, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 7)
    local = np.median(np.delete(windows, 3, axis=1), axis=1)
    # A value stands out if its count is three times the usual one and cannot be chance, however many are looked at.
    expected = np.maximum(local, 0.5)
    stands_out = (counts > 3 * expected) & (poisson.sf(counts - 1, expected) < 0.001 / values.size)
    excess = np.where(stands_out, counts - local, 0.0)
    ranked = np.argsort(-excess, kind="stable")[: int(stands_out.sum())]
    share = float(excess.sum() / event_times.size)
    heaped = tuple(HeapedValue(float(values[i]), int(counts[i])) for i in ranked[:10])
    at_values = int(counts[stands_out].sum())
    return Heaping(distinct, share, heaped, step, event_times.size - values.size, at_values)


def measure_end_mass(event_times: Array, follow_up: Array) -> EndMass:
    """Compare events in the last part of labeled people's follow-up with a straight line through those before."""
    left = 1 - event_times / follow_up
    near = left <= LAST_WINDOW
    n_parts = round(LAST_WINDOW / LAST_PART)
    before = np.minimum((left[near] / LAST_PART).astype(int), n_parts - 1)
    counts = np.bincount(before, minlength=n_parts)
    # Events may become more or fewer towards the end: the line through the parts before it says how many to expect.
    position = np.arange(1, n_parts)
    centered = position - position.mean()
    weight = 1 / position.size - position.mean() * centered / (centered @ centered)
    expected = max(0.0, float(weight @ counts[1:]))
    error = math.sqrt(counts.mean() * (1 + weight @ weight))
    p_value = float(norm.sf((counts[0] - expected) / error)) if error > 0 else 1.0
    return EndMass(counts[0] / left.size, expected / left.size, p_value, int(near.sum()), int(counts[0]))
