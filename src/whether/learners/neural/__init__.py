"""Networks, trained on the likelihood from where a linear model ends."""

from whether.learners.neural.neural_fit import NeuralFit
from whether.learners.neural.neural_learner import NeuralLearner

__all__ = ["NeuralFit", "NeuralLearner"]
