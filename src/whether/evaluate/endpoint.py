"""Impose an earlier endpoint on a cohort: what was known then, and who can be scored with what is known now.

A cohort that was followed for long can play the part of a study that stopped too early. What happened after an earlier
endpoint is hidden, a method is fitted to the rest, and its predictions meet the outcomes that have come to light since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whether.evaluate.records_now import RecordsNow
from whether.survival import reach_weights
from whether.validate import (
    DataError,
    check_entry_dates,
    check_known_follow_up,
    check_labels,
    check_number,
    check_times,
)

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# A uniform draw may be zero, and nobody can be followed for no time at all.
_SMALLEST_UNIFORM = 2.0**-54


@dataclass(frozen=True, eq=False)
class EarlierEndpoint:
    """A cohort as it stood at an earlier endpoint, and as it is known now.

    All arrays have one entry per person of the cohort, in its order, so that they can be indexed together with the
    features: ``fit(X[rows], e.y[rows], time=e.time[rows], follow_up=e.follow_up[rows])`` with ``rows = training &
    e.entered``, then ``roc_auc_score(e.positive[test], risk, sample_weight=e.weight[test])`` with ``test = ~training &
    e.scorable``. Splitting is the caller's business: rows of one person, family or hospital belong on one side.

    Attributes
    ----------
    entered : ndarray of bool
        Who had entered by then. The next three are known of these only.
    y : ndarray of int
        1 if the event had been seen by then.
    time : ndarray
        When it came if it had been seen, else the end of follow-up then; NaN for those who entered later.
    follow_up : ndarray
        How long each person had been, or would have been, under observation by then; NaN for those who entered later.
    scorable : ndarray of bool
        Who had entered by then and has an outcome now.
    positive : ndarray of int
        1 if the event has been seen by now; a 0 means negative only where `scorable`.
    weight : ndarray
        How many people each scorable one stands for: more than 1 where others like it were lost before it was known
        which they are.
    lost_share : float
        Share of the unlabeled of then who had been lost before the endpoint. Labeled people are taken to have been
        followed to it, unless potential follow-up was given; with many lost that is not so, and `follow_up` says more
        of the labels than it should.
    competing, time_lower, entry_time : ndarray or None
        Who had died by then without the event, after when events of then came, and when people came under observation.
    """

    entered: Flags
    y: NDArray[np.int64]
    time: Array
    follow_up: Array
    scorable: Flags
    positive: NDArray[np.int64]
    weight: Array
    lost_share: float
    competing: Flags | None = None
    time_lower: Array | None = None
    entry_time: Array | None = None

    def known(self, rows: NDArray[Any]) -> dict[str, Any]:
        """Return what ``fit`` could have been told of some people then, besides features and labels."""
        names = ("time", "follow_up", "competing", "time_lower", "entry_time")
        values = {name: getattr(self, name) for name in names}
        return {name: None if part is None else part[rows] for name, part in values.items()}

    @property
    def weighted(self) -> bool:
        """Whether some of those who can be scored stand for more people than others."""
        return bool(np.ptp(self.weight[self.scorable]) > 0)

    @property
    def hidden_share(self) -> float:
        """Share of the events of those entered that come after the endpoint."""
        events = self.positive[self.entered]
        return float(1 - self.y[self.entered].sum() / events.sum()) if events.any() else 0.0


def impose_calendar_endpoint(
    event: ArrayLike,
    time: ArrayLike,
    entry: ArrayLike,
    *,
    endpoint: float,
    horizon: float,
    data_end: float | None = None,
    follow_up: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    competing: ArrayLike | None = None,
    time_lower: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
) -> EarlierEndpoint:
    """Hide what happened after a date.

    Those who entered before the endpoint are kept, and their follow-up is cut there. Those whose potential follow-up
    until now is at least the horizon can be scored: positive if the event came at any time, negative if they were
    followed event-free to the horizon. Whoever was lost before the horizon is left out. Asking the same potential
    follow-up of positives and negatives keeps the share of positives honest; where follow-up is known by the dates
    only, weights make up for those lost, as in `impose_staggered_endpoint`.

    Where dates are unknown but potential follow-up is, an endpoint that lies `k` years back is
    ``impose_calendar_endpoint(event, time, -follow_up, endpoint=-k, data_end=0.0, ...)``.

    Parameters
    ----------
    event : array-like of 0 and 1
        Whether the event has been seen by now.
    time : array-like
        From entry to the event if it has been seen, else to the end of follow-up; > 0.
    entry : array-like
        Date of entry as a number in the unit of `time`, such as a decimal year.
    endpoint : float
        The earlier endpoint, a date.
    horizon : float
        How long after entry somebody event-free is taken for negative.
    data_end : float, optional
        Date up to which anybody could be followed. Default: the latest end of follow-up in the data.
    follow_up : array-like, optional
        How long each person was under observation until now, the event or not, where that is known (a child is seen
        on after the diagnosis, say). Default: people with the event would have been followed until `data_end`, the
        others until `time`.
    known_negative : array-like of bool, optional
        Event-free people who are known to stay so, however short their follow-up.
    competing : array-like of bool, optional
        Who died at `time` without the event: for the question whether it comes before death. A death by the endpoint
        was known then, and whoever has died since is a negative. For the question without other deaths leave it out.
    time_lower : array-like, optional
        After when events came, NaN where `time` is exact: one that may have come after the endpoint was not yet seen.
    entry_time : array-like, optional
        When people came under observation, counted from their own time zero, which `entry` dates. Whoever had not by
        the endpoint is not there.

    Returns
    -------
    EarlierEndpoint

    Raises
    ------
    ValueError
        If an array or a number makes no sense, nobody had entered by the endpoint, or nobody can be scored.

    Examples
    --------
    Three people; the third enters after the endpoint. The event of the first was still to come.

    >>> seen = impose_calendar_endpoint(
    ...     [1, 0, 0], [4.0, 9.0, 6.0], [2000.0, 2001.0, 2004.0], endpoint=2003, horizon=5, data_end=2010
    ... )
    >>> seen.y, seen.time, seen.scorable, seen.positive
    (array([0, 0, 0]), array([ 3.,  2., nan]), array([ True,  True, False]), array([1, 0, 0]))
    """
    seen, times = _check_outcome(event, time)
    dates = check_entry_dates(entry, times.size)
    last = float(np.max(dates + times)) if data_end is None else check_number(data_end, "data_end")
    date = check_number(endpoint, "endpoint")
    if date > last:
        raise DataError(f"endpoint={date:g} is not earlier than the end of the data, {last:g}.")
    records = RecordsNow.check(seen, times, known_negative, competing, time_lower, entry_time)
    entered = dates + records.start < date
    if not entered.any():
        raise DataError(f"Nobody had entered before endpoint={date:g}: the first person entered at {dates.min():g}.")
    limit = check_number(horizon, "horizon", above=0.0)
    observed = None if follow_up is None else check_known_follow_up(follow_up, times)
    potential = np.where(seen | records.died, last - dates, times) if observed is None else observed
    long_enough = (last - dates if observed is None else observed) >= limit
    outcome = seen & long_enough, ~seen & long_enough & ((times >= limit) | records.died)
    cut, weight, rows = np.where(entered, date - dates, np.nan), np.ones(times.size), entered & long_enough
    if observed is None and rows.any():
        ended, start = (seen | records.died)[rows], None if entry_time is None else records.start[rows]
        weight[rows] = reach_weights(ended, times[rows], limit, entry=start)
    return _view(seen, times, potential, cut, outcome, weight, records)


def impose_staggered_endpoint(
    event: ArrayLike,
    time: ArrayLike,
    *,
    stagger: float,
    horizon: float,
    rng: np.random.Generator,
    follow_up: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    competing: ArrayLike | None = None,
    time_lower: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
) -> EarlierEndpoint:
    """Hide what happened after an endpoint before which people entered evenly.

    This is for cohorts without dates: each person's follow-up is cut at a draw from U(0, `stagger`), so that masking
    depends on the features through the event times alone. Where potential follow-up until now is known, those with at
    least the horizon can be scored, as in `impose_calendar_endpoint`. Else everybody with the event can be, and
    everybody followed event-free to the horizon. Then positives, early ones above all, are too many, because negatives
    have to be followed to the horizon and positives need not: scored as they are, a method that ranks people by how
    soon the event comes looks too good. The weights make up for that, if follow-up until now depends neither on the
    features nor on the event.

    Parameters
    ----------
    event, time, horizon, follow_up, known_negative, competing, time_lower, entry_time
        As in `impose_calendar_endpoint`.
    stagger : float
        Length of the period of entry before the endpoint, in the unit of `time`.
    rng : numpy.random.Generator
        Where the dates of entry are drawn from: one number per person.

    Returns
    -------
    EarlierEndpoint

    Raises
    ------
    ValueError
        If an array or a number makes no sense, or nobody can be scored.

    Examples
    --------
    >>> seen = impose_staggered_endpoint([1, 1, 0], [0.1, 5.0, 9.0], stagger=2, horizon=8, rng=np.random.default_rng(0))
    >>> seen.y, seen.positive, seen.scorable
    (array([1, 0, 0]), array([1, 1, 0]), array([ True,  True,  True]))
    """
    seen, times = _check_outcome(event, time)
    length = check_number(stagger, "stagger", above=0.0)
    records = RecordsNow.check(seen, times, known_negative, competing, time_lower, entry_time)
    cut = records.start + length * np.maximum(rng.random(times.size), _SMALLEST_UNIFORM)
    limit = check_number(horizon, "horizon", above=0.0)
    observed = None if follow_up is None else check_known_follow_up(follow_up, times)
    negative = ~seen & ((times >= limit) | records.died)
    if observed is None:
        start = None if entry_time is None else records.start
        potential = np.where(seen | records.died, np.inf, times)
        weight = reach_weights(seen | records.died, times, limit, entry=start)
        return _view(seen, times, potential, cut, (seen, negative), weight, records)
    outcome = seen & (observed >= limit), negative & (~records.died | (observed >= limit))
    return _view(seen, times, observed, cut, outcome, np.ones(times.size), records)


def _view(
    seen: Flags,
    time: Array,
    potential: Array,
    cut: Array,
    outcome: tuple[Flags, Flags],
    weight: Array,
    records: RecordsNow,
) -> EarlierEndpoint:
    """Cut everybody's observation (NaN: had not entered), and put what is known now beside it."""
    positive, negative = outcome
    negative, weight = negative | records.certain, np.where(records.certain, 1.0, weight)
    # Whoever has died was observed until then, whatever was planned.
    end = np.minimum(np.where(records.died, time, potential), cut)
    labeled, died = seen & (time <= end), records.died & (time <= cut)
    observed = np.where(labeled, time, end)
    if records.lower is not None:  # an event that a later visit found: known to be free at the one before
        observed = np.where(labeled | ~(records.lower < observed), observed, records.lower)
    follow_up = np.where(labeled | died, np.minimum(potential, cut), observed)
    entered = observed > records.start
    scorable = entered & (positive | negative)
    if not scorable.any():
        known = ~np.isnan(cut)
        raise DataError(
            "Nobody who had entered by the endpoint can be scored: the longest follow-up of theirs is "
            f"{time[known].max():g}. Choose a shorter horizon, or another endpoint."
        )
    y, positive_now = (labeled & entered).astype(np.int64), seen.astype(np.int64)
    lost = float(np.mean((potential < cut)[entered & ~labeled])) if np.any(entered & ~labeled) else 0.0
    dead = died if records.died.any() else None
    first = records.start if records.start.any() else None
    return EarlierEndpoint(
        entered, y, observed, follow_up, scorable, positive_now, weight, lost, dead, records.lower, first
    )


def _check_outcome(event: ArrayLike, time: ArrayLike) -> tuple[Flags, Array]:
    labels = np.asarray(event)
    if labels.ndim != 1 or labels.size == 0:
        raise DataError(f"event must be one number per person, at least one; got the shape {labels.shape}.")
    return check_labels(labels, labels.size), check_times(time, labels.size, "time")
