"""The classifier whose propensity is proportional to the risk itself."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from sklearn.utils.validation import check_is_fitted

from whether.arrays import Array
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.label_only import LabelOnlyClassifier
from whether.family import Family, Proportional
from whether.learners import Task
from whether.propensity import Certain
from whether.validate import ArgumentError, DataError, check_share

# The propensity of the surest positives is what this share of labeled people do not exceed: of the largest of many
# estimates, chance has had its say.
HIGHEST = 0.99


class ProportionalPUClassifier(LabelOnlyClassifier):
    """The propensity is proportional to the risk (PGLIN): e = k p, so a label has the probability k p^2.

    Logistic regression (or any other learner) is fitted to the labels, and p = sqrt(Pr(label) / k) is read off. People
    are ranked as by the labels; the level hangs on k, the propensity of a person who is surely positive. It is given,
    or implied by a known prevalence, or the probability of a label that 99 % of labeled people do not exceed: that
    assumes that the surest are certain (p = 1). Where they are not, risks come out too high.

    Parameters
    ----------
    highest_propensity : float, optional
        The propensity k of a certain positive, if known.
    prevalence : float, optional
        Share of positives in the cohort, if known instead.
    learner, penalty, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Attributes
    ----------
    highest_propensity_ : float
        k: as given, implied by the prevalence, or estimated.

    References
    ----------
    Gerych, Hartvigsen, Buquicchio, Agu and Rundensteiner, Recovering the propensity score from biased positive
    unlabeled data, AAAI 2022.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("feature-independent", n=2000, seed=0)
    >>> model = wh.ProportionalPUClassifier(prevalence=0.5).fit(cohort.X, cohort.y)
    >>> print(f"{model.predict_proba(cohort.X)[:, 1].mean():.3f}")
    0.500
    """

    _unread: ClassVar[dict[str, str]] = {
        **LabelOnlyClassifier._unread,
        "known_negative": "risks are read off the probability of a label, of which people who are known to be negative "
        "tell no more than others. SARPUClassifier and ElkanNotoClassifier learn from them.",
        "competing": "risks are read off the probability of a label, of which people who died first tell no more than "
        "others. MixtureCureClassifier has a part for them.",
    }

    def __init__(
        self,
        *,
        highest_propensity: float | None = None,
        prevalence: float | None = None,
        learner: Any = "linear",
        penalty: str | None = "auto",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.highest_propensity, self.prevalence, self.learner = highest_propensity, prevalence, learner
        self.penalty, self.ridge, self.covariance, self.max_iter = penalty, ridge, covariance, max_iter
        self.random_state, self.verbose = random_state, verbose

    @property
    def family(self) -> Family:  # type: ignore[override]
        """What the logit of a label says of the risk."""
        check_is_fitted(self)
        return Proportional(self.highest_propensity_)

    def _task(self, cohort: Cohort) -> Task:
        if self.highest_propensity is not None and self.prevalence is not None:
            raise ArgumentError("Give highest_propensity or prevalence, not both: one implies the other.")
        for name in ("highest_propensity", "prevalence"):
            if getattr(self, name) is not None:
                check_share(getattr(self, name), name)
        return Task(cohort, [Certain()], rng=self._rng())

    def _describe(self, cohort: Cohort, longest: float | None = None) -> None:
        logits = np.asarray(self.model_.predict(cohort.features)[0])
        if self.highest_propensity is not None:
            self.highest_propensity_ = float(self.highest_propensity)
        elif self.prevalence is not None:
            self.highest_propensity_ = _implied_propensity(logits, cohort.weights, float(self.prevalence))
        else:
            seen = cohort.labeled
            self.highest_propensity_ = _quantile(softplus_expit(logits[seen])[1], cohort.weights[seen], HIGHEST)

    def _log_propensity(self, eta: Array | None, v: Array, follow_up: ArrayLike | None) -> tuple[Array, Array]:
        log_missed = self.family.log_missed(np.asarray(eta), v)
        return np.log(-np.expm1(log_missed)), log_missed

    def _notes(self) -> list[str]:
        is_given = self.highest_propensity is not None or self.prevalence is not None
        how = "as given" if is_given else f"which {HIGHEST:.0%} of labeled people's do not exceed"
        told = (
            "Coefficients are those of the log odds of a label. Risks are the root of its probability over "
            f"{self.highest_propensity_:.4g} ({how}), and their intervals are conditional on it."
        )
        return [*super()._notes(), told]


def _implied_propensity(logits: Array, weights: Array, prevalence: float) -> float:
    """The k at which risks have the mean that is known."""

    def excess(k: float) -> float:
        return float(np.average(Proportional(k).probability(logits)[0], weights=weights)) - prevalence

    if excess(1.0) > 0:
        raise DataError(
            f"prevalence={prevalence!r} is too small for a propensity that is proportional to the risk: even if "
            f"certain positives are always labeled, these labels make it {excess(1.0) + prevalence:.4g} at least. Give "
            "a larger one, or take ElkanNotoClassifier, in which the propensity is constant."
        )
    smallest = 1e-9
    return smallest if excess(smallest) <= 0 else float(brentq(excess, smallest, 1.0, xtol=1e-12))


def _quantile(values: Array, weights: Array, share: float) -> float:
    """The smallest value that at least this share of people does not exceed."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) >= share * weights.sum() * (1 - 1e-12)
    return float(values[order][int(np.argmax(reached))])
