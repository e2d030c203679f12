"""What an analysis found, as the report and the summary read it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from whether.advise import Backtest, Evidence, Recommendation, Sensitivity
from whether.estimators import CensoredClassifier
from whether.evaluate import Interval

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Origin:
    """Where the data came from and what was done to them.

    Attributes
    ----------
    name : str
        What the cohort is called: the table's file name without its folder, or "simulated cohort".
    event, time, follow_up, entry : str
        Names of the columns that were given those roles; empty where there is none.
    propensity_features : tuple of str
        Columns that were named as driving labeling.
    unit : str
        Unit of time, such as "years"; empty if nobody said.
    notes : tuple of str
        What was done to the table: columns left out, values filled in, encodings.
    call : str
        The exact call that repeats the analysis.
    simulated : bool
        Whether the people are invented, so that small counts tell nothing about anybody.
    """

    name: str = "cohort"
    event: str = "event"
    time: str = ""
    follow_up: str = ""
    entry: str = ""
    propensity_features: tuple[str, ...] = ()
    unit: str = ""
    notes: tuple[str, ...] = ()
    call: str = ""
    simulated: bool = False


@dataclass(frozen=True, eq=False)
class Analysis:
    """Evidence, recommendation, fitted model, backtest and sensitivity of one cohort.

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
        Probability that the event is still to come, given what was seen; NaN for the labeled.
    lower, upper : ndarray of shape (n,) or None
        Confidence limits of ``risks``; None where the model has none.
    unseen : Interval
        Number of the unlabeled who are expected to be positive.
    mean_risk : Interval
    backtest : Backtest or None
    backtest_note : str
        Why there is no backtest; empty if there is one.
    sensitivity : Sensitivity or None
        At the same people as ``risks``.
    sensitivity_note : str
        Why there is none; empty if there is one.
    warnings : tuple of str
        What the fits warned of.
    """

    origin: Origin
    evidence: Evidence = field(repr=False)
    recommendation: Recommendation = field(repr=False)
    model: CensoredClassifier = field(repr=False)
    risks: Array = field(repr=False)
    still: Array = field(repr=False)
    lower: Array | None = field(repr=False)
    upper: Array | None = field(repr=False)
    unseen: Interval
    mean_risk: Interval
    backtest: Backtest | None = field(repr=False, default=None)
    backtest_note: str = ""
    sensitivity: Sensitivity | None = field(repr=False, default=None)
    sensitivity_note: str = ""
    warnings: tuple[str, ...] = ()
