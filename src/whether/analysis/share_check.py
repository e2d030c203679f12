"""A share of positives that is known from elsewhere, beside what the data say without it: the facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from whether.evaluate import Interval
from whether.facts import RestsOn


@dataclass(frozen=True)
class ShareCheck:
    """The share that was given, and the mean risk by the same method without it."""

    share: float
    error: float  #: Its standard error; 0.001 where it was given as exact.
    alone: Annotated[Interval, RestsOn(("events",))]  #: An interval, or a range where the data settle on no number.
    is_range: bool  #: Which of the two.
    gap: Annotated[float, RestsOn(("events",))]  #: From the nearer end of that to the share; 0 if it holds the share.
    differs: bool  #: Whether the gap is more than the error of the share allows.
