"""The linear learner: Newton's method on the exact Hessian, and the small model that it leaves."""

from whether.learners.linear.learner import LinearLearner
from whether.learners.linear.model import LinearFit, LinearPredictor
from whether.learners.linear.people import FittedPeople
from whether.learners.linear.shrinkage_path import ShrinkagePath

__all__ = ["FittedPeople", "LinearFit", "LinearLearner", "LinearPredictor", "ShrinkagePath"]
