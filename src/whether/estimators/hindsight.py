"""Hindsight labels: look back, learn who turned up since, correct today's labels, and train any classifier."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from whether.arrays import Array
from whether.cohort import Cohort
from whether.estimators.censored import CensoredClassifier
from whether.estimators.time_model import LARGE_UNSEEN_SHARE, TimeModelClassifier
from whether.estimators.warn import warn
from whether.facts import FEWEST
from whether.learners import HindsightLearner, LinearFit, Task
from whether.learners.hindsight import Steps
from whether.propensity import DiscreteTimePropensity
from whether.validate import FollowUpWarning

# Where the curve is read for a light and for a heavy tail, in shares of the longest follow-up: events become rarer by
# the same factor with every further quarter, or with every further doubling.
LIGHT_TAIL, HEAVY_TAIL = (0.5, 0.75, 1.0), (0.25, 0.5, 1.0)
# That factor at most: beyond it the sum of what is still to come would have no end.
SLOWEST_DECAY = 0.9


class HindsightClassifier(TimeModelClassifier):
    """Labels corrected by looking back (HIND): no distribution of event times, and any learner.

    People who were unlabeled at an earlier deadline and have turned up since show how likely somebody with so much
    follow-up still turns up. Follow-up is cut into steps; one classifier, with the step among its features, learns who
    of those unlabeled at the start of a step turns up in it, from all deadlines at once. Multiplied out, the steps give
    the share F(f | x) of positives who have turned up by the end of a follow-up f. The outcome is then learned from the
    labels and everybody's F, so that a person without a label counts as positive with p (1 - F) / (1 - p F).

    It is the idea of unbiased label correction in delayed-feedback advertising. It assumes that event times are
    recorded correctly, that follow-up is independent of the event time given x, and that nobody turns up after the last
    step: what comes later was seen by no deadline. ``unseen_share_`` says what may be missing.

    Parameters
    ----------
    n_steps : int, default=12
        Number of steps of follow-up; they hold about equal numbers of events.
    n_folds : int, default=3
        People's chance to have been seen is learned from the other folds; 0 learns it from everybody.
    learner, ridge, covariance, max_iter, random_state, verbose
        See `CensoredClassifier`. The learner is used for both parts: who turns up in a step, and who does at all. A
        scikit-learn classifier gets the features and, as last column, the logarithm of the follow-up so far; the linear
        learner also gets powers and products of them for the steps.

    Attributes
    ----------
    step_edges_ : ndarray
        Ends of the steps.
    unseen_range_ : tuple of float
        Share of all positives who would turn up after the longest follow-up, by a light (exponential) and by a heavy
        (power law) tail of the event-free curve. They are *not* counted in the predicted risks.
    unseen_share_ : float
        The larger of the two.
    is_corrected_ : bool
        Whether anybody without a label was followed for less than the steps.

    References
    ----------
    Escobar-Bach and Van Keilegom, Non-parametric cure rate estimation under insufficient follow-up, JRSS B 2019.
    Wang et al., Unbiased delayed feedback label correction for conversion rate prediction, KDD 2023.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.HindsightClassifier(n_steps=6)
    >>> model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up).step_edges_.size
    6
    """

    _needs = ("time", "follow_up")
    _reads_sparse: ClassVar[bool] = False  # people are repeated, one row for each step of follow-up
    _unread: ClassVar[dict[str, str]] = {
        "entry_time": "put back in time, people who came in late are not there to be looked at. MixtureCureClassifier "
        "and FollowUpCureClassifier can.",
        "time_lower": "looking back takes the day on which the event was seen. MixtureCureClassifier reads intervals.",
        "competing": "its steps are those of the event alone. MixtureCureClassifier has a part for the times of death.",
    }

    def __init__(
        self,
        n_steps: int = 12,
        *,
        n_folds: int = 3,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_steps, self.n_folds, self.learner, self.ridge = n_steps, n_folds, learner, ridge
        self.covariance, self.max_iter, self.random_state, self.verbose = covariance, max_iter, random_state, verbose

    @property
    def step_edges_(self) -> Array:
        """Ends of the steps."""
        return np.asarray(self.model_.chain.steps.edges)

    def _task(self, cohort: Cohort) -> Task:
        return Task(cohort, [DiscreteTimePropensity(Steps.of(cohort, self.n_steps).bins)], rng=self._rng())

    def _learner(self, task: Task) -> HindsightLearner:
        return HindsightLearner(super()._learner(task), Steps.of(task.cohort, self.n_steps), self.n_folds)

    def _linear_fit(self, what: str) -> LinearFit:
        outcome = getattr(getattr(self, "model_", None), "outcome", None)
        return outcome if isinstance(outcome, LinearFit) else super()._linear_fit(what)

    def _describe(self, cohort: Cohort, longest: float | None = None) -> None:
        super()._describe(cohort, longest)
        timed = cohort.without_known_negatives()
        follow_up = timed.required("follow_up")
        self.is_corrected_ = bool(follow_up[~timed.labeled].min() < self.step_edges_[-1])
        self.unseen_range_ = unseen_range(timed)
        self.unseen_share_ = max(self.unseen_range_)

    def _report(self) -> None:
        CensoredClassifier._report(self)
        if not self.is_corrected_:
            warn(
                FollowUpWarning,
                "Everybody without a label was followed past the last event seen, so no label is corrected: the answer "
                "is that of LabelClassifier, and holds for events within the follow-up only.",
            )
        if self.unseen_share_ > LARGE_UNSEEN_SHARE:
            warn(
                FollowUpWarning,
                f"Follow-up may be too short: {self._unseen_words()} of the positives would turn up after the longest "
                f"follow-up ({self.longest_follow_up_:.3g}), by a light and a heavy tail of the curve of those without "
                "the event. No deadline shows them, and the predicted risks do not count them.",
            )

    def _unseen_words(self) -> str:
        low, high = sorted(100 * share for share in self.unseen_range_)
        return f"{low:.0f} to {high:.0f} %"

    def _notes(self) -> list[str]:
        return [
            *super()._notes(),
            "Risks are those of an event within the longest follow-up: nobody is taken to turn up later. By a light "
            f"and a heavy tail {self._unseen_words()} of the positives would.",
            "Standard errors take everybody's chance to have been seen as known, so they are too small.",
        ]


def unseen_range(cohort: Cohort) -> tuple[float, float]:
    """Share of positives after the longest follow-up that a group of people reached, by a light and a heavy tail."""
    # At equal times events come first. The curve of `survival` has no weights.
    order = np.lexsort((~cohort.labeled, cohort.required("time")))
    time, weight = cohort.required("time")[order], cohort.weights[order]
    at_risk = np.cumsum(weight[::-1])[::-1]
    event_free = np.cumprod(1 - cohort.labeled[order] * weight / at_risk)
    end = time[at_risk >= min(FEWEST, at_risk[0] / 2)][-1]
    came = 1 - np.concatenate([[1.0], event_free])
    light, heavy = (
        _share_to_come(came[np.searchsorted(time, np.array(points) * end, side="right")])
        for points in (LIGHT_TAIL, HEAVY_TAIL)
    )
    return light, heavy


def _share_to_come(came: Array) -> float:
    """Share of events still to come, if they went on to become rarer by the same factor."""
    before, recent = np.diff(came)
    decay = min(recent / before, SLOWEST_DECAY) if before > 0 else SLOWEST_DECAY
    unseen = recent * decay / (1 - decay)
    return float(unseen / max(came[-1] + unseen, 1e-300))
