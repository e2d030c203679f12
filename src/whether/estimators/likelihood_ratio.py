"""The likelihood-ratio test of two nested maximum likelihood fits to the same people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from whether.distributions import DISTRIBUTIONS
from whether.estimators.censored import CensoredClassifier
from whether.open_residuals import OPEN
from whether.propensity import CoxPropensity
from whether.validate import ArgumentError

# Two fits to the same people have the same means and spreads to this relative precision.
SAME = 1e-9
# So far below the smaller model's, in units of log-likelihood, the larger one's was not maximised.
ROUNDING = 1e-6


@dataclass(frozen=True)
class LikelihoodRatioTest:
    """Result of a likelihood-ratio test.

    Attributes
    ----------
    statistic : float
        Twice the difference of the log-likelihoods.
    df : int
        Number of parameters that the larger model has more.
    p_value : float
        Probability of a larger statistic if the smaller model is right, by the chi-squared distribution.
    loglik_small, loglik_large : float
    """

    statistic: float
    df: int
    p_value: float
    loglik_small: float
    loglik_large: float

    def __str__(self) -> str:
        p_value = "p < 0.0001" if self.p_value < 1e-4 else f"p = {self.p_value:.4f}"
        return (
            f"Likelihood-ratio test: chi-squared {self.statistic:.4f} on {self.df} df, {p_value} "
            f"(log-likelihood {self.loglik_small:.4f} and {self.loglik_large:.4f})."
        )

    __repr__ = __str__


def likelihood_ratio_test(small: CensoredClassifier, large: CensoredClassifier) -> LikelihoodRatioTest:
    """Test a model against a larger one of which it is a special case.

    Parameters
    ----------
    small, large : classifier
        Fits of one class to the same people, both with ``penalty=None``. The features of each part of the small one
        are among those of the same part of the large one. Distributions are the same, or the small one's is a special
        case of the other: exponential of Weibull, and these and log-normal of generalised gamma.

    Returns
    -------
    LikelihoodRatioTest

    Raises
    ------
    ArgumentError
        If the models are not nested, or not maximum likelihood, or not fitted to the same people; or if rows depend.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=1000, seed=0)
    >>> large = wh.MixtureCureClassifier("weibull", penalty=None).fit(cohort.X, cohort.y, time=cohort.time)
    >>> small = wh.MixtureCureClassifier("exponential", penalty=None).fit(cohort.X, cohort.y, time=cohort.time)
    >>> wh.likelihood_ratio_test(small, large).df
    1
    """
    for model in (small, large):
        check_is_fitted(model)
        if not model.is_maximum_likelihood_:
            raise ArgumentError("A likelihood-ratio test is of maximum likelihood fits: fit both with penalty=None.")
        if model.n_groups_ is not None:
            raise ArgumentError(
                "A likelihood-ratio test takes rows as independent, and these fits have groups. The p-values of "
                "summary() and vcov() allow for groups: use them, or fit without groups."
            )
    _check_comparable(small, large)
    _check_nested(small, large)
    df, gain = large.n_parameters_ - small.n_parameters_, large.loglik_ - small.loglik_
    if df <= 0:
        raise ArgumentError(
            f"The second model must have more parameters than the first, got {large.n_parameters_} and "
            f"{small.n_parameters_}: pass the smaller one first."
        )
    if gain < -ROUNDING * max(1.0, abs(small.loglik_)):
        raise ArgumentError(
            f"The larger model's log-likelihood, {large.loglik_:.6g}, is below the smaller one's, {small.loglik_:.6g}: "
            "it ended in another maximum. Fit it with more n_starts."
        )
    statistic = max(2 * gain, 0.0)
    return LikelihoodRatioTest(statistic, df, float(chi2.sf(statistic, df)), small.loglik_, large.loglik_)


def _check_nested(small: CensoredClassifier, large: CensoredClassifier) -> None:
    if type(small) is not type(large):
        kinds = f"{type(small).__name__} and {type(large).__name__}"
        # A likelihood over a free baseline has jumps in place of densities.
        is_free = any(isinstance(model.model_.propensity, CoxPropensity) for model in (small, large))
        instead = "score() on people held out" if is_free else "aic_ or bic_"
        raise ArgumentError(f"The models must be of one class, got {kinds}. Compare {instead} instead.")
    for name in ("ties", "tail"):
        first, second = (getattr(model, name, None) for model in (small, large))
        if first != second:
            raise ArgumentError(f"The models must have the same {name}, got {first!r} and {second!r}.")
    inner, outer = small.model_.propensity.name, large.model_.propensity.name
    if OPEN in (inner, outer):
        raise ArgumentError(f"The distribution {OPEN!r} has no likelihood-ratio test: its shares have no fixed number.")
    if inner != outer and inner not in DISTRIBUTIONS[outer].special_cases:
        raise ArgumentError(f"{inner} is no special case of {outer}. Compare aic_ or bic_ instead.")
    for part in ("outcome_columns", "shared_columns"):
        has, may_have = ({model._names()[column] for column in getattr(model.model_, part)} for model in (small, large))
        if not has <= may_have:
            lacking = ", ".join(map(repr, sorted(has - may_have)))
            raise ArgumentError(f"The models are not nested: the larger one lacks {lacking} in a part of the smaller.")


def _check_comparable(small: CensoredClassifier, large: CensoredClassifier) -> None:
    """Refuse fits to other people, as far as numbers, recorded times and the features of both can tell."""
    known = [_describe_setting(model) for model in (small, large)]
    for what in (name for name in known[0] if name in known[1]):
        first, second = known[0][what], known[1][what]
        if len(first) != len(second) or not np.allclose(first, second, rtol=SAME, atol=0.0):
            raise ArgumentError(f"The two models do not describe the same people: they differ in {what}.")


def _describe_setting(model: CensoredClassifier) -> dict[str, list[float]]:
    """What two models must have in common, where both have it."""
    setting = {"the number of people": [model.n_people_], "the number of events": [model.n_events_]}
    setting["the number of known negatives"] = [model.n_known_negatives_]
    propensity, (columns, means, spreads) = model.model_.propensity, model.model_.predictor.standardization
    if hasattr(propensity, "center"):
        setting["the recorded times"] = [propensity.center, propensity.spread]
    if hasattr(propensity, "edges"):
        setting["the bins of time"] = list(propensity.edges)
    if hasattr(propensity, "times"):
        setting["the times of events"] = list(propensity.times)
    if hasattr(model, "label_frequency_"):
        setting["the label frequency"] = [model.label_frequency_]
    values = zip(columns, means, spreads, strict=True)
    return setting | {f"feature {model._names()[column]!r}": [mean, spread] for column, mean, spread in values}
