"""Deaths before the event: which question is asked, and what the curves say of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.material import Material
from whether.evaluate.bootstrap import Interval
from whether.facts import FEWEST, People, Personal, RestsOn
from whether.survival import IncidenceCurve, cumulative_incidence, kaplan_meier

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DeathEvidence:
    """What curves without a model say of people of whom some die first."""

    question: str  #: "lifetime", the event before death, or "net", the event in a world without other deaths.
    n_died: Annotated[int, People("people"), RestsOn(("open",))]  #: without the event
    until: Annotated[float, Personal(2)]  #: The end of follow-up, before it is about a few people only.
    #: Share with the event before death by then, by Aalen and Johansen's method; everybody counts.
    incidence: Annotated[Interval, RestsOn(("events", "n_died", "n_by_then")), Personal(3)]
    #: Share with the event by then in a world without other deaths, by Kaplan and Meier's method, deaths censoring:
    #: right if whoever died was as likely to have the event next as those who lived on.
    without_deaths: Annotated[float, RestsOn(("events", "n_died", "n_by_then")), Personal(3)]
    n_by_then: Annotated[int, People("events")] = field(repr=False)
    curve: IncidenceCurve = field(repr=False)


def examine_deaths(material: Material) -> DeathEvidence | None:
    """Return what the curves say of deaths; None where nobody died, or without event times."""
    cohort, died = material.cohort, material.died
    if died is None or cohort.time is None:
        return None
    time, entry = cohort.time, cohort.entry_time
    curve = cumulative_incidence(cohort.labeled, died, time, entry=entry)
    last = _last_told(curve, time[cohort.labeled])
    until, (lower, upper) = float(curve.times[last]), curve.interval()
    return DeathEvidence(
        question=material.question,
        n_died=int(np.count_nonzero(died)),
        until=until,
        incidence=Interval(float(curve.incidence[last]), float(lower[last]), float(upper[last]), math.nan),
        without_deaths=1 - float(kaplan_meier(cohort.labeled, time, entry=entry).at(until)),
        n_by_then=int(np.count_nonzero(cohort.labeled & (time <= until))),
        curve=curve,
    )


def _last_told(curve: IncidenceCurve, event_times: Array) -> int:
    """Position of the last time with enough people left, and after which no event comes, or enough of them."""
    later = event_times.size - np.searchsorted(np.sort(event_times), curve.times, side="right")
    told = np.flatnonzero((curve.at_risk >= FEWEST) & ((later == 0) | (later >= FEWEST)))
    return int(told[-1]) if told.size else curve.times.size - 1
