"""From features to predictors: the linear learner and what it returns."""

from whether.learners.fit_result import FitResult, StartResult
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.optimize import Status
from whether.learners.shrinkage import ShrinkagePath

__all__ = ["FitResult", "LinearFit", "LinearLearner", "ShrinkagePath", "StartResult", "Status"]
