"""What is tried when assumptions are moved: methods, shares that may be known, shorter follow-up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from whether.advise.applicable import applicable_answers
from whether.advise.known_share import reads_share, tell_share
from whether.advise.recommendation import Recommendation
from whether.cohort import Cohort
from whether.estimators import ElkanNotoClassifier
from whether.methods import ENPU, METHODS, Method

# What is moved, to what, the classifier and the cohort.
Trial: TypeAlias = tuple[str, str | float, Any, Cohort]

# Shares of the events that a shorter follow-up leaves.
HORIZON_SHARES = (0.5, 0.7, 0.85)
N_POINTS = 5
# Standard error of a share of positives that is given: as good as known.
ERROR_OF_SHARE = 0.005


def list_trials(
    advice: Recommendation,
    cohort: Cohort,
    label_frequency: Sequence[float] | None,
    prevalence: Sequence[float] | None,
    learner: Any,
) -> Iterator[Trial]:
    """Everything that is to be fitted: what is moved, to what, the classifier and the cohort."""
    columns = advice.evidence.material.propensity_columns
    settings, share = {"learner": learner, "random_state": 0}, advice.known_share
    named, advised = None if columns is None else columns.tolist(), METHODS[advice.method]
    for method in applicable_answers(cohort, has_named=named is not None):
        model = method.build(named, **settings)
        # Where the share of positives is known, a method that cannot be told it answers another question.
        if not method.unread(cohort) and (share is None or reads_share(model)):
            yield "restriction", method.name, tell_share(model, share), cohort
    if share is not None and prevalence is None:
        steps = share.share + share.error * np.array([-2.0, -1.0, 1.0, 2.0])
        prevalence = steps[(steps > float(cohort.labeled.mean())) & (steps < 1)].tolist()
    yield from _shares(advice, advised, cohort, label_frequency, prevalence, settings)
    if advised.needs and cohort.time is not None:
        for part in HORIZON_SHARES:
            horizon = float(np.quantile(cohort.time[cohort.labeled], part))
            # Two digits: the horizon itself is one person's own time.
            yield (
                "follow-up horizon",
                float(f"{horizon:.2g}"),
                tell_share(advised.build(named, **settings), share),
                _cut(cohort, horizon),
            )


def _shares(
    advice: Recommendation,
    advised: Method,
    cohort: Cohort,
    label_frequency: Sequence[float] | None,
    prevalence: Sequence[float] | None,
    settings: dict[str, Any],
) -> Iterator[Trial]:
    """Shares of positives, labeled or of all, as if they were known.

    Under a constant propensity one implies the other, and neither goes beyond what the people most likely to be labeled
    allow. A prevalence that was given is known from elsewhere to the recommended method itself, where it reads one.
    Where negatives were seen, a share does not say how many positives the others are: only what was asked for is tried.
    """
    bounds, reads_constant = advice.evidence.bounds, not ENPU.unread(cohort)
    if cohort.seen_negative is not None and label_frequency is None and prevalence is None:
        return
    if reads_constant:
        for c in _grid(label_frequency, bounds.lowest / bounds.highest_if_constant, 1.0):
            yield "label frequency", float(f"{c:.3g}"), ElkanNotoClassifier(label_frequency=c, **settings), cohort
    if prevalence is not None and "prevalence_error" in advice.estimator.get_params(deep=False):
        model = advice.estimator.set_params(**settings, prevalence_error=ERROR_OF_SHARE)
        for share in prevalence:
            yield "prevalence", float(f"{share:.3g}"), clone(model).set_params(prevalence=share), cohort
    elif reads_constant:
        for share in _grid(prevalence, bounds.lowest, bounds.highest_if_constant):
            yield "prevalence", float(f"{share:.3g}"), ElkanNotoClassifier(prevalence=share, **settings), cohort


def _grid(values: Sequence[float] | None, lowest: float, highest: float) -> list[float]:
    """Return the values that were asked for, else some that the labels allow; not the labeled share itself."""
    if values is not None:
        return [float(value) for value in values]
    return np.linspace(lowest, highest, N_POINTS + 1)[1:].tolist()


def _cut(cohort: Cohort, horizon: float) -> Cohort:
    """What would have been seen, had follow-up ended at the horizon."""
    if cohort.entry_time is not None:
        cohort = cohort.take(np.flatnonzero(cohort.entry_time < horizon))
    time = cohort.required("time")
    labeled, last = cohort.labeled & (time <= horizon), np.minimum(time, horizon)
    if cohort.time_lower is not None:  # not yet seen at a visit after the horizon, and known to be free at the last one
        last = np.where(labeled | ~(cohort.time_lower < horizon), last, cohort.time_lower)
    cut = replace(cohort, labeled=labeled, time=last)
    if cohort.follow_up is not None:
        cut = replace(cut, follow_up=np.minimum(cohort.follow_up, np.where(labeled, horizon, last)))
    if cohort.competing is not None:
        cut = replace(cut, competing=cohort.competing & (time <= horizon))
    return cut.take(np.flatnonzero(last > (0.0 if cohort.entry_time is None else cohort.entry_time)))
