"""The likelihood of labels under a constant propensity c, where p(x) is logistic: in a line, or in curves.

The shape of p alone tells c here: c p(x) levels off at c. Another shape levels off elsewhere, which is why the line is
held against squares and products.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from whether.arrays import Array
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners import LinearLearner, Task
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum, newton
from whether.learners.linear.ridge import settle_ridge
from whether.propensity import KnownFrequency, LogisticPropensity

# Penalty on slopes that keeps them finite and c where it is: one person's worth moved a c of 0.2 to 0.23.
# With fewer labels per feature than this, slopes without a penalty run too high, and c comes out too small.
WEAK, LABELS_PER_FEATURE = 0.01, 10
# Labels per feature and added term that curves need, features that are multiplied, and where features are cut before.
LABELS_PER_TERM, MOST_CROSSED, CUT = 20, 8, 2.0


class Likely(NamedTuple):
    """The most likely label frequency, with limits by the likelihood ratio and everybody's risk."""

    frequency: float
    lower: float
    upper: float
    log_likelihood: float
    risks: Array


def settle_weak_ridge(ridge: float | str, cohort: Cohort) -> float:
    """Return the penalty that ``ridge`` stands for: itself, or for "auto" a weak one where labels are enough."""
    is_weak = ridge == "auto" and _fewer(cohort) >= LABELS_PER_FEATURE * cohort.features.shape[1]
    return WEAK if is_weak else settle_ridge(ridge, cohort)


def fit_constant(cohort: Cohort, ridge: float | str) -> tuple[float, Array]:
    """Label frequency of maximum likelihood, and everybody's risk."""
    fit = LinearLearner(ridge=ridge).fit(Task(cohort, [LogisticPropensity(sloped=False)]))
    c = float(softplus_expit(fit.coefficients[1:2])[1][0])
    return max(c, share_labeled(cohort)), softplus_expit(np.asarray(fit.predict(cohort.features)[0]))[1]


def share_labeled(cohort: Cohort) -> float:
    """Share of people who are labeled."""
    return float(np.average(cohort.labeled, weights=cohort.weight))


def find_likely(cohort: Cohort, ridge: float, confidence: float) -> Likely:
    """Most likely label frequency, with the limits to which a likelihood-ratio test does not reject it."""
    c, risks = fit_constant(cohort, ridge)
    allowed, rate = 0.5 * float(chi2.ppf(confidence, 1)), share_labeled(cohort)

    def fit(frequency: float, start: Array) -> Optimum:
        return newton(LinearObjective(Task(cohort, [KnownFrequency(min(frequency, 1.0))]), ridge).evaluate, start)

    best = fit(c, np.zeros(cohort.features.shape[1] + 1))

    def excess(frequency: float) -> float:
        return fit(frequency, best.parameters).evaluation.value - best.evaluation.value - allowed

    lower, upper = (
        end if excess(end) <= 0 else float(brentq(excess, c, end, xtol=1e-4))
        for end in (rate + 0.001 * (1 - rate), 1.0)
    )
    return Likely(c, lower, upper, -best.evaluation.value, risks)


def bend(cohort: Cohort) -> Cohort | None:
    """Return the cohort with squares and products of its features; None where labels are too few, or nothing bends."""
    x = np.ascontiguousarray(cohort.features)
    spread = x.std(axis=0)
    x = np.clip((x - x.mean(axis=0)) / np.where(spread > 0, spread, 1.0), -CUT, CUT)
    terms = [column**2 for column in x.T if np.unique(column).size > 2]
    terms += [x[:, first] * x[:, second] for first, second in combinations(range(min(x.shape[1], MOST_CROSSED)), 2)]
    most = int(_fewer(cohort) // LABELS_PER_TERM) - x.shape[1]
    terms = [term for term in terms if np.ptp(term) > 0][: max(most, 0)]
    if not terms:
        return None
    names = (*cohort.names, *(f"curve {number}" for number in range(len(terms))))
    return replace(cohort, features=np.column_stack([cohort.features, *terms]), names=names)


def _fewer(cohort: Cohort) -> int:
    return int(min(np.count_nonzero(cohort.labeled), np.count_nonzero(~cohort.labeled)))
