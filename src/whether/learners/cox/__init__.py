"""Proportional hazards: the linear learner that leaves the baseline open."""

from whether.learners.cox.cox_learner import CoxLearner

__all__ = ["CoxLearner"]
