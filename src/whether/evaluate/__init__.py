"""Numbers from arrays: how good predicted probabilities are where the truth is known, or has come to light since."""

from whether.evaluate.endpoint import EarlierEndpoint, impose_calendar_endpoint, impose_staggered_endpoint
from whether.evaluate.known_truth import calibration_error, evaluate_risks

__all__ = [
    "EarlierEndpoint",
    "calibration_error",
    "evaluate_risks",
    "impose_calendar_endpoint",
    "impose_staggered_endpoint",
]
