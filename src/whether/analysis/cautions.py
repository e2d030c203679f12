"""Findings about an answer that its reader should know with it, from the curve of events and from the past."""

from __future__ import annotations

from whether.advise import Backtest, Recommendation
from whether.advise.evidence.bounds import BoundsEvidence
from whether.analysis.share_check import ShareCheck
from whether.evaluate import Interval

CURVE_ABOVE, PAST_BELOW, PAST_ABOVE = "curve above risk", "too low in the past", "too high in the past"
SHARE_APART = "share apart from the data"


def find_cautions(
    advice: Recommendation, mean_risk: Interval, record: Backtest | None, share: ShareCheck | None = None
) -> tuple[str, ...]:
    """Name what speaks against the level of an answer; the mean risk is the model's own.

    The past is rehearsed without a share that is known today: it does not speak of a level that rests on one.
    """
    found = [CURVE_ABOVE] if curve_is_above(advice.evidence.bounds, mean_risk) else []
    if share is not None and share.differs:
        found.append(SHARE_APART)
    error = None if record is None or share is not None else past_error(record, advice.method)
    if error is not None and error.upper < 0:
        found.append(PAST_BELOW)
    if error is not None and error.lower > 0:
        found.append(PAST_ABOVE)
    return tuple(found)


def curve_is_above(bounds: BoundsEvidence, mean_risk: Interval) -> bool:
    """Whether the curve of events alone shows more events than the model expects to happen ever."""
    return bounds.lowest_by_times > mean_risk.upper  # NaN: without times, or without an interval


def past_error(record: Backtest, method: str) -> Interval | None:
    """Mean risk by the method at an earlier date minus the share known now; None where it was not scored.

    The interval is over splits, which share people: Nadeau and Bengio's, as all of a backtest.
    """
    return record.interval(method, "mean_risk_error") if method in record.scores else None
