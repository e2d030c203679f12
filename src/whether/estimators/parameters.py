"""The parameters of classifiers, checked and handed on: a name means the same in all of them."""

from __future__ import annotations

import math
import numbers
from typing import Any

from whether.distributions import DISTRIBUTIONS
from whether.learners import LinearLearner, Task, resolve_learner
from whether.validate import ArgumentError, check_whole_number

LOWEST_COUNTS = {"max_iter": 1, "n_starts": 1, "n_bins": 2}


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


# What a parameter must be, in words and as a test.
RULES = {
    "ridge": (
        "'auto' or a finite number >= 0",
        lambda value: value == "auto" or (_is_number(value) and 0 <= value < math.inf),
    ),
    "shrinkage": (
        "'cv' or a number >= 0 (math.inf for one index)",
        lambda value: value == "cv" or (_is_number(value) and value >= 0),
    ),
    "clock": ("'time' or 'follow_up'", lambda value: isinstance(value, str) and value in ("time", "follow_up")),
    "covariance": ("'observed' or 'sandwich'", lambda value: value in ("observed", "sandwich")),
    "distribution": (
        f"'auto' or one of {sorted(DISTRIBUTIONS)}",
        lambda value: isinstance(value, str) and value in ("auto", *DISTRIBUTIONS),
    ),
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


def linear_settings(parameters: dict[str, Any], sandwich: bool, task: Task) -> LinearLearner:
    """Return the linear learner that a classifier's parameters ask for, from which all learners start."""
    names = ("ridge", "shrinkage", "n_starts", "max_iter")
    settings = {name: parameters[name] for name in names if name in parameters}
    if settings.get("shrinkage") == "cv" and task.columns.size < task.every_column.size:
        # Named features are a restriction of their own. Shrinking them to the outcome's slopes on the same features
        # would bend those slopes, which are often zero, towards the time part.
        settings["shrinkage"] = 0.0
    return LinearLearner(sandwich=sandwich, **settings)
