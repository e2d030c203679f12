"""Discrimination and calibration against a known outcome."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

Array = NDArray[np.float64]


def calibration_error(positive: ArrayLike, risk: ArrayLike, n_neighbors: float = 0.1) -> float:
    """Integrated calibration index: mean distance between predicted and smoothed observed risk.

    Parameters
    ----------
    positive : array-like of 0 and 1
        The true outcome.
    risk : array-like
        Predicted probabilities.
    n_neighbors : float, default=0.1
        Share of the people over whom the observed risk is averaged, around each predicted one.
    """
    order = np.argsort(np.asarray(risk, dtype=float), kind="stable")
    observed = np.asarray(positive, dtype=float)[order]
    predicted = np.asarray(risk, dtype=float)[order]
    half = max(1, int(n_neighbors * observed.size / 2))
    total = np.concatenate([[0.0], np.cumsum(observed)])
    total_risk = np.concatenate([[0.0], np.cumsum(predicted)])
    position = np.arange(observed.size)
    lower, upper = np.maximum(position - half, 0), np.minimum(position + half + 1, observed.size)
    # Both curves are smoothed alike, so that a curved but perfect prediction has no error.
    gap = (total[upper] - total[lower] - total_risk[upper] + total_risk[lower]) / (upper - lower)
    return float(np.mean(np.abs(gap)))


def evaluate_risks(positive: ArrayLike, risk: ArrayLike) -> dict[str, float]:
    """AUC, average precision, Brier score, calibration error and error of the mean risk.

    Parameters
    ----------
    positive : array-like of 0 and 1
        The true outcome.
    risk : array-like
        Predicted probabilities.
    """
    truth, predicted = np.asarray(positive), np.asarray(risk, dtype=float)
    return {
        "auc": float(roc_auc_score(truth, predicted)),
        "average_precision": float(average_precision_score(truth, predicted)),
        "brier": float(brier_score_loss(truth, predicted)),
        "calibration_error": calibration_error(truth, predicted),
        "mean_risk_error": float(predicted.mean() - truth.mean()),
    }
