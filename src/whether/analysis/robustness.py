"""The two checks of an analysis that take many fits, bounded in cost: backtest and sensitivity."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.advise import Backtest, Recommendation, Sensitivity, backtest
from whether.advise.variants import vary
from whether.cohort import Cohort
from whether.learners.parallel import n_processes
from whether.methods import METHODS

Array = NDArray[np.float64]

# A part of a large cohort is enough to see whether an answer holds up.
MOST_PEOPLE = 10_000
# Half of the events are hidden and a third of the rest are held out: fewer leave too little to learn from.
FEWEST_EVENTS = 50


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked of the checks: the cohort, the advice and the rows that are used."""

    advice: Recommendation
    groups: NDArray[np.intp] | None
    rows: NDArray[np.intp]
    random_state: int

    @property
    def cohort(self) -> Cohort:
        """Everybody."""
        return self.advice.evidence.material.cohort

    def known(self) -> dict[str, Any]:
        """Times, follow-up, records, entry and named features of the rows."""
        material, part = self.advice.evidence.material, self.cohort.take(self.rows)
        entry = None if material.entry is None else material.entry[self.rows]
        named = None if material.propensity_columns is None else material.propensity_columns.tolist()
        known: dict[str, Any] = {"time": part.time, "follow_up": part.follow_up, "entry": entry}
        known |= {"known_negative": part.known_negative, "time_lower": part.time_lower, "entry_time": part.entry_time}
        if material.died is not None:
            known |= {"competing": material.died[self.rows], "question": material.question}
        if self.cohort.competing is not None:  # how long the dead would have been followed says who could be scored
            known["follow_up"] = None
        return {**known, "propensity_features": named}


def ask(
    advice: Recommendation, groups: NDArray[np.intp] | None, random_state: int, rng: np.random.Generator
) -> Question:
    """Choose the rows on which an answer is checked: all of them, or whole groups up to a number of people."""
    n = advice.evidence.material.cohort.n
    if n <= MOST_PEOPLE:
        return Question(advice, groups, np.arange(n), random_state)
    group = np.arange(n) if groups is None else groups
    order = rng.permutation(int(group.max()) + 1)
    passed = np.cumsum(np.bincount(group)[order])
    kept = np.zeros(order.size, dtype=bool)
    kept[order[: max(1, int(np.searchsorted(passed, MOST_PEOPLE, side="right")))]] = True
    return Question(advice, groups, np.flatnonzero(kept[group]), random_state)


def run_backtest(question: Question, n_splits: int) -> tuple[Backtest | None, str]:
    """Put the cohort back to an earlier endpoint; None, with the reason, where that cannot be done."""
    cohort = question.cohort
    part = cohort.take(question.rows)
    if cohort.time is None:
        return None, "no event times"
    if int(part.labeled.sum()) < FEWEST_EVENTS:
        return None, "too few events"
    known = question.known()
    rivals = (method.name for method in METHODS.values() if method.is_rival and not method.unread(cohort))
    methods = [*rivals, question.advice.method]
    if known["propensity_features"] is None and METHODS[question.advice.method].feature_parameter:
        methods.pop()  # a constant propensity, by a method whose features the backtest would ask for
    groups = None if question.groups is None else question.groups[question.rows]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a method warns of shows in its scores
            record = backtest(
                part.features,
                part.labeled.astype(int),
                **known,
                groups=groups,
                methods=list(dict.fromkeys(methods)),
                advice=False,
                n_splits=n_splits,
                n_jobs=n_processes(part.features.size),
                random_state=question.random_state,
            )
    except (ValueError, np.linalg.LinAlgError):
        return None, "failed"
    return record, ""


def run_sensitivity(question: Question) -> tuple[Sensitivity | None, str]:
    """Risks of everybody under other assumptions; None, with the reason, where that cannot be done."""
    part = question.cohort.take(question.rows)
    try:
        return vary(question.advice, part, question.cohort.features), ""
    except (ValueError, np.linalg.LinAlgError):
        return None, "failed"
