"""Numbers from arrays: how good predicted probabilities are, where the truth is known."""

from whether.evaluate.known_truth import calibration_error, evaluate_risks

__all__ = ["calibration_error", "evaluate_risks"]
