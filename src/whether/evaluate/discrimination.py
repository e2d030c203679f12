"""AUC for the outcome when it is known of some people only.

What is wanted is the probability that a positive has a higher score than a negative. The functions differ in how they
deal with unlabeled people, of whom nobody knows which they are, and so in what they assume. Where a published measure
lets a model judge itself, by the model's own probabilities, one reference for all models can be given instead: a
self-confident model looks good in its own eyes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from whether.survival import reach_weights
from whether.validate import (
    ArgumentError,
    DataError,
    check_labels,
    check_probabilities,
    check_scores,
    check_share,
    check_times,
)

Array = NDArray[np.float64]


def weighted_auc(score: ArrayLike, positive: ArrayLike, negative: ArrayLike) -> float:
    """Probability that a positive's score exceeds a negative's, with weights for how much a person is either.

    Everybody is paired with everybody else: the pair (i, j) counts ``positive[i] * negative[j]``, and ties count half.

    Parameters
    ----------
    score : array-like of shape (n,)
    positive, negative : array-like of shape (n,)
        Weights >= 0.

    Examples
    --------
    >>> weighted_auc([0.1, 0.4, 0.8], [0, 0.5, 1], [1, 0.5, 0])
    1.0
    """
    scores, ups, downs = (np.asarray(values, dtype=float) for values in (score, positive, negative))
    if not scores.shape == ups.shape == downs.shape or scores.ndim != 1:
        raise DataError(f"score and weights must have one shape (n,), got {scores.shape}, {ups.shape}, {downs.shape}.")
    # Weight of the negatives below each score, half of those at it; the pair of a person with itself is left out.
    rank = rankdata(scores, method="dense").astype(np.intp) - 1
    at = np.bincount(rank, weights=downs)
    below = np.cumsum(at) - at / 2
    own = float(ups @ downs)
    pairs = float(ups.sum() * downs.sum()) - own
    if not pairs > 0:
        raise DataError("There is no pair of a positive and a negative to compare: one of them has no weight.")
    return float((ups @ below[rank] - own / 2) / pairs)


def imputed_auc(
    y: ArrayLike, risk: ArrayLike, *, time: ArrayLike, cutoff: float, reference: ArrayLike | None = None
) -> float:
    """AUC by mean-score imputation (Asano, Hirakawa and Hamada 2014).

    Labeled people are positive, those event-free to the cutoff negative, and the others are positive with the
    probability that the model itself gives them. That assumes that among people with equal risk, who is lost before
    the cutoff has nothing to do with the outcome. It is not so where positives drop out of the unlabeled by being
    labeled: then a posterior is the better ``reference``, and with it the measure is right.

    Parameters
    ----------
    y : array-like of 0 and 1
        Whether the event was seen.
    risk : array-like
        Predicted probability that it ever happens.
    time : array-like
        When it was seen, else the end of follow-up.
    cutoff : float
        How long somebody has to be followed event-free to be taken for negative.
    reference : array-like, optional
        Probabilities to impute, the same for all models that are compared. Default: ``risk``, as published.
    """
    labeled, risks = _check(y, risk)
    times = check_times(time, labeled.size, "time")
    imputed = risks if reference is None else check_probabilities(reference, labeled.size, "reference")
    positive = np.where(labeled, 1.0, np.where(times >= cutoff, 0.0, imputed))
    return weighted_auc(risks, positive, 1 - positive)


def posterior_auc(y: ArrayLike, risk: ArrayLike, posterior: ArrayLike) -> float:
    """AUC with posterior weights (Zhang and Shao 2018).

    A labeled person is positive; an unlabeled one is positive with the probability given no event so far,
    ``predict_proba_event_free(X, time)``. Right where these probabilities are. The published measure takes them from
    the model that is judged; give one model's for all to compare several.

    Parameters
    ----------
    y : array-like of 0 and 1
    risk : array-like
        Scores to be judged.
    posterior : array-like
        Probability of being positive, given what was observed; only that of unlabeled people is used.
    """
    labeled, risks = _check(y, risk)
    positive = np.where(labeled, 1.0, check_probabilities(posterior, labeled.size, "posterior"))
    return weighted_auc(risks, positive, 1 - positive)


def ipcw_weights(
    y: ArrayLike, time: ArrayLike, horizon: float | None = None, follow_up: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Weights of cases and controls by the inverse probability of not being censored.

    A case had the event by the horizon, and stands for ``1 / Pr(follow-up reaches its time)`` people; a control was
    event-free at the horizon and stands for ``1 / Pr(follow-up reaches the horizon)``. Everybody else has no weight.
    It assumes that follow-up depends neither on the features nor on the event.

    Parameters
    ----------
    y : array-like of 0 and 1
    time : array-like
    horizon : float, optional
        Default: the last event. Where the curve of events has levelled off by then, controls are negatives.
    follow_up : array-like, optional
        Potential follow-up of everybody, where it is known; else its distribution is estimated by Kaplan and Meier's
        method with the roles reversed.
    """
    labels = np.asarray(y)
    labeled = check_labels(labels, labels.size)
    times = check_times(time, labels.size, "time")
    limit = float(times[labeled].max()) if horizon is None else float(horizon)
    case, control = labeled & (times <= limit), ~(labeled & (times <= limit)) & (times >= limit)
    if not case.any() or not control.any():
        raise DataError(
            f"At horizon={limit:g} there are {int(case.sum())} people with the event and {int(control.sum())} followed "
            "event-free: both are needed. Choose another horizon."
        )
    weight = reach_weights(labeled, times, limit, follow_up)
    return np.where(case, weight, 0.0), np.where(control, weight, 0.0)


def ipcw_auc(
    y: ArrayLike, risk: ArrayLike, *, time: ArrayLike, horizon: float | None = None, follow_up: ArrayLike | None = None
) -> float:
    """AUC with weights for the inverse probability of censoring, at a horizon (cumulative cases, dynamic controls).

    Parameters
    ----------
    y, time, horizon, follow_up
        See `ipcw_weights`.
    risk : array-like
        Scores to be judged.
    """
    return weighted_auc(_check(y, risk)[1], *ipcw_weights(y, time, horizon, follow_up))


def ipcw_brier(
    y: ArrayLike, risk: ArrayLike, *, time: ArrayLike, horizon: float | None = None, follow_up: ArrayLike | None = None
) -> float:
    """Mean squared error of a risk with weights for the inverse probability of censoring.

    Parameters
    ----------
    y, time, horizon, follow_up
        See `ipcw_weights`.
    risk : array-like
        Predicted probability of an event by the horizon: of one at any time, where the horizon is long enough.
    """
    _, risks = _check(y, risk)
    case, control = ipcw_weights(y, time, horizon, follow_up)
    return float((case @ (1 - risks) ** 2 + control @ risks**2) / (case.sum() + control.sum()))


def pu_auc(y: ArrayLike, risk: ArrayLike, *, prevalence: float, propensity: ArrayLike | None = None) -> float:
    """AUC from labels alone, corrected for the positives among the rest of the cohort.

    Labeled people are compared with the whole cohort, of which a share ``prevalence`` is positive: a score that beats
    negatives with probability A beats a random member of the cohort with ``prevalence / 2 + (1 - prevalence) A``.
    Comparing with the unlabeled only, of whom ``(prevalence - s) / (1 - s)`` are positive when a share s of the cohort
    is labeled, gives the same number; putting the prevalence itself there gives one that is too high, above 1 even.
    The answer is unbiased, so on few people it may exceed 1.

    Parameters
    ----------
    y : array-like of 0 and 1
    risk : array-like
        Scores to be judged.
    prevalence : float
        Share of positives in the cohort, labeled or not.
    propensity : array-like, optional
        Probability that each person would be labeled if positive. Default: the same for all. Only its ratios matter.
    """
    labeled, risks = _check(y, risk)
    share = check_share(prevalence, "prevalence")
    if not labeled.mean() <= share < 1:
        raise ArgumentError(
            f"prevalence must lie between the share labeled ({labeled.mean():.4g}) and 1, got {prevalence!r}."
        )
    weight = labeled.astype(float)
    if propensity is not None:
        weight[labeled] /= check_probabilities(propensity, labeled.size, "propensity")[labeled]
    beats_anybody = weighted_auc(risks, weight, np.ones(labeled.size))
    return (beats_anybody - share / 2) / (1 - share)


def _check(y: ArrayLike, risk: ArrayLike) -> tuple[NDArray[np.bool_], Array]:
    risks = check_scores(risk, "risk")
    return check_labels(y, risks.size), risks
