"""Gradient-boosted trees, grown on the likelihood from where a linear model ends."""

from whether.learners.boosted.boosted_fit import BoostedFit
from whether.learners.boosted.boosted_learner import BoostedLearner

__all__ = ["BoostedFit", "BoostedLearner"]
