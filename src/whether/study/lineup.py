"""Which methods a study compares, with which learner: lists to read and to extend.

An entry is a method of the catalogue and a learner. Where the paper reports that pair, the entry carries the paper's
name for it: its networks are our ``neural``, its logistic regression and its AFT model are ``linear``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from whether.estimators import CensoredClassifier, LabelClassifier
from whether.methods import (
    AFT,
    AFTMC_F,
    AFTMC_R,
    DTMC,
    ENPU,
    FUMC_F,
    FUMC_R,
    LR,
    METHODS,
    SARPU_F,
    SARPU_R,
    UPU,
    Look,
    Method,
)
from whether.palette import BLACK
from whether.study.peers import PEERS, Peer

# A classifier of the labels that is given the true outcome instead.
ORACLE = Method("oracle", LabelClassifier, "none needed", (), "", in_paper=False, look=Look("oracle", BLACK, "|", "-"))
COMPARABLE: dict[str, Method] = {ORACLE.name: ORACLE, **METHODS, **PEERS}

# Seconds that a fit takes compared with a linear one, roughly: long cells are started first.
_LEARNER_COSTS = {"linear": 1.0, "boosted": 4.0, "neural": 15.0, "auto": 30.0}


@dataclass(frozen=True)
class Entry:
    """A method with a learner."""

    name: str  # Of the method, a key of `COMPARABLE`.
    learner: str = "linear"  # The classifier's ``learner``; the package of a method that is not ours.
    paper: str = ""  # The paper's name for the pair; empty for ours.
    settings: tuple[tuple[str, Any], ...] = ()  # Further parameters of the classifier.

    @property
    def method(self) -> Method:
        """The row of the catalogue, or the oracle."""
        return COMPARABLE[self.name]

    @property
    def pair(self) -> str:
        """Method and learner in one word, as in ``--methods``."""
        return f"{self.name}/{self.learner}"

    @property
    def label(self) -> str:
        """Name in tables and figures: the paper's, that of another package's model, or method and learner."""
        if self.paper:
            return self.paper
        alone = self.pair == ORACLE_PAIR or isinstance(self.method, Peer)
        return self.name if alone else f"{self.name} {self.learner}"

    @property
    def cost(self) -> float:
        """How long a fit takes compared with others, roughly: cure models take longest."""
        if isinstance(self.method, Peer):
            return self.method.cost
        is_cure_model = bool(self.method.needs) and self.method is not AFT
        return _LEARNER_COSTS.get(self.learner, 10.0) * (1.0 if is_cure_model else 0.2)

    @property
    def missing_package(self) -> str:
        """The package that would have to be installed; empty if nothing is missing."""
        return self.method.package if isinstance(self.method, Peer) and not self.method.installed else ""

    @property
    def is_quick(self) -> bool:
        """Whether a quick run has it: linear models, and those of other packages."""
        return self.learner == "linear" or isinstance(self.method, Peer)

    def build(self, drivers: Sequence[int] | None, seed: int) -> CensoredClassifier:
        """Return the classifier, not fitted, which is told the features that drive labeling where it wants them."""
        return self.method.build(drivers, learner=self.learner, random_state=seed, **dict(self.settings))


def entries(learner: str, *methods: Method, in_paper: bool = False) -> tuple[Entry, ...]:
    """Return an entry per method, all with one learner."""
    return tuple(
        Entry(method.name, learner, (method.paper_name or method.name) if in_paper else "") for method in methods
    )


def log_normal(*some: Entry) -> tuple[Entry, ...]:
    """Return the entries with log-normal event times, where the method has a choice."""
    given = (("distribution", "lognormal"),)
    return tuple(replace(entry, settings=given) if entry.method in (FUMC_F, AFTMC_F) else entry for entry in some)


ORACLE_PAIR = Entry(ORACLE.name).pair

# The paper does not say which distribution its AFT model has. With Weibull times its numbers are met; the distribution
# of highest likelihood, log-normal in most scenarios, ranks people worse.
PAPER_AFT = Entry(AFT.name, "linear", AFT.name, (("distribution", "weibull"),))

PAPER_ENTRIES = (
    *entries("neural", ENPU, UPU, SARPU_F, SARPU_R, AFTMC_F, AFTMC_R, DTMC, in_paper=True),
    PAPER_AFT,
    *entries("linear", LR, in_paper=True),
)

KNOWN_TRUTH_ENTRIES = (
    *PAPER_ENTRIES,
    *entries("linear", ORACLE, ENPU, UPU, SARPU_F, SARPU_R, AFTMC_F, AFTMC_R, DTMC, FUMC_F, FUMC_R),
    *entries("auto", FUMC_F, AFTMC_F),
)

STRESS_ENTRIES = (
    *entries("linear", ORACLE, LR, ENPU, SARPU_R, FUMC_F, AFTMC_F, AFTMC_R, DTMC, AFT),
    *entries("boosted", ORACLE, LR, SARPU_R, FUMC_F, AFTMC_F, DTMC),
    *entries("neural", FUMC_F, AFTMC_F, DTMC),
    *entries("auto", FUMC_F, AFTMC_F),
)

# Nobody can name the columns of an embedding that drive labeling, so there is no restricted variant. With as many
# columns a choice among distributions takes minutes, so the paper's is given.
AUTISM_ENTRIES = log_normal(
    *(entry for entry in PAPER_ENTRIES if not entry.method.feature_parameter),
    *entries("linear", ORACLE, ENPU, UPU, SARPU_F, FUMC_F, AFTMC_F, DTMC),
    *entries("boosted", ORACLE, LR, FUMC_F, AFTMC_F),
    *entries("neural", ORACLE, FUMC_F),
)

COHORT_ENTRIES = (
    *entries("linear", ORACLE, LR, ENPU, UPU, SARPU_F, FUMC_F, AFTMC_F, DTMC, AFT),
    *entries("boosted", ORACLE, LR, FUMC_F, AFTMC_F),
    *entries("neural", FUMC_F, AFTMC_F, DTMC),
    *entries("auto", FUMC_F, AFTMC_F),
)

# Every method of the catalogue that can do without names of features, so that a new one joins by itself.
FIELD_METHODS = tuple(method for method in METHODS.values() if not method.feature_parameter)

FIELD_ENTRIES = (
    *entries("linear", ORACLE, *FIELD_METHODS),
    *entries("boosted", FUMC_F, AFTMC_F),
    *(Entry(peer.name, peer.package) for peer in PEERS.values()),
)
