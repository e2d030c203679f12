"""Whether follow-up is long enough: several published statistics, none of them a verdict.

What is asked is whether everybody to whom the event happens has it within the longest follow-up. Published tests of it
disagree and some do not hold their level, so they are reported side by side under their own definitions, and what the
advice rests on is an estimate: how many of those still event-free will have the event.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from whether.advise.evidence.cure_fraction import CureFraction, estimate_cure_fraction
from whether.advise.evidence.material import Material, PotentialFollowUp
from whether.advise.evidence.watched import event_curve
from whether.cohort import Cohort
from whether.evaluate.bootstrap import Interval
from whether.facts import People, Personal, RestsOn
from whether.survival import SurvivalCurve, kaplan_meier

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The published cut-offs of the RECeUS ratio and of the cured share.
SMALL_RATIO, SMALL_CURED = 0.05, 0.025
# Ratio above which the curve is said to go on falling.
LARGE_RATIO = 0.2
N_SIMULATIONS = 200


@dataclass(frozen=True)
class LastEvents:
    """The statistics of Maller and Zhou (1992, 1994) and of Shen (2000), from events shortly before the last one.

    ``alpha_n = (1 - N/n)^n``, where N events lie in ``(2 t* - t_n, t*]``: as far before the last event t* as the
    longest time t_n lies after it. Small values speak for sufficient follow-up. ``q_n = N/n``. Shen's statistic has the
    same form with events in ``[t* tau / t_n, t*]``, ``tau = w t* + (1 - w) t_n`` and ``w = (t_n - t*) / t_n``.

    With nobody cured, exponential times and follow-up uniform over three of their means, 1,000 people, follow-up is
    never sufficient. At 0.05 alpha_n says it is in 53.6 % of runs, q_n against the simulated critical value in 11.4 %,
    Shen's statistic in 4.4 % and the RECeUS criterion in none (`python -m benchmarks evidence follow-up`).
    """

    #: NaN where the longest time is an event: nothing can be said then.
    alpha_n: Annotated[float, RestsOn(("n_last",))]
    q_n: Annotated[float, RestsOn(("n_last",))]
    shen: Annotated[float, RestsOn(("n_last_by_shen",))]
    #: Share of simulated cohorts with a larger q_n, in which events come evenly over the whole of follow-up: the
    #: boundary of the null that follow-up is insufficient.
    q_n_p_value: float = math.nan
    n_last: Annotated[int, People("events")] = field(default=0, repr=False)
    n_last_by_shen: Annotated[int, People("events")] = field(default=0, repr=False)


@dataclass(frozen=True, eq=False)
class EventCurve:
    """What event times say of the end of follow-up."""

    last_event: Annotated[float, Personal(2)]
    #: People followed event-free beyond the last event: they may be all who are not known to be negative.
    n_after_last_event: Annotated[int, People("people"), RestsOn(("n_negative",))]
    #: Kaplan and Meier's estimate of the share that is event-free at the last event.
    plateau: Annotated[Interval, RestsOn(("events",)), Personal(2)]
    #: Events per person and unit of time in the second half of follow-up.
    late_rate: Annotated[Interval, RestsOn(("n_late",))]
    #: Share of those under observation at the end who would have the event if that rate lasted for as long again.
    further_share: Annotated[float, RestsOn(("n_late",))]
    last_events: LastEvents | None  #: None with late entry, for which they are not made.
    #: From event times (Selukar and Othus 2023): appropriate for a cure model if the cured share exceeds 0.025 and the
    #: ratio is below 0.05.
    receus: CureFraction
    n_late: Annotated[int, People("events")] = field(repr=False)  #: Events in the second half of follow-up.
    n_negative: Annotated[int, People("people")] = field(repr=False)  #: People who are known to be negative.
    curve: SurvivalCurve = field(repr=False)


@dataclass(frozen=True, eq=False)
class FollowUpEvidence:
    """Follow-up, the curve of events, and whether it levels off."""

    #: Median follow-up by Kaplan and Meier's method with the roles reversed, or of the potential follow-up where it is
    #: known.
    median: Annotated[Interval, Personal(2)]
    longest: Annotated[float, Personal(2)]
    potential: PotentialFollowUp  #: Where the potential follow-up comes from.
    events: EventCurve | None  #: None without event times.
    from_labels: CureFraction | None  #: The RECeUS quantities from labels and potential follow-up, without event times.
    curve: SurvivalCurve = field(repr=False)  #: of follow-up

    def cure_fraction(self, *, trust_times: bool = True) -> CureFraction | None:
        """Return the estimate from event times where they are known and trusted, else that from labels."""
        return self.events.receus if trust_times and self.events is not None else self.from_labels

    def reading(self, *, trust_times: bool = True) -> str:
        """Whether the curve levels off: "levels off", "unclear", "goes on" or "unknown"; see `read_plateau`."""
        return read_plateau(self.cure_fraction(trust_times=trust_times))


def read_plateau(found: CureFraction | None) -> str:
    """Say whether a curve of events levels off: "levels off", "unclear", "goes on" or "unknown".

    It levels off where the ratio is below 0.05 and its interval below 0.2; it goes on where the ratio is at least 0.2
    or nearly nobody is cured.
    """
    if found is None:
        return "unknown"
    if found.ratio >= LARGE_RATIO or found.cured <= SMALL_CURED:
        return "goes on"
    # A small ratio that could as well be a large one says nothing; so does one without limits, of few events.
    return "levels off" if found.ratio < SMALL_RATIO and found.ratio_limits[1] < LARGE_RATIO else "unclear"


def examine_follow_up(
    material: Material, rng: np.random.Generator, recorded: Cohort | None = None
) -> FollowUpEvidence | None:
    """Return the evidence on follow-up; None where neither times nor follow-up are known.

    Where the material is a view of a cohort, models and the curve of events read what was ``recorded``.
    """
    cohort = material.cohort
    recorded = cohort if recorded is None else recorded
    if not material.has_time and not material.has_follow_up:
        return None
    from_labels = None
    if material.has_follow_up:
        known = cohort.required("follow_up")
        curve = kaplan_meier(np.ones(cohort.n, dtype=bool), known, entry=cohort.entry_time)
        from_labels = estimate_cure_fraction(recorded, from_labels=True)
    else:
        curve = kaplan_meier(cohort.labeled, cohort.required("time"), entry=cohort.entry_time, reverse=True)
    return FollowUpEvidence(
        median=_median(curve),
        longest=float(curve.times[-1]),
        potential=material.potential,
        events=_event_curve(cohort, recorded, rng) if material.has_time else None,
        from_labels=from_labels,
        curve=curve,
    )


def _event_curve(cohort: Cohort, recorded: Cohort, rng: np.random.Generator) -> EventCurve:
    labeled, time, entry = cohort.labeled, cohort.required("time"), cohort.entry_time
    last = float(time[labeled].max())
    curve = event_curve(recorded)
    # Nobody who died was followed on, however long the view has them watched.
    observed = recorded.required("time")
    late_rate, further, n_late = _late_rate(labeled, observed, np.zeros(cohort.n) if entry is None else entry)
    return EventCurve(
        last_event=last,
        n_after_last_event=int(np.count_nonzero(observed > last)),
        plateau=_plateau(curve, last),
        late_rate=late_rate,
        further_share=further,
        last_events=last_events(labeled, time, rng) if entry is None else None,
        receus=estimate_cure_fraction(recorded),
        n_late=n_late,
        n_negative=0 if recorded.seen_negative is None else int(np.count_nonzero(recorded.seen_negative)),
        curve=curve,
    )


def last_events(labeled: Flags, time: Array, rng: np.random.Generator) -> LastEvents:
    """Maller and Zhou's and Shen's statistics, and a simulated p-value of q_n."""
    n, counted = time.size, _count_last(labeled, time)
    if counted is None:
        return LastEvents(math.nan, math.nan, math.nan)
    q_n = counted[0] / n
    alpha_n, shen = (float((1 - count / n) ** n) for count in counted)
    return LastEvents(alpha_n, q_n, shen, _simulate_q_n(labeled, time, q_n, rng), *counted)


def _count_last(labeled: Flags, time: Array) -> tuple[int, int] | None:
    """Events in the intervals of Maller and Zhou and of Shen; None where the longest time is an event."""
    last, longest = float(time[labeled].max()), float(time.max())
    if not longest > last:
        return None
    weight = (longest - last) / longest
    end = weight * last + (1 - weight) * longest
    starts = time > 2 * last - longest, time >= end * last / longest
    return int(np.count_nonzero(labeled & starts[0])), int(np.count_nonzero(labeled & starts[1]))


def _simulate_q_n(labeled: Flags, time: Array, observed: float, rng: np.random.Generator) -> float:
    """Share of cohorts with events evenly over the whole of follow-up whose q_n is at least as large."""
    n, longest = time.size, float(time.max())
    share = 1 - float(kaplan_meier(labeled, time).survival[-1])
    reverse = kaplan_meier(labeled, time, reverse=True)
    falls = -np.diff(np.concatenate([[1.0], reverse.survival]))
    falls[-1] += reverse.survival[-1]
    n_runs = max(50, min(N_SIMULATIONS, 4_000_000 // n))
    larger = 0
    for _ in range(n_runs):
        follow_up = rng.choice(reverse.times, size=n, p=np.maximum(falls, 0) / falls.sum())
        event = np.where(rng.random(n) < share, longest * rng.random(n), np.inf)
        seen = event <= follow_up
        if not seen.any():
            continue
        counted = _count_last(seen, np.where(seen, event, follow_up))
        larger += counted is not None and counted[0] / n >= observed
    return (1 + larger) / (1 + n_runs)


def _median(curve: SurvivalCurve) -> Interval:
    def crossing(band: Array) -> float:
        return float(curve.times[np.argmax(band <= 0.5)]) if np.any(band <= 0.5) else math.inf

    lower, upper = curve.interval()
    return Interval(curve.median(), crossing(lower), crossing(upper), math.nan)


def _plateau(curve: SurvivalCurve, last: float) -> Interval:
    position = int(np.searchsorted(curve.times, last))
    lower, upper = curve.interval()
    greenwood = float(curve.greenwood[position])
    error = float(curve.survival[position]) * math.sqrt(greenwood) if math.isfinite(greenwood) else math.nan
    return Interval(float(curve.survival[position]), float(lower[position]), float(upper[position]), error)


def _late_rate(labeled: Flags, time: Array, entry: Array) -> tuple[Interval, float, int]:
    """Poisson rate and events in the second half of follow-up, which ends where one in a hundred is left."""
    end = float(np.quantile(time, 0.99))
    events = int(np.count_nonzero(labeled & (time > end / 2)))
    exposure = float(np.maximum(time - np.maximum(entry, end / 2), 0.0).sum())
    rate = events / exposure
    lower = chi2.ppf(0.025, 2 * events) / 2 / exposure if events else 0.0
    upper = chi2.ppf(0.975, 2 * events + 2) / 2 / exposure
    interval = Interval(rate, float(lower), float(upper), math.sqrt(events) / exposure)
    return interval, 1 - math.exp(-rate * end), events
