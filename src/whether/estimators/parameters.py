"""The parameters of classifiers, checked and handed on: a name means the same in all of them."""

from __future__ import annotations

import math
import numbers
from typing import Any

from whether.distributions import DISTRIBUTIONS
from whether.learners import LinearLearner, Task, resolve_learner


def check_parameters(parameters: dict[str, Any]) -> None:
    """Refuse parameters that make no sense; those with a name of their own are left to their classifier."""
    for name, value in parameters.items():
        if name in _CHECKS:
            _CHECKS[name](name, value)


def linear_settings(parameters: dict[str, Any], sandwich: bool, task: Task) -> LinearLearner:
    """Return the linear learner that a classifier's parameters ask for, from which all learners start."""
    names = ("ridge", "shrinkage", "n_starts", "max_iter")
    settings = {name: parameters[name] for name in names if name in parameters}
    if settings.get("shrinkage") == "cv" and task.columns.size < task.every_column.size:
        # Named features are a restriction of their own. Shrinking them to the outcome's slopes on the same features
        # would bend those slopes, which are often zero, towards the time part.
        settings["shrinkage"] = 0.0
    return LinearLearner(sandwich=sandwich, **settings)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _check_learner(_: str, value: Any) -> None:
    resolve_learner(value, LinearLearner())


def _check_ridge(_: str, value: Any) -> None:
    if value != "auto" and not (_is_number(value) and 0 <= value < math.inf):
        raise ValueError(f"ridge must be 'auto' or a finite number >= 0, got {value!r}.")


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"{name} must be a whole number >= 1, got {value!r}.")


def _check_bins(_: str, value: Any) -> None:
    if not isinstance(value, numbers.Integral) or value < 2:
        raise ValueError(f"n_bins must be a whole number >= 2, got {value!r}.")


def _check_verbose(_: str, value: Any) -> None:
    if not isinstance(value, (bool, numbers.Integral)) or value < 0:
        raise ValueError(f"verbose must be True, False or a whole number >= 0, got {value!r}.")


def _check_covariance(_: str, value: Any) -> None:
    if value not in ("observed", "sandwich"):
        raise ValueError(f"covariance must be 'observed' or 'sandwich', got {value!r}.")


def _check_shrinkage(_: str, value: Any) -> None:
    if value != "cv" and not (_is_number(value) and value >= 0):
        raise ValueError(f"shrinkage must be 'cv' or a number >= 0 (math.inf for one index), got {value!r}.")


def _check_distribution(_: str, value: Any) -> None:
    if not isinstance(value, str) or value not in ("auto", *DISTRIBUTIONS):
        raise ValueError(f"distribution must be 'auto' or one of {sorted(DISTRIBUTIONS)}, got {value!r}.")


_CHECKS = {
    "learner": _check_learner,
    "ridge": _check_ridge,
    "max_iter": _check_count,
    "n_starts": _check_count,
    "n_bins": _check_bins,
    "verbose": _check_verbose,
    "covariance": _check_covariance,
    "shrinkage": _check_shrinkage,
    "distribution": _check_distribution,
}
