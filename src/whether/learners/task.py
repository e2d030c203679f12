"""What is to be learned, what learns it, and what it leaves: a task, a learner, a fitted model.

A task holds people, candidates for the restriction, and what is known already. A learner turns it into a fitted model,
which turns features into the outcome logit and the propensity's predictors. None of them knows scikit-learn's
classifiers, which hold them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from whether.arrays import Array, Rows
from whether.cohort import Cohort
from whether.family import MIXTURE, Family
from whether.learners.fit_result import FitResult
from whether.likelihood import LIKELIHOODS, Criterion
from whether.propensity import Propensity
from whether.risk import PURisk
from whether.validate import ArgumentError

if TYPE_CHECKING:
    from whether.learners.population import Population

# People from whom the levels are taken at which a fit starts.
MOST_FOR_LEVELS = 50_000
# Standard error up to which a share of positives that is known from elsewhere settles the level.
LARGE_ERROR = 0.1


@dataclass(frozen=True)
class KnownShare:
    """The share of positives among people like these, as known from elsewhere, with its standard error.

    It is worth the penalty (mean risk - share)^2 / (2 error^2): one observation of the mean risk. Where follow-up is
    short it moves the answer more than anything else that can be known.
    """

    share: float
    error: float

    @property
    def settles_level(self) -> bool:
        """Whether it is known so well that the level hangs on no later events."""
        return self.error <= LARGE_ERROR

    def slopes(self, risk: Array, slope: Array, weight: Array) -> tuple[Array, Array]:
        """Slope of the penalty in everybody's predictor of the outcome, and a curvature that bounds the exact one."""
        each = weight / weight.sum()
        miss = float(each @ risk) - self.share
        return miss / self.error**2 * each * slope, each * slope**2 / self.error**2


@dataclass(frozen=True)
class Task:
    """One thing to be learned.

    Attributes
    ----------
    cohort : Cohort
    candidates : sequence of Propensity
        Propensities with the same predictors that observe the same of each person and differ in shape.
    columns : ndarray of int
        Features that the propensity may use; none unless given.
    outcome_columns : ndarray of int or None
        Features of the outcome part; None means all. A linear model may have fewer.
    known : dict of int to float
        Propensity predictors whose level is known and not estimated.
    has_outcome : bool
        False for the model in which everybody is positive.
    family : Family
        What the outcome's predictor says about the event ever happening.
    risk : PURisk or None
        What is minimised instead of maximising the likelihood.
    rng : numpy.random.Generator
        Where a learner draws from.
    share : KnownShare or None
        What is known of the share of positives from elsewhere.
    population : Population or None
        All people, where they come in blocks; the cohort is then a sample of them.
    """

    cohort: Cohort
    candidates: Sequence[Propensity]
    columns: Rows = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    known: Mapping[int, float] = field(default_factory=dict)
    has_outcome: bool = True
    family: Family = MIXTURE
    risk: PURisk | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    outcome_columns: Rows | None = None
    share: KnownShare | None = None
    population: Population | None = None

    @property
    def propensity(self) -> Propensity:
        """The first of the candidates."""
        return self.candidates[0]

    @property
    def every_column(self) -> Rows:
        """Positions of all features."""
        return np.arange(self.cohort.features.shape[1])

    @property
    def columns_of_outcome(self) -> Rows:
        """Positions of the features of the outcome part; none without one."""
        if not self.has_outcome:
            return self.every_column[:0]
        return self.every_column if self.outcome_columns is None else self.outcome_columns

    def criterion(self, propensity: Propensity | None = None) -> Criterion:
        """Return what is maximised under a propensity, the first of the candidates unless given."""
        return self.risk or LIKELIHOODS[self.family](propensity or self.propensity)

    def levels(self) -> Array:
        """Where the propensity's predictors start: as known, or as the propensity says."""
        cohort = self.cohort.thin(MOST_FOR_LEVELS)
        rows = np.flatnonzero(cohort.labeled)
        weight = None if cohort.weight is None else cohort.weight[rows]
        levels = self.propensity.start(self.propensity.observe(cohort).end[..., rows], weight)
        for predictor, value in self.known.items():
            levels[predictor] = value
        return levels

    def take(self, rows: Rows) -> Task:
        """Return the task with some of the people."""
        return replace(self, cohort=self.cohort.take(rows))

    def without_people(self) -> Task:
        """Return the task with nobody in it, to be sent to where people are."""
        return replace(self, cohort=self.cohort.take(np.empty(0, dtype=np.intp)), population=None)

    def under(self, propensity: Propensity) -> Task:
        """Return the task with one candidate."""
        return replace(self, candidates=[propensity])

    def select(self, kept: Rows) -> Task:
        """Return the task with some of the features."""
        columns = np.flatnonzero(np.isin(kept, self.columns))
        outcome = None if self.outcome_columns is None else np.flatnonzero(np.isin(kept, self.outcome_columns))
        return replace(self, cohort=self.cohort.select(kept), columns=columns, outcome_columns=outcome)


class FittedModel(ABC):
    """Predictors as functions of the features; small and frozen, without people in it.

    Attributes
    ----------
    propensity : Propensity
        The propensity that was fitted, the most likely of the candidates.
    result : FitResult
        How the optimum was reached.
    """

    propensity: Propensity
    result: FitResult

    @abstractmethod
    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit, shape (n,), and propensity predictors, shape (K, n), of new people.

        The logit is None without an outcome part.
        """


class Learner(ABC):
    """Settings of a way to learn predictors from features.

    Attributes
    ----------
    allows_missing : bool
        Whether features may be NaN.
    unread : tuple of str
        What of a cohort, or a task, it cannot learn from.
    """

    allows_missing: ClassVar[bool] = False
    unread: ClassVar[tuple[str, ...]] = ()

    def _unread_of(self, task: Task) -> list[str]:
        known = {**vars(task.cohort), "prevalence": task.share}
        return [what for what in self.unread if known[what] is not None]

    def can_read(self, task: Task) -> bool:
        """Whether it can learn from all that is known of people."""
        return not self._unread_of(task)

    def refuse_unread(self, task: Task) -> None:
        """Refuse a task of which something is known that it cannot learn from."""
        for what in self._unread_of(task):
            raise ArgumentError(
                f"{type(self).__name__} cannot learn from {what}. Use learner='linear', 'boosted' or 'auto'."
            )

    def for_times(self) -> Learner:
        """Return the learner without what it is told about the outcome alone."""
        return self

    @abstractmethod
    def fit(self, task: Task) -> Any:
        """Fit the candidates of a task and keep the most likely."""
