"""Classifiers with a model of event times: what they share, and the baseline in which everybody has the event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from whether.arrays import Array
from whether.coarsen import coarsen_times
from whether.cohort import Cohort
from whether.estimators.candidates import survival_candidates
from whether.estimators.censored import CensoredClassifier
from whether.estimators.parameters import level_is_given, settle_share
from whether.estimators.potential import potential_follow_up
from whether.estimators.waiting import chance_still, chance_within
from whether.estimators.warn import warn
from whether.learners import Task
from whether.propensity import EventTimePropensity, Propensity
from whether.validate import FollowUpWarning, check_lengths, check_times

# People on whom the share of events to come is averaged at most.
MOST_ROWS = 5_000
# A time that has hardly begun: that of people who have not been observed yet.
HARDLY_BEGUN = 1e-100
# Share of the expected positives later than the longest follow-up from which on the fit warns.
LARGE_UNSEEN_SHARE = 0.1


class TimeModelClassifier(CensoredClassifier):
    """Base of the classifiers with a model of event times.

    Attributes
    ----------
    follow_up_points_ : ndarray
        Quantiles of the follow-up of the training cohort, over which propensities are averaged when no follow-up is
        given; to three digits, so that nobody's own time is kept.
    longest_follow_up_ : float
        The longest follow-up, raised to three digits where it is one person's own.
    unseen_share_ : float
        Share of the expected positives of the training cohort whose event is predicted to come later than anybody was
        followed. Large values mean that the model extrapolates.
    """

    _claims_cure = True

    def _log_missed(self, eta: Array | None, v: Array, time: Array) -> Array:
        """Log probability that a positive has no event up to ``time``."""
        log_missed = self._log_left(v, time)
        return log_missed if eta is None else self.family.log_missed(eta, log_missed)

    def _log_left(self, v: Array, time: Array) -> Array:
        """Log survival function of the time distribution at ``time``."""
        propensity = self.model_.propensity
        return np.asarray(propensity.log_left(v, propensity.locate(time)))

    def _positive(self, eta: Array | None, v: Array) -> Array:
        """Probability that the event ever happens."""
        return np.ones(v.shape[1]) if eta is None else self.family.probability(eta)[0]

    def _describe(self, cohort: Cohort, longest: float | None = None) -> None:
        cohort = cohort.without_known_negatives()
        self.follow_up_points_ = potential_follow_up(cohort)
        recorded = np.fmax.reduce([values for values in (cohort.time, cohort.follow_up) if values is not None])
        weights = cohort.weights
        if longest is not None and longest > recorded.max():
            recorded, weights = np.append(recorded, longest), np.append(weights, 1.0)
        self.longest_follow_up_ = float(coarsen_times(recorded, weights, recorded.max()[None])[0])
        self.unseen_share_ = self._unseen_share(cohort.thin(MOST_ROWS))

    def _unseen_share(self, cohort: Cohort) -> float:
        """Share of the expected positives of a cohort whose event comes after the longest follow-up."""
        eta, v = self.model_.predict(cohort.features)
        expected = self._positive(eta, v) * cohort.weights
        unseen = np.exp(self._log_missed(eta, v, np.full(cohort.n, self.longest_follow_up_)))
        return float(expected @ unseen / max(expected.sum(), 1e-300))

    def _report(self) -> None:
        super()._report()
        is_open = self._claims_cure and not level_is_given(self.get_params(deep=False))
        if is_open and self.unseen_share_ > LARGE_UNSEEN_SHARE:
            warn(
                FollowUpWarning,
                f"Follow-up looks too short: {100 * self.unseen_share_:.0f} % of the expected positives would have "
                f"their event later than the longest follow-up ({self.longest_follow_up_:.3g}). How many there are is "
                "then an extrapolation of the time model; the ranking of people depends on it less.",
            )

    def predict_propensity(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability that a positive is labeled, e(x): that the event comes within the follow-up.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        follow_up : float or array-like of shape (n,), optional
            Length of follow-up. Without it, the average over the follow-up of the training cohort.
        """
        return self._propensity(*self._predictors(X), follow_up)

    def _propensity(self, eta: Array | None, v: Array, follow_up: ArrayLike | None) -> Array:
        n = v.shape[1]
        if follow_up is not None:
            return -np.expm1(self._log_missed(eta, v, one_per_person(follow_up, n, "follow_up")))
        points = [-np.expm1(self._log_missed(eta, v, np.full(n, point))) for point in self.follow_up_points_]
        return np.asarray(np.mean(points, axis=0))

    def _log_propensity(self, eta: Array | None, v: Array, follow_up: ArrayLike | None) -> tuple[Array, Array]:
        propensity = self._propensity(eta, v, follow_up)
        with np.errstate(divide="ignore"):
            return np.log(propensity), np.log1p(-propensity)

    def predict_label_proba(self, X: Any, follow_up: ArrayLike | None = None) -> Array:
        """Probability of a label within the follow-up, p(x) * e(x)."""
        eta, v = self._predictors(X)
        return self._positive(eta, v) * self._propensity(eta, v, follow_up)

    def predict_proba_event_free(self, X: Any, time: ArrayLike) -> Array:
        """Probability that the event will still happen to a person without it up to ``time``, and alive then.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        time : float or array-like of shape (n,)
            How long each person has been observed without the event.
        """
        eta, v = self._predictors(X)
        return self._still_to_come(eta, v, one_per_person(time, v.shape[1], "time"))

    def _still_to_come(self, eta: Array | None, v: Array, waited: Array) -> Array:
        return chance_still(self.family, self.model_.propensity, np.asarray(eta), v, waited)

    def predict_proba_within(self, X: Any, within: ArrayLike, event_free_for: ArrayLike | None = None) -> Array:
        """Probability of the event within the next ``within`` units of time.

        Within no time it is zero, and within all time to come it is that of `predict_proba_event_free`. A window that
        ends after the longest follow-up is warned of: what comes then is the model's extrapolation.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        within : float or array-like of shape (n,)
            Length of the window, in the unit of the times of the fit; may be infinite.
        event_free_for : float or array-like of shape (n,), optional
            How long each person has been observed without the event; by default not at all.
        """
        eta, v = self._predictors(X)
        window = check_lengths(within, v.shape[1], "within", finite=False)
        waited = check_lengths(0.0 if event_free_for is None else event_free_for, v.shape[1], "event_free_for")
        end = waited + window
        if np.any(np.isfinite(end) & (window > 0) & (end > self.longest_follow_up_)):
            warn(
                FollowUpWarning,
                f"The window ends after the longest follow-up ({self.longest_follow_up_:.3g}) for some people: what "
                "comes then is an extrapolation of the time model.",
            )
        return self._within(eta, v, np.maximum(waited, HARDLY_BEGUN), np.maximum(end, HARDLY_BEGUN))

    def _within(self, eta: Array | None, v: Array, waited: Array, end: Array) -> Array:
        """Probability of the event up to ``end``, for people without it after they waited."""
        return chance_within(self.family, self.model_.propensity, np.asarray(eta), v, waited, end)

    def predict_survival(self, X: Any, times: ArrayLike) -> Array:
        """Probability of having had no event by each of ``times``, everybody counted; it levels off at 1 - p(x).

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        times : array-like of shape (m,)

        Returns
        -------
        ndarray of shape (n, m)
        """
        eta, v = self._predictors(X)
        p = self._positive(eta, v)
        grid = np.atleast_1d(np.asarray(times, dtype=float))
        grid = check_times(grid, grid.size, "times")
        return np.column_stack([1 + p * np.expm1(self._log_missed(eta, v, np.full(p.size, time))) for time in grid])


class AFTClassifier(TimeModelClassifier):
    """Accelerated failure time model without a cured part (AFT): p = 1.

    Everybody is assumed to have the event at some time. The probability it gives instead of Pr(ever) is that of an
    event within the longest follow-up of the training cohort, which orders people by how soon they are expected to
    have it.

    Parameters
    ----------
    distribution : str, default="auto"
        See `FollowUpCureClassifier`.
    learner, penalty, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> wh.AFTClassifier().fit(cohort.X, cohort.y, time=cohort.time).converged_
    True
    """

    _needs = ("time",)
    _unread: ClassVar[dict[str, str]] = {
        what: "in its model everybody has the event at last. MixtureCureClassifier reads the same times and has a part "
        "for people to whom it never comes."
        for what in ("known_negative", "competing")
    }
    # Later events are what this model is about, not a sign that follow-up is too short for the claim of a cure.
    _claims_cure = False

    def __init__(
        self,
        distribution: str = "auto",
        *,
        learner: Any = "linear",
        penalty: str | None = "auto",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.distribution, self.learner, self.penalty, self.ridge = distribution, learner, penalty, ridge
        self.covariance, self.max_iter, self.random_state = covariance, max_iter, random_state
        self.verbose = verbose

    @property
    def distribution_(self) -> str:
        """The residual distribution: as given, or the most likely."""
        return str(self.model_.propensity.name)

    def _task(self, cohort: Cohort) -> Task:
        candidates = survival_candidates(EventTimePropensity, self.distribution, cohort, self.penalty)
        return Task(cohort, candidates, np.arange(cohort.features.shape[1]), has_outcome=False, rng=self._rng())

    def decision_function(self, X: Any) -> Array:
        """Log odds of an event within the longest follow-up of the training cohort."""
        self._notice_comparison()
        _, v = self._predictors(X)
        log_missed = self._log_left(v, np.full(v.shape[1], self.longest_follow_up_))
        with np.errstate(divide="ignore"):
            return np.log(-np.expm1(log_missed)) - log_missed

    def predict_proba_event_free(self, X: Any, time: ArrayLike) -> Array:
        """Probability of an event within the longest follow-up, for a person without it up to ``time``.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        time : float or array-like of shape (n,)
            How long each person has been observed without the event; zero is returned past the longest follow-up.
        """
        return super().predict_proba_event_free(X, time)

    def _still_to_come(self, eta: Array | None, v: Array, waited: Array) -> Array:
        return self._within(eta, v, waited, np.full(waited.size, np.inf))

    def _within(self, eta: Array | None, v: Array, waited: Array, end: Array) -> Array:
        last = self._log_left(v, np.minimum(end, self.longest_follow_up_))
        return -np.expm1(np.minimum(last - self._log_left(v, waited), 0.0))


def task_in_two_parts(model: Any, cohort: Cohort, candidates: Sequence[Propensity]) -> Task:
    """What a model learns whose ``outcome_features`` and ``time_features`` say which part may use which features."""
    outcome = None if model.outcome_features is None else model._columns("outcome_features")
    columns, rng = model._columns("time_features"), model._rng()
    share = settle_share(model.prevalence, model.prevalence_error, cohort)
    return Task(cohort, candidates, columns, family=model.family, rng=rng, outcome_columns=outcome, share=share)


def one_per_person(values: ArrayLike, n: int, name: str) -> Array:
    """Check times given as one number for everybody or one per person."""
    array = np.asarray(values)
    return check_times(np.full(n, array) if array.ndim == 0 else array, n, name)
