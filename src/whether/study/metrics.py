"""The scores of a cell by name: what they are called in tables, and in which of them more is better.

The metrics are those of `whether.evaluate`, of the risk and, among positives, of the propensity. A metric that is added
there is computed, stored and shown here without further ado.
"""

from __future__ import annotations

from whether.evaluate.known_truth import RISK_METRICS
from whether.study.errors import StudyError

METRIC_TITLES = {
    **{metric.name: metric.title for metric in RISK_METRICS},
    "rmse": "distance from the true risk (root mean square)",
    **{
        f"propensity_{metric.name}": f"{metric.title} of the propensity, for labels among positives"
        for metric in RISK_METRICS
    },
    "propensity_mean_risk_error": "mean propensity minus share labeled, among positives",
    "propensity_outcome_auc": "AUC of the propensity against the outcome",
    "propensity_rmse": "distance from the true propensity (root mean square)",
}
TARGET_TITLES = {
    "fresh": "new people",
    "evaluable": "test children followed past age nine",
    "truth": "all test children, with the true outcome",
    "scorable": "test people whose outcome is known now",
    "population": "all test people, by the Kaplan-Meier estimate",
    "labels": "of the labels of test people within their follow-up",
    "fit": "to fit",
    "interval": "95 % interval of the mean risk of training people",
}
# Scores that a cell has against such a target only, and that have no column of their own.
_FURTHER_TITLES = {
    "level_error": "distance of the mean risk from the share of positives",
    "horizon_error": "distance of the mean risk by the horizon from the share of positives",
    "held": "share of intervals that hold the share known later",
    "width": "width",
    "seconds": "seconds of one processor",
}


def title_of_metric(metric: str) -> str:
    """Return a metric's name for tables; a metric of another target has its name and a dot before it."""
    target, _, name = metric.rpartition(".")
    titles = {**METRIC_TITLES, **_FURTHER_TITLES} if target else METRIC_TITLES
    if name not in titles or (target and target not in TARGET_TITLES):
        raise StudyError(f"No metric is called {metric!r}; there are {', '.join(METRIC_TITLES)}.")
    return f"{titles[name]}, {TARGET_TITLES[target]}" if target else titles[name]


def is_more_better(metric: str) -> bool:
    """Whether a higher value of a metric, of whatever target, is better."""
    return metric.endswith(tuple(known.name for known in RISK_METRICS if known.more_is_better))
