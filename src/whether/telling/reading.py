"""What pictures and pages read: who is who, in which unit, what may be shown, and what the model says of people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.advise import Evidence
from whether.advise.evidence.watched import event_curve
from whether.advise.situation import Situation
from whether.analysis import Analysis
from whether.cohort import Cohort
from whether.facts import FEWEST
from whether.survival import SurvivalCurve
from whether.telling.answer_words import AnswerWords
from whether.telling.disclosure import Disclosure, disclose
from whether.telling.feature_words import Level, level_features
from whether.telling.risk_bins import RiskBins, merge_risks
from whether.telling.thin_curve import ThinCurve, thin
from whether.telling.words import NO_UNIT, Name, length, name, unit_text

Array = NDArray[np.float64]

# More people than this add nothing to a picture of bins.
MOST_ROWS = 200_000
# People of whom curves are predicted at a time.
MOST_AT_ONCE = 20_000


class CohortReading:
    """What can be read of a cohort before anything is fitted to it; one of the two classes below."""

    evidence: Evidence
    disclosure: Disclosure  # the rule for small counts
    unit: str  # unit of time

    @property
    def cohort(self) -> Cohort:
        """Features, labels, times and follow-up."""
        return self.evidence.material.cohort

    @property
    def n(self) -> int:
        """Number of people."""
        return self.cohort.n

    @property
    def n_events(self) -> int:
        """Number of people with the event."""
        return int(np.count_nonzero(self.cohort.labeled))

    @property
    def tells_events(self) -> bool:
        """Whether the numbers of people with and without a recorded event may be shown."""
        return self.disclosure.allows(self.n_events, self.n - self.n_events)

    @cached_property
    def situation(self) -> Situation:
        """The evidence as answers to questions."""
        return Situation(self.evidence)

    def length(self, time: float, digits: int = 2) -> str:
        """Return a length of time with its unit."""
        return length(time, self.unit, digits)

    @cached_property
    def levels(self) -> dict[str, Level]:
        """Features that are levels of a category; none are known without a table."""
        return {}

    def called(self, feature: str) -> str:
        """Return what a feature is called to a reader."""
        return str(self.levels.get(feature, feature))

    @property
    def enters_late(self) -> bool:
        """Whether time zero is not when people came under observation."""
        return self.evidence.material.enters_late

    @property
    def question(self) -> str:
        """What is asked of people who may die first; empty where no deaths were told apart."""
        return self.evidence.material.question

    @cached_property
    def curve(self) -> SurvivalCurve | None:
        """The curve of events; None without times."""
        return None if self.cohort.time is None else event_curve(self.cohort)

    @cached_property
    def thin_curve(self) -> ThinCurve | None:
        """The curve as it may be shown; None where there is none, or too little of it."""
        return None if self.curve is None else thin(self.curve, self.disclosure, self.cohort.entry_time)

    @property
    def fitted_curve(self) -> Array | None:
        """What a model makes of the curve, at its times; None without a model of times."""
        return None


@dataclass(frozen=True, eq=False)
class EvidenceReading(CohortReading):
    """The evidence alone, for pictures without an analysis."""

    evidence: Evidence
    disclosure: Disclosure
    unit: str = NO_UNIT


@dataclass(frozen=True, eq=False)
class Reading(CohortReading):
    """An analysis: the evidence, and what the fitted model says of everybody."""

    analysis: Analysis
    fewest: int = FEWEST

    def __post_init__(self) -> None:
        object.__setattr__(self, "disclosure", disclose(self.analysis, self.fewest))
        object.__setattr__(self, "evidence", self.analysis.evidence)
        object.__setattr__(self, "unit", unit_text(self.analysis.origin.unit))

    @cached_property
    def levels(self) -> dict[str, Level]:
        """Features that are levels of a category."""
        return level_features(self.analysis.origin.findings, self.fewest)

    @property
    def event(self) -> Name:
        """Name of the event."""
        return name(self.analysis.origin.event, 30)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """People who are put into bins: everybody, or every so many-th of a large cohort."""
        return np.arange(0, self.n, max(1, math.ceil(self.n / MOST_ROWS)))

    @cached_property
    def risk_bins(self) -> RiskBins | None:
        """Edges between which people may be counted by risk; None where there are too few of one kind."""
        return merge_risks(self.analysis.risks, self.cohort.labeled, self.disclosure)

    def table(self, rows: NDArray[np.intp]) -> Any:
        """Features of some people in the form in which the model was given them."""
        return self.as_table(self.cohort.features[rows])

    def as_table(self, values: Array) -> Any:
        """Some values of the features in that form."""
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
    def fitted_curve(self) -> Array | None:
        """Mean probability of no event by each time at which the curve is shown, rounded as the curve is."""
        if self.thin_curve is None or not self.model_has_clock:
            return None
        model: Any = self.analysis.model
        total = np.zeros(self.thin_curve.times.size)
        for start in range(0, self.rows.size, MOST_AT_ONCE):
            table = self.table(self.rows[start : start + MOST_AT_ONCE])
            total += model.predict_survival(table, self.thin_curve.times).sum(axis=0)
        mean = total / self.rows.size
        return np.asarray(mean.round(self.thin_curve.places + 2)) if self.disclosure.is_on else mean

    @cached_property
    def propensity(self) -> Array:
        """Probability that a positive is labeled, of those in ``rows``, at their own follow-up where known."""
        model, table = self.analysis.model, self.table(self.rows)
        if self.model_has_clock and self.cohort.follow_up is not None:
            return np.asarray(model.predict_propensity(table, self.cohort.follow_up[self.rows]))
        return np.asarray(model.predict_propensity(table))

    @cached_property
    def words(self) -> AnswerWords:
        """The analysis in words."""
        return AnswerWords(self.analysis, self.disclosure)

    @property
    def told(self) -> Analysis:
        """The analysis as it may be told."""
        return self.words.told
