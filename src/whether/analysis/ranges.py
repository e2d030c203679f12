"""Where the data settle on no number: the range from what holds in any case to the most that models allow."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, logit

from whether.advise import Evidence, Sensitivity
from whether.advise.evidence.bounds import bound_by_curve
from whether.analysis.uncertainty import Rows
from whether.evaluate import Interval


def widest_range(
    own: Interval,
    rows: Rows,
    evidence: Evidence,
    moved: Sensitivity | None,
    *,
    everybody: float,
    has_model: bool,
) -> tuple[Interval, Interval]:
    """Mean risk of some people, and number of their unlabeled who are positive, as ranges.

    The lower end is the lower limit of the curve of events of these people, or the share with a recorded event. The
    upper end is the highest of the model's own upper limit, of the mean risks by other methods that the evidence leaves
    standing, and of what a model without features makes of the curve of events; or everybody where no method says how
    many events were missed. The estimate is the model's own figure, within these ends.

    Parameters
    ----------
    own : Interval
        Mean risk of these people by the model.
    rows : ndarray of int
        The people.
    evidence : Evidence
    moved : Sensitivity or None
        Risks of everybody by other methods.
    everybody : float
        Mean risk of everybody by the model.
    has_model : bool
        Whether the method says how many events were missed.
    """
    cohort = evidence.material.cohort
    labeled = cohort.labeled[rows]
    n, n_events = rows.size, int(np.count_nonzero(labeled))
    lowest = n_events / n
    if evidence.times_trusted and 0 < n_events < n:
        lowest = bound_by_curve(labeled, cohort.required("time")[rows]).limit
    others = () if moved is None else moved.standing
    known = [own.estimate, own.upper, *(float(variant.risks[rows].mean()) for variant in others)]
    known.append(_without_features(own.estimate, evidence, everybody))
    highest = max(lowest, *(share for share in known if math.isfinite(share))) if has_model else 1.0
    share = Interval(min(max(own.estimate, lowest), highest), lowest, highest, math.nan, own.level)
    guess, least, most = (min(max(n * end - n_events, 0.0), n - n_events) for end in (share.estimate, lowest, highest))
    return share, Interval(guess, least, most, math.nan, own.level)


def _without_features(own: float, evidence: Evidence, everybody: float) -> float:
    """Mean risk of some people, had everybody the log odds more that the curve of events has over the model."""
    found = None if evidence.follow_up is None else evidence.follow_up.cure_fraction(trust_times=evidence.times_trusted)
    if found is None or not 0 < everybody < 1:
        return math.nan
    return float(expit(logit(own) + logit(1 - found.cured) - logit(everybody)))
