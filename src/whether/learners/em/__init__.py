"""Any scikit-learn classifier as the outcome part, by EM."""

from whether.learners.em.em_fit import EMFit
from whether.learners.em.em_learner import EMLearner

__all__ = ["EMFit", "EMLearner"]
