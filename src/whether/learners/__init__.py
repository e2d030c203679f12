"""From features to predictors: linear, boosted, neural, any classifier, and a choice among them."""

from whether.learners.auto import AutoLearner, Selection
from whether.learners.base import FittedModel, Learner
from whether.learners.boosted import BoostedLearner
from whether.learners.em import EMLearner
from whether.learners.fit_result import FitResult, StartResult
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.neural import NeuralLearner
from whether.learners.optimize import Status
from whether.learners.resolve import resolve_learner
from whether.learners.shrinkage import ShrinkagePath

__all__ = [
    "AutoLearner",
    "BoostedLearner",
    "EMLearner",
    "FitResult",
    "FittedModel",
    "Learner",
    "LinearFit",
    "LinearLearner",
    "NeuralLearner",
    "Selection",
    "ShrinkagePath",
    "StartResult",
    "Status",
    "resolve_learner",
]
