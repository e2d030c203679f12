"""The linear learner: Newton's method on the exact Hessian, and the small model that it leaves."""

from whether.learners.linear.fitted_people import FittedPeople
from whether.learners.linear.linear_fit import LinearFit, LinearPredictor
from whether.learners.linear.linear_learner import LinearLearner
from whether.learners.linear.open_learner import OpenFit, OpenLearner
from whether.learners.linear.shrinkage_path import ShrinkagePath

__all__ = ["FittedPeople", "LinearFit", "LinearLearner", "LinearPredictor", "OpenFit", "OpenLearner", "ShrinkagePath"]
