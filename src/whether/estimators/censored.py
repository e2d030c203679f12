"""What all classifiers share: validation, predictions, score and the coefficient table.

A classifier is a thin shell: it says which restriction it puts on the labeling propensity and hands a checked cohort to
a learner. Parameters that several classifiers share are documented here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, check_random_state, column_or_1d

from whether.arrays import Array
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.features_given import ReadsFeatures
from whether.estimators.fit_report import FitReport
from whether.estimators.from_rows import FromRows
from whether.estimators.intervals import GivesIntervals
from whether.estimators.label_comparison import LabelComparison
from whether.estimators.outcome_part import OutcomePart
from whether.estimators.parameters import check_parameters, linear_settings, share_notes
from whether.estimators.warn import warn_of_boundary, warn_of_rivals, warn_unless_converged
from whether.family import MIXTURE, Family
from whether.learners import Task, resolve_learner
from whether.likelihood import label_log_likelihood
from whether.validate import (
    check_cohort,
    check_labels,
    check_needs,
    check_negative,
    check_readable,
    check_weight,
    unmasked,
)


class CensoredClassifier(
    ReadsFeatures,
    FromRows,
    FitReport,
    GivesIntervals,
    OutcomePart,
    LabelComparison,
    ClassifierMixin,
    BaseEstimator,
    ABC,
):
    """Base of the classifiers of Pr(the event ever happens | x) from censored labels.

    Parameters
    ----------
    learner : {"linear", "boosted", "neural", "auto"}, Learner or scikit-learn classifier, default="linear"
        How predictors follow the features: linearly; by gradient-boosted trees (LightGBM); by a neural network
        (PyTorch, an extra); by whichever of these has the best cross-validated likelihood; by a configured
        `BoostedLearner` or `NeuralLearner`; or, by EM, by any scikit-learn classifier that takes sample weights.
        The parameters below are those of the linear model, from which the other learners start.
    penalty : "auto" or None, default="auto"
        None switches every penalty off, on slopes as on location and scale of the times: maximum likelihood, for linear
        models. ``loglik_``, ``aic_``, ``bic_``, ``vcov()`` and `likelihood_ratio_test` are then what other programs
        print. A maximum at the boundary (a cured fraction of 0, say) gives a warning, and ``at_boundary_`` is True.
    ridge : float or "auto", default="auto"
        Penalty on squared slopes of standardised features, in units of one person's log-likelihood. 1 is what
        scikit-learn's ``LogisticRegression`` does on standardised features; 0 is none. "auto" is 1, or
        with fewer than five events (or non-events) per feature the penalty under which logistic regression predicts
        the labels of people who are left out best.
    covariance : {"observed", "sandwich"}, default="observed"
        Standard errors from the observed information, or the sandwich that allows for a wrong model. A ``fit`` with
        ``groups`` has the sandwich over groups, whatever is asked for here: no other allows for dependent rows.
    max_iter : int, default=100
        Largest number of Newton steps per start.
    n_starts : int, default=2 (3 for SARPUClassifier)
        Number of starts where the likelihood can have several optima; see ``fit_result_.starts``.
    random_state : int, Generator, RandomState or None, default=None
        For random starts, which are drawn from the fourth on.
    verbose : int or bool, default=0
        1 reports to stderr. 0 is silent but for a progress bar on a terminal, when a fit takes longer than two seconds.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where X had string column names.
    categories_ : dict of str to tuple
        Categories of the columns that a boosted model takes as categories.
    n_known_negatives_, n_deaths_, n_groups_ : float
        Number of people who were known never to have the event, who died first, and of groups of dependent rows.
    model_ : FittedModel
        Predictors as functions of the features.
    """

    family: ClassVar[Family] = MIXTURE  # what the outcome's predictor says about the event ever happening
    covariance: str
    _needs: tuple[str, ...] = ()  # by fit, besides X and y
    _unread: ClassVar[dict[str, str]] = {}  # what of a cohort it cannot read, and what to do instead
    _fit_measure = "log-likelihood"  # what the maximised function is called in the summary
    learner: Any = "linear"
    penalty: str | None = "auto"
    verbose: int = 0

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        time: ArrayLike | None = None,
        follow_up: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        known_negative: ArrayLike | None = None,
        time_lower: ArrayLike | None = None,
        entry_time: ArrayLike | None = None,
        competing: ArrayLike | None = None,
    ) -> Any:
        """Fit to what was observed.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            Features: numbers without missing values. A linear model takes a SciPy sparse matrix, which stays sparse: a
            code that nobody has gets no slope then, and codes that always come together share theirs. It may have no
            features at all: intercepts only. A boosted model takes missing values, and columns of a data frame that
            are of a categorical type, as they are.
        y : array-like of shape (n,)
            1 if the event was seen, 0 if not (yet).
        time : array-like of shape (n,), optional
            Time of the event if it was seen, else of the end of follow-up; in any unit, > 0. Methods that do not work
            through times accept it, so that all can be called alike, and check it.
        follow_up : array-like of shape (n,), optional
            How long each person was, or would have been, under observation had the event not come.
        sample_weight : array-like of shape (n,), optional
            How many people each row stands for.
        groups : array-like of shape (n,), optional
            Which rows depend on each other, such as those of one person, family or centre: one label per row. Standard
            errors become those of the sandwich with scores summed over each group, times G / (G - 1) for G groups; few
            groups make them too small. Folds that a fit holds out do not split groups, if they can.
        known_negative : array-like of bool of shape (n,), optional
            Who of the unlabeled is known never to have the event: past the age of risk, or a loan that was paid back.
            Their times are not read. Where only negatives were looked for, and positives like them missed, risks come
            out too low.
        time_lower : array-like of shape (n,), optional
            Up to when labeled people were seen without the event, which then came by ``time`` at the latest: between
            two visits. NaN, or the same as ``time``, where the time is exact; 0 where nothing is known before it.
        entry_time : array-like of shape (n,), optional
            When each person came under observation, without the event so far, on the scale of ``time``; 0 is from the
            start. People whose event came before are not in the table, and the likelihood allows for that.
        competing : array-like of bool of shape (n,), optional
            Who of the unlabeled died at ``time`` of something else. Given, it makes the question the lifetime one: will
            the event come *before death*? The dead are then negatives that were seen, with times of their own. Not
            given, a death is an end of follow-up: would the event come *in a world without other deaths*?
        """
        self.__dict__.pop("model_", None)  # a fit that fails leaves no earlier model behind
        check_parameters(self.get_params(deep=False))
        features, labels = self._check_X(X, reset=True), column_or_1d(unmasked(y, "y"), warn=True)
        beside = {"time": time, "follow_up": follow_up, "sample_weight": sample_weight}
        beside |= {"groups": groups, "known_negative": known_negative, "time_lower": time_lower}
        beside |= {"entry_time": entry_time, "competing": competing}
        cohort = check_cohort(features, labels, names=self._names(), **beside)
        check_needs(type(self).__name__, cohort, self._needs)
        check_readable(type(self).__name__, vars(cohort), self._unread)
        return self._learn(cohort)

    @classmethod
    def unread_records(cls) -> tuple[str, ...]:
        """Names of what ``fit`` takes of people and this classifier cannot read."""
        return tuple(cls._unread)

    @abstractmethod
    def _task(self, cohort: Cohort) -> Task:
        """Return what is to be learned from a checked cohort: the restriction on the propensity."""

    def _describe(self, cohort: Cohort, longest: float | None = None) -> None:
        """Keep what else the fit says about the cohort; of a sample, with the longest time of the others."""

    def _learner(self, task: Task) -> Any:
        """Learner that the parameter stands for, with the linear settings from which all learners start."""
        linear = linear_settings(self.get_params(deep=False), self.covariance == "sandwich", task)
        learner = resolve_learner(self.learner, linear)
        if self.categories_:
            learner = learner.with_categories(task.cohort.names.index(name) for name in self.categories_)
        return learner

    def _rng(self) -> np.random.Generator:
        state = getattr(self, "random_state", None)
        if isinstance(state, np.random.Generator):
            return state
        return np.random.default_rng(check_random_state(state).randint(2**31 - 1))

    def _report(self) -> None:
        """Warn where the answer may mislead; the same is on ``fit_result_``."""
        warn_unless_converged(type(self).__name__, self.fit_result_)
        warn_of_rivals(self.fit_result_)
        if self.at_boundary_:
            warn_of_boundary(self.model_, self._names())

    def _predictors(self, X: Any) -> tuple[Array | None, Array]:
        check_is_fitted(self)
        return self.model_.predict(self._check_X(X, reset=False))

    def decision_function(self, X: Any) -> Array:
        """Log odds of the event ever happening."""
        self._notice_comparison()
        return self.family.log_odds(np.asarray(self._predictors(X)[0]))

    def predict_proba(self, X: Any) -> Array:
        """Probability that the event never (first column) or ever (second column) happens."""
        positive = softplus_expit(self.decision_function(X))[1]
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Any) -> NDArray[np.int_]:
        """1 where the event is more likely than not to happen at some time."""
        positive = self.decision_function(X) > 0  # first: it refuses a model that was not fitted
        return np.asarray(self.classes_[positive.astype(int)])

    @abstractmethod
    def predict_propensity(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability that a positive is labeled, e(x)."""

    def predict_label_proba(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability of a label, p(x) * e(x)."""
        return self.predict_proba(X)[:, 1] * self.predict_propensity(X, follow_up)

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        time: ArrayLike | None = None,
        follow_up: ArrayLike | None = None,
        known_negative: ArrayLike | None = None,
        competing: ArrayLike | None = None,
    ) -> float:
        """Mean log-likelihood of the labels: one scale for all methods.

        It compares settings *within* a restriction. It cannot choose a restriction: p and e exchanged score the same.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.
        time : array-like, optional
            Not part of the label likelihood; accepted because ``fit`` may need it.
        follow_up : array-like, optional
            Length of follow-up, where the propensity depends on it; without it the propensity is averaged over the
            follow-up of the training cohort.
        known_negative, competing : array-like of bool, optional
            As in ``fit``; whoever died first is a negative.
        """
        eta, v = self._predictors(X)
        log_seen, log_missed = self._log_propensity(eta, v, follow_up)
        labeled = check_labels(column_or_1d(y), log_seen.size)
        known = {"known_negative": known_negative, "competing": competing}
        flags = {name: None if flag is None else check_negative(flag, labeled, name) for name, flag in known.items()}
        check_readable(type(self).__name__, flags, self._unread)
        for never in flags.values():
            log_missed = log_missed if never is None else np.where(never, -np.inf, log_missed)
        value = label_log_likelihood(labeled, None if eta is None else self.family.log_odds(eta), log_seen, log_missed)
        weight = np.ones(value.size) if sample_weight is None else check_weight(sample_weight, value.size)
        used = weight > 0  # a row that stands for nobody adds nothing, even where its likelihood is zero
        return float(np.average(value[used], weights=weight[used]))

    @abstractmethod
    def _log_propensity(self, eta: Array | None, v: Array, follow_up: ArrayLike | None) -> tuple[Array, Array]:
        """Log probabilities that a positive is labeled and that it is not."""

    def _notes(self) -> list[str]:
        """What the standard errors are conditional on; subclasses add to it."""
        note = (
            f"Slopes carry a ridge penalty worth {self.model_.ridge:g} person(s); penalty=None is maximum likelihood."
        )
        return [*([note] if self.model_.ridge else []), *share_notes(self.get_params(deep=False))]

    def __sklearn_is_fitted__(self) -> bool:
        # Not the usual "any attribute that ends in _": a fit that was refused has already set n_features_in_.
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # as scikit-learn scores, which is against the labels
        tags.input_tags.allow_nan = self._allows_missing()
        tags.input_tags.sparse = self._takes_sparse()
        return tags
