"""Warnings of a fit whose answer may mislead."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence

from sklearn.exceptions import ConvergenceWarning

from whether.estimators.coefficient_table import name_moved
from whether.learners import FitResult, LinearFit
from whether.validate import IdentifiabilityWarning


def warn(category: type[Warning], text: str, finding: str = "") -> None:
    """Warn at the line that called into this package, however deep the caller is in it.

    The warning has the name of what was found as its attribute ``finding``, for who puts it into other words.
    """
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("whether."):
        level, frame = level + 1, frame.f_back
    warning = category(text)
    warning.finding = finding  # type: ignore[attr-defined]
    warnings.warn(warning, stacklevel=level + 1)


def warn_unless_converged(name: str, result: FitResult) -> None:
    """Warn where the optimum was not reached."""
    if not result.converged:
        warn(
            ConvergenceWarning,
            f"{name} did not converge after {result.n_steps} steps. {result.message}",
            "not converged",
        )


def warn_of_rivals(result: FitResult) -> None:
    """Warn where other optima are as likely and give other answers."""
    if result.least_agreement < 0.9:
        warn(
            IdentifiabilityWarning,
            f"{len(result.rivals())} of {len(result.starts)} fits from different starting values are about equally "
            f"likely and give different risks: their log odds correlate down to {result.least_agreement:.2f}. "
            "The data do not decide between them.",
            "rival fits",
        )


def warn_of_boundary(fit: LinearFit, names: list[str]) -> None:
    """Warn where the likelihood has no maximum inside, and say which coefficients run away."""
    warn(
        IdentifiabilityWarning,
        "The likelihood has no maximum inside: it is flat, or rises ever less, as these coefficients run to infinity: "
        f"{name_moved(fit, names)}. There are no standard errors. An intercept of the outcome that runs away says that "
        "nobody is cured, which is AFTClassifier's model; slopes, that their features follow from each other or tell "
        "some people apart perfectly.",
        "runs to infinity",
    )


def warn_of_outliers(names: Sequence[str]) -> None:
    """Warn where one value of a feature leaves nothing of the differences between all others."""
    if names:
        listed = ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
        warn(
            UserWarning,
            f"One value lies so far from all others that it erases the effect of {listed}: among the rest less than a "
            "hundredth of the variance is left. Look at the largest and smallest values: correct or remove a "
            "mistyped one, and put a feature that spans many orders of magnitude on a log scale.",
        )
