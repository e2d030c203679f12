"""The linear learner: Newton's method on the exact Hessian, and the small model that it leaves."""

from whether.learners.linear.learner import LinearFit, LinearLearner

__all__ = ["LinearFit", "LinearLearner"]
