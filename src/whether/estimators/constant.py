"""Classifiers with a constant propensity: the same share of all positives is labeled, whoever they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.label_only import LabelOnlyClassifier
from whether.estimators.priors import estimate_frequency
from whether.estimators.warn import warn
from whether.learners import NeuralLearner, Task
from whether.propensity import Certain, LogisticPropensity
from whether.risk import PURisk
from whether.validate import ArgumentError, DataError, check_share


def _is_number(label_frequency: float | str | None) -> bool:
    return label_frequency is not None and not isinstance(label_frequency, str)


def _frequency_note(model: ElkanNotoClassifier | UnbiasedPUClassifier) -> str:
    is_given = model.prevalence is not None or _is_number(model.label_frequency)
    how = "as given" if is_given else "estimated, and its own uncertainty is not in the standard errors"
    return f"Conditional on a label frequency of {model.label_frequency_:.4g} ({how})."


class ElkanNotoClassifier(LabelOnlyClassifier):
    """Constant propensity (ENPU): the same share c of all positives is labeled, whoever they are.

    c is the mean of Pr(labeled | x) over labeled people (Elkan and Noto 2008) unless it is given. Then c p(x) is fitted
    to the labels with c held fixed (equation 2), so that p stays a probability; dividing by c would not.

    Parameters
    ----------
    label_frequency : float or str, optional
        Share of the positives that is labeled, if known; or the name of a method that estimates it, such as "bbe" or
        "tice": see `label_frequency`. None is "elkan-noto".
    prevalence : float, optional
        Share of positives in the cohort, if known instead.
    learner, penalty, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Attributes
    ----------
    label_frequency_ : float
        The share c of positives that is labeled: as given, implied by the prevalence, or estimated.

    References
    ----------
    Elkan and Noto, Learning classifiers from only positive and unlabeled data, KDD 2008.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("feature-independent", n=2000, seed=0)
    >>> model = wh.ElkanNotoClassifier(prevalence=0.5).fit(cohort.X, cohort.y)
    >>> bool(0.4 < model.label_frequency_ < 0.6)
    True
    """

    def __init__(
        self,
        *,
        label_frequency: float | str | None = None,
        prevalence: float | None = None,
        learner: Any = "linear",
        penalty: str | None = "auto",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.label_frequency, self.prevalence, self.learner = label_frequency, prevalence, learner
        self.penalty, self.ridge, self.covariance, self.max_iter = penalty, ridge, covariance, max_iter
        self.random_state, self.verbose = random_state, verbose

    def _task(self, cohort: Cohort) -> Task:
        c = self.label_frequency_ = _settle_label_frequency(self, cohort, "elkan-noto")
        if c == 1.0:
            return Task(cohort, [Certain()], rng=self._rng())
        known = {0: float(np.log(c) - np.log1p(-c))}
        return Task(cohort, [LogisticPropensity(sloped=False)], known=known, rng=self._rng())

    def _notes(self) -> list[str]:
        return [*super()._notes(), _frequency_note(self)]


class UnbiasedPUClassifier(LabelOnlyClassifier):
    """Unbiased PU risk (uPU) or non-negative PU risk (nnPU) under a constant propensity, for a cohort.

    Minimises equation 7, in which the unlabeled term runs over everybody. It is a risk, not a likelihood: standard
    errors are always the sandwich's. c is estimated by maximum likelihood unless it is given; where labeling does
    depend on the features that estimate leans towards 1, and risks come out too low. A c that is too small makes the
    negatives' share of the risk negative and the slopes run away, of which the fit warns. Whoever is known never to
    have the event counts as a negative in the risk, as all unlabeled people do; knowing it helps to estimate c.

    Parameters
    ----------
    nonnegative : bool, default=False
        Keep the negatives' share of the risk from falling below zero (nnPU); with a linear or a neural learner.
    label_frequency, prevalence : float, optional
        See `ElkanNotoClassifier`; here a label_frequency of None is "likelihood".
    learner, ridge, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Attributes
    ----------
    label_frequency_ : float
        The share c of positives that is labeled: as given, implied by the prevalence, or estimated.
    negative_risk_ : float
        Share of the risk per person that comes from negatives; below zero, the answer is not to be trusted.

    References
    ----------
    du Plessis, Niu and Sugiyama, NeurIPS 2014; Kiryo et al., NeurIPS 2017.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("feature-independent", n=2000, seed=0)
    >>> wh.UnbiasedPUClassifier(label_frequency=0.5).fit(cohort.X, cohort.y).converged_
    True
    """

    covariance = "sandwich"
    is_maximum_likelihood_ = False
    _fit_measure = "minus the risk"

    def __init__(
        self,
        *,
        nonnegative: bool = False,
        label_frequency: float | str | None = None,
        prevalence: float | None = None,
        learner: Any = "linear",
        ridge: float | str = "auto",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.nonnegative, self.label_frequency, self.prevalence = nonnegative, label_frequency, prevalence
        self.learner, self.ridge, self.max_iter, self.random_state = learner, ridge, max_iter, random_state
        self.verbose = verbose

    def _task(self, cohort: Cohort) -> Task:
        is_learned_in_batches = isinstance(self.learner, NeuralLearner) or self.learner in ("linear", "neural")
        if self.nonnegative and not is_learned_in_batches:
            raise ArgumentError(
                "nonnegative=True clips a sum over people, which trees and other classifiers cannot follow row by row: "
                f"it is fitted with learner='linear' or 'neural', got {self.learner!r}. Take one of these, or leave "
                "nonnegative out: boosting stops on held-out risk, before it runs away."
            )
        self.label_frequency_ = _settle_label_frequency(self, cohort, "likelihood")
        risk = PURisk(self.label_frequency_, nonnegative=self.nonnegative)
        return Task(cohort, [risk.propensity], risk=risk, rng=self._rng())

    def _describe(self, cohort: Cohort, longest: float | None = None) -> None:
        loss = softplus_expit(np.asarray(self.model_.predict(cohort.features)[0]))[0]
        weight = 1 - cohort.labeled / self.label_frequency_
        self.negative_risk_ = float(np.average(weight * loss, weights=cohort.weight))

    def _notes(self) -> list[str]:
        return [*super()._notes(), _frequency_note(self)]

    def _report(self) -> None:
        super()._report()
        if self.negative_risk_ < 0 and not self.nonnegative:
            warn(
                ConvergenceWarning,
                f"The negatives' share of the unbiased risk is {self.negative_risk_:.3g} per person, below zero: the "
                f"label frequency ({self.label_frequency_:.3g}) is too small or not the same for all. Slopes and risks "
                "are too extreme. Give a larger label_frequency, or set nonnegative=True.",
                "negative risk",
            )


def _settle_label_frequency(model: ElkanNotoClassifier | UnbiasedPUClassifier, cohort: Cohort, usual: str) -> float:
    """Return c as given, or implied by a known prevalence, or estimated by the method that is named."""
    label_frequency, prevalence = model.label_frequency, model.prevalence
    rate = float(np.average(cohort.labeled, weights=cohort.weight))
    if label_frequency is not None and prevalence is not None:
        raise ArgumentError("Give label_frequency or prevalence, not both: one implies the other.")
    if label_frequency is not None and not isinstance(label_frequency, str):
        if check_share(label_frequency, "label_frequency") < rate:
            raise DataError(
                f"label_frequency={label_frequency!r} would make more positives than people: "
                f"{rate:.4g} of all are labeled."
            )
        return float(label_frequency)
    if prevalence is not None:
        if check_share(prevalence, "prevalence") < rate:
            raise DataError(
                f"prevalence must lie between the share labeled ({rate:.4g}) and 1, got {prevalence!r}: "
                "every labeled person is positive."
            )
        return float(rate / prevalence)
    # The estimators are linear: missing features, which some learners take, are filled with the mean.
    features = cohort.features
    if isinstance(features, np.ndarray) and np.isnan(features).any():
        cohort = replace(cohort, features=np.where(np.isnan(features), np.nanmean(features, axis=0), features))
    ridge = 0.0 if model.penalty is None else model.ridge
    return estimate_frequency(label_frequency or usual, cohort, ridge, model._rng())
