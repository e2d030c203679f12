"""Discrimination and calibration against a known outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

Array = NDArray[np.float64]


def calibration_error(
    positive: ArrayLike, risk: ArrayLike, n_neighbors: float = 0.1, *, sample_weight: ArrayLike | None = None
) -> float:
    """Integrated calibration index: mean distance between predicted and smoothed observed risk.

    Parameters
    ----------
    positive : array-like of 0 and 1
        The true outcome.
    risk : array-like
        Predicted probabilities.
    n_neighbors : float, default=0.1
        Share of the people over whom the observed risk is averaged, around each predicted one.
    sample_weight : array-like, optional
        How much each person counts.
    """
    order = np.argsort(np.asarray(risk, dtype=float), kind="stable")
    observed = np.asarray(positive, dtype=float)[order]
    predicted = np.asarray(risk, dtype=float)[order]
    weight = np.ones(order.size) if sample_weight is None else np.asarray(sample_weight, dtype=float)[order]
    half = max(1, int(n_neighbors * observed.size / 2))
    total = np.concatenate([[0.0], np.cumsum(weight * (observed - predicted))])
    total_weight = np.concatenate([[0.0], np.cumsum(weight)])
    position = np.arange(observed.size)
    lower, upper = np.maximum(position - half, 0), np.minimum(position + half + 1, observed.size)
    # Both curves are smoothed alike, so that a curved but perfect prediction has no error.
    gap = (total[upper] - total[lower]) / (total_weight[upper] - total_weight[lower])
    return float(np.average(np.abs(gap), weights=weight))


def log_loss(positive: ArrayLike, risk: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean negative log-likelihood of the outcome; infinite where a risk of 0 or 1 was wrong.

    Parameters
    ----------
    positive, risk, sample_weight
        See `calibration_error`.
    """
    predicted = np.asarray(risk, dtype=float)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    chance = np.where(np.asarray(positive) == 1, predicted, 1 - predicted)
    with np.errstate(divide="ignore"):
        return float(-np.average(np.log(chance), weights=weight))


def _mean_risk_error(positive: Array, risk: Array, *, sample_weight: Array | None = None) -> float:
    return float(np.average(risk - positive, weights=sample_weight))


@dataclass(frozen=True)
class Metric:
    """A score of risks against a known outcome, with its name for tables."""

    name: str
    title: str
    compute: Callable[..., float]
    more_is_better: bool = False


# A row here is all that a metric needs: studies compute, store and show every one of them.
RISK_METRICS = (
    Metric("auc", "AUC", roc_auc_score, more_is_better=True),
    Metric("average_precision", "average precision", average_precision_score, more_is_better=True),
    Metric("brier", "Brier score", brier_score_loss),
    Metric("log_loss", "log loss", log_loss),
    Metric("calibration_error", "calibration error", calibration_error),
    Metric("mean_risk_error", "mean risk minus share of positives", _mean_risk_error),
)


def evaluate_risks(positive: ArrayLike, risk: ArrayLike, *, sample_weight: ArrayLike | None = None) -> dict[str, float]:
    """AUC, average precision, Brier score, log loss, calibration error and error of the mean risk.

    Parameters
    ----------
    positive, risk, sample_weight
        See `calibration_error`.
    """
    truth, predicted = np.asarray(positive), np.asarray(risk, dtype=float)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    return {metric.name: float(metric.compute(truth, predicted, sample_weight=weight)) for metric in RISK_METRICS}


def evaluate_propensity(
    positive: ArrayLike, labeled: ArrayLike, propensity: ArrayLike, true_propensity: ArrayLike | None = None
) -> dict[str, float]:
    """How good a predicted labeling propensity is, where the outcome of everybody is known.

    Among the positives, being labeled is an outcome like any other, and the propensity is its risk. The AUC against the
    outcome itself says how much of the risk the propensity has taken over: one half, where the two have nothing to do
    with each other.

    Parameters
    ----------
    positive : array-like of 0 and 1
        The true outcome.
    labeled : array-like of 0 and 1
        Who was labeled.
    propensity : array-like
        Predicted probability of a label, for a positive.
    true_propensity : array-like, optional
        The same in truth, where it is known.

    Returns
    -------
    dict
        What `evaluate_risks` has, of labels among the positives; ``outcome_auc``; and ``rmse``, the root of the mean
        squared distance from the true propensity, where that is known.
    """
    truth, predicted = np.asarray(positive) == 1, np.asarray(propensity, dtype=float)
    found = evaluate_risks(np.asarray(labeled)[truth], predicted[truth])
    found["outcome_auc"] = float(roc_auc_score(truth, predicted))
    if true_propensity is not None:
        found["rmse"] = root_mean_square(predicted - np.asarray(true_propensity, dtype=float))
    return found


def root_mean_square(error: ArrayLike) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(np.square(np.asarray(error, dtype=float)))))
