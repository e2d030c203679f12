"""Which methods a study compares, with which learner: lists to read and to extend.

An entry is a method of the catalogue and a learner. Where the paper reports that pair, the entry carries the paper's
name for it: its networks are our ``neural``, its logistic regression and its AFT model are ``linear``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from whether.estimators import CensoredClassifier, LabelClassifier
from whether.methods import METHODS

ORACLE = "oracle"

# Seconds that a fit takes compared with a linear one, roughly: long cells are started first.
_LEARNER_COSTS = {"linear": 1.0, "boosted": 4.0, "neural": 15.0, "auto": 30.0}
_WITH_DISTRIBUTION = ("FUMC-F", "FUMC-R", "AFTMC-F", "AFTMC-R")
_QUICK_METHODS = (ORACLE, "LR", "ENPU", "uPU", "nnPU", "SARPU-F", "SARPU-R", "AFT")


@dataclass(frozen=True)
class Entry:
    """A method with a learner.

    Attributes
    ----------
    method : str
        Name in the catalogue, or "oracle": a classifier of the labels that is given the true outcome instead.
    learner : str
        The classifier's ``learner``.
    paper : str
        The paper's name for the pair; empty for ours.
    settings : tuple of (str, value)
        Further parameters of the classifier.
    """

    method: str
    learner: str = "linear"
    paper: str = ""
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def pair(self) -> str:
        """Method and learner in one word, as in ``--methods``."""
        return f"{self.method}/{self.learner}"

    @property
    def label(self) -> str:
        """Name in tables and figures: the paper's, or method and learner."""
        if self.paper:
            return self.paper
        return self.method if self.pair == f"{ORACLE}/linear" else f"{self.method} {self.learner}"

    @property
    def cost(self) -> float:
        """How long a fit takes compared with others, roughly."""
        return _LEARNER_COSTS.get(self.learner, 10.0) * (0.2 if self.method in _QUICK_METHODS else 1.0)

    def build(self, drivers: Sequence[int] | None, seed: int) -> CensoredClassifier:
        """Return the classifier, not fitted.

        Parameters
        ----------
        drivers : sequence of int or None
            Positions of the features that drive labeling, for methods that are told them.
        seed : int
            The classifier's ``random_state``.
        """
        settings = {"learner": self.learner, "random_state": seed, **dict(self.settings)}
        if self.method == ORACLE:
            return LabelClassifier(**settings)
        return METHODS[self.method].build(drivers, **settings)


def entries(learner: str, *methods: str) -> tuple[Entry, ...]:
    """Return an entry per method, all with one learner.

    Parameters
    ----------
    learner : str
    *methods : str
    """
    return tuple(Entry(method, learner) for method in methods)


def log_normal(*some: Entry) -> tuple[Entry, ...]:
    """Return the entries with log-normal event times, where the method has a choice.

    Parameters
    ----------
    *some : Entry
    """
    given = (("distribution", "lognormal"),)
    return tuple(replace(entry, settings=given) if entry.method in _WITH_DISTRIBUTION else entry for entry in some)


# The paper does not say which distribution its AFT model has. With Weibull times its numbers are met; the distribution
# of highest likelihood, log-normal in most scenarios, ranks people worse.
PAPER_AFT = Entry("AFT", "linear", "AFT", (("distribution", "weibull"),))

PAPER_ENTRIES = (
    Entry("ENPU", "neural", "ENPU"),
    Entry("uPU", "neural", "uPU"),
    Entry("SARPU-F", "neural", "SARPU-F"),
    Entry("SARPU-R", "neural", "SARPU-R"),
    Entry("AFTMC-F", "neural", "AFTMC-F"),
    Entry("AFTMC-R", "neural", "AFTMC-R"),
    Entry("DTMC", "neural", "DTNN"),
    PAPER_AFT,
    Entry("LR", "linear", "LR"),
)

KNOWN_TRUTH_ENTRIES = (
    *PAPER_ENTRIES,
    *entries("linear", ORACLE, "ENPU", "uPU", "SARPU-F", "SARPU-R", "AFTMC-F", "AFTMC-R", "DTMC", "FUMC-F", "FUMC-R"),
    *entries("auto", "FUMC-F", "AFTMC-F"),
)

STRESS_ENTRIES = (
    *entries("linear", ORACLE, "LR", "ENPU", "SARPU-R", "FUMC-F", "AFTMC-F", "AFTMC-R", "DTMC", "AFT"),
    *entries("boosted", ORACLE, "LR", "SARPU-R", "FUMC-F", "AFTMC-F", "DTMC"),
    *entries("neural", "FUMC-F", "AFTMC-F", "DTMC"),
    *entries("auto", "FUMC-F", "AFTMC-F"),
)

# Nobody can name the columns of an embedding that drive labeling, so there is no restricted variant. With as many
# columns a choice among distributions takes minutes, so the paper's is given.
AUTISM_ENTRIES = log_normal(
    *(entry for entry in PAPER_ENTRIES if not entry.method.endswith("-R")),
    *entries("linear", ORACLE, "ENPU", "uPU", "SARPU-F", "FUMC-F", "AFTMC-F", "DTMC"),
    *entries("boosted", ORACLE, "LR", "FUMC-F", "AFTMC-F"),
    *entries("neural", ORACLE, "FUMC-F"),
)

COHORT_ENTRIES = (
    *entries("linear", ORACLE, "LR", "ENPU", "uPU", "SARPU-F", "FUMC-F", "AFTMC-F", "DTMC", "AFT"),
    *entries("boosted", ORACLE, "LR", "FUMC-F", "AFTMC-F"),
    *entries("neural", "FUMC-F", "AFTMC-F", "DTMC"),
    *entries("auto", "FUMC-F", "AFTMC-F"),
)
