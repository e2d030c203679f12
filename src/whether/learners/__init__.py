"""From features to predictors: linear, boosted, neural, any classifier, and a choice among them."""

from whether.learners.boosted import BoostedFit, BoostedLearner
from whether.learners.choice import AutoLearner, resolve_learner
from whether.learners.em import EMFit, EMLearner
from whether.learners.fit_result import FitResult, Selection, StartResult, Status
from whether.learners.linear import FittedPeople, LinearFit, LinearLearner, OpenFit, OpenLearner, ShrinkagePath
from whether.learners.neural import NeuralFit, NeuralLearner
from whether.learners.task import FittedModel, KnownShare, Learner, Task

__all__ = [
    "AutoLearner",
    "BoostedFit",
    "BoostedLearner",
    "EMFit",
    "EMLearner",
    "FitResult",
    "FittedModel",
    "FittedPeople",
    "KnownShare",
    "Learner",
    "LinearFit",
    "LinearLearner",
    "NeuralFit",
    "NeuralLearner",
    "OpenFit",
    "OpenLearner",
    "Selection",
    "ShrinkagePath",
    "StartResult",
    "Status",
    "Task",
    "resolve_learner",
]
