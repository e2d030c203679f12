"""What can be said without any restriction: how many people there are, and bounds on the risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from whether.advise.evidence.material import Material
from whether.advise.evidence.watched import event_curve
from whether.cohort import Cohort
from whether.facts import FEWEST, People, Personal, RestsOn
from whether.learners import LinearLearner, Task
from whether.propensity import Certain

Array = NDArray[np.float64]

# The people most likely to be labeled: this share of all, and not fewer than this number.
TOP_SHARE, FEWEST_AT_TOP = 0.05, 40


@dataclass(frozen=True)
class CountEvidence:
    """How much there is to learn from."""

    n: int
    n_events: Annotated[int, People("people")]
    n_features: int
    #: Events over the number of coefficients of a model with all features in both parts.
    events_per_parameter: Annotated[float, RestsOn(("events",))]
    has_time: bool
    has_follow_up: bool
    named_features: list[str] | None  #: said to drive labeling
    #: known never to have the event
    n_known_negative: Annotated[int, People("people"), RestsOn(("n_open",), tells_none=True)]
    n_died: Annotated[int, People("people"), RestsOn(("n_open",))]  #: without the event
    #: alive, as far as known, without the event: they may still have it
    n_open: Annotated[int, People("people"), RestsOn(("n_known_negative", "n_died"))]
    n_late: Annotated[int, People("people")]  #: came under observation after time zero
    n_between: Annotated[int, People("events", tells_none=True)]  #: events whose time is known to lie in an interval
    #: By feature, the number of people who have another value than most: a few of them would be marked by it.
    marks: dict[str, int] = field(repr=False)


@dataclass(frozen=True)
class BoundsEvidence:
    """Bounds on the share of positives in the cohort."""

    lowest: Annotated[float, RestsOn(("events",))]  #: Share labeled: each of them is positive.
    #: Where event times are known and not contradicted (else NaN), the share with an event by ``time_of_lowest``, by
    #: the Kaplan-Meier method: right if follow-up goes its own way. It is the time at which the lower limit of the
    #: share is highest, before it is about a few people only.
    lowest_by_times: Annotated[float, RestsOn(("events", "n_by_then"))]
    #: Its lower limit, of a 95 % interval, or the share labeled where that is higher.
    lowest_by_times_limit: Annotated[float, RestsOn(("events",))]
    time_of_lowest: Annotated[float, Personal(2)]
    #: 1: without a restriction everybody might be positive; less the share of those who are known not to be, each kind
    #: of them unless it is a few people only, or leaves a few only.
    highest: float
    #: If all positives were equally likely to be labeled: the labeled share over the lowest label frequency that the
    #: people most likely to be labeled allow. NaN with late entry, which labels alone cannot allow for.
    highest_if_constant: Annotated[float, RestsOn(("events", "n_labeled_at_top"))]
    #: Share labeled among the 5 % of people most likely to be labeled, by logistic regression fitted to others. Under a
    #: constant propensity it is at most the label frequency.
    highest_label_probability: Annotated[float, RestsOn(("events", "n_labeled_at_top"))]
    #: Its lower limit, with a confidence of 95 %.
    highest_label_limit: Annotated[float, RestsOn(("events", "n_labeled_at_top"))]
    #: Events up to the time of the lowest bound, people most likely to be labeled, and labeled ones among them.
    n_by_then: Annotated[int, People("events")] = field(repr=False)
    n_at_top: Annotated[int, People("people")] = field(repr=False)
    n_labeled_at_top: Annotated[int, People("n_at_top")] = field(repr=False)


def count(material: Material) -> CountEvidence:
    """Count people, events and coefficients."""
    cohort, d = material.cohort, material.cohort.features.shape[1]
    scarce = min(material.n_events, cohort.n - material.n_events)
    return CountEvidence(
        n=cohort.n,
        n_events=material.n_events,
        n_features=d,
        events_per_parameter=scarce / (2 * d + 2),
        has_time=material.has_time,
        has_follow_up=material.has_follow_up,
        named_features=material.named,
        n_known_negative=_count(cohort.known_negative),
        n_died=_count(material.died),
        n_open=int(np.count_nonzero(material.open_people)),
        n_late=_count(cohort.entry_time),
        n_between=0 if cohort.time_lower is None else _count(~np.isnan(cohort.time_lower)),
        marks=find_marks(cohort.features, cohort.names),
    )


def _count(values: Array | NDArray[np.bool_] | None) -> int:
    return 0 if values is None else int(np.count_nonzero(values))


def find_marks(features: Array, names: Sequence[str]) -> dict[str, int]:
    """By feature, how many have another value than most: one that more than half of the people share is the median."""
    middle = np.nanmedian(features, axis=0)
    apart = np.count_nonzero(features != middle, axis=0)
    return dict(zip(names, apart.tolist(), strict=True))


def bound(material: Material, recorded: Cohort | None = None, *, trust_times: bool = True) -> BoundsEvidence:
    """Bound the share of positives, with the help of event times if these may be trusted.

    Where the material is a view of a cohort, the curve of events, and who is known to be negative, are as ``recorded``.
    """
    cohort = material.cohort
    recorded = cohort if recorded is None else recorded
    labeled, by_times, by_times_limit, at = float(cohort.labeled.mean()), math.nan, math.nan, math.nan
    n_by_then = material.n_events
    if material.has_time and trust_times:
        found = bound_by_curve(recorded)
        by_times, by_times_limit, at, n_by_then = found.share, found.limit, found.time, found.n_events
    n_labeled, n_top, limit = (0, cohort.n, math.nan) if material.enters_late else _label_most(cohort)
    highest = _highest(recorded)
    return BoundsEvidence(
        lowest=labeled,
        lowest_by_times=by_times,
        lowest_by_times_limit=by_times_limit,
        time_of_lowest=at,
        highest=highest,
        highest_if_constant=math.nan if math.isnan(limit) else min(highest, labeled / limit) if limit > 0 else highest,
        highest_label_probability=math.nan if material.enters_late else n_labeled / n_top,
        highest_label_limit=limit,
        n_by_then=n_by_then,
        n_at_top=n_top,
        n_labeled_at_top=n_labeled,
    )


def _highest(cohort: Cohort) -> float:
    """Share who may be positive at most, told without giving away a few people of any kind."""
    closed = sum(n for n in map(_count, (cohort.known_negative, cohort.competing)) if n >= FEWEST)
    events = _count(cohort.labeled)
    n_open = cohort.n - events - closed
    return min(cohort.n, events + (max(n_open, FEWEST) if n_open else 0)) / cohort.n


class CurveBound(NamedTuple):
    """Share with an event by the time at which its lower limit is highest, that limit, the time, and events by then."""

    share: float
    limit: float  # of a 95 % interval, or the share labeled where that is higher
    time: float
    n_events: int


def bound_by_curve(cohort: Cohort) -> CurveBound:
    """Bound the share of positives from below by the curve of events: right if follow-up goes its own way."""
    labeled, curve = cohort.labeled, event_curve(cohort)
    limits = 1 - np.nan_to_num(curve.interval()[1], nan=1.0)
    # An event among the last few who are left lifts the curve by a leap, which no interval for many people allows for.
    steady = curve.at_risk >= min(FEWEST, float(curve.at_risk.max()))
    best = int(np.argmax(np.where(steady, limits, -1.0)))
    limit = max(float(labeled.mean()), float(limits[best]))
    by_then = int(curve.events[: best + 1].sum())
    return CurveBound(1 - float(curve.survival[best]), limit, float(curve.times[best]), by_then)


def _label_most(cohort: Cohort) -> tuple[int, int, float]:
    """Labeled people among those whom a fit to others calls most likely to be, their number, and a limit of the share.

    Each half of the people is ranked by a fit to the other half: nobody's label is in their own rank, so that the share
    is no larger than the largest probability of a label, whether or not the fit has the right shape.
    """
    order = np.argsort(~cohort.labeled, kind="stable")
    halves = [np.sort(order[first::2]) for first in (0, 1)]
    n_top = n_labeled = 0
    for ranked, fitted in (halves, halves[::-1]):
        part = cohort.take(fitted)
        if part.labeled.all() or not part.labeled.any():
            return int(cohort.labeled.sum()), cohort.n, 0.0
        fit = LinearLearner(ridge=1.0).fit(Task(part, [Certain()]))
        score = np.asarray(fit.predict(cohort.features[ranked])[0])
        top = ranked[np.argsort(-score, kind="stable")[: max(FEWEST_AT_TOP // 2, int(TOP_SHARE * ranked.size))]]
        n_top, n_labeled = n_top + top.size, n_labeled + int(cohort.labeled[top].sum())
    limit = float(beta.ppf(0.05, n_labeled, n_top - n_labeled + 1)) if n_labeled else 0.0
    return n_labeled, n_top, limit
