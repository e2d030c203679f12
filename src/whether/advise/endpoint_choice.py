"""Which earlier endpoint a cohort can be put back to, where the user names none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from whether.advise.evidence.material import ADMINISTRATIVE_SHARE
from whether.evaluate.endpoint import EarlierEndpoint, impose_calendar_endpoint, impose_staggered_endpoint
from whether.survival import kaplan_meier
from whether.validate import ArgumentError, DataError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Share of the events hidden by a staggered endpoint that is chosen here, and of the fall of the curve of events that
# has to be over at the horizon.
HIDDEN_SHARE = 0.5
HORIZON_SHARE = 0.9
# Share of the event-free people who have to be followed to a horizon that is chosen here: they are the negatives.
NEGATIVE_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class EndpointPlan:
    """An earlier endpoint, by date or staggered, and the horizon at which people count as negative."""

    event: Flags
    time: Array
    horizon: float
    endpoint: float | None  # Date of a calendar endpoint; None where it is staggered.
    stagger: float | None  # Length of the period of entry before a staggered endpoint.
    entry: Array | None
    extra: dict[str, Any]

    def impose(self, rng: np.random.Generator) -> EarlierEndpoint:
        """Return the cohort as it stood then; a staggered endpoint is drawn anew each time."""
        if self.endpoint is not None:
            assert self.entry is not None
            return impose_calendar_endpoint(
                self.event, self.time, self.entry, endpoint=self.endpoint, horizon=self.horizon, **self.extra
            )
        assert self.stagger is not None
        return impose_staggered_endpoint(
            self.event, self.time, stagger=self.stagger, horizon=self.horizon, rng=rng, **self.extra
        )

    def knows_follow_up(self, then: EarlierEndpoint) -> bool:
        """Whether potential follow-up was known then: it is now, or nearly nobody had been lost."""
        return self.extra["follow_up"] is not None or then.lost_share <= 1 - ADMINISTRATIVE_SHARE


def plan_endpoint(
    event: Flags,
    time: Array,
    *,
    entry: Array | None = None,
    endpoint: float | None = None,
    stagger: float | None = None,
    horizon: float | None = None,
    follow_up: ArrayLike | None = None,
    **records: Any,
) -> EndpointPlan:
    """Choose what the user left open.

    A date needs dates of entry; without a date, it is the one by which half of the events had come. Without dates the
    endpoint is staggered, so that half of the events are hidden. The horizon is when nine tenths of the fall of the
    curve of events are over, or earlier where less than a fifth of the event-free people were followed that long.
    Of records see `impose_calendar_endpoint`.
    """
    if endpoint is not None and entry is None:
        raise ArgumentError(
            f"endpoint={endpoint:g} is a date: pass entry=, everybody's date of entry, as well, or stagger= instead."
        )
    if endpoint is not None and stagger is not None:
        raise ArgumentError(f"Give endpoint={endpoint:g} or stagger={stagger:g}, not both.")
    if not event.any():
        raise DataError("Nobody has had the event by now: there is nothing to score against.")
    if endpoint is None and stagger is None:
        if entry is not None:
            endpoint = float(np.median((entry + time)[event]))
        else:
            start = records.get("entry_time")
            stagger = _stagger((time if start is None else time - start)[event])
    if horizon is None:
        horizon = _horizon(event, time, records)
    extra = {"follow_up": follow_up, **records}
    return EndpointPlan(event, time, horizon, endpoint, stagger, entry, extra)


def _stagger(event_times: Array) -> float:
    """Length L of a period of entry such that the wanted share of events comes after U(0, L)."""

    def too_many(log_length: float) -> float:
        # An event at t comes after U(0, L) with probability min(t / L, 1).
        return float(np.mean(np.minimum(event_times / math.exp(log_length), 1.0))) - HIDDEN_SHARE

    ends = math.log(event_times.min() * 1e-3), math.log(event_times.max() * 1e3)
    return math.exp(brentq(too_many, *ends, xtol=1e-14))


def _horizon(event: Flags, time: Array, records: dict[str, Any]) -> float:
    curve = kaplan_meier(event, time, entry=records.get("entry_time"))
    fall = 1 - curve.survival
    over = float(curve.times[np.argmax(fall >= HORIZON_SHARE * fall[-1])])
    died = records.get("competing")
    waiting = ~event if died is None else ~(event | died)  # a death says at once that the event never comes
    return min(over, float(np.quantile(time[waiting], 1 - NEGATIVE_SHARE))) if waiting.any() else over
