"""The linear learner: Newton's method on the exact Hessian, and the small model that it leaves."""

from whether.learners.linear.learner import LinearLearner
from whether.learners.linear.model import LinearFit, LinearPredictor, ShrinkagePath
from whether.learners.linear.people import FittedPeople

__all__ = ["FittedPeople", "LinearFit", "LinearLearner", "LinearPredictor", "ShrinkagePath"]
