"""Any scikit-learn classifier as the outcome part, by EM."""

from whether.learners.em.learner import EMLearner
from whether.learners.em.model import EMFit

__all__ = ["EMFit", "EMLearner"]
