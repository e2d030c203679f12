"""Networks, trained on the likelihood from where a linear model ends."""

from whether.learners.neural.learner import NeuralLearner
from whether.learners.neural.model import NeuralFit

__all__ = ["NeuralFit", "NeuralLearner"]
