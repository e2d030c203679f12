"""By what people are measured in the end: the model's intervals, stretched by the curve of events, or ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.advise import Evidence, Recommendation, Sensitivity
from whether.analysis.cautions import curve_is_above
from whether.analysis.group_levels import Measure
from whether.analysis.ranges import Intervals, hold_curve, is_open, reach_up, widest_range
from whether.analysis.remaining import Remaining
from whether.analysis.result import Note
from whether.analysis.sums import Sums
from whether.analysis.uncertainty import Rows
from whether.analysis.window_ends import keep_within, reach_to, windows_by_curve
from whether.analysis.windows import Window
from whether.estimators import LabelClassifier
from whether.evaluate import Interval
from whether.methods import ENPU


@dataclass(frozen=True)
class Level:
    """How many people are positive, everybody or some of them."""

    measure: Measure  # of any people
    settles: bool  # whether the intervals leave less than nearly every number possible
    own_risk: Interval  # mean risk by the model itself
    mean_risk: Interval
    unseen: Interval
    notes: tuple[Note, ...] = ()

    def count_windows(self, sums: Sums, rows: Rows, evidence: Evidence) -> tuple[Window, ...]:
        """How many of some people are expected to have the event within lengths of time, beside how many ever."""
        ever = self.measure(rows)[1]
        found = sums.count_windows(rows)
        if curve_is_above(evidence.bounds, self.own_risk):
            by_curve = windows_by_curve(evidence.material, rows, sums.ahead.lengths)
            found = [reach_to(window, most) for window, most in zip(found, by_curve, strict=True)]
        return tuple(keep_within(window, ever) for window in found)


def settle_level(sums: Sums, advice: Recommendation, moved: Sensitivity | None) -> Level:
    """Measure people by the model's intervals, or by ranges where the data settle on no number.

    The intervals reach as far as the curve of events where that shows, or leaves open, more than the model.
    """
    everybody, n_open = np.arange(sums.cohort.n), int(np.count_nonzero(sums.open_people))
    own_risk = sums.measure(everybody)[0]
    reach = _stretch(sums, advice, own_risk)
    mean_risk, unseen = reach(everybody)
    settles = not is_open(unseen, n_open)
    if settles and not advice.refused:
        is_raised = "unclear plateau" in advice.flags and mean_risk.upper > own_risk.upper
        notes = (Note("left open by the curve"),) if is_raised else ()
        return Level(reach, True, own_risk, mean_risk, unseen, notes)
    measure = _range(sums, advice, moved, own_risk)
    return Level(measure, settles, own_risk, *measure(everybody))


def _stretch(sums: Sums, advice: Recommendation, own_risk: Interval) -> Measure:
    """The model's intervals, stretched by the curve of events."""
    evidence, remaining = advice.evidence, Remaining.of(advice.evidence, sums.still)

    def reach(rows: Rows) -> Intervals:
        found = sums.measure(rows)
        if curve_is_above(evidence.bounds, own_risk):
            found = hold_curve(found, rows, evidence, remaining)
        if "unclear plateau" not in advice.flags:
            return found
        return reach_up(found, rows, evidence, remaining, own_risk.estimate)

    return reach


def _range(sums: Sums, advice: Recommendation, moved: Sensitivity | None, own_risk: Interval) -> Measure:
    """Ranges from what holds in any case to the most that models allow."""
    bounds, remaining = advice.evidence.bounds, Remaining.of(advice.evidence, sums.still)
    ceiling = None if isinstance(sums.model, LabelClassifier) else bounds.highest
    if advice.restriction == ENPU.restriction:
        ceiling = bounds.highest_if_constant

    def measure(rows: Rows) -> Intervals:
        own = sums.measure(rows)[0]
        everybody = own_risk.estimate
        return widest_range(own, rows, advice.evidence, moved, remaining, everybody=everybody, ceiling=ceiling)

    return measure
