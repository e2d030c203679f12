"""Where the data settle on no number: the range from what holds in any case to the most that models allow."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from whether.advise import Evidence, Sensitivity
from whether.advise.evidence.bounds import bound_by_curve
from whether.analysis.remaining import Remaining
from whether.analysis.uncertainty import Rows
from whether.evaluate import Interval

Intervals = tuple[Interval, Interval]  # of a mean risk and of a number of unseen positives

# Share of the unlabeled over which an interval may reach before it is no estimate.
NEARLY_ALL = 0.8


def is_open(unseen: Interval, n_unlabeled: int) -> bool:
    """Whether an interval of the number of unseen positives leaves nearly every number possible."""
    return unseen.upper - unseen.lower > NEARLY_ALL * n_unlabeled


def widest_range(
    own: Interval,
    rows: Rows,
    evidence: Evidence,
    moved: Sensitivity | None,
    remaining: Remaining,
    *,
    everybody: float,
    ceiling: float | None,
) -> Intervals:
    """Mean risk of some people, and number of them who still have the event to come, as ranges.

    The lower end is the lower limit of the curve of events of these people, or the share with a recorded event. The
    upper end is the highest of the model's own upper limit, of the mean risks by other methods that the evidence leaves
    standing, and of what the curve of events leaves open; or everybody where no method says how many events were
    missed. The estimate is the model's own figure, within these ends.

    Parameters
    ----------
    own : Interval
        Mean risk of these people by the model.
    rows : ndarray of int
        The people.
    evidence : Evidence
    moved : Sensitivity or None
        Risks of everybody by other methods.
    remaining : Remaining
        What turns shares into numbers.
    everybody : float
        Mean risk of everybody by the model.
    ceiling : float or None
        The highest share that the restriction allows; None where the method does not say how many events were missed.
    """
    seen = evidence.material.cohort.take(rows)
    n, n_events = rows.size, int(np.count_nonzero(seen.labeled))
    lowest = n_events / n
    if evidence.times_trusted and 0 < n_events < n:
        lowest = bound_by_curve(seen).limit
    others = () if moved is None else moved.standing
    known = [own.estimate, own.upper, *(float(variant.risks[rows].mean()) for variant in others)]
    known.append(_left_open(own.estimate, evidence, everybody))
    highest = evidence.bounds.highest if ceiling is None else max(share for share in known if math.isfinite(share))
    highest = max(lowest, highest if ceiling is None else min(highest, ceiling))
    share = Interval(min(max(own.estimate, lowest), highest), lowest, highest, math.nan, own.level)
    guess, least, most = (remaining.expect(end, rows) for end in (share.estimate, lowest, highest))
    return share, Interval(guess, least, most, math.nan, own.level)


def _left_open(own: float, evidence: Evidence, everybody: float) -> float:
    """Mean risk of some people, had everybody the log odds more that the curve of events leaves open over the model."""
    found = None if evidence.follow_up is None else evidence.follow_up.cure_fraction(trust_times=evidence.times_trusted)
    if found is None or not 0 < everybody < 1:
        return math.nan
    return float(expit(logit(own) + logit(found.highest) - logit(everybody)))


def reach_up(found: Intervals, rows: Rows, evidence: Evidence, remaining: Remaining, everybody: float) -> Intervals:
    """Intervals that reach as far up as the curve of events leaves open, where it may go on after follow-up."""
    return _raise(found, rows, remaining, _left_open(found[0].estimate, evidence, everybody))


def hold_curve(found: Intervals, rows: Rows, evidence: Evidence, remaining: Remaining) -> Intervals:
    """Intervals that reach as far up as the curve of events of these people has come."""
    seen = evidence.material.cohort.take(rows)
    if not 0 < int(np.count_nonzero(seen.labeled)) < rows.size:
        return found
    return _raise(found, rows, remaining, bound_by_curve(seen).share)


def _raise(found: Intervals, rows: Rows, remaining: Remaining, highest: float) -> Intervals:
    """Put the upper ends of a mean risk and a number of unseen positives at this mean risk, where it is higher."""
    share, count = found
    most = remaining.expect(highest, rows)
    return (
        replace(share, upper=float(np.fmax(share.upper, highest))),
        replace(count, upper=float(np.fmax(count.upper, most))),
    )
