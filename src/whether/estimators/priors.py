"""The share of the positives that is labeled, and with it the share of positives, from labels alone, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import chi2
from sklearn.utils.validation import check_random_state, column_or_1d

from whether.cohort import Cohort
from whether.estimators.categories import read_table
from whether.estimators.constant_likelihood import (
    Likely,
    bend,
    find_likely,
    fit_constant,
    settle_weak_ridge,
    share_labeled,
)
from whether.estimators.frequency_result import LabelFrequency
from whether.estimators.highest_share import bound_frequency, divide
from whether.estimators.mixture_proportion import Found, best_bin, density_ratio, elkan_noto, tree_induction
from whether.estimators.warn import warn
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
# Rejected at this level, the line gives way to curves. In doubt, at the other, the interval holds what they allow too:
# a bend that moves c by half a standard error is seldom rejected.
CURVED, DOUBTED = 0.01, 0.2


def most_likely(cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> Found:
    """Maximum-likelihood estimate under a constant propensity: where logistic p(x) times c fits best.

    It rests on the logistic shape of p(x), and does not need labeled people to be nearly certain positives.
    """
    return Found(fit_constant(cohort, ridge)[0], None)


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
    `examine` tests it. Nor does a constant propensity tell c by itself: any c from the largest Pr(labeled | x) to 1
    goes with some p(x). The result says how far that range reaches (`lowest`), and every method assumes more.

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
        Where the line is contradicted (`assumptions_agree` is False), maximum likelihood is that of curves, no estimate
        is below `lowest`, and the interval holds what each assumption allows. Where it is in doubt (a p-value below
        0.2), the interval holds what curves allow too.

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
    ridge, rng = settle_weak_ridge(ridge, cohort), _generator(random_state)
    line = find_likely(cohort, ridge, confidence)
    c, limits, purity = line.frequency, (line.lower, line.upper), 1.0
    if method != "likelihood":
        found = _bounded(estimator(cohort, ridge, rng), cohort)
        c, purity = found.frequency, float(np.average(line.risks, weights=found.rests_on))
        lower, upper = _limits_by_halves(c, cohort, estimator, ridge, confidence, rng)
        limits = lower, max(upper, limits[1])
    lowest = max(bound_frequency(cohort, confidence, rng.spawn(1)[0]), share_labeled(cohort))
    by_assumption, curved, p_value = _compare_assumptions(cohort, ridge, line, lowest, confidence)
    agree = lowest <= line.upper and p_value >= CURVED
    if not agree:
        limits = _widen(limits, by_assumption)
        c = min(max(curved if method == "likelihood" else c, lowest), 1.0)
    elif p_value < DOUBTED:
        limits = _hull(limits, by_assumption["curves"])
    result = _tell(method, cohort, c, limits, confidence, purity, lowest, by_assumption, agree)
    _warn_of_assumptions(result)
    return result


def _compare_assumptions(
    cohort: Cohort, ridge: float, line: Likely, lowest: float, confidence: float
) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Interval of c under each assumption on p(x), c by curves, and the p-value of the line against them."""
    told = {"line": (line.lower, line.upper), "group": (lowest, 1.0)}
    bent = bend(cohort)
    if bent is None:
        return told, line.frequency, 1.0
    curves = find_likely(bent, ridge, confidence)
    told["curves"] = curves.lower, curves.upper
    gain = 2 * (curves.log_likelihood - line.log_likelihood)
    p_value = float(chi2.sf(max(gain, 0.0), bent.features.shape[1] - cohort.features.shape[1]))
    return told, curves.frequency, p_value


def _widen(limits: tuple[float, float], by_assumption: dict[str, tuple[float, float]]) -> tuple[float, float]:
    """Limits that hold what each assumption allows; without curves nothing bounds c from above."""
    lowest = by_assumption["group"][0]
    return _hull(limits, by_assumption["line"], by_assumption.get("curves", (lowest, 1.0)), (lowest, lowest))


def _hull(*intervals: tuple[float, float]) -> tuple[float, float]:
    return min(ends[0] for ends in intervals), max(ends[1] for ends in intervals)


def _warn_of_assumptions(found: LabelFrequency) -> None:
    if not found.is_pure:
        warn(
            IdentifiabilityWarning,
            f"method={found.method!r} takes a group for positives only of whom, by the logistic model, "
            f"{found.purity:.0%} are: the label frequency is likely larger than {found.estimate:.3g}, and the "
            f"prevalence smaller than {found.prevalence:.3g}. The interval allows for that; method='likelihood' needs "
            "no such group.",
            "no pure group",
        )
    if not found.assumptions_agree:
        told = "; ".join(f"{name} {low:.3g} to {high:.3g}" for name, (low, high) in found.by_assumption.items())
        warn(
            IdentifiabilityWarning,
            f"Assumptions on the shape of p(x) disagree on the label frequency: {told}. The interval "
            f"{found.lower:.3g} to {found.upper:.3g} holds them; a constant propensity alone allows "
            f"{found.lowest:.3g} to 1.",
            "shape of the risk",
        )


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


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def _bounded(found: Found, cohort: Cohort) -> Found:
    return found._replace(frequency=min(max(found.frequency, share_labeled(cohort)), 1.0))


def _halves(cohort: Cohort, rng: np.random.Generator) -> list[Cohort]:
    """Random halves with their share of the labeled.

    Over halves without replacement an estimate spreads as much as over cohorts of the full size, and nobody is in one
    twice, as in a bootstrap, where scores of people left out would know them all the same.
    """
    halves = []
    for _ in range(N_DIVISIONS):
        side = divide(cohort, rng)
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


def _tell(
    method: str,
    cohort: Cohort,
    c: float,
    limits: tuple[float, float],
    confidence: float,
    purity: float,
    lowest: float,
    by_assumption: dict[str, tuple[float, float]],
    agree: bool,
) -> LabelFrequency:
    """Put both intervals together: that of the prevalence holds the chance in the share labeled besides."""
    rate = share_labeled(cohort)
    lower, upper = (float(np.clip(limit, rate, 1.0)) for limit in limits)
    chance = float(ndtri(0.5 + confidence / 2) * np.sqrt((1 - rate) / (rate * cohort.weights.sum())))
    share = rate / c
    below, above = (share * np.exp(sign * np.hypot(np.log(c / end), chance)) for sign, end in ((-1, upper), (1, lower)))
    # Whoever is labeled is positive, but of people like these the share labeled may be smaller than here.
    return LabelFrequency(
        method, c, lower, upper, share, float(below), min(float(above), 1.0), confidence, purity,
        lowest, min(rate / lowest, 1.0), by_assumption, agree,
    )  # fmt: skip
