"""What an analysis found, as the report and the summary read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from whether.advise import Backtest, Evidence, Recommendation, Sensitivity
from whether.advise.situation import Situation
from whether.analysis.cautions import past_error
from whether.analysis.group_levels import GroupLevel
from whether.analysis.memberships import Membership
from whether.analysis.remaining import Remaining
from whether.analysis.share_check import ShareCheck
from whether.analysis.windows import Window
from whether.estimators import CensoredClassifier, LabelClassifier
from whether.evaluate import Interval
from whether.facts import Expected, Groups, RestsOn, Told
from whether.files.table import Encoder, Finding

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Origin:
    """Where the data came from and what was done to them.

    Attributes
    ----------
    name : str
        What the cohort is called: the table's file name without its folder, or "simulated cohort".
    event, time, follow_up, entry, entry_time, time_lower, last_contact : str
        Names of the columns that were given those roles; empty where there is none.
    propensity_features : tuple of str
        Columns that were named as driving labeling.
    unit : str
        Unit of time, such as "years"; empty if nobody said.
    findings : tuple of Finding
        What was done to the table: columns left out, values filled in, encodings.
    call : str
        The exact call that repeats the analysis.
    simulated : bool
        Whether the people are invented, so that small counts tell nothing about anybody.
    n_persons : int
        Number of persons, where a person may have several rows and it is rows that are counted; else 0.
    rows_each : tuple of int
        How many rows each of them has, the largest number first: not told, but used to keep groups of few people quiet.
    """

    name: str = "cohort"
    event: str = "event"
    time: str = ""
    follow_up: str = ""
    entry: str = ""
    entry_time: str = ""
    time_lower: str = ""
    last_contact: str = ""
    propensity_features: tuple[str, ...] = ()
    unit: str = ""
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    call: str = ""
    simulated: bool = False
    n_persons: int = 0
    rows_each: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class FitWarning:
    """What the fit warned of: the name of the finding, empty where it has none, and the fit's own words."""

    name: str
    text: str


@dataclass(frozen=True)
class Note:
    """How something was done, where that is not the usual way: its name, and numbers of the computation."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Told):
    """Evidence, recommendation, fitted model, backtest and sensitivity of one cohort; printing it tells the answer.

    Attributes
    ----------
    origin : Origin
    evidence : Evidence
        Its ``material.cohort`` holds the features, labels, times and follow-up as examined.
    recommendation : Recommendation
    model : CensoredClassifier
        The recommended classifier, fitted to everybody.
    risks : ndarray of shape (n,)
        Probability that the event ever happens, per person.
    still : ndarray of shape (n,)
        Probability that the event is still to come, given what was seen; NaN for the labeled, 0 for people who are
        known never to have it. For the dead it is 0 under the lifetime question, and under the net question what it
        would be, had they lived on.
    lower, upper : ndarray of shape (n,) or None
        Confidence limits of ``risks``; None where the model has none.
    unseen : Interval
        Number of people without the event, and alive as far as known, who are expected to have it. The interval is for
        the number itself, conditional on
        the restriction. Where the data settle on no number, see ``kind``, it is a range: from what holds in any case
        to the most that the methods left standing allow; then the estimate is the model's own figure within it.
    mean_risk : Interval
        Mean of ``risks``; a range like ``unseen``.
    windows : tuple of Window
        How many of the same people are expected to have the event within lengths of time from when each was last seen;
        empty where the model has no times.
    within : ndarray of shape (number of windows, n) or None
        Each person's chance of that; 0 for those to whom the event came or cannot come.
    settles : bool
        Whether the interval of the model narrows the number down; where it leaves nearly every number possible, ranges
        are given in its place.
    by_group : tuple of GroupLevel
        The same for each level of the columns that were named for it.
    memberships : tuple of Membership
        Who belongs to which of these levels.
    backtest : Backtest or None
    no_backtest : str
        Why there is no backtest: "not asked for", "no event times", "too few events" or "failed"; empty if there is
        one.
    sensitivity : Sensitivity or None
        At the same people as ``risks``.
    no_sensitivity : str
        Why there is none: "not asked for" or "failed"; empty if there is one.
    cautions : tuple of str
        Findings about the level of the answer: "curve above risk" where the curve of events alone shows more events
        than the model expects to happen ever; "too low in the past" or "too high in the past" where the mean risk of
        the backtest was off by more than chance; "share apart from the data" where a share of positives that was given
        contradicts them.
    warnings : tuple of FitWarning
        What the fit warned of.
    share : ShareCheck or None
        The share of positives that was given as known from elsewhere, and what the data say without it.
    encoder : Encoder or None
        What made the features of the columns of a table, where there was one.
    notes : tuple of Note
        How intervals and checks were made, where that is not the usual way.
    """

    origin: Origin
    evidence: Evidence = field(repr=False)
    recommendation: Recommendation = field(repr=False)
    model: CensoredClassifier = field(repr=False)
    risks: Array = field(repr=False)
    still: Array = field(repr=False)
    lower: Array | None = field(repr=False)
    upper: Array | None = field(repr=False)
    unseen: Annotated[Interval, Expected()]
    mean_risk: Annotated[Interval, RestsOn(("events",))]
    windows: tuple[Window, ...] = ()
    within: Array | None = field(repr=False, default=None)
    settles: bool = True
    by_group: tuple[GroupLevel, ...] = ()
    memberships: tuple[Membership, ...] = field(repr=False, default=())
    backtest: Backtest | None = field(repr=False, default=None)
    no_backtest: str = ""
    sensitivity: Sensitivity | None = field(repr=False, default=None)
    no_sensitivity: str = ""
    cautions: tuple[str, ...] = ()
    warnings: tuple[FitWarning, ...] = ()
    encoder: Encoder | None = field(repr=False, default=None)
    notes: tuple[Note, ...] = ()
    share: ShareCheck | None = None

    @property
    def groups(self) -> Groups:
        """Sizes of the groups of which numbers may tell."""
        return self.evidence.groups

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.risks.size)

    @property
    def n_events(self) -> int:
        """Number of people whose event was seen."""
        return self.evidence.counts.n_events

    @property
    def n_unlabeled(self) -> int:
        """Number of people whose event was not seen."""
        return self.n_people - self.n_events

    @property
    def n_open(self) -> int:
        """Number of people without the event who may still have it: alive, and not known never to."""
        return self.evidence.counts.n_open

    @property
    def question(self) -> str:
        """What is asked of people who may die first: "lifetime", "net", or "" where no deaths were told apart."""
        return self.evidence.material.question

    @property
    def kind(self) -> str:
        """What the data allow.

        "estimate"; "range", where follow-up is too short to settle on one number, or the interval leaves nearly every
        number possible; or "ranking", where nothing says how many events were missed.
        """
        if self.recommendation.refused:
            return "ranking" if isinstance(self.model, LabelClassifier) else "range"
        return "estimate" if self.settles else "range"

    @property
    def at_least(self) -> float:
        """Number who will still have the event in any case: by the lower limit of the curve of events, if any."""
        share = Situation(self.evidence).shares_by_curve[0]
        return Remaining.of(self.evidence, self.still).expect(share, np.arange(self.n_people))

    @property
    def past_error(self) -> Interval | None:
        """Mean risk by the method at an earlier date minus the share known now; None without a backtest of it.

        Nor is there one where the level rests on a share from elsewhere, which the backtest does without.
        """
        return (
            None
            if self.backtest is None or self.share is not None
            else past_error(self.backtest, self.recommendation.method)
        )
