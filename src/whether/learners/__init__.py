"""From features to predictors: linear, boosted, neural, any classifier, and a choice among them."""

from whether.learners.auto import AutoLearner, Selection
from whether.learners.base import FittedModel, Learner
from whether.learners.boosted.learner import BoostedLearner
from whether.learners.em import EMLearner
from whether.learners.fit_result import FitResult, StartResult, Status
from whether.learners.linear.learner import LinearFit, LinearLearner
from whether.learners.linear.shrinkage import ShrinkagePath
from whether.learners.neural.learner import NeuralLearner
from whether.learners.resolve import resolve_learner

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
