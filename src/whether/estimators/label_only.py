"""Classifiers that need only labels: no restriction to lift, a constant propensity, a propensity of some features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.base import CensoredClassifier
from whether.estimators.label_frequency import (
    elkan_noto_label_frequency,
    likely_label_frequency,
    settle_label_frequency,
)
from whether.learners import LinearFit, LinearLearner
from whether.learners.nonnegative import fit_nonnegative
from whether.likelihood import posterior
from whether.propensity import Certain, LogisticPropensity
from whether.risk import UnbiasedRisk
from whether.validate import IdentifiabilityWarning, resolve_columns

Array = NDArray[np.float64]

_NO_COLUMNS = np.empty(0, dtype=np.intp)


class LabelOnlyClassifier(CensoredClassifier):
    """Shared part of the classifiers whose propensity has no clock."""

    def _refuse_clock(self, what: str, value: Any) -> None:
        if value is not None:
            raise ValueError(
                f"{type(self).__name__} has no model of times: {what} can't change its answer. Leave {what} "
                "out, or use FollowUpCureClassifier or MixtureCureClassifier."
            )

    def _propensity(self, v: Array) -> Array:
        return softplus_expit(v[0])[1]

    def predict_propensity(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability that a positive is labeled, e(x).

        Parameters
        ----------
        X : array-like or data frame
        follow_up : None
            This restriction has no clock; anything else is an error.
        """
        self._refuse_clock("follow_up", follow_up)
        return self._propensity(self._predictors(X)[1])

    def predict_label_proba(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability of a label, p(x) * e(x), at the follow-up of the training cohort."""
        eta, v = self._predictors(X)
        return softplus_expit(np.asarray(eta))[1] * self._propensity(v)

    def predict_proba_event_free(self, X: Any, time: ArrayLike | None = None) -> Array:
        """Probability that a person whose event was not seen is positive all the same.

        Parameters
        ----------
        X : array-like or data frame
        time : None
            This restriction has no clock: the answer is for the end of a follow-up like the training cohort's.
        """
        self._refuse_clock("time", time)
        eta, v = self._predictors(X)
        with np.errstate(divide="ignore"):
            return posterior(np.asarray(eta), np.log1p(-self._propensity(v)))


class LabelClassifier(LabelOnlyClassifier):
    """Logistic regression on the labels: every positive is assumed to be seen (e = 1).

    It learns who was seen, not who is positive, and is here to be compared with. Fitted to the true outcome it is the
    oracle.

    Parameters
    ----------
    ridge, covariance, max_iter
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=500, seed=0)
    >>> wh.LabelClassifier().fit(cohort.X, cohort.y).predict_proba(cohort.X).shape
    (500, 2)
    """

    def __init__(self, *, ridge: float = 1.0, covariance: str = "observed", max_iter: int = 100) -> None:
        self.ridge = ridge
        self.covariance = covariance
        self.max_iter = max_iter

    def _fit_cohort(self, cohort: Cohort) -> None:
        learner = LinearLearner(ridge=self.ridge, max_iter=self.max_iter, sandwich=self.covariance == "sandwich")
        self._store(learner.fit(cohort, [Certain()], columns=_NO_COLUMNS, rng=np.random.default_rng(0)))

    def _propensity(self, v: Array) -> Array:
        return np.ones(v.shape[1])


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

    def _estimate_frequency(self, cohort: Cohort) -> float:
        raise NotImplementedError  # pragma: no cover

    def _fit_given_frequency(self, cohort: Cohort) -> LinearFit:
        raise NotImplementedError  # pragma: no cover

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
    ridge, covariance, max_iter
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
        ridge: float = 1.0,
        covariance: str = "observed",
        max_iter: int = 100,
    ) -> None:
        self.label_frequency = label_frequency
        self.prevalence = prevalence
        self.ridge = ridge
        self.covariance = covariance
        self.max_iter = max_iter

    def _estimate_frequency(self, cohort: Cohort) -> float:
        return elkan_noto_label_frequency(cohort, self.ridge)

    def _fit_given_frequency(self, cohort: Cohort) -> LinearFit:
        learner = LinearLearner(ridge=self.ridge, max_iter=self.max_iter, sandwich=self.covariance == "sandwich")
        rng = np.random.default_rng(0)
        if self.label_frequency_ == 1.0:
            return learner.fit(cohort, [Certain()], columns=_NO_COLUMNS, rng=rng)
        logit = float(np.log(self.label_frequency_) - np.log1p(-self.label_frequency_))
        return learner.fit(cohort, [LogisticPropensity(sloped=False)], columns=_NO_COLUMNS, rng=rng, known={0: logit})


class UnbiasedPUClassifier(ConstantPropensityClassifier):
    """Unbiased PU risk (uPU) or non-negative PU risk (nnPU) under a constant propensity, for a cohort.

    Minimises equation 7, in which the unlabeled term runs over everybody. It is a risk, not a likelihood: standard
    errors are always the sandwich's. c is estimated by maximum likelihood unless it is given; one that is too small
    makes the negatives' share of the risk negative and the slopes run away, of which the fit warns.

    Parameters
    ----------
    nonnegative : bool, default=False
        Keep the negatives' share of the risk from falling below zero (nnPU).
    label_frequency, prevalence : float, optional
        See `ElkanNotoClassifier`.
    ridge, max_iter
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

    def __init__(
        self,
        *,
        nonnegative: bool = False,
        label_frequency: float | None = None,
        prevalence: float | None = None,
        ridge: float = 1.0,
        max_iter: int = 100,
    ) -> None:
        self.nonnegative = nonnegative
        self.label_frequency = label_frequency
        self.prevalence = prevalence
        self.ridge = ridge
        self.max_iter = max_iter

    def _estimate_frequency(self, cohort: Cohort) -> float:
        return likely_label_frequency(cohort, self.ridge)

    def _fit_given_frequency(self, cohort: Cohort) -> LinearFit:
        learner = LinearLearner(ridge=self.ridge, max_iter=self.max_iter, sandwich=True)
        if self.nonnegative:
            fit = fit_nonnegative(learner, cohort, self.label_frequency_)
        else:
            risk = UnbiasedRisk(self.label_frequency_)
            fit = learner.fit(cohort, [risk], columns=_NO_COLUMNS, rng=np.random.default_rng(0))
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
                stacklevel=3,
            )


class SARPUClassifier(LabelOnlyClassifier):
    """The propensity is a logistic function of some of the features (SARPU): e = e(x_subset).

    Both parts are fitted by maximum likelihood (equation 3). If a feature of the outcome is left out of the propensity
    the two parts are identified and have valid standard errors (Diop, Diop and Dupuy 2011). With all features in both
    parts p and e can be exchanged; the fit then starts from the belief that who has the event explains the labels
    better than who is seen, and warns.

    Parameters
    ----------
    propensity_features : list of str or int, optional
        Features that drive labeling, by name or position. None means all of them; an empty list makes the propensity
        a constant that is estimated by maximum likelihood.
    ridge, covariance, max_iter, n_starts, random_state
        See `CensoredClassifier`.

    References
    ----------
    Bekker, Robberechts and Davis, Beyond the selected completely at random assumption, ECML PKDD 2019.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=2000, seed=0)
    >>> model = wh.SARPUClassifier(propensity_features=[2, 3]).fit(cohort.X, cohort.y)
    >>> model.predict_propensity(cohort.X).shape
    (2000,)
    """

    def __init__(
        self,
        propensity_features: Sequence[str | int] | None = None,
        *,
        ridge: float = 1.0,
        covariance: str = "observed",
        max_iter: int = 100,
        n_starts: int = 3,
        random_state: Any = None,
    ) -> None:
        self.propensity_features = propensity_features
        self.ridge = ridge
        self.covariance = covariance
        self.max_iter = max_iter
        self.n_starts = n_starts
        self.random_state = random_state

    def _fit_cohort(self, cohort: Cohort) -> None:
        columns = resolve_columns(self.propensity_features, cohort.names, "propensity_features")
        learner = LinearLearner(
            ridge=self.ridge,
            n_starts=self.n_starts,
            max_iter=self.max_iter,
            sandwich=self.covariance == "sandwich",
        )
        propensity = LogisticPropensity(sloped=columns.size > 0)
        self._store(learner.fit(cohort, [propensity], columns=columns, rng=self._rng()))
        self.exchangeable_ = columns.size == cohort.features.shape[1]

    def _report(self) -> None:
        if not self.exchangeable_:
            super()._report()
            return
        result = self.fit_result_
        warnings.warn(
            "All features are in both parts, so outcome and propensity may be exchanged: the likelihood is the same. "
            f"{len(result.rivals())} of {len(result.starts)} starts reach it, with outcome logits that correlate from "
            f"{result.least_agreement:.2f} to 1; the one that explains labels by the outcome was kept. Name the "
            "features that drive labeling in propensity_features, or bring in times with FollowUpCureClassifier or "
            "MixtureCureClassifier.",
            IdentifiabilityWarning,
            stacklevel=3,
        )

    def _notes(self) -> list[str]:
        notes = super()._notes()
        if self.exchangeable_:
            notes.append("All features are in both parts: outcome and propensity may be exchanged.")
        return notes
