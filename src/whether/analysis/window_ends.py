"""How far a number of events within some time may reach, by the curve of events and by how many ever have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whether.advise.evidence.material import Material
from whether.advise.evidence.watched import event_curve
from whether.analysis.uncertainty import Rows
from whether.analysis.windows import Window
from whether.evaluate import Interval
from whether.survival import kaplan_meier


def windows_by_curve(material: Material, rows: Rows, lengths: Sequence[float]) -> list[float]:
    """How many of some people have the event within each length of time by the curve of events alone.

    The curve says nothing of what comes after the longest follow-up: nothing is counted there.
    """
    cohort = material.cohort
    if cohort.time is None:
        return [math.nan] * len(lengths)
    gone = cohort.labeled if cohort.seen_negative is None else cohort.labeled | cohort.seen_negative
    curve, left = event_curve(cohort), kaplan_meier(gone, cohort.time, entry=cohort.entry_time)
    waited = cohort.time[rows[material.open_people[rows]]]
    chances = (
        (curve.at(waited) - curve.at(waited + length)) / np.maximum(left.at(waited), 1e-12) for length in lengths
    )
    return [float(np.clip(chance, 0.0, 1.0).sum()) for chance in chances]


def reach_to(window: Window, most: float) -> Window:
    """A window whose number reaches at least so far up."""
    return replace(window, expected=replace(window.expected, upper=float(np.fmax(window.expected.upper, most))))


def keep_within(window: Window, ever: Interval) -> Window:
    """A window in which no more people have the event than ever have it, at either end of the interval.

    Where the lower end of how many ever have it is what holds in any case, so is that of the window.
    """
    found = window.expected
    if not math.isfinite(found.lower):
        return window
    lower, upper = min(found.lower, ever.lower), min(found.upper, ever.upper)
    estimate = min(max(found.estimate, lower), upper)
    return replace(window, expected=replace(found, estimate=estimate, lower=lower, upper=upper))
