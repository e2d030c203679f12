"""Two fits in place of one: when those who turn up at all do so, by looking back, and then who does."""

from whether.learners.hindsight.hindsight_fit import Chain, HindsightFit
from whether.learners.hindsight.hindsight_learner import HindsightLearner
from whether.learners.hindsight.steps import StepDesign, Steps

__all__ = ["Chain", "HindsightFit", "HindsightLearner", "StepDesign", "Steps"]
