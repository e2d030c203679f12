"""Mixture cure model with proportional hazards: the shape of the event times is left open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from whether.arrays import Array
from whether.cohort import Cohort
from whether.estimators.cure import SharedIndex
from whether.estimators.parameters import level_is_given
from whether.estimators.time_model import LARGE_UNSEEN_SHARE, MOST_ROWS, TimeModelClassifier, task_in_two_parts
from whether.estimators.warn import warn
from whether.facts import FEWEST
from whether.learners import Task
from whether.propensity import FreeBaseline
from whether.survival import kaplan_meier
from whether.validate import FollowUpWarning, IdentifiabilityWarning


class CoxCureClassifier(SharedIndex, TimeModelClassifier):
    """Mixture cure model with proportional hazards (Cox): event times are known, their distribution is left open.

    Positives have the hazard ``h0(t) exp(x . beta)``; nothing is assumed of ``h0``, which is estimated by jumps at the
    times of events along with the coefficients. Only the order of times matters to the coefficients. What comes after
    the last event no data can say: by default every positive has had the event by then (``tail="zero"``), so that
    people followed for longer are negatives. Where follow-up is short that is not so, and risks come out too low.

    Standard errors are those of the profile likelihood, with the baseline as uncertain as the coefficients. The fitted
    model keeps the baseline at coarsened times, some events apart, and predicts with that; coefficients and standard
    errors were found with the exact one. ``loglik_`` contains the jumps of the baseline; ``aic_`` and ``bic_`` count
    the coefficients alone, so they compare Cox models with each other and with no others. Unless ``penalty=None``, one
    average person is added who is half positive: nothing else keeps the risks below one where nobody seems cured.

    Parameters
    ----------
    time_features, shrinkage, outcome_features
        See `FollowUpCureClassifier`. ``penalty=None`` is the published model.
    ties : {"breslow", "efron"}, default="breslow"
        Tied events come at once (Breslow), or one after the other in unknown order (Efron). Under Efron's rule a row of
        weight two is no longer the same as two rows.
    tail : {"zero", "open"}, default="zero"
        "open" assumes nothing of people who are followed beyond the last event: those of them who are positive never
        have it while anybody looks on. Risks then rest on the hazards alone, and may run to one.
    prevalence, prevalence_error : float, optional
        Share of positives among people like these, known from elsewhere, and its standard error; see `KnownShare`.
    learner, penalty, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`. Other learners than the linear one take the shape of its baseline, and find its level.

    Attributes
    ----------
    is_everybody_positive_ : bool
        Whether less than one person is expected to be negative, known negatives aside: nobody seems to be cured.
    tail_share_ : float
        Share of the expected positives that the hazards leave without the event at the last one. With ``tail="zero"``
        the assumption has them, not the data: large values mean that the answer rests on it.
    still_rising_ : float
        Share of all events that would come after follow-up if the curve of events went on as it did within it, without
        a model of the features. With the rise of the curve in the second half of follow-up ``q`` times that in the
        first, and in each further half ``q`` times that before, it is ``q ** 2``, and 1 where the rise does not slow.
        Rows count once, whatever their weight; known negatives are left out.

    References
    ----------
    Kuk and Chen, A mixture model combining logistic regression with proportional hazards regression, Biometrika 1992.
    Sy and Taylor, Estimation in a Cox proportional hazards cure model, Biometrics 2000.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.CoxCureClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    >>> model.converged_
    True
    """

    _needs = ("time",)
    _unread: ClassVar[dict[str, str]] = {
        what: f"a free baseline needs the exact time of each event{more}. MixtureCureClassifier reads it."
        for what, more in (("time_lower", ""), ("competing", ", and it has no part for times of death"))
    }

    def __init__(
        self,
        time_features: Sequence[str | int] | None = None,
        shrinkage: float | str = "cv",
        *,
        outcome_features: Sequence[str | int] | None = None,
        ties: str = "breslow",
        tail: str = "zero",
        prevalence: float | None = None,
        prevalence_error: float | None = None,
        learner: Any = "linear",
        penalty: str | None = "auto",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        n_starts: int = 2,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.time_features, self.shrinkage, self.ties, self.tail = time_features, shrinkage, ties, tail
        self.outcome_features, self.learner, self.penalty, self.ridge = outcome_features, learner, penalty, ridge
        self.covariance, self.max_iter, self.n_starts = covariance, max_iter, n_starts
        self.prevalence, self.prevalence_error = prevalence, prevalence_error
        self.random_state, self.verbose = random_state, verbose

    def _task(self, cohort: Cohort) -> Task:
        added = 0.0 if self.penalty is None else 1.0
        return task_in_two_parts(self, cohort, [FreeBaseline(self.tail == "zero", self.ties == "efron", added)])

    def _describe(self, cohort: Cohort, longest: float | None = None) -> None:
        super()._describe(cohort, longest)
        some = cohort.without_known_negatives().thin(MOST_ROWS)
        eta, v = self.model_.predict(some.features)
        last = np.full(some.n, self.model_.propensity.times[-1])
        positive = self._positive(eta, v)
        expected = positive * some.weights
        self.is_everybody_positive_ = float(some.weights @ (1 - positive)) * cohort.n / some.n < 1
        self.tail_share_ = float(expected @ np.exp(self._log_missed(eta, v, last)) / max(expected.sum(), 1e-300))
        self.still_rising_ = _still_rising(cohort)

    def _report(self) -> None:
        super()._report()
        if self.n_events_ < FEWEST:
            warn(
                IdentifiabilityWarning,
                f"There are only {self.n_events_:g} events: too few to learn a baseline of any shape. "
                "MixtureCureClassifier reads the same times and has fewer parameters.",
            )
        if self.is_everybody_positive_ and not self.at_boundary_:
            warn(
                IdentifiabilityWarning,
                "Nobody seems to be cured: less than one person is expected never to have the event, and the slopes of "
                "the outcome mean nothing. AFTClassifier has the model in which everybody is positive.",
            )
        if self.tail != "zero" or self.unseen_share_ > LARGE_UNSEEN_SHARE:
            return
        if self.still_rising_ > LARGE_UNSEEN_SHARE and not level_is_given(self.get_params(deep=False)):
            warn(
                FollowUpWarning,
                "Follow-up looks too short: the curve of events has not levelled off at its end, and if it went on "
                f"like that, {100 * self.still_rising_:.0f} % of all events would come later. They are taken not to "
                "exist (tail='zero'), so that risks are too low by about that or more. MixtureCureClassifier "
                "extrapolates.",
                "still rising",
            )
        elif self.tail_share_ > LARGE_UNSEEN_SHARE:
            warn(
                FollowUpWarning,
                f"The hazards leave {100 * self.tail_share_:.0f} % of the expected positives without the event at the "
                "last one that was seen. That they have it just then is assumed (tail='zero'), so that the number of "
                "positives is at most as good as that; the ranking of people depends on it less.",
            )

    @property
    def baseline_(self) -> tuple[Array, Array]:
        """Coarsened times, and the cumulative baseline hazard there of a person with average features."""
        return self.model_.propensity.times, self.model_.propensity.cumulative

    def _notes(self) -> list[str]:
        tail = {
            "zero": "Positives are taken to have had the event by the last one that was seen; people followed for "
            f"longer are negatives. The hazards alone would leave {100 * self.tail_share_:.1f} % of them without it.",
            "open": "Nothing is assumed of people who are followed beyond the last event.",
        }[self.tail]
        ties = {"breslow": "Breslow", "efron": "Efron"}[self.ties]
        about = f"Ties: {ties}. The baseline hazard is free; AIC and BIC count the coefficients alone."
        added = "One average person, half positive, is added, which keeps risks below one; penalty=None adds nobody."
        return [*super()._notes(), *[added] * (self.penalty is not None), tail, about]


def _still_rising(cohort: Cohort) -> float:
    """Share of all events that come after follow-up if each half of it has so many times those of the half before."""
    cohort = cohort.without_known_negatives()
    time = cohort.required("time")
    end = float(time.max())
    half, whole = 1 - kaplan_meier(cohort.labeled, time, entry=cohort.entry_time).at([end / 2, end])
    return float(min((whole - half) / half, 1.0) ** 2) if half > 0 else 1.0
