"""What is to be learned: people, candidates for the restriction, and what is known already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from whether.arrays import Array, Rows
from whether.cohort import Cohort
from whether.likelihood import Criterion, Likelihood
from whether.propensity import Propensity
from whether.risk import PURisk


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
    known : dict of int to float
        Propensity predictors whose level is known and not estimated.
    has_outcome : bool
        False for the model in which everybody is positive.
    risk : PURisk or None
        What is minimised instead of maximising the likelihood.
    rng : numpy.random.Generator
        Where a learner draws from.
    """

    cohort: Cohort
    candidates: Sequence[Propensity]
    columns: Rows = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    known: Mapping[int, float] = field(default_factory=dict)
    has_outcome: bool = True
    risk: PURisk | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    @property
    def propensity(self) -> Propensity:
        """The first of the candidates."""
        return self.candidates[0]

    @property
    def every_column(self) -> Rows:
        """Positions of all features."""
        return np.arange(self.cohort.features.shape[1])

    def criterion(self, propensity: Propensity | None = None) -> Criterion:
        """Return what is maximised under a propensity, the first of the candidates unless given."""
        return self.risk or Likelihood(propensity or self.propensity)

    def levels(self) -> Array:
        """Where the propensity's predictors start: as known, or as the propensity says."""
        cohort, rows = self.cohort, np.flatnonzero(self.cohort.labeled)
        weight = None if cohort.weight is None else cohort.weight[rows]
        levels = self.propensity.start(self.propensity.observe(cohort)[..., rows], weight)
        for predictor, value in self.known.items():
            levels[predictor] = value
        return levels

    def take(self, rows: Rows) -> Task:
        """Return the task with some of the people."""
        return replace(self, cohort=self.cohort.take(rows))

    def under(self, propensity: Propensity) -> Task:
        """Return the task with one candidate."""
        return replace(self, candidates=[propensity])

    def select(self, kept: Rows) -> Task:
        """Return the task with some of the features."""
        columns = np.flatnonzero(np.isin(kept, self.columns))
        return replace(self, cohort=self.cohort.select(kept), columns=columns)
