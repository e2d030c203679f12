"""Gradient-boosted trees, grown on the likelihood from where a linear model ends."""

from whether.learners.boosted.learner import BoostedLearner
from whether.learners.boosted.model import BoostedFit

__all__ = ["BoostedFit", "BoostedLearner"]
