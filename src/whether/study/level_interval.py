"""The 95 % interval of the mean risk of those a model was fitted to, as a report on them has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from whether.advise.evidence.cure_fraction import estimate_cure_fraction
from whether.advise.evidence.follow_up import read_plateau
from whether.analysis.sums import take_sums
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.estimators.intervals import has_errors
from whether.evaluate import Interval
from whether.methods import Method
from whether.study.samples import Sample
from whether.validate import check_cohort

LEVEL = 0.95


def mean_risk_interval(model: Any, method: Method, sample: Sample, seed: int) -> Interval | None:
    """Return the interval, or None for a model without standard errors; other packages have none for this."""
    if not isinstance(model, CensoredClassifier) or not has_errors(model):
        return None
    times = {"time": sample.time, "follow_up": sample.follow_up}
    names = [f"x{column}" for column in range(sample.X.shape[1])]
    cohort = check_cohort(sample.X, sample.y, names=names, **times)
    rng = np.random.default_rng(seed)
    sums = take_sums(model, sample.X, cohort, LEVEL, rng, levels_off=_levels_off(method, sample))
    mean_risk, _ = sums.measure(np.arange(sample.y.size))
    return mean_risk


def _levels_off(method: Method, sample: Sample) -> bool:
    """Whether the curve of events, from what the method reads, levels off within follow-up."""
    from_labels = "time" not in method.needs
    recorded = sample.follow_up if from_labels else sample.time
    people = Cohort(np.empty((sample.y.size, 0)), sample.y == 1, (), time=recorded, follow_up=recorded)
    return read_plateau(estimate_cure_fraction(people, from_labels=from_labels)) == "levels off"
