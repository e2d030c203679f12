"""The promotion-time model: one index says whether the event happens and, by the same token, when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from whether.cohort import Cohort
from whether.estimators.candidates import survival_candidates
from whether.estimators.time_model import TimeModelClassifier, task_in_two_parts
from whether.family import PROMOTION_TIME, Family
from whether.learners import Task
from whether.propensity import EventTimePropensity, FollowUpPropensity, SurvivalTimePropensity

CLOCKS: dict[str, type[SurvivalTimePropensity]] = {"time": EventTimePropensity, "follow_up": FollowUpPropensity}


class PromotionTimeClassifier(TimeModelClassifier):
    """Promotion-time cure model: what makes the event likelier also brings it forward.

    The event has hidden causes, Poisson many with mean theta(x), each with a time drawn from one distribution F, and
    happens at the first of them: nobody has it up to t with probability exp(-theta(x) F(t)), and at some time with
    probability p(x) = 1 - exp(-theta(x)). Hazards are proportional. A mixture cure model lets the features of the
    outcome and of the times go their own ways; here there is one index, which costs fewer events to learn and is a
    second opinion on how many are still to come. It assumes that the end of follow-up is independent of the event time
    given x and, with ``clock="time"``, that event times are recorded correctly.

    Parameters
    ----------
    clock : {"time", "follow_up"}, default="time"
        What is read: the times of events, or for how long each person was, or would have been, followed.
    distribution : str, default="auto"
        Distribution F of the time of a cause; see `FollowUpCureClassifier`.
    time_features : list of str or int, default=()
        Features that F may depend on besides the index; None means all. Their slopes carry the ridge penalty.
    outcome_features : list of str or int, optional
        Features of the index; None means all.
    prevalence, prevalence_error : float, optional
        Share of positives among people like these, known from elsewhere, and its standard error; see `KnownShare`.
    learner, penalty, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`. A scikit-learn classifier cannot be the learner: causes are counted, not classified.

    References
    ----------
    Yakovlev and Tsodikov, Stochastic Models of Tumor Latency and Their Biostatistical Applications, 1996.
    Chen, Ibrahim and Sinha, A new Bayesian model for survival data with a surviving fraction, JASA 1999.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.PromotionTimeClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    >>> model.predict_survival(cohort.X, [1.0, 2.0]).shape
    (2000, 2)
    """

    family: ClassVar[Family] = PROMOTION_TIME
    _unread: ClassVar[dict[str, str]] = {
        "competing": "its hidden causes are those of the event alone. MixtureCureClassifier has a part for people who "
        "die first."
    }

    def __init__(
        self,
        clock: str = "time",
        distribution: str = "auto",
        time_features: Sequence[str | int] | None = (),
        *,
        outcome_features: Sequence[str | int] | None = None,
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
        self.clock, self.distribution, self.time_features = clock, distribution, time_features
        self.outcome_features, self.learner, self.penalty, self.ridge = outcome_features, learner, penalty, ridge
        self.covariance, self.max_iter, self.n_starts = covariance, max_iter, n_starts
        self.prevalence, self.prevalence_error = prevalence, prevalence_error
        self.random_state, self.verbose = random_state, verbose

    @property
    def _needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.clock,)

    @property
    def distribution_(self) -> str:
        """The distribution of the time of a cause: as given, or the most likely."""
        return str(self.model_.propensity.name)

    def _task(self, cohort: Cohort) -> Task:
        candidates = survival_candidates(CLOCKS[self.clock], self.distribution, cohort, self.penalty)
        return task_in_two_parts(self, cohort, candidates)
