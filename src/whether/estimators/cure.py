"""Mixture cure classifiers: the propensity is what a model of event times makes of the follow-up."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from whether.arrays import Array
from whether.coarsen import coarsen_times
from whether.cohort import Cohort
from whether.estimators.candidates import cure_candidates
from whether.estimators.time_model import TimeModelClassifier, task_in_two_parts
from whether.learners import MOST_SAMPLED, LinearFit, OpenLearner, ShrinkagePath, Task
from whether.open_residuals import OPEN
from whether.propensity import (
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    SurvivalTimePropensity,
    equal_event_edges,
)


class SharedIndex(ABC):
    """What the cure models with a shared index tell about it."""

    model_: Any

    @abstractmethod
    def _task(self, cohort: Cohort) -> Task:
        """Return what is to be learned."""

    @property
    def _linear_part(self) -> LinearFit | None:
        return getattr(self.model_, "linear_part", None)

    @property
    def shrinkage_(self) -> float:
        """The penalty on departures from the shared index: as given or chosen."""
        return float("nan") if self._linear_part is None else self._linear_part.shrinkage

    @property
    def shrinkage_path_(self) -> ShrinkagePath | None:
        """The curve of held-out likelihoods from which it was chosen."""
        return None if self._linear_part is None else self._linear_part.path

    @property
    def kappa_(self) -> float | None:
        """How strongly the outcome index drives the times, in spreads of log time per logit.

        0 means that labeling does not depend on the risk, positive that high risks are seen early. None where the time
        part is free.
        """
        return None if self._linear_part is None else self._linear_part.kappa

    def _notes(self) -> list[str]:
        notes: list[str] = super()._notes()  # type: ignore[misc]
        if self.kappa_ is not None:
            chosen = " (chosen by cross-validation)" if self.shrinkage_path_ is not None else ""
            tied = "tied to" if math.isinf(self.shrinkage_) else f"shrunk, with penalty {self.shrinkage_:g}, towards"
            notes.append(
                f"The slopes of the time part are {tied} {self.kappa_:.3g} times those of the outcome{chosen}. "
                "Standard errors and intervals are conditional on that; shrinkage=0 frees the time part."
            )
        return notes


class _AcceleratedCure(SharedIndex):
    """The cure models with a residual distribution of log time: what they take and make of it."""

    _propensity_kind: ClassVar[type[SurvivalTimePropensity]]

    def __init__(
        self,
        distribution: str = "auto",
        time_features: Sequence[str | int] | None = None,
        shrinkage: float | str = "cv",
        *,
        outcome_features: Sequence[str | int] | None = None,
        death_distribution: str = "auto",
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
        self.distribution, self.time_features, self.shrinkage = distribution, time_features, shrinkage
        self.death_distribution = death_distribution
        self.outcome_features, self.learner, self.penalty, self.ridge = outcome_features, learner, penalty, ridge
        self.covariance, self.max_iter, self.n_starts = covariance, max_iter, n_starts
        self.prevalence, self.prevalence_error = prevalence, prevalence_error
        self.random_state, self.verbose = random_state, verbose

    @property
    def distribution_(self) -> str:
        """The residual distribution: as given, or the most likely."""
        return str(self.model_.propensity.name)

    def _task(self, cohort: Cohort) -> Task:
        named = self.distribution, self.death_distribution
        candidates = cure_candidates(self._propensity_kind, named, cohort, self.penalty)
        return task_in_two_parts(self, cohort, candidates)


class FollowUpCureClassifier(_AcceleratedCure, TimeModelClassifier):
    """Cure model that knows how long everybody was followed but no event times.

    The propensity is the probability that the event comes within a person's own follow-up, e = Pr(T <= follow_up | x):
    the mixture cure model for current-status data. It needs neither event times, which may be unreliable, nor the names
    of the features that drive labeling. It assumes that the follow-up is independent of the event time given x, and
    that follow-up differs between people.

    Parameters
    ----------
    distribution : str, default="auto"
        Distribution of the event time: "lognormal", "loglogistic", "weibull", "exponential", "frechet" (a heavy tail),
        "lightgamma" (a light one) or "gengamma" (with a shape, too); "auto" takes the most likely of the first three.
    time_features : list of str or int, optional
        Features that the event time may depend on; None means all, an empty list none.
    shrinkage : "cv" or float, default="cv"
        Penalty on departures of the time part from the outcome's index: given, or chosen by cross-validated
        likelihood as the tightest within half a standard error of the best. 0 frees the time part; ``math.inf`` ties it
        to the index. Where the two parts have different features, that is restriction enough and "cv" means 0.
    outcome_features : list of str or int, optional
        Features that the outcome (whether the event ever happens) may depend on; None means all, an empty list none.
    death_distribution : str, default="auto"
        Distribution of the times at which negatives die, where ``fit`` is told of deaths. They follow the features,
        with slopes that are held back where fewer than five deaths were seen for each.
    prevalence, prevalence_error : float, optional
        Share of positives among people like these, known from elsewhere, and its standard error; see `KnownShare`.
    learner, penalty, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=2000, seed=0)
    >>> model = wh.FollowUpCureClassifier().fit(cohort.X, cohort.y, follow_up=cohort.follow_up)
    >>> model.predict_proba_event_free(cohort.X, time=1.0).shape
    (2000,)
    """

    _needs = ("follow_up",)
    _propensity_kind = FollowUpPropensity


class MixtureCureClassifier(_AcceleratedCure, TimeModelClassifier):
    """Mixture cure model with accelerated failure times (AFTMC): event times are known.

    Labeled people enter with the density of their event time, the others with the probability of no event up to the end
    of their follow-up (equation 4). It assumes that event times are recorded correctly and that the end of follow-up
    is independent of the event time given x.

    Parameters
    ----------
    distribution : str, default="auto"
        See `FollowUpCureClassifier`; or "open", which leaves the distribution of residuals of log time open and
        estimates it along with the coefficients (the semiparametric model), for ``learner="linear"``.
    time_features, shrinkage, outcome_features, death_distribution
        See `FollowUpCureClassifier`. ``penalty=None`` is the published model.
    prevalence, prevalence_error : float, optional
        Share of positives among people like these, known from elsewhere, and its standard error; see `KnownShare`.
    learner, penalty, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    References
    ----------
    Yamaguchi, Accelerated failure-time regression models with a regression model of surviving fraction, JASA 1992.
    Li and Taylor, A semi-parametric accelerated failure time cure model, Statistics in Medicine 2002. Zhang and Peng,
    A new estimation method for the semiparametric accelerated failure time mixture cure model, ibid. 2007.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.MixtureCureClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    >>> model.distribution_
    'lognormal'
    """

    _needs = ("time",)
    _propensity_kind = EventTimePropensity

    def _task(self, cohort: Cohort) -> Task:
        # Where the distribution is left open, the fit starts from the most likely of the usual ones.
        named = "auto" if self.distribution == OPEN else self.distribution, self.death_distribution
        return task_in_two_parts(self, cohort, cure_candidates(EventTimePropensity, named, cohort, self.penalty))

    def _learner(self, task: Task) -> Any:
        learner = super()._learner(task)
        return OpenLearner(**vars(learner)) if self.distribution == OPEN else learner

    def _unseen_share(self, cohort: Cohort) -> float:
        share = super()._unseen_share(cohort)
        pilot = getattr(self.model_, "pilot", None)
        if pilot is None:
            return share
        # An open distribution ends with the last events seen: the parametric one says what may come after them.
        other = copy.copy(self)
        other.model_ = pilot
        return max(share, TimeModelClassifier._unseen_share(other, cohort))

    def _notes(self) -> list[str]:
        open_note = (
            "The distribution of residuals of log time is estimated, with no event after the largest residual that was "
            "seen. Standard errors allow for its estimation, but not for the choice of its smoothness or its end: they "
            "are too small, most of all those of intercepts, and in public cohorts only about three of four 95 % "
            "intervals of the mean risk held it. For intervals name a distribution, or fit again to resampled people."
        )
        return [*super()._notes(), *([open_note] if self.distribution == OPEN else [])]


class DiscreteTimeCureClassifier(SharedIndex, TimeModelClassifier):
    """Cure model with event times in bins, one hazard per bin and shared slopes on the hazards' logits.

    Nothing is assumed about the shape of the event-time distribution, except that every positive's event comes no later
    than the last one seen: that is what makes p identifiable.

    Parameters
    ----------
    n_bins : int, default=10
        Number of bins; they hold about equal numbers of events.
    time_features, shrinkage, outcome_features
        See `FollowUpCureClassifier`.
    prevalence, prevalence_error : float, optional
        Share of positives among people like these, known from elsewhere, and its standard error; see `KnownShare`.
    learner, penalty, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    Attributes
    ----------
    bin_edges_ : ndarray
        Upper edges of the bins.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=2000, seed=0)
    >>> model = wh.DiscreteTimeCureClassifier(n_bins=5).fit(cohort.X, cohort.y, time=cohort.time)
    >>> model.bin_edges_.size
    5
    """

    _needs = ("time",)
    _unread: ClassVar[dict[str, str]] = {
        "competing": "its hazards in bins are those of the event alone. MixtureCureClassifier reads the same times and "
        "has a part for the times of death."
    }

    def __init__(
        self,
        n_bins: int = 10,
        time_features: Sequence[str | int] | None = None,
        shrinkage: float | str = "cv",
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
        self.n_bins, self.time_features, self.shrinkage = n_bins, time_features, shrinkage
        self.outcome_features, self.learner, self.penalty, self.ridge = outcome_features, learner, penalty, ridge
        self.covariance, self.max_iter, self.n_starts = covariance, max_iter, n_starts
        self.prevalence, self.prevalence_error = prevalence, prevalence_error
        self.random_state, self.verbose = random_state, verbose

    @property
    def bin_edges_(self) -> Array:
        """Upper edges of the bins."""
        return np.asarray(self.model_.propensity.edges)

    def _task(self, cohort: Cohort) -> Task:
        timed = cohort.thin(MOST_SAMPLED).without_known_negatives()
        weight, time = None if timed.weight is None else timed.weight[timed.labeled], timed.required("time")
        edges = equal_event_edges(time[timed.labeled], self.n_bins, weight)
        # Raised a little, so that nobody's event time is kept; tied edges become one.
        edges = np.unique(coarsen_times(time, timed.weights, edges))
        return task_in_two_parts(self, cohort, [DiscreteTimePropensity(edges)])
