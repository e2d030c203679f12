"""Any scikit-learn classifier as the outcome part, under any propensity, by EM.

The latent class is imputed (E-step) and the classifier is fitted to the completed data (M-step): a labeled person is
positive; an unlabeled one enters twice, as positive with the weight q of being so and as negative with the weight
1 - q. The propensity's part is ours and linear, or, where the propensity is a logistic function of features, a second
classifier. Used by the estimators in place of the linear learner, from whose solution EM starts.
"""

from __future__ import annotations

import copy
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from whether.cohort import Cohort
from whether.learners.base import FittedModel, Learner
from whether.learners.fit_result import FitResult, StartResult, Status
from whether.learners.folds import deal_folds, in_spreads
from whether.learners.linear.learner import LinearFit, LinearLearner
from whether.learners.linear.objective import Evaluation, LinearObjective
from whether.learners.linear.optimize import newton
from whether.learners.linear.shrinkage import usual_penalty
from whether.learners.parallel import one_blas_thread
from whether.learners.progress import progress
from whether.learners.rows import RowProblem
from whether.likelihood import posterior
from whether.propensity import Certain, LogisticPropensity, Propensity
from whether.risk import NegativeRisk, PositiveRisk, UnbiasedRisk

Array = NDArray[np.float64]

# Trees give probabilities of exactly 0 and 1. A hard 0 could never be revised: the E-step would give q = 0, and the
# next M-step would learn the 0 again.
SMALLEST_PROBABILITY = 1e-6
# Completed rows with less than this share of the largest weight are left out: they cost time and change nothing.
SMALLEST_WEIGHT = 1e-6
# Rounds in a row that may bring no better likelihood. Out of fold it need not rise in every round, and with flexible
# classifiers it goes up and down by more than the tolerance for ever.
PATIENCE = 3
RIDGE = 1.0  # on standardised slopes of the propensity, as in the linear learner


@dataclass(frozen=True)
class LinearPart:
    """Propensity predictors that are linear in the features: levels, then shared slopes on standardised features."""

    objective: LinearObjective  # standardisation and layout, without rows
    coefficients: Array

    def predict(self, features: Array) -> Array:
        """Propensity predictors, shape (K, n)."""
        objective, layout = self.objective, self.objective.layout
        v = np.repeat(self.coefficients[: layout.n_predictors, None], features.shape[0], axis=1)
        if layout.n_shared:
            standardized = (features[:, objective.column_order] - objective.mean) / objective.scale
            v[objective.sloped] += standardized @ self.coefficients[layout.shared]
        return v


@dataclass(frozen=True)
class ClassifierPart:
    """The logit of a propensity that a classifier predicts from some of the features."""

    classifier: Any
    columns: NDArray[np.intp]

    def predict(self, features: Array) -> Array:
        """Propensity predictor, shape (1, n)."""
        return _logit(self.classifier, features[:, self.columns])[None]


@dataclass(frozen=True)
class EMFit(FittedModel):
    """A classifier fitted by EM.

    Attributes
    ----------
    propensity : Propensity
        The chosen one of the candidates.
    result : FitResult
        ``n_parameters`` counts the linear part of the propensity only; the log-likelihood is out of fold where q is.
    classifier : classifier
        The outcome part, fitted to everybody with the final weights.
    part : LinearPart or ClassifierPart
        The propensity part.
    history : ndarray
        Observed-data log-likelihood per person in each round, of the predictions that the E-step uses.
    """

    propensity: Propensity
    result: FitResult
    classifier: Any
    part: LinearPart | ClassifierPart
    history: Array

    def predict(self, features: Array) -> tuple[Array, Array]:
        """Outcome logit and propensity predictors of new people."""
        return _logit(self.classifier, features), self.part.predict(features)


class _Round(NamedTuple):
    log_likelihood: float
    q: Array
    part: LinearPart | ClassifierPart


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
        self.classifier = classifier
        self.propensity_classifier = propensity_classifier
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.linear = linear
        self.cross_fit = cross_fit

    def fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        *,
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool = True,
        known: dict[int, float] | None = None,
    ) -> EMFit:
        """Fit the candidate that the linear learner finds most likely; parameters as in `Learner.fit`.

        The rng seeds classifiers whose ``random_state`` is None, and draws random starts of the linear learner.
        """
        self._check(candidates[0], has_outcome)
        classifier = _seeded(self.classifier, rng)
        if isinstance(candidates[0], Certain):
            return self._fit_certain(cohort, candidates[0], classifier)
        has_times = candidates[0].needs_time or candidates[0].needs_follow_up
        linear = self.linear or LinearLearner(shrinkage="cv" if has_times and columns.size else 0.0)
        start = linear.fit(cohort, candidates, columns=columns, rng=rng, known=known)
        outcome = _OutcomeStep(cohort, start.propensity, classifier, self.cross_fit)
        if self.propensity_classifier is None:
            propensity: _LinearStep | _ClassifierStep = _LinearStep(cohort, start, columns, known or {})
        else:
            propensity = _ClassifierStep(cohort, _seeded(self.propensity_classifier, rng), columns, outcome.fold)
        best, history, status = self._iterate(outcome, propensity, start)
        result = _result(best.log_likelihood * outcome.total, status, len(history), cohort.n, propensity.n_parameters)
        result.distributions.update(start.result.distributions)
        return EMFit(start.propensity, result, outcome.fit_all(best.q), best.part, np.array(history))

    def _check(self, propensity: Propensity, has_outcome: bool) -> None:
        if not has_outcome:
            raise ValueError("In this model everybody is positive, so there is no outcome part for the classifier.")
        if isinstance(propensity, UnbiasedRisk | PositiveRisk | NegativeRisk):
            raise ValueError(
                "The unbiased risk gives people negative weights, which classifiers do not take. ElkanNotoClassifier "
                "makes the same assumption, a constant propensity, and fits it by likelihood."
            )
        if not isinstance(self.max_iter, numbers.Integral) or self.max_iter < 1:
            raise ValueError(f"max_iter must be a whole number >= 1, got {self.max_iter!r}.")
        if not isinstance(self.cross_fit, numbers.Integral) or self.cross_fit < 0 or self.cross_fit == 1:
            raise ValueError(f"cross_fit must be 0 (no folds) or a whole number >= 2, got {self.cross_fit!r}.")
        _check_classifier(self.classifier, "classifier")
        if self.propensity_classifier is None:
            return
        _check_classifier(self.propensity_classifier, "propensity_classifier")
        if not (isinstance(propensity, LogisticPropensity) and propensity.sloped[0]):
            raise ValueError("propensity_classifier is for a propensity that is a logistic function of features.")

    def _fit_certain(self, cohort: Cohort, propensity: Certain, classifier: Any) -> EMFit:
        """Fit once: an unlabeled person is negative, so nothing is imputed."""
        outcome = _OutcomeStep(cohort, propensity, classifier, 0)
        objective = LinearObjective(cohort, propensity, columns=np.arange(0), has_outcome=False, ridge=RIDGE)
        objective.drop_rows()
        part = LinearPart(objective, np.zeros(0))
        fitted = outcome.fit_all(cohort.labeled.astype(float))
        value = outcome.log_likelihood(_logit(fitted, cohort.features), part.predict(cohort.features))
        result = _result(value * outcome.total, Status.CONVERGED, 1, cohort.n, 0)
        return EMFit(propensity, result, fitted, part, np.array([value]))

    def _iterate(
        self, outcome: _OutcomeStep, propensity: _LinearStep | _ClassifierStep, start: LinearFit
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


class _OutcomeStep:
    """The outcome part of EM on one cohort: imputes the class, and fits the classifier to the completed data."""

    def __init__(self, cohort: Cohort, propensity: Propensity, classifier: Any, n_folds: int) -> None:
        self.cohort, self.classifier, self.problem = cohort, classifier, RowProblem(cohort, propensity)
        self.total = float(self.problem.weight.sum())
        self.fold = deal_folds(cohort.labeled, self.problem.observed, in_spreads(cohort.features), max(n_folds, 1))

    def impute(self, eta: Array, v: Array) -> Array:
        """Probability of each person of being positive, given all that was observed: the E-step."""
        problem, rows, q = self.problem, self.problem.unlabeled, np.ones(self.cohort.n)
        log_missed = problem.propensity.log_missed(v[:, rows], problem.observed[..., rows]).value
        q[rows] = posterior(eta[rows], log_missed)
        return q

    def log_likelihood(self, eta: Array, v: Array) -> float:
        """Observed-data log-likelihood per person."""
        return float(np.average(self.problem.evaluate(eta, v).value, weights=self.problem.weight))

    def maximize(self, q: Array) -> Array:
        """Outcome logit of everybody by classifiers fitted to the other folds."""
        return _out_of_fold(self._fit_rows, self.fold, q, self.cohort.features)

    def fit_all(self, q: Array) -> Any:
        """Classifier fitted to everybody."""
        return self._fit_rows(q, np.arange(self.cohort.n))

    def _fit_rows(self, q: Array, rows: NDArray[np.intp]) -> Any:
        weight, features = self.problem.weight[rows], self.cohort.features[np.tile(rows, 2)]
        twice = np.concatenate([weight * q[rows], weight * (1 - q[rows])])
        return _fit_weighted(self.classifier, features, np.repeat([1, 0], rows.size), twice)


class _ClassifierStep:
    """The propensity part by a classifier: labels of imputed positives."""

    n_parameters = 0

    def __init__(self, cohort: Cohort, classifier: Any, columns: NDArray[np.intp], fold: NDArray[np.intp]) -> None:
        self.classifier, self.columns, self.fold = classifier, columns, fold
        self.features, self.labels = cohort.features[:, columns], cohort.labeled.astype(int)
        self.weight = np.ones(cohort.n) if cohort.weight is None else cohort.weight

    def maximize(self, q: Array) -> tuple[ClassifierPart, Array]:
        """Part fitted to everybody, and everybody's predictors by the other folds."""
        part = ClassifierPart(self._fit_rows(q, np.arange(q.size)), self.columns)
        return part, _out_of_fold(self._fit_rows, self.fold, q, self.features)[None]

    def _fit_rows(self, q: Array, rows: NDArray[np.intp]) -> Any:
        return _fit_weighted(self.classifier, self.features[rows], self.labels[rows], (self.weight * q)[rows])


class _LinearStep:
    """The propensity part by Newton's method: everybody is positive, an unlabeled person with the weight q.

    Slopes of a time part are shrunk to those of the linear model. There the index of the outcome drives the times too,
    which a classifier has not got; what it finds out about the outcome may move them as far as the data want.
    """

    def __init__(self, cohort: Cohort, start: LinearFit, columns: NDArray[np.intp], known: dict[int, float]) -> None:
        self.propensity, self.features = start.propensity, cohort.features
        self.objective = LinearObjective(cohort, self.propensity, columns=columns, has_outcome=False, ridge=RIDGE)
        self.bare = copy.copy(self.objective)
        self.bare.drop_rows()
        self.weight = np.ones(cohort.n) if cohort.weight is None else cohort.weight
        coefficients, layout = start.coefficients, start.objective.layout
        self.center = coefficients[layout.shared]
        self.coefficients = np.concatenate([coefficients[1 : layout.n_predictors], self.center])
        self.known = np.array(sorted(known), dtype=np.intp)
        self.shrinkage = 0.0 if isinstance(self.propensity, LogisticPropensity) else usual_penalty(self.propensity)
        self.n_parameters = self.coefficients.size - self.known.size

    def maximize(self, q: Array) -> tuple[LinearPart, Array]:
        """Part fitted to everybody, and everybody's predictors; few parameters need no folds."""
        constant = isinstance(self.propensity, LogisticPropensity) and not self.propensity.sloped[0]
        self.coefficients = self._count(q) if constant else self._solve(q)
        part = LinearPart(self.bare, self.coefficients)
        return part, part.predict(self.features)

    def _count(self, q: Array) -> Array:
        """Share of the imputed positives that is labeled, unless it is known."""
        if self.known.size:
            return self.coefficients
        seen = float(self.weight[self.objective.row_order[: self.objective.n_labeled]].sum())
        # Nobody missed would be a hard 1, which EM could not revise.
        missed = max(float(self.weight @ q) - seen, SMALLEST_PROBABILITY * seen)
        return np.array([np.log(seen / missed)])

    def _solve(self, q: Array) -> Array:
        weight = (self.weight * q)[self.objective.row_order]
        # Certain negatives are dropped: their log_missed may be minus infinity, which a weight of 0 does not undo.
        used = np.flatnonzero(weight > SMALLEST_WEIGHT * weight.max())
        objective = self.objective.subset(used)
        objective.weight = weight[used]
        slopes = objective.layout.shared

        def evaluate(theta: Array) -> Evaluation:
            value, gradient, hessian = objective.evaluate(theta)
            departure, diagonal = theta[slopes] - self.center, np.arange(slopes.start, slopes.stop)
            gradient[slopes] += self.shrinkage * departure
            hessian[diagonal, diagonal] += self.shrinkage
            gradient[self.known], hessian[self.known], hessian[:, self.known] = 0.0, 0.0, 0.0
            hessian[self.known, self.known] = 1.0
            return Evaluation(value + 0.5 * self.shrinkage * float(departure @ departure), gradient, hessian)

        with one_blas_thread():
            # Warm from the round before; a fraction of a log-likelihood unit is enough, the next round goes on.
            return newton(evaluate, self.coefficients, tolerance=1e-4).parameters


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


def _fit_weighted(classifier: Any, features: Array, labels: NDArray[np.int_], weight: Array) -> Any:
    used = weight > SMALLEST_WEIGHT * weight.max()
    name = f"{classifier.steps[-1][0]}__sample_weight" if isinstance(classifier, Pipeline) else "sample_weight"
    return clone(classifier).fit(features[used], labels[used], **{name: weight[used]})


def _logit(classifier: Any, features: Array) -> Array:
    """Logit of the predicted probability of class 1, never infinite."""
    classes = np.asarray(classifier.classes_)
    if classes.size == 1:  # it saw one class only, and may have one column or two
        share = np.full(features.shape[0], float(classes[0] == 1))
    else:
        share = classifier.predict_proba(features)[:, int(np.flatnonzero(classes == 1)[0])]
    p = np.clip(share, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return np.asarray(np.log(p) - np.log1p(-p))


def _out_of_fold(fit_rows: Any, fold: NDArray[np.intp], q: Array, features: Array) -> Array:
    """Logits of each fold by a classifier fitted to the others; without folds, to everybody."""
    logit, n_folds = np.empty(q.size), int(fold.max()) + 1
    for number in range(n_folds):
        outside = fold == number
        inside = ~outside if n_folds > 1 else outside
        logit[outside] = _logit(fit_rows(q, np.flatnonzero(inside)), features[outside])
    return logit


def _result(log_likelihood: float, status: Status, n_steps: int, n: int, n_parameters: int) -> FitResult:
    start = StartResult("linear", -log_likelihood, status, n_steps, 1.0)
    return FitResult(status, n_steps, log_likelihood, -log_likelihood, n_parameters, (start,), n)
