"""The analysis as the sections of the report read it: who is who, in which unit, and what the model says of them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.advise.situation import Situation
from whether.analysis import Analysis
from whether.cohort import Cohort
from whether.report.disclosure import Disclosure
from whether.report.words import Name, clean, name, number
from whether.survival import SurvivalCurve, kaplan_meier

Array = NDArray[np.float64]

# More people than this add nothing to a picture of bins.
MOST_ROWS = 200_000
# A median below this share of the largest value squeezes a linear axis into a corner.
SKEWED = 0.05
N_STEPS = 120
# A curve that fewer people carry says nothing, whoever may see it.
FEWEST_AT_RISK = 11


@dataclass(frozen=True, eq=False)
class ThinCurve:
    """Kaplan and Meier's curve at times that are nobody's own, with enough events between them, or none.

    Attributes
    ----------
    times, survival, lower, upper : ndarray
    at_risk : ndarray of int
        People still under observation after each time.
    counted : ndarray of bool
        Where that number may be shown: since the time before enough people had left without the event, or none.
    is_log : bool
        Whether the times are spread evenly on a logarithmic scale.
    """

    times: Array
    survival: Array
    lower: Array
    upper: Array
    at_risk: NDArray[np.int64]
    counted: NDArray[np.bool_]
    is_log: bool


@dataclass(frozen=True, eq=False)
class Reading:
    """An analysis and the rule for small counts.

    Attributes
    ----------
    analysis : Analysis
    disclosure : Disclosure
    """

    analysis: Analysis
    disclosure: Disclosure

    @property
    def cohort(self) -> Cohort:
        """Features, labels, times and follow-up."""
        return self.analysis.evidence.material.cohort

    @property
    def n(self) -> int:
        """Number of people."""
        return self.cohort.n

    @property
    def n_events(self) -> int:
        """Number of people with the event."""
        return int(np.count_nonzero(self.cohort.labeled))

    @property
    def event(self) -> Name:
        """Name of the event."""
        return name(self.analysis.origin.event, 30)

    @cached_property
    def situation(self) -> Situation:
        """The evidence as answers to questions."""
        return Situation(self.analysis.evidence)

    @property
    def unit(self) -> str:
        """Unit of time."""
        return str(name(self.analysis.origin.unit, 20)) if self.analysis.origin.unit else "units of time"

    def length(self, time: float, digits: int = 2) -> str:
        """Return a length of time with its unit.

        Parameters
        ----------
        time : float
        digits : int
        """
        return f"{number(time, digits)} {self.unit}"

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """People who are put into bins: everybody, or every so many-th of a large cohort."""
        return np.arange(0, self.n, max(1, math.ceil(self.n / MOST_ROWS)))

    def table(self, rows: NDArray[np.intp]) -> Any:
        """Features of some people in the form in which the model was given them.

        Parameters
        ----------
        rows : ndarray of int
        """
        values = self.cohort.features[rows]
        names = getattr(self.analysis.model, "feature_names_in_", None)
        if names is None:
            return values
        import pandas

        return pandas.DataFrame(values, columns=list(names))

    @property
    def model_has_clock(self) -> bool:
        """Whether the model has times in it."""
        return hasattr(self.analysis.model, "predict_survival")

    @cached_property
    def propensity(self) -> Array:
        """Probability that a positive is labeled, of those in ``rows``, at their own follow-up where known."""
        model, table = self.analysis.model, self.table(self.rows)
        if self.model_has_clock and self.cohort.follow_up is not None:
            return np.asarray(model.predict_propensity(table, self.cohort.follow_up[self.rows]))
        return np.asarray(model.predict_propensity(table))

    @cached_property
    def curve(self) -> SurvivalCurve | None:
        """Kaplan and Meier's curve of events; None without times."""
        if self.cohort.time is None:
            return None
        return kaplan_meier(self.cohort.labeled, self.cohort.time)

    @cached_property
    def thin_curve(self) -> ThinCurve | None:
        """The curve as it may be shown; None where there is none, or too little of it."""
        if self.curve is None:
            return None
        return thin(self.curve, self.disclosure)

    @property
    def tells_events(self) -> bool:
        """Whether the numbers of people with and without a recorded event may be shown."""
        return self.disclosure.allows(self.n_events, self.n - self.n_events)

    def tell(self, sentence: str) -> str:
        """Return a sentence that was written elsewhere as it may be shown.

        Parameters
        ----------
        sentence : str
        """
        text = self.disclosure.scrub(clean(sentence), self.personal_times)
        if self.tells_events:
            return text
        # A count gives the other back, and so do its share of everybody and its ratio to the coefficients.
        text = re.sub(r"\S+ events are few: [\d.]+ per coefficient", "Events, or people without one, are few", text)
        for count in (self.n_events, self.n - self.n_events):
            text = re.sub(
                rf"(?<![\d.,]){count}(?![\d]|[.,]\d)", "hardly any" if 2 * count < self.n else "nearly all", text
            )
            text = re.sub(
                rf"(?<![\d.,]){100 * count / self.n:.1f} %", "about 0 %" if 2 * count < self.n else "nearly 100 %", text
            )
        return text

    @property
    def personal_times(self) -> list[float]:
        """Times of single persons that sentences written elsewhere may hold."""
        found = self.analysis.evidence.follow_up
        if found is None:
            return []
        return [found.longest] + ([found.events.last_event] if found.events is not None else [])


def is_skewed(values: Array) -> bool:
    """Whether most of the values would be squeezed into a corner of a linear axis.

    Parameters
    ----------
    values : ndarray
    """
    return bool(np.median(values) < SKEWED * np.max(values))


def thin(curve: SurvivalCurve, disclosure: Disclosure) -> ThinCurve | None:
    """Read a curve at round times only, between which enough people had the event, or nobody.

    It ends where too few people are left to carry it.

    Parameters
    ----------
    curve : SurvivalCurve
    disclosure : Disclosure
    """
    fewest = max(disclosure.fewest, FEWEST_AT_RISK)
    carried = curve.times[curve.at_risk >= fewest]
    if carried.size == 0:
        return None
    event_times = np.repeat(curve.times, curve.events.astype(int))
    is_log = is_skewed(event_times)
    grid = _log_grid(carried, event_times) if is_log else _even_grid(carried)
    # People who are under observation just after each grid time, and events up to it.
    position = np.searchsorted(curve.times, grid, side="right")
    left = np.append(curve.at_risk, 0.0)[position]
    events = np.concatenate([[0.0], np.cumsum(curve.events)])[position]
    grid, left, events = grid[left >= fewest], left[left >= fewest], events[left >= fewest]
    if grid.size == 0:
        return None
    last = _ends(disclosure.merge(np.diff(events, prepend=0.0).astype(np.int64)[:, None]))
    if last.size == 0:
        return None
    seen = np.diff(events[last], prepend=0.0)
    gone = -np.diff(left[last], prepend=curve.at_risk[0]) - seen
    counted = np.zeros(last.size, dtype=bool)
    counted[_ends(disclosure.merge(np.column_stack([seen, gone]).astype(np.int64)))] = True
    times = grid[last]
    lower, upper = curve.interval()
    step = np.searchsorted(curve.times, times, side="right")
    lower, upper = np.append(1.0, lower)[step], np.append(1.0, upper)[step]
    return ThinCurve(times, curve.at(times), lower, upper, left[last].astype(np.int64), counted, is_log)


def _ends(runs: list[slice]) -> NDArray[np.intp]:
    return np.array([run.stop - 1 for run in runs], dtype=np.intp)


def _log_grid(times: Array, event_times: Array) -> Array:
    """Times of two digits, evenly spread on a logarithmic scale: fine enough for an axis of several powers of ten."""
    first = max(float(np.quantile(event_times, 0.02)), 1e-4 * float(times[-1]))
    return np.unique([float(f"{value:.2g}") for value in np.geomspace(first, float(times[-1]), N_STEPS)])


def _even_grid(times: Array) -> Array:
    """Multiples of a round number."""
    step = float(times[-1]) / N_STEPS
    power = 10 ** np.floor(np.log10(step))
    step = float(next(power * size for size in (1, 2, 2.5, 5, 10) if power * size >= step))
    return np.asarray(np.arange(1, N_STEPS + 1) * step)
