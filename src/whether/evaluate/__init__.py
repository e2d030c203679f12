"""Numbers from arrays: how good predicted probabilities are.

Against a known outcome, against one that has come to light since, and where it is known of some people only.
"""

from whether.evaluate.bootstrap import Interval, bootstrap_interval
from whether.evaluate.calibration import CalibrationCurve, calibration_curve, censored_calibration_curve
from whether.evaluate.discrimination import (
    imputed_auc,
    ipcw_auc,
    ipcw_brier,
    ipcw_weights,
    posterior_auc,
    pu_auc,
    weighted_auc,
)
from whether.evaluate.endpoint import EarlierEndpoint, impose_calendar_endpoint, impose_staggered_endpoint
from whether.evaluate.known_truth import calibration_error, evaluate_propensity, evaluate_risks, log_loss
from whether.evaluate.scorers import (
    CensoredScorer,
    imputed_auc_scorer,
    ipcw_auc_scorer,
    ipcw_brier_scorer,
    posterior_auc_scorer,
    pu_auc_scorer,
)
from whether.survival import SurvivalCurve, kaplan_meier

__all__ = [
    "CalibrationCurve",
    "CensoredScorer",
    "EarlierEndpoint",
    "Interval",
    "SurvivalCurve",
    "bootstrap_interval",
    "calibration_curve",
    "calibration_error",
    "censored_calibration_curve",
    "evaluate_propensity",
    "evaluate_risks",
    "impose_calendar_endpoint",
    "impose_staggered_endpoint",
    "imputed_auc",
    "imputed_auc_scorer",
    "ipcw_auc",
    "ipcw_auc_scorer",
    "ipcw_brier",
    "ipcw_brier_scorer",
    "ipcw_weights",
    "kaplan_meier",
    "log_loss",
    "posterior_auc",
    "posterior_auc_scorer",
    "pu_auc",
    "pu_auc_scorer",
    "weighted_auc",
]
