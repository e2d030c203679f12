"""The steps of EM on one cohort: the outcome by a classifier, the propensity by one too, by lines or by counting."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from whether.arrays import Array, Rows
from whether.learners.em.em_fit import SMALLEST_PROBABILITY, ClassifierPart, ConstantPart, PropensityPart, logit_of
from whether.learners.linear import LinearFit
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import newton
from whether.learners.linear.penalized import Evaluation
from whether.learners.linear.shrinkage import usual_penalty
from whether.learners.parallel import one_blas_thread
from whether.learners.rows import RowProblem, deal_folds, in_spreads
from whether.learners.task import Task

RIDGE = 1.0  # on standardised slopes of the propensity, as in the linear learner
# Completed rows with less than this share of the largest weight are left out: they cost time and change nothing.
SMALLEST_WEIGHT = 1e-6


class OutcomeStep:
    """The outcome part of EM on one cohort: imputes the class, and fits the classifier to the completed data."""

    def __init__(self, task: Task, classifier: Any, n_folds: int) -> None:
        cohort = self.cohort = task.cohort
        self.classifier, self.problem = classifier, RowProblem(cohort, task.criterion())
        self.total = float(self.problem.weight.sum())
        known = cohort.labeled, self.problem.observed.ranks(), in_spreads(cohort.features)
        self.fold = deal_folds(*known, max(n_folds, 1), groups=cohort.groups)

    def impute(self, eta: Array, v: Array) -> Array:
        """Probability of each person of being positive, given all that was observed: the E-step."""
        problem, rows, q = self.problem, self.problem.unlabeled, np.ones(self.cohort.n)
        log_missed = problem.propensity.missed_terms(v[:, rows], problem.observed.take(rows)).value
        q[rows] = problem.criterion.family.posterior(eta[rows], log_missed)
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

    def _fit_rows(self, q: Array, rows: Rows) -> Any:
        weight, features = self.problem.weight[rows], self.cohort.features[np.tile(rows, 2)]
        twice = np.concatenate([weight * q[rows], weight * (1 - q[rows])])
        return _fit_weighted(self.classifier, features, np.repeat([1, 0], rows.size), twice)


class PropensityStep(ABC):
    """The propensity part of EM on one cohort."""

    n_parameters: int

    @abstractmethod
    def maximize(self, q: Array) -> tuple[PropensityPart, Array]:
        """Part fitted to everybody, and everybody's predictors, by other people where that matters."""


class ClassifierStep(PropensityStep):
    """The propensity part by a classifier: labels of imputed positives."""

    n_parameters = 0

    def __init__(self, task: Task, classifier: Any, fold: Rows) -> None:
        self.classifier, self.columns, self.fold = classifier, task.columns, fold
        self.features, self.labels = task.cohort.features[:, task.columns], task.cohort.labeled.astype(int)
        self.weight = task.cohort.weights

    def maximize(self, q: Array) -> tuple[PropensityPart, Array]:
        """Part fitted to everybody, and everybody's predictors by the other folds."""
        part = ClassifierPart(self._fit_rows(q, np.arange(q.size)), self.columns)
        return part, _out_of_fold(self._fit_rows, self.fold, q, self.features)[None]

    def _fit_rows(self, q: Array, rows: Rows) -> Any:
        return _fit_weighted(self.classifier, self.features[rows], self.labels[rows], (self.weight * q)[rows])


class LinearStep(PropensityStep):
    """The propensity part by Newton's method, from where the linear model ended.

    Everybody is positive, an unlabeled person with the weight q. Slopes of a time part are shrunk to those of the
    linear model. There the index of the outcome drives the times too, which a classifier has not got; what it finds
    out about the outcome may move them as far as the data want.
    """

    def __init__(self, task: Task, start: LinearFit) -> None:
        self._features = task.cohort.features
        self._objective = LinearObjective(replace(task.under(start.propensity), has_outcome=False), RIDGE)
        self._weight, self._center = task.cohort.weights[self._objective.order], start.shared_slopes
        layout = start.predictor.layout
        self._coefficients = np.concatenate([start.coefficients[1 : layout.n_predictors], self._center])
        self._known = np.array(sorted(task.known), dtype=np.intp)
        self._shrinkage = usual_penalty(start.propensity) if start.propensity.has_clock else 0.0
        self.n_parameters = self._coefficients.size - self._known.size

    def maximize(self, q: Array) -> tuple[PropensityPart, Array]:
        """Part fitted to everybody, and everybody's predictors by it: few parameters need no folds."""
        self._coefficients = self._solve(q[self._objective.order])
        part = self._objective.predictor(self._coefficients)
        return part, part.predict(self._features)[1]

    def _solve(self, q: Array) -> Array:
        weight = self._weight * q
        # Certain negatives are dropped: their log_missed may be minus infinity, which a weight of 0 does not undo.
        used = np.flatnonzero(weight > SMALLEST_WEIGHT * weight.max())
        objective = self._objective.subset(used)
        objective.weight = weight[used]
        slopes, known = objective.layout.shared, self._known

        def evaluate(theta: Array) -> Evaluation:
            value, gradient, hessian = objective.evaluate(theta)
            departure, diagonal = theta[slopes] - self._center, np.arange(slopes.start, slopes.stop)
            gradient[slopes] += self._shrinkage * departure
            hessian[diagonal, diagonal] += self._shrinkage
            gradient[known], hessian[known], hessian[:, known] = 0.0, 0.0, 0.0
            hessian[known, known] = 1.0
            return Evaluation(value + 0.5 * self._shrinkage * float(departure @ departure), gradient, hessian)

        with one_blas_thread():
            # Warm from the round before; a fraction of a log-likelihood unit is enough, the next round goes on.
            return newton(evaluate, self._coefficients, tolerance=1e-4).parameters


class KnownStep(PropensityStep):
    """A propensity without predictors: there is nothing to fit."""

    n_parameters = 0

    def __init__(self, task: Task) -> None:
        self.features = task.cohort.features

    def maximize(self, q: Array) -> tuple[PropensityPart, Array]:
        """No predictors."""
        part = ConstantPart()
        return part, part.predict(self.features)[1]


class ConstantStep(PropensityStep):
    """A constant propensity by counting: the share of the imputed positives that is labeled, unless it is known."""

    def __init__(self, task: Task) -> None:
        self.cohort, self.known = task.cohort, task.known.get(0)
        self.n_parameters = int(self.known is None)

    def maximize(self, q: Array) -> tuple[PropensityPart, Array]:
        """The logit of that share, of everybody."""
        seen = float(self.cohort.weights[self.cohort.labeled].sum())
        # Nobody missed would be a hard 1, which EM could not revise.
        missed = max(float(self.cohort.weights @ q) - seen, SMALLEST_PROBABILITY * seen)
        part = ConstantPart((float(np.log(seen / missed)) if self.known is None else self.known,))
        return part, part.predict(self.cohort.features)[1]


def _fit_weighted(classifier: Any, features: Array, labels: NDArray[np.int_], weight: Array) -> Any:
    smallest = SMALLEST_WEIGHT * weight.max()
    used = weight > smallest
    for label in (0, 1):  # where classes are separated, hardly anybody may be left of one, but classifiers need both
        if not used[labels == label].any():
            weight = np.where(labels == label, np.maximum(weight, 2 * smallest), weight)
            used |= labels == label
    name = f"{classifier.steps[-1][0]}__sample_weight" if isinstance(classifier, Pipeline) else "sample_weight"
    return clone(classifier).fit(features[used], labels[used], **{name: weight[used]})


def _out_of_fold(fit_rows: Callable[[Array, Rows], Any], fold: Rows, q: Array, features: Array) -> Array:
    """Logits of each fold by a classifier fitted to the others; without folds, to everybody."""
    logit, n_folds = np.empty(q.size), int(fold.max()) + 1
    for number in range(n_folds):
        outside = fold == number
        inside = ~outside if n_folds > 1 else outside
        logit[outside] = logit_of(fit_rows(q, np.flatnonzero(inside)), features[outside])
    return logit
