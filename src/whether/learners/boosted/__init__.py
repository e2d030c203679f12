"""Gradient-boosted trees, grown on the likelihood from where a linear model ends."""

from whether.learners.boosted.learner import BoostedFit, BoostedLearner

__all__ = ["BoostedFit", "BoostedLearner"]
