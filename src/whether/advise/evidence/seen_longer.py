"""Whether people who are followed longer have a recorded event more often, given their features."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import EVENTS_PER_FEATURE
from whether.distributions import softplus_expit
from whether.learners import LinearLearner, Task
from whether.propensity import Certain

Array = NDArray[np.float64]

NULL = "recorded events do not depend on the length of follow-up, given the features"


def check_seen_longer(material: Material) -> HypothesisTest:
    """Score test of log follow-up in a logistic model of the labels.

    Where it rejects, no method without a clock is right: with a chance to be seen of 1, a constant one or one by
    features, labels do not go with follow-up. Follow-up is first freed of what features, their squares and products say
    of it, so that a risk of another shape than logistic is no reason to reject: with follow-up that depends on features
    of the risk it rejects in 4.2 to 5.2 % of 500 runs at the nominal 5 % in six worlds, with straight and curved risks
    (`python -m benchmarks evidence levels 500 seen-longer`).
    """
    if not material.has_follow_up:
        return HypothesisTest(NULL, note="follow-up is not known")
    cohort = material.cohort
    values = np.log(cohort.required("follow_up"))
    if not np.ptp(values) > 0:
        return HypothesisTest(NULL, note="everybody is followed equally long")
    scarce = min(material.n_events, cohort.n - material.n_events)
    if scarce < EVENTS_PER_FEATURE * cohort.features.shape[1]:
        return HypothesisTest(NULL, note="too few events for so many features")
    fit = LinearLearner(ridge=1.0).fit(Task(cohort, [Certain()]))
    chance = softplus_expit(np.asarray(fit.predict(cohort.features)[0]))[1]
    weight = chance * (1 - chance)
    spread = np.where(cohort.features.std(axis=0) > 0, cohort.features.std(axis=0), 1.0)
    strongest = np.argsort(-np.abs(fit.outcome_slopes), kind="stable")
    x = ((cohort.features - cohort.features.mean(axis=0)) / spread)[:, strongest]
    design = _curves(x, most=scarce // EVENTS_PER_FEATURE) * np.sqrt(weight)[:, None]
    fitted = design @ np.linalg.lstsq(design, values * np.sqrt(weight), rcond=1e-10)[0]
    rest = values - fitted / np.sqrt(weight)
    score, variance = float(rest @ (cohort.labeled - chance)), float(weight @ rest**2)
    return HypothesisTest.of(NULL, score**2 / variance, 1)


def _curves(x: Array, most: int) -> Array:
    """One, the features, their squares, and products of the first of them, as many as there may be terms in all."""
    pairs = sorted(combinations(range(x.shape[1]), 2), key=sum)[: max(0, most - 2 * x.shape[1])]
    return np.column_stack([np.ones(x.shape[0]), x, x**2, *(x[:, first] * x[:, second] for first, second in pairs)])
