"""From features to predictors: linear, boosted, neural, any classifier, and a choice among them."""

from whether.learners.boosted import BoostedFit, BoostedLearner, outcome_contributions
from whether.learners.choice import AutoLearner, resolve_learner
from whether.learners.em import EMFit, EMLearner
from whether.learners.fit_result import FitResult, Selection, StartResult, Status
from whether.learners.hindsight import HindsightFit, HindsightLearner
from whether.learners.linear import FittedPeople, LinearFit, LinearLearner, OpenFit, OpenLearner, ShrinkagePath
from whether.learners.neural import NeuralFit, NeuralLearner
from whether.learners.population import MOST_SAMPLED, Population, RowSource
from whether.learners.task import FittedModel, KnownShare, Learner, Task

__all__ = [
    "MOST_SAMPLED",
    "AutoLearner",
    "BoostedFit",
    "BoostedLearner",
    "EMFit",
    "EMLearner",
    "FitResult",
    "FittedModel",
    "FittedPeople",
    "HindsightFit",
    "HindsightLearner",
    "KnownShare",
    "Learner",
    "LinearFit",
    "LinearLearner",
    "NeuralFit",
    "NeuralLearner",
    "OpenFit",
    "OpenLearner",
    "Population",
    "RowSource",
    "Selection",
    "ShrinkagePath",
    "StartResult",
    "Status",
    "Task",
    "outcome_contributions",
    "resolve_learner",
]
