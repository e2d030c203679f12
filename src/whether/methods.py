"""The catalogue: every method under its published name, with its restriction, its data and its equation.

Programs, studies, reports, documentation and the test matrix read it, so a method is named once: elsewhere it is the
constant of its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from whether.cohort import Cohort
from whether.estimators import (
    AFTClassifier,
    CensoredClassifier,
    CoxCureClassifier,
    DiscreteTimeCureClassifier,
    ElkanNotoClassifier,
    FollowUpCureClassifier,
    HindsightClassifier,
    LabelClassifier,
    MixtureCureClassifier,
    PromotionTimeClassifier,
    ProportionalPUClassifier,
    SARPUClassifier,
    UnbiasedPUClassifier,
)
from whether.palette import BLACK, BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PINK, RED, SKY, YELLOW
from whether.validate import ArgumentError


@dataclass(frozen=True)
class Look:
    """How a method looks in every figure: a colour, and a marker and a line for black and white.

    Attributes
    ----------
    title : str
        What it is called in legends.
    color, marker : str
    line : str or tuple
        As matplotlib has them.
    """

    title: str
    color: str
    marker: str
    line: Any


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes
    ----------
    name : str
        Short name, the paper's where it has one. ``-F`` puts all features into the propensity, ``-R`` only those that
        are named.
    estimator : type
        The classifier.
    restriction : str
        What it assumes of the labeling propensity.
    needs : tuple of str
        What ``fit`` needs besides X and y.
    equation : str
        Number of the paper's equation that it maximises or minimises; empty where the paper has none.
    in_paper : bool
    paper_name : str
        The paper's name, where it has another one.
    feature_parameter : str
        Name of the parameter that takes the named features of an ``-R`` method; empty for the others.
    settings : dict
        Parameters that make the method.
    words : str
        What it is, to a clinician, as it goes after "by".
    look : Look
        Title, colour, marker and line in figures.
    is_rival : bool
        Whether checks of another method show it beside that one: one method of each restriction that needs no names.
    is_answer : bool
        Whether it is one of the answers under other assumptions; not where everybody is positive, and not twice.
    """

    name: str
    estimator: type[CensoredClassifier]
    restriction: str
    needs: tuple[str, ...]
    equation: str
    in_paper: bool = True
    paper_name: str = ""
    feature_parameter: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    words: str = ""
    look: Look = Look("", BLACK, ".", "-")
    is_rival: bool = False
    is_answer: bool = True

    def unread(self, cohort: Cohort) -> tuple[str, ...]:
        """Return what is known of the people of a cohort that it cannot read, by the names that ``fit`` has for it."""
        return tuple(what for what in self.estimator.unread_records() if getattr(cohort, what) is not None)

    def build(self, features: Sequence[str | int] | None = None, **parameters: Any) -> CensoredClassifier:
        """Return an unfitted classifier.

        Parameters
        ----------
        features : sequence of str or int, optional
            The features that drive labeling, for ``-R`` methods.
        **parameters
            Further parameters of the classifier.
        """
        settings = {**self.settings, **parameters}
        if self.feature_parameter:
            if features is None:
                raise ArgumentError(f"{self.name} needs the names of the features that drive labeling.")
            settings[self.feature_parameter] = list(features)
        return self.estimator(**settings)


# What a method that takes all events for equally likely to be recorded is, however it is fitted.
ONE_CHANCE = "positive-unlabeled learning with one chance to be seen for all"

# fmt: off
LR = Method(
    "LR", LabelClassifier, "none: every positive is seen", (), "2 with c = 1",
    words="logistic regression on the recorded events",
    look=Look("none (LR)", GREY, "x", ":"), is_rival=True,
)
ENPU = Method(
    "ENPU", ElkanNotoClassifier, "constant", (), "2",
    words=f"{ONE_CHANCE} (Elkan and Noto)",
    look=Look("constant (ENPU)", ORANGE, "v", (0, (3, 1, 1, 1))), is_rival=True,
)
UPU = Method(
    "uPU", UnbiasedPUClassifier, "constant", (), "7",
    words=f"{ONE_CHANCE} (unbiased loss)",
    look=Look("constant (uPU)", YELLOW, "^", (0, (3, 1, 1, 1, 1, 1))),
)
NNPU = Method(
    "nnPU", UnbiasedPUClassifier, "constant", (), "7, clipped", in_paper=False, settings={"nonnegative": True},
    words=f"{ONE_CHANCE} (non-negative loss)",
    look=Look("constant (nnPU)", YELLOW, "<", (0, (1, 1))), is_answer=False,
)
PGLIN = Method(
    "PGLIN", ProportionalPUClassifier, "proportional to the risk", (), "", in_paper=False,
    words="positive-unlabeled learning with a chance to be seen that rises with the risk",
    look=Look("proportional to the risk (PGLIN)", YELLOW, ">", (0, (5, 2, 1, 2))), is_answer=False,
)
SARPU_F = Method(
    "SARPU-F", SARPUClassifier, "logistic in all features", (), "3",
    words="positive-unlabeled learning with a chance to be seen that depends on all features",
    look=Look("all features (SARPU-F)", PINK, "P", "--"),
)
SARPU_R = Method(
    "SARPU-R", SARPUClassifier, "logistic in named features", (), "3", feature_parameter="propensity_features",
    words="positive-unlabeled learning with a chance to be seen that depends on the named features",
    look=Look("named features (SARPU-R)", GREEN, "s", "--"),
)
FUMC_F = Method(
    "FUMC-F", FollowUpCureClassifier, "event within own follow-up", ("follow_up",), "3 with e = Pr(T <= follow_up)",
    in_paper=False,
    words="a cure model that reads the length of follow-up, not the event times",
    look=Look("follow-up (FUMC-F)", BLUE, "o", "-"), is_rival=True,
)
FUMC_R = Method(
    "FUMC-R", FollowUpCureClassifier, "event within own follow-up, times depend on named features", ("follow_up",),
    "3 with e = Pr(T <= follow_up)", in_paper=False, feature_parameter="time_features",
    words="a cure model that reads the length of follow-up and the named features, not the event times",
    look=Look("follow-up, named features (FUMC-R)", BLUE, "D", "-"),
)
AFTMC_F = Method(
    "AFTMC-F", MixtureCureClassifier, "event times", ("time",), "4",
    words="a cure model that reads event times",
    look=Look("event times (AFTMC-F)", RED, "D", "-."), is_rival=True,
)
AFTMC_R = Method(
    "AFTMC-R", MixtureCureClassifier, "event times that depend on named features", ("time",), "4",
    feature_parameter="time_features",
    words="a cure model that reads event times, which depend on the named features",
    look=Look("event times, named features (AFTMC-R)", RED, "d", "-."),
)
AFTMC_S = Method(
    "AFTMC-S", MixtureCureClassifier, "event times, their distribution left open", ("time",), "4", in_paper=False,
    settings={"distribution": "open"},
    words="a cure model that reads event times and leaves open how they are distributed",
    look=Look("event times, distribution open (AFTMC-S)", RED, "8", (0, (3, 1, 1, 1))), is_answer=False,
)
DTMC = Method(
    "DTMC", DiscreteTimeCureClassifier, "event times in bins", ("time",), "4, discrete", paper_name="DTNN",
    words="a cure model that reads event times in discrete steps",
    look=Look("event times in bins (DTMC)", SKY, "h", "-."),
)
COXMC_F = Method(
    "CoxMC-F", CoxCureClassifier, "event times in any shape, hazards in proportion", ("time",), "", in_paper=False,
    words="a cure model that reads event times and leaves their shape open (Cox)",
    look=Look("event times, any shape (CoxMC-F)", GREEN, "d", (0, (4, 1, 1, 1))), is_answer=False,
)
COXMC_R = Method(
    "CoxMC-R", CoxCureClassifier, "event times in any shape that depend on named features", ("time",), "",
    in_paper=False, feature_parameter="time_features",
    words="a cure model that reads event times, leaves their shape open (Cox) and lets them depend on the named "
    "features",
    look=Look("event times, any shape, named features (CoxMC-R)", GREEN, "D", (0, (4, 1, 1, 1))), is_answer=False,
)
AFTPT = Method(
    "AFTPT", PromotionTimeClassifier, "event times, one index for whether and when", ("time",), "", in_paper=False,
    settings={"clock": "time"},
    words="a promotion-time cure model that reads event times",
    look=Look("event times, promotion time (AFTPT)", RED, "p", (0, (5, 1))), is_rival=True,
)
FUPT = Method(
    "FUPT", PromotionTimeClassifier, "event within own follow-up, one index for whether and when", ("follow_up",), "",
    in_paper=False, settings={"clock": "follow_up"},
    words="a promotion-time cure model that reads the length of follow-up, not the event times",
    look=Look("follow-up, promotion time (FUPT)", BLUE, "p", (0, (5, 1))), is_rival=True,
)
AFT = Method(
    "AFT", AFTClassifier, "event times, everybody positive", ("time",), "4 with p = 1",
    words="a survival model in which everybody has the event in the end",
    look=Look("event times, all positive (AFT)", LIGHT_GREY, "*", ":"), is_answer=False,
)
HIND = Method(
    "HIND", HindsightClassifier, "as those before turned up, step by step", ("time", "follow_up"), "", in_paper=False,
    words="recorded events corrected by looking back at who turned up since",
    look=Look("looking back (HIND)", GREEN, "h", "-."), is_answer=False,
)
DFM = Method(
    "DFM", MixtureCureClassifier, "exponential event times", ("time",), "4", in_paper=False,
    settings={"distribution": "exponential"},
    words="a cure model that reads event times, taken to be exponential",
    look=Look("exponential event times (DFM)", ORANGE, "d", (0, (5, 1))), is_answer=False,
)
# fmt: on

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        LR,
        ENPU,
        UPU,
        NNPU,
        PGLIN,
        SARPU_F,
        SARPU_R,
        FUMC_F,
        FUMC_R,
        AFTMC_F,
        AFTMC_R,
        AFTMC_S,
        DTMC,
        COXMC_F,
        COXMC_R,
        AFTPT,
        FUPT,
        AFT,
        HIND,
        DFM,
    )
}


def words_of(name: str, restriction: str) -> str:
    """Return what a method is to a clinician; one of named features, of which none are named, has one chance for all.

    >>> words_of("SARPU-R", "constant") == ONE_CHANCE
    True
    """
    known = METHODS[name]
    is_unnamed = restriction == ENPU.restriction != known.restriction
    return ONE_CHANCE if is_unnamed else known.words or known.restriction
