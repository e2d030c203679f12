"""Classifiers with a constant propensity: the same share of all positives is labeled, whoever they are."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.base import stack_level
from whether.estimators.label_frequency import (
    elkan_noto_label_frequency,
    likely_label_frequency,
    settle_label_frequency,
)
from whether.estimators.label_only import NO_COLUMNS, LabelOnlyClassifier
from whether.learners import LinearLearner, NeuralLearner
from whether.learners.linear.nonnegative import fit_nonnegative
from whether.propensity import Certain, LogisticPropensity
from whether.risk import NonNegativeRisk, UnbiasedRisk

Array = NDArray[np.float64]


class ConstantPropensityClassifier(LabelOnlyClassifier):
    """Shared part of the classifiers with a constant propensity e = c.

    Attributes
    ----------
    label_frequency_ : float
        The share c of positives that is labeled: as given, implied by the prevalence, or estimated.
    """

    label_frequency: float | None
    prevalence: float | None

    def _fit_cohort(self, cohort: Cohort) -> None:
        self.label_frequency_ = settle_label_frequency(
            cohort,
            label_frequency=self.label_frequency,
            prevalence=self.prevalence,
            estimate=self._estimate_frequency,
        )
        self._store(self._fit_given_frequency(cohort))

    @abstractmethod
    def _estimate_frequency(self, cohort: Cohort) -> float:
        """Estimate c from the labels."""

    @abstractmethod
    def _fit_given_frequency(self, cohort: Cohort) -> Any:
        """Fit with the label frequency held fixed."""

    def _propensity(self, v: Array) -> Array:
        return np.full(v.shape[1], self.label_frequency_)

    def _notes(self) -> list[str]:
        given = self.label_frequency is not None or self.prevalence is not None
        how = "as given" if given else "estimated, and its own uncertainty is not in the standard errors"
        return [*super()._notes(), f"Conditional on a label frequency of {self.label_frequency_:.4g} ({how})."]


class ElkanNotoClassifier(ConstantPropensityClassifier):
    """Constant propensity (ENPU): the same share c of all positives is labeled, whoever they are.

    c is the mean of Pr(labeled | x) over labeled people (Elkan and Noto 2008) unless it is given. Then c p(x) is fitted
    to the labels with c held fixed (equation 2), so that p stays a probability; dividing by c would not.

    Parameters
    ----------
    label_frequency : float, optional
        Share of the positives that is labeled, if known.
    prevalence : float, optional
        Share of positives in the cohort, if known instead.
    learner, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

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
        label_frequency: float | None = None,
        prevalence: float | None = None,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.label_frequency = label_frequency
        self.prevalence = prevalence
        self.learner = learner
        self.ridge = ridge
        self.covariance = covariance
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _estimate_frequency(self, cohort: Cohort) -> float:
        return elkan_noto_label_frequency(cohort, self.ridge)

    def _fit_given_frequency(self, cohort: Cohort) -> Any:
        linear = LinearLearner(ridge=self.ridge, max_iter=self.max_iter, sandwich=self.covariance == "sandwich")
        if self.label_frequency_ == 1.0:
            return self._learn(cohort, [Certain()], linear, columns=NO_COLUMNS)
        logit = float(np.log(self.label_frequency_) - np.log1p(-self.label_frequency_))
        return self._learn(cohort, [LogisticPropensity(sloped=False)], linear, columns=NO_COLUMNS, known={0: logit})


class UnbiasedPUClassifier(ConstantPropensityClassifier):
    """Unbiased PU risk (uPU) or non-negative PU risk (nnPU) under a constant propensity, for a cohort.

    Minimises equation 7, in which the unlabeled term runs over everybody. It is a risk, not a likelihood: standard
    errors are always the sandwich's. c is estimated by maximum likelihood unless it is given; where labeling does
    depend on the features that estimate leans towards 1, and risks come out too low. A c that is too small makes the
    negatives' share of the risk negative and the slopes run away, of which the fit warns.

    Parameters
    ----------
    nonnegative : bool, default=False
        Keep the negatives' share of the risk from falling below zero (nnPU); with a linear or a neural learner.
    label_frequency, prevalence : float, optional
        See `ElkanNotoClassifier`.
    learner, ridge, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Attributes
    ----------
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
    _fit_measure = "minus the risk"

    def __init__(
        self,
        *,
        nonnegative: bool = False,
        label_frequency: float | None = None,
        prevalence: float | None = None,
        learner: Any = "linear",
        ridge: float | str = "auto",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.nonnegative = nonnegative
        self.label_frequency = label_frequency
        self.prevalence = prevalence
        self.learner = learner
        self.ridge = ridge
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if (
            self.nonnegative
            and not isinstance(self.learner, NeuralLearner)
            and self.learner not in ("linear", "neural")
        ):
            raise ValueError(
                "nonnegative=True clips a sum over people, which trees and other classifiers cannot follow row by row: "
                f"it is fitted with learner='linear' or 'neural', got {self.learner!r}. Take one of these, or leave "
                "nonnegative out: boosting stops on held-out risk, before it runs away."
            )

    def _estimate_frequency(self, cohort: Cohort) -> float:
        return likely_label_frequency(cohort, self.ridge)

    def _fit_given_frequency(self, cohort: Cohort) -> Any:
        linear = LinearLearner(ridge=self.ridge, max_iter=self.max_iter, sandwich=True)
        if self.nonnegative and self.learner == "linear":
            fit: Any = fit_nonnegative(linear, cohort, self.label_frequency_)
        else:
            risk = NonNegativeRisk if self.nonnegative else UnbiasedRisk
            fit = self._learn(cohort, [risk(self.label_frequency_)], linear, columns=NO_COLUMNS)
        loss = softplus_expit(np.asarray(fit.predict(cohort.features)[0]))[0]
        weight = 1 - cohort.labeled / self.label_frequency_
        self.negative_risk_ = float(np.average(weight * loss, weights=cohort.weight))
        return fit

    def _report(self) -> None:
        super()._report()
        if self.negative_risk_ < 0 and not self.nonnegative:
            warnings.warn(
                f"The negatives' share of the unbiased risk is {self.negative_risk_:.3g} per person, below zero: the "
                f"label frequency ({self.label_frequency_:.3g}) is too small or not the same for all. Slopes and risks "
                "are too extreme. Give a larger label_frequency, or set nonnegative=True.",
                ConvergenceWarning,
                stacklevel=stack_level(),
            )
