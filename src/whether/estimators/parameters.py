"""The parameters of classifiers, checked and handed on: a name means the same in all of them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from whether.cohort import Cohort
from whether.distributions import DISTRIBUTIONS
from whether.learners import KnownShare, LinearLearner, Task, resolve_learner
from whether.open_residuals import OPEN
from whether.validate import ArgumentError, DataError, check_share, check_whole_number

# Standard error of a share that is given without one: as good as exact, and no trouble to the optimizer.
SMALLEST_ERROR = 0.001
# Standard errors by which a share may lie outside of what the labels allow.
FAR = 4.0
LOWEST_COUNTS = {"max_iter": 1, "n_starts": 1, "n_bins": 2, "n_steps": 2}


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _distribution_rule(*others: str) -> tuple[str, Callable[[Any], bool]]:
    names = sorted((*DISTRIBUTIONS, *others))
    return f"'auto' or one of {names}", lambda value: isinstance(value, str) and value in ("auto", *names)


# What a parameter must be, in words and as a test.
RULES = {
    "penalty": ("'auto', or None for maximum likelihood", lambda value: value is None or value == "auto"),
    "ridge": (
        "'auto' or a finite number >= 0",
        lambda value: value == "auto" or (_is_number(value) and 0 <= value < math.inf),
    ),
    "shrinkage": (
        "'cv' or a number >= 0 (math.inf for one index)",
        lambda value: value == "cv" or (_is_number(value) and value >= 0),
    ),
    "n_folds": (
        "0 (no folds) or a whole number >= 2",
        lambda value: isinstance(value, numbers.Integral) and (value == 0 or int(value) >= 2),
    ),
    "clock": ("'time' or 'follow_up'", lambda value: isinstance(value, str) and value in ("time", "follow_up")),
    "covariance": ("'observed' or 'sandwich'", lambda value: value in ("observed", "sandwich")),
    "distribution": _distribution_rule(OPEN),
    "ties": ("'breslow' or 'efron'", lambda value: isinstance(value, str) and value in ("breslow", "efron")),
    "tail": ("'zero' or 'open'", lambda value: isinstance(value, str) and value in ("zero", "open")),
    "prevalence_error": ("a number > 0", lambda value: value is None or (_is_number(value) and 0 < value < math.inf)),
    "death_distribution": _distribution_rule(),
    "verbose": (
        "True, False or a whole number >= 0",
        lambda value: isinstance(value, numbers.Integral) and int(value) >= 0,
    ),
}


def check_parameters(parameters: dict[str, Any]) -> None:
    """Refuse parameters that make no sense; those with a name of their own are left to their classifier."""
    for name, value in parameters.items():
        if name == "learner":
            resolve_learner(value, LinearLearner())
        elif name in LOWEST_COUNTS:
            check_whole_number(value, name, LOWEST_COUNTS[name])
        elif name in RULES and not RULES[name][1](value):
            raise ArgumentError(f"{name} must be {RULES[name][0]}, got {value!r}.")
    _check_combination(parameters)


def _check_combination(parameters: dict[str, Any]) -> None:
    """Refuse parameters that contradict each other."""
    is_linear = parameters.get("learner", "linear") == "linear"
    if parameters.get("outcome_features") is not None and not is_linear:
        raise ArgumentError("outcome_features is for learner='linear': other learners choose among all features.")
    if parameters.get("distribution") == OPEN and not is_linear:
        raise ArgumentError(
            f"distribution={OPEN!r} is for learner='linear', got learner={parameters['learner']!r}. With other "
            "learners DiscreteTimeCureClassifier reads event times without a distribution, in bins."
        )
    if parameters.get("penalty", "auto") is not None:
        return
    if not is_linear:
        raise ArgumentError(
            f"penalty=None is maximum likelihood, which linear models have, got learner={parameters['learner']!r}. "
            "Take learner='linear', or leave penalty out."
        )
    for name, default in (("ridge", "auto"), ("shrinkage", "cv")):
        value = parameters.get(name, default)
        if value not in (default, 0):
            raise ArgumentError(
                f"penalty=None switches every penalty off, but {name}={value!r} asks for one. Leave one of them out."
            )


def settle_share(prevalence: float | None, error: float | None, cohort: Cohort) -> KnownShare | None:
    """Return what is known of the share of positives from elsewhere."""
    if prevalence is None:
        if error is not None:
            raise ArgumentError(
                f"`prevalence_error` ({error!r}) is the standard error of `prevalence`: give that as well."
            )
        return None
    labeled, negative = cohort.labeled, cohort.seen_negative
    lowest = float(np.average(labeled, weights=cohort.weight))
    highest = 1.0 if negative is None else 1 - float(np.average(negative, weights=cohort.weight))
    slack = FAR * error if error is not None else 0.0
    if not lowest - slack <= check_share(prevalence, "prevalence") <= highest + slack:
        raise DataError(
            f"`prevalence` must lie between the share labeled ({lowest:.4g}) and that not known to be negative "
            f"({highest:.4g}), got {prevalence!r}: whoever is labeled has the event. If it is the share of other "
            "people, say how far it may be off with `prevalence_error`."
        )
    return KnownShare(check_share(prevalence, "prevalence"), SMALLEST_ERROR if error is None else float(error))


def level_is_given(parameters: dict[str, Any]) -> bool:
    """Whether a share of positives is given that settles the level, so that nothing of it is extrapolated."""
    share, error = parameters.get("prevalence"), parameters.get("prevalence_error")
    return share is not None and KnownShare(share, SMALLEST_ERROR if error is None else error).settles_level


def share_notes(parameters: dict[str, Any]) -> list[str]:
    """Say what share of positives was taken for known, if any."""
    share, error = parameters.get("prevalence"), parameters.get("prevalence_error")
    if share is None or "prevalence_error" not in parameters:
        return []
    give = "" if error is None else f", give or take {error:g}"
    return [f"The share of positives is taken to be {share:g}{give}, from elsewhere."]


def linear_settings(parameters: dict[str, Any], sandwich: bool, task: Task) -> LinearLearner:
    """Return the linear learner that a classifier's parameters ask for, from which all learners start."""
    names = ("ridge", "shrinkage", "n_starts", "max_iter")
    settings = {name: parameters[name] for name in names if name in parameters}
    is_exact = parameters.get("penalty", "auto") is None
    if is_exact:
        settings |= {"ridge": 0.0, "shrinkage": 0.0}
    is_tied = settings.get("shrinkage", 0.0) not in ("cv", 0)
    if is_tied and not np.isin(task.columns, task.columns_of_outcome).all():
        raise ArgumentError(
            f"shrinkage={settings['shrinkage']!r} ties the slopes of the time part to those of the outcome, but "
            "outcome_features lacks some of the time part's features. Add them, or leave shrinkage out."
        )
    if settings.get("shrinkage") == "cv" and set(task.columns.tolist()) != set(task.columns_of_outcome.tolist()):
        # Named features are a restriction of their own. Shrinking them to the outcome's slopes on the same features
        # would bend those slopes, which are often zero, towards the time part.
        settings["shrinkage"] = 0.0
    return LinearLearner(sandwich=sandwich, is_exact=is_exact, **settings)
