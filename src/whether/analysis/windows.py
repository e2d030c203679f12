"""When as well as whether: stretches of time from when each person was last seen, and the events expected in them."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.estimators.time_model import TimeModelClassifier
from whether.evaluate import Interval
from whether.facts import Expected, RestsOn
from whether.validate import FollowUpWarning

Array = NDArray[np.float64]

# Years in which clinicians count, and shorter ones where follow-up has less than the second of them.
USUAL_YEARS, SHORT_YEARS = (1.0, 5.0, 10.0), (0.5, 1.0, 2.0)
# Round numbers where the unit is not known, or follow-up is shorter than half a year.
ROUND = (1.0, 2.0, 5.0)
MOST_LENGTHS = 3
# Quantile of follow-up that is called long.
LONG = 0.9
# What a year has of each unit, by the words that people use for it.
_A_YEAR = {1.0: "year years yr yrs y a", 12.0: "month months mo mos mth", 52.0: "week weeks wk wks w",
           365.0: "day days d"}  # fmt: skip
UNITS_IN_A_YEAR = {word: size for size, words in _A_YEAR.items() for word in words.split()}


@dataclass(frozen=True)
class Window:
    """A stretch of time from when each person was last seen without the event, and the events expected in it.

    Attributes
    ----------
    length : float
        In the unit of the times.
    expected : Interval
        Number of people without the event, and alive as far as known, who are expected to have it within this time;
        under the lifetime question before they die. Each person's chance is conditional on how long he or she has been
        without the event.
    beyond : float
        Share of that number which comes later, from time zero, than anybody was followed: an extrapolation.
    """

    length: float
    expected: Annotated[Interval, Expected()]
    beyond: float


@dataclass(frozen=True)
class GroupWindow(Window):
    """The same for the people of one level of a column."""

    expected: Annotated[Interval, RestsOn(("n_people", "n_events")), Expected("n_events", "n_people", ("n_closed",))]


def choose_lengths(unit: str, longest: float, long: float) -> tuple[float, ...]:
    """Lengths of time for which events are counted: 1, 5 and 10 years, or what follow-up supports.

    None is longer than anybody was followed. Where no usual length fits, or the unit is not known, they are round
    numbers up to a long follow-up, which is not the longest: that may be one in a thousand.

    >>> choose_lengths("years", 12.0, 9.0), choose_lengths("months", 30.0, 24.0), choose_lengths("", 2000.0, 160.0)
    ((1.0, 5.0, 10.0), (6.0, 12.0, 24.0), (20.0, 50.0, 100.0))
    """
    if not (math.isfinite(longest) and long > 0):
        return ()
    year = UNITS_IN_A_YEAR.get(unit.strip().lower().rstrip("."), 0.0)
    for years in (USUAL_YEARS, SHORT_YEARS):
        fitting = tuple(_even(year * many) for many in years if 0 < year * many <= longest)
        if len(fitting) > 1:
            return fitting
    top = math.floor(math.log10(long))
    fitting = tuple(number * 10.0**power for power in (top - 1, top) for number in ROUND)
    return tuple(length for length in fitting if length <= long)[-MOST_LENGTHS:]


def _even(length: float) -> float:
    """Half a year of days is a whole number of days."""
    return length if length < 2 else float(math.floor(length))


def lengths_for(model: CensoredClassifier, cohort: Cohort, unit: str) -> tuple[float, ...]:
    """Lengths that a model can tell of and the follow-up of a cohort supports; none of a model without times."""
    if not isinstance(model, TimeModelClassifier):
        return ()
    watched = np.fmax.reduce([values for values in (cohort.time, cohort.follow_up) if values is not None])
    since = 0.0 if cohort.entry_time is None else cohort.entry_time
    longest, long = np.quantile(watched - since, [1.0, LONG])
    return choose_lengths(unit, float(longest), float(long))


def waited_by(model: TimeModelClassifier, cohort: Cohort) -> Array:
    """How long each person is known to be without the event: what the model read in the fit, time or follow-up."""
    return cohort.required("follow_up" if model.model_.propensity.needs_follow_up else "time")


def predict_windows(
    model: CensoredClassifier, X: Any, cohort: Cohort, lengths: tuple[float, ...], *, until: float = math.inf
) -> Array:
    """Probability of the event within each length of time, a row each, given how long everybody has been without it.

    It is 0 for the labeled and for people who are known never to have it. Only what comes up to the time ``until``
    counts.
    """
    if not lengths:
        return np.zeros((0, cohort.n))
    assert isinstance(model, TimeModelClassifier), "there are no lengths for a model without times"
    waited = waited_by(model, cohort)
    closed = cohort.labeled if cohort.seen_negative is None else cohort.labeled | cohort.seen_negative
    left = np.maximum(until - waited, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FollowUpWarning)  # how much lies beyond follow-up is told beside the number
        found = [model.predict_proba_within(X, np.minimum(length, left), waited) for length in lengths]
    return np.where(closed, 0.0, found)
