"""Gradient-boosted trees, grown on the likelihood from where a linear model ends."""

from whether.learners.boosted.boosted_fit import BoostedFit
from whether.learners.boosted.boosted_learner import BoostedLearner
from whether.learners.boosted.contributions import outcome_contributions

__all__ = ["BoostedFit", "BoostedLearner", "outcome_contributions"]
