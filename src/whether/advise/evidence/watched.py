"""The cohort as tests see it: nobody is known to be negative, everybody is watched to the end, rows are independent.

Tests are made for people who are event-free until they leave observation. Whoever died without the event, or
is known never to have it, stays event-free for ever, so that such a person can be watched on to where follow-up would
have ended: to the potential follow-up where that is known, else to a draw from what follow-up others had beyond that
time (Ruan and Gray 2008, for Fine and Gray's model). Kaplan-Meier of this view estimates what Aalen-Johansen does, but
for late entry: whoever died before they could enter is not there to be watched on. So the curve of events is made from
what was recorded.

Of rows that belong together tests take one, drawn at random: on all of them they would reject far too often.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.material import Material
from whether.cohort import Cohort
from whether.survival import SurvivalCurve, cumulative_incidence, kaplan_meier

Array = NDArray[np.float64]

# Rows per group, on average, up to which a group is a person or a family. Larger ones are centres, of which there are
# too few to take one row each: tests then count rows.
MOST_TOGETHER = 10


def event_curve(recorded: Cohort) -> SurvivalCurve:
    """Share without the event over time: Kaplan-Meier, or Aalen-Johansen where some were seen to be negative."""
    time, negative = recorded.required("time"), recorded.seen_negative
    if negative is None:
        return kaplan_meier(recorded.labeled, time, entry=recorded.entry_time)
    return cumulative_incidence(recorded.labeled, negative, time, entry=recorded.entry_time).event_free()


def watch_on(material: Material, rng: np.random.Generator) -> Material:
    """Return the material with the cohort as it would be, had seen negatives been watched on."""
    cohort, negative = material.cohort, material.cohort.seen_negative
    if negative is None:
        return material
    view = replace(cohort, known_negative=None, competing=None)
    if cohort.time is None and cohort.follow_up is None:
        return replace(material, cohort=view)
    last = cohort.required("follow_up" if cohort.time is None else "time")
    until = draw_follow_up(cohort, last, rng)[negative]
    if material.planned is not None:
        planned = material.planned[negative]
        until = np.where(planned > last[negative], planned, until)  # a plan that ends at death says nothing
    for name in ("time", "follow_up"):
        values = getattr(cohort, name)
        if values is not None:
            watched = values.copy()
            watched[negative] = until
            view = replace(view, **{name: watched})
    return replace(material, cohort=view)


def draw_follow_up(cohort: Cohort, last: Array, rng: np.random.Generator) -> Array:
    """Draw for everybody an end of follow-up beyond the time up to which the person is known."""
    negative = np.asarray(cohort.seen_negative)
    if cohort.follow_up is None:
        curve = kaplan_meier(cohort.labeled | negative, last, entry=cohort.entry_time, reverse=True)
    else:
        ends = np.where(negative, last, cohort.follow_up)
        curve = kaplan_meier(negative, ends, entry=cohort.entry_time, reverse=True)
    wanted = curve.at(last) * rng.random(cohort.n)
    position = np.searchsorted(-curve.survival, -wanted, side="left")
    # Where the curve ends above zero, the longest follow-up stands for the rest.
    return np.maximum(curve.times[np.minimum(position, curve.times.size - 1)], last)


def take_apart(material: Material, rng: np.random.Generator) -> Material:
    """Return the material with one row of each group."""
    cohort = material.cohort
    if cohort.groups is None:
        return material
    order = rng.permutation(cohort.n)
    rows = np.sort(order[np.unique(cohort.groups[order], return_index=True)[1]])
    if cohort.n > MOST_TOGETHER * rows.size:
        return material
    parts = {name: getattr(material, name) for name in ("entry", "planned", "died")}
    taken: dict[str, Any] = {name: None if values is None else values[rows] for name, values in parts.items()}
    return replace(material, cohort=replace(cohort.take(rows), groups=None), **taken)
