"""The share of the positives that is labeled, and with it the share of positives, from labels alone, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import chi2
from sklearn.utils.validation import check_random_state, column_or_1d

from whether.arrays import Array
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.categories import read_table
from whether.estimators.mixture_proportion import Found, best_bin, density_ratio, elkan_noto, tree_induction
from whether.estimators.warn import warn
from whether.learners import LinearLearner, Task
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import Optimum, newton
from whether.learners.linear.ridge import settle_ridge
from whether.propensity import KnownFrequency, LogisticPropensity
from whether.validate import (
    ArgumentError,
    IdentifiabilityWarning,
    check_between,
    check_cohort,
    check_enough_labels,
    check_features,
    refuse_sparse,
)

# Random divisions of the cohort into halves, from which the standard error is had.
N_DIVISIONS = 20
# Penalty on slopes that keeps them finite and c where it is: one person's worth moved a c of 0.2 to 0.23.
# With fewer labels per feature than this, slopes without a penalty run too high, and c comes out too small.
WEAK, LABELS_PER_FEATURE = 0.01, 10
# A group that is positive to this share, by the logistic model, passes for one of positives only.
PURE = 0.9


def most_likely(cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> Found:
    """Maximum-likelihood estimate under a constant propensity: where logistic p(x) times c fits best.

    It rests on the logistic shape of p(x), and does not need labeled people to be nearly certain positives.
    """
    return Found(_fit_constant(cohort, ridge)[0], None)


Estimator = Callable[[Cohort, "float | str", np.random.Generator], Found]
ESTIMATORS: dict[str, Estimator] = {
    "likelihood": most_likely,
    "elkan-noto": elkan_noto,
    "bbe": best_bin,
    "tice": tree_induction,
    "dedpul": density_ratio,
}


def estimate_frequency(method: str, cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> float:
    """Label frequency by the method of that name; there can't be more positives than people."""
    return _bounded(_find_estimator(method)(cohort, ridge, rng), cohort).frequency


@dataclass(frozen=True)
class LabelFrequency:
    """How many of the positives are labeled, if that is the same share c of all.

    Attributes
    ----------
    method : str
    estimate, lower, upper : float
        Of c, with the limits of its confidence interval.
    prevalence, prevalence_lower, prevalence_upper : float
        Of the share of positives in the cohort, which is the share labeled over c.
    confidence : float
        Level of both intervals.
    purity : float
        Share of positives in the group that the method takes for positives only, by the logistic model of maximum
        likelihood; 1 where the method needs no such group.
    is_pure : bool
        Whether that share is at least 0.9. If not, c is likely larger than the estimate, and the prevalence smaller.
    """

    method: str
    estimate: float
    lower: float
    upper: float
    prevalence: float
    prevalence_lower: float
    prevalence_upper: float
    confidence: float
    purity: float

    @property
    def is_pure(self) -> bool:
        """Whether the method's group of positives passes for one."""
        return self.purity >= PURE

    def __str__(self) -> str:
        level = f"{100 * self.confidence:g} % interval"
        caution = "" if self.is_pure else " No group of near-certain positives was found: c is likely larger than this."
        return (
            f"Label frequency {self.estimate:.3f} ({level} {self.lower:.3f} to {self.upper:.3f}), prevalence "
            f"{self.prevalence:.3f} ({self.prevalence_lower:.3f} to {self.prevalence_upper:.3f}), by {self.method}."
            f"{caution}"
        )


def label_frequency(
    X: Any,
    y: ArrayLike,
    *,
    method: str = "likelihood",
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    ridge: float | str = "auto",
    random_state: Any = None,
) -> LabelFrequency:
    """Estimate which share of the positives is labeled, assuming that it is the same whoever they are.

    X and y are one cohort of which some of the positives are labeled, not a sample of positives beside one of the
    population. Where labeling depends on the features none of the methods means anything, and none of them notices:
    `examine` tests it.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        Features: numbers without missing values.
    y : array-like of shape (n,)
        1 if labeled, 0 if not.
    method : {"likelihood", "elkan-noto", "bbe", "tice", "dedpul"}, default="likelihood"
        Maximum likelihood with a logistic p(x); the mean probability of a label among labeled people; the labeled share
        of those with the highest scores (best bin estimation); its lower bound in groups of trees (TIcE); or what the
        densities of scores allow (DEDPUL). All but the first need a group of people who are surely positive. Scores are
        log odds of a label by logistic regression.
    confidence : float, default=0.95
        Level of the intervals. Those of maximum likelihood are what a likelihood-ratio test does not reject. The others
        come from random halves of the cohort, which say how far estimates spread and how much those from fewer people
        are off. A group that is not all positive makes c too small, so their upper limit is that of the method or of
        maximum likelihood, whichever is larger.
    sample_weight : array-like of shape (n,), optional
        How many people each row stands for.
    known_negative : array-like of bool of shape (n,), optional
        Who of the unlabeled is known never to have the event. Maximum likelihood learns from it; to the other methods
        they are unlabeled people.
    ridge : float or "auto", default="auto"
        Penalty on slopes, see `CensoredClassifier`. A penalty flattens p, which makes c too large, so "auto" is a
        hundredth of a person here where there are ten labels per feature, and as elsewhere where there are fewer.
    random_state : int, Generator, RandomState or None, default=None
        For the halves and the folds of trees.

    Returns
    -------
    LabelFrequency

    References
    ----------
    Elkan and Noto, KDD 2008. Bekker and Davis, Estimating the class prior in positive and unlabeled data through
    decision tree induction, AAAI 2018. Ivanov, DEDPUL: difference-of-estimated-densities-based positive-unlabeled
    learning, ICMLA 2020. Garg et al., Mixture proportion estimation and PU learning: a modern approach, NeurIPS 2021.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("feature-independent", n=2000, seed=0)
    >>> found = wh.label_frequency(cohort.X, cohort.y, random_state=0)
    >>> bool(found.lower < 0.5 < found.upper)
    True
    """
    check_between(confidence, "confidence")
    estimator = _find_estimator(method)
    cohort = _check_people(X, y, sample_weight=sample_weight, known_negative=known_negative)
    ridge, rng = _settle_weak_ridge(ridge, cohort), _generator(random_state)
    likely, risks = _fit_constant(cohort, ridge)
    limits = _likely_limits(cohort, ridge, likely, confidence)
    purity = 1.0
    if method == "likelihood":
        c = likely
    else:
        found = _bounded(estimator(cohort, ridge, rng), cohort)
        c, purity = found.frequency, float(np.average(risks, weights=found.rests_on))
        lower, upper = _limits_by_halves(c, cohort, estimator, ridge, confidence, rng)
        limits = lower, max(upper, limits[1])
    result = _tell(method, cohort, c, limits, confidence, purity)
    if not result.is_pure:
        warn(
            IdentifiabilityWarning,
            f"method={method!r} takes a group for positives only of whom, by the logistic model, {purity:.0%} are: the "
            f"label frequency is likely larger than {c:.3g}, and the prevalence smaller than "
            f"{result.prevalence:.3g}. The interval allows for that; method='likelihood' needs no such group.",
        )
    return result


def _find_estimator(method: str) -> Estimator:
    if not isinstance(method, str) or method not in ESTIMATORS:
        raise ArgumentError(f"A label frequency is estimated by one of {list(ESTIMATORS)}, got {method!r}.")
    return ESTIMATORS[method]


def _check_people(X: Any, y: ArrayLike, **known: Any) -> Cohort:
    columns = getattr(X, "columns", None)
    refuse_sparse(X, "label_frequency")
    features = np.asarray(read_table(X, {}), dtype=float)
    names = [f"x{i}" for i in range(features.shape[1])] if columns is None else [str(name) for name in columns]
    check_features(features, names, allow_missing=False)
    cohort = check_cohort(features, column_or_1d(y), names=names, **known)
    check_enough_labels(cohort)
    return cohort


def _settle_weak_ridge(ridge: float | str, cohort: Cohort) -> float:
    fewer = min(np.count_nonzero(cohort.labeled), np.count_nonzero(~cohort.labeled))
    is_weak = ridge == "auto" and fewer >= LABELS_PER_FEATURE * cohort.features.shape[1]
    return WEAK if is_weak else settle_ridge(ridge, cohort)


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _rate(cohort: Cohort) -> float:
    return float(np.average(cohort.labeled, weights=cohort.weight))


def _bounded(found: Found, cohort: Cohort) -> Found:
    return found._replace(frequency=min(max(found.frequency, _rate(cohort)), 1.0))


def _halves(cohort: Cohort, rng: np.random.Generator) -> list[Cohort]:
    """Random halves with their share of the labeled.

    Over halves without replacement an estimate spreads as much as over cohorts of the full size, and nobody is in one
    twice, as in a bootstrap, where scores of people left out would know them all the same.
    """
    halves = []
    for _ in range(N_DIVISIONS):
        side = np.empty(cohort.n, dtype=bool)
        for group in (np.flatnonzero(cohort.labeled), np.flatnonzero(~cohort.labeled)):
            side[rng.permutation(group)] = np.arange(group.size) % 2 == 0
        halves += [cohort.take(np.flatnonzero(rows)) for rows in (side, ~side)]
    if not isinstance(cohort.features, np.ndarray):
        return halves  # what never varies gets no slope
    return [half.select(np.flatnonzero(np.ptp(half.features, axis=0) > 0)) for half in halves]


def _limits_by_halves(
    c: float, cohort: Cohort, estimator: Estimator, ridge: float | str, confidence: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Limits of c by the spread over halves: what these are off by on average is taken off what the whole says."""
    halves = [_bounded(estimator(half, ridge, rng), half).frequency for half in _halves(cohort, rng)]
    width, center = float(ndtri(0.5 + confidence / 2)) * float(np.std(halves, ddof=1)), 2 * c - float(np.mean(halves))
    return min(center - width, c), max(center + width, c)


def _likely_limits(cohort: Cohort, ridge: float, c: float, confidence: float) -> tuple[float, float]:
    """Where the likelihood, maximised with c held fixed, has fallen as far as a likelihood-ratio test allows."""
    allowed, rate = 0.5 * float(chi2.ppf(confidence, 1)), _rate(cohort)

    def fit(frequency: float, start: Array) -> Optimum:
        return newton(LinearObjective(Task(cohort, [KnownFrequency(min(frequency, 1.0))]), ridge).evaluate, start)

    best = fit(c, np.zeros(cohort.features.shape[1] + 1))

    def excess(frequency: float) -> float:
        return fit(frequency, best.parameters).evaluation.value - best.evaluation.value - allowed

    lower, upper = (
        end if excess(end) <= 0 else float(brentq(excess, c, end, xtol=1e-4))
        for end in (rate + 0.001 * (1 - rate), 1.0)
    )
    return lower, upper


def _tell(
    method: str, cohort: Cohort, c: float, limits: tuple[float, float], confidence: float, purity: float
) -> LabelFrequency:
    """Put both intervals together: that of the prevalence holds the chance in the share labeled besides."""
    rate = _rate(cohort)
    lower, upper = (float(np.clip(limit, rate, 1.0)) for limit in limits)
    chance = float(ndtri(0.5 + confidence / 2) * np.sqrt((1 - rate) / (rate * cohort.weights.sum())))
    share = rate / c
    below, above = (share * np.exp(sign * np.hypot(np.log(c / end), chance)) for sign, end in ((-1, upper), (1, lower)))
    # Whoever is labeled is positive, but of people like these the share labeled may be smaller than here.
    return LabelFrequency(method, c, lower, upper, share, float(below), min(float(above), 1.0), confidence, purity)


def _fit_constant(cohort: Cohort, ridge: float | str) -> tuple[float, Array]:
    """Label frequency of maximum likelihood, and everybody's risk."""
    fit = LinearLearner(ridge=ridge).fit(Task(cohort, [LogisticPropensity(sloped=False)]))
    c = float(softplus_expit(fit.coefficients[1:2])[1][0])
    return max(c, _rate(cohort)), softplus_expit(np.asarray(fit.predict(cohort.features)[0]))[1]
