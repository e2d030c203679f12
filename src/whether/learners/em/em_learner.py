"""Any scikit-learn classifier as the outcome part, under any propensity, by EM.

The latent class is imputed (E-step) and the classifier is fitted to the completed data (M-step): a labeled person is
positive; an unlabeled one enters twice, as positive with the weight q of being so and as negative with the weight
1 - q. The propensity's part is ours and linear, or, where the propensity is a logistic function of features, a second
classifier. Used by the estimators in place of the linear learner, from whose solution EM starts.
"""

import numbers
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from whether.arrays import Array, Rows
from whether.family import MIXTURE
from whether.learners.em.em_fit import ConstantPart, EMFit, PropensityPart, logit_of
from whether.learners.em.em_steps import (
    ClassifierStep,
    ConstantStep,
    KnownStep,
    LinearStep,
    OutcomeStep,
    PropensityStep,
)
from whether.learners.fit_result import FitResult, Status
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.progress import progress
from whether.learners.task import Learner, Task
from whether.propensity import Certain, LogisticPropensity
from whether.validate import ArgumentError, check_whole_number

# Rounds in a row that may bring no better likelihood. Out of fold it need not rise in every round, and with flexible
# classifiers it goes up and down by more than the tolerance for ever.
PATIENCE = 3


class _Round(NamedTuple):
    log_likelihood: float
    q: Array
    part: PropensityPart


class EMLearner(Learner, BaseEstimator):
    """Fits any scikit-learn classifier under any propensity by EM.

    Flexible classifiers remember the rows they were trained on, and would be told their own guesses again as weights.
    So q is computed from out-of-fold predictions, and convergence is watched on their likelihood. Without folds forests
    and boosting come to believe that whoever is unlabeled is negative, most of all where there are no times.

    Parameters
    ----------
    classifier : classifier
        With ``sample_weight`` in ``fit`` and with ``predict_proba``; a pipeline that ends in one will do. Every
        unlabeled person is in its training data twice, which counts for settings such as ``min_samples_leaf``.
    propensity_classifier : classifier, optional
        Predicts the propensity from its features where that is a logistic function of features; linear by default.
        The classifier of the outcome may be given again.
    max_iter : int
        Largest number of rounds.
    tolerance : float
        EM stops when the observed-data log-likelihood per person changes by less.
    linear : LinearLearner, optional
        Gives the start, the residual distribution and the slopes that the time part is shrunk to.
    cross_fit : int
        Number of folds; 0 computes q from predictions of the training rows.
    """

    # Its steps impute the class of people who were there from the start, and of negatives who live for ever.
    unread = ("entry_time", "competing", "prevalence")

    def __init__(
        self,
        classifier: Any,
        *,
        propensity_classifier: Any = None,
        max_iter: int = 50,
        tolerance: float = 1e-4,
        linear: LinearLearner | None = None,
        cross_fit: int = 3,
    ) -> None:
        self.classifier, self.propensity_classifier = classifier, propensity_classifier
        self.max_iter, self.tolerance, self.linear, self.cross_fit = max_iter, tolerance, linear, cross_fit

    def fit(self, task: Task) -> EMFit:
        """Fit the candidate that the linear learner finds most likely.

        The task's rng seeds classifiers whose ``random_state`` is None, and draws random starts of the linear learner.
        """
        self._check(task)
        classifier = _seeded(self.classifier, task.rng)
        if isinstance(task.propensity, Certain):
            return self._fit_certain(task, classifier)
        has_shared_index = task.propensity.has_clock and task.columns.size
        linear = self.linear or LinearLearner(shrinkage="cv" if has_shared_index else 0.0)
        start = linear.fit(task)
        outcome = OutcomeStep(task.under(start.propensity), classifier, self.cross_fit)
        propensity = self._propensity_step(task, start, outcome.fold)
        best, history, status = self._iterate(outcome, propensity, start)
        value, n_parameters = best.log_likelihood * outcome.total, propensity.n_parameters
        result = FitResult.of_one_start("linear", status, len(history), value, n_parameters, task.cohort.n)
        result.distributions.update(start.result.distributions)
        return EMFit(start.propensity, result, outcome.fit_all(best.q), best.part, np.array(history))

    def _propensity_step(self, task: Task, start: LinearFit, fold: Rows) -> PropensityStep:
        if self.propensity_classifier is not None:
            return ClassifierStep(task, _seeded(self.propensity_classifier, task.rng), fold)
        if not start.propensity.predictors:
            return KnownStep(task)
        if isinstance(start.propensity, LogisticPropensity) and not start.propensity.sloped[0]:
            return ConstantStep(task)
        return LinearStep(task, start)

    def _check(self, task: Task) -> None:
        if not task.has_outcome:
            raise ArgumentError("In this model everybody is positive, so there is no outcome part for the classifier.")
        if task.family != MIXTURE:
            raise ArgumentError(
                f"EM imputes who is positive, and in a {task.family.name} model causes are counted instead: a "
                "classifier cannot be its outcome part. Use learner='linear', 'boosted', 'neural' or 'auto'."
            )
        self.refuse_unread(task)
        if task.risk is not None:
            raise ArgumentError(
                "The unbiased risk gives people negative weights, which classifiers do not take. ElkanNotoClassifier "
                "makes the same assumption, a constant propensity, and fits it by likelihood."
            )
        check_whole_number(self.max_iter, "max_iter", 1)
        if not isinstance(self.cross_fit, numbers.Integral) or self.cross_fit < 0 or self.cross_fit == 1:
            raise ArgumentError(f"cross_fit must be 0 (no folds) or a whole number >= 2, got {self.cross_fit!r}.")
        _check_classifier(self.classifier, "classifier")
        if self.propensity_classifier is None:
            return
        _check_classifier(self.propensity_classifier, "propensity_classifier")
        if not (isinstance(task.propensity, LogisticPropensity) and task.propensity.sloped[0]):
            raise ArgumentError("propensity_classifier is for a propensity that is a logistic function of features.")

    def _fit_certain(self, task: Task, classifier: Any) -> EMFit:
        """Fit once: an unlabeled person is negative, so nothing is imputed."""
        cohort, outcome, part = task.cohort, OutcomeStep(task, classifier, 0), ConstantPart()
        fitted = outcome.fit_all(cohort.labeled.astype(float))
        value = outcome.log_likelihood(logit_of(fitted, cohort.features), part.predict(cohort.features)[1])
        result = FitResult.of_one_start("linear", Status.CONVERGED, 1, value * outcome.total, n_draft=cohort.n)
        return EMFit(task.propensity, result, fitted, part, np.array([value]))

    def _iterate(
        self, outcome: OutcomeStep, propensity: PropensityStep, start: LinearFit
    ) -> tuple[_Round, list[float], Status]:
        """Alternate the steps; return the round with the highest likelihood."""
        eta, v = start.predict(outcome.cohort.features)
        q = outcome.impute(np.asarray(eta), v)
        best, waited, history = None, 0, list[float]()
        with progress(self.max_iter, "Rounds of EM") as bar:
            for _ in range(self.max_iter):
                (part, v), eta = propensity.maximize(q), outcome.maximize(q)
                value = outcome.log_likelihood(eta, v)
                change = value - history[-1] if history else np.inf
                waited = 0 if best is None or value > best.log_likelihood + self.tolerance else waited + 1
                if best is None or value > best.log_likelihood:
                    best = _Round(value, q, part)
                history.append(value)
                bar.advance()
                if abs(change) < self.tolerance or waited == PATIENCE:
                    return best, history, Status.CONVERGED
                q = outcome.impute(eta, v)
        assert best is not None
        return best, history, Status.MAX_EM_ROUNDS


def _check_classifier(classifier: Any, parameter: str) -> None:
    last = classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier
    if not hasattr(classifier, "predict_proba"):
        raise TypeError(f"{parameter} must have predict_proba, which {type(classifier).__name__} has not.")
    if not has_fit_parameter(last, "sample_weight"):
        raise TypeError(f"{parameter} must take sample_weight in fit, which {type(last).__name__} does not.")


def _seeded(classifier: Any, rng: np.random.Generator) -> Any:
    """Copy of a classifier, unfitted, with every random_state that is None set."""
    copied = clone(classifier)
    parameters = copied.get_params(deep=True)
    names = [n for n in sorted(parameters) if n.split("__")[-1] == "random_state" and parameters[n] is None]
    return copied.set_params(**{name: int(rng.integers(2**31 - 1)) for name in names})
