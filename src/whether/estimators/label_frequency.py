"""The label frequency c = Pr(labeled | positive) of the constant restriction: given, or estimated from the labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners import LinearLearner, Task
from whether.learners.linear.leave_one_out import label_probabilities_left_out
from whether.learners.linear.ridge import settle_ridge
from whether.propensity import LogisticPropensity
from whether.validate import DataError, check_share

Array = NDArray[np.float64]


def settle_label_frequency(
    cohort: Cohort,
    label_frequency: float | None,
    prevalence: float | None,
    estimate: Callable[[Cohort, float | str], float],
    ridge: float | str,
) -> float:
    """Return c as given, or implied by a known prevalence, or estimated where neither is given."""
    rate = float(np.average(cohort.labeled, weights=cohort.weight))
    if label_frequency is not None and prevalence is not None:
        raise ValueError("Give label_frequency or prevalence, not both: one implies the other.")
    if label_frequency is not None:
        if check_share(label_frequency, "label_frequency") < rate:
            raise DataError(
                f"label_frequency={label_frequency!r} would make more positives than people: "
                f"{rate:.4g} of all are labeled."
            )
        return float(label_frequency)
    if prevalence is not None:
        if check_share(prevalence, "prevalence") < rate:
            raise DataError(
                f"prevalence must lie between the share labeled ({rate:.4g}) and 1, got {prevalence!r}: "
                "every labeled person is positive."
            )
        return float(rate / prevalence)
    # The estimators are linear: missing features, which some learners take, are filled with the mean.
    if np.isnan(cohort.features).any():
        filled = np.where(np.isnan(cohort.features), np.nanmean(cohort.features, axis=0), cohort.features)
        cohort = replace(cohort, features=filled)
    # There can't be more positives than people.
    return min(max(estimate(cohort, ridge), rate), 1.0)


def likely_label_frequency(cohort: Cohort, ridge: float | str) -> float:
    """Maximum-likelihood estimate under a constant propensity: where logistic p(x) times c fits best.

    It rests on the logistic shape of p(x), and does not need labeled people to be nearly certain positives.
    """
    fit = LinearLearner(ridge=ridge).fit(Task(cohort, [LogisticPropensity(sloped=False)]))
    return float(softplus_expit(fit.coefficients[1:2])[1][0])


def elkan_noto_label_frequency(cohort: Cohort, ridge: float | str) -> float:
    """Mean over labeled people of Pr(labeled | x), each predicted without that person (Elkan and Noto 2008).

    Under a constant propensity Pr(labeled | x) = c p(x), which is c wherever p(x) = 1: the rule assumes that labeled
    people are nearly certain positives, and estimates too small a c where they are not. Leaving a person out is done
    by one Newton step, so that nothing is drawn at random.
    """
    weight = None if cohort.weight is None else cohort.weight[cohort.labeled]
    return float(np.average(label_probabilities_left_out(cohort, settle_ridge(ridge, cohort)), weights=weight))
