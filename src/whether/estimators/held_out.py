"""How well a linear classifier predicts what was observed of people it was not fitted to."""

from whether.cohort import Cohort
from whether.estimators.censored import CensoredClassifier


def held_out_log_likelihood(model: CensoredClassifier, cohort: Cohort) -> float:
    """Mean log-likelihood of the people that a linear classifier was fitted to, each left out with its fold.

    It compares models that observe the same of people: times and follow-up have likelihoods of their own scale.
    """
    task = model._task(cohort)
    return float(model._learner(task).held_out_log_likelihood(task, model.model_))
