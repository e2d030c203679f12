"""What networks have to put out under a propensity, and where it goes among the predictors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.task import Task
from whether.propensity import Propensity


@dataclass(frozen=True)
class OutputLayout:
    """What networks have to put out, and which propensity predictors have a level to train."""

    propensity: Propensity
    has_outcome: bool
    n_features: int
    columns: Rows  # features that the propensity may use
    known: tuple[int, ...] = ()  # propensity predictors whose level is known

    @classmethod
    def of(cls, task: Task) -> OutputLayout:
        """What a task asks of networks, under the first of its candidates."""
        propensity, n_features = task.criterion().propensity, task.every_column.size
        return cls(propensity, task.has_outcome, n_features, task.columns, tuple(task.known))

    @property
    def trained(self) -> tuple[int, ...]:
        """Propensity predictors with a level to train."""
        return tuple(k for k in range(len(self.propensity.predictors)) if k not in self.known)

    @property
    def sloped(self) -> tuple[int, ...]:
        """Propensity predictors that follow features."""
        return tuple(k for k in self.trained if self.propensity.sloped[k]) if self.columns.size else ()

    @property
    def restricted(self) -> bool:
        """Whether the propensity may use a part of the features only."""
        return bool(self.sloped) and self.columns.size < self.n_features

    @property
    def indexed(self) -> bool:
        """Whether the propensity is tied to the outcome's index."""
        return self.has_outcome and bool(self.sloped) and not self.restricted

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs that depend on features."""
        return ("outcome logit",) * self.has_outcome + tuple(self.propensity.predictors[k] for k in self.sloped)

    @property
    def n_predictors(self) -> int:
        """Number of predictors, the outcome logit included."""
        return int(self.has_outcome) + len(self.propensity.predictors)

    def places(self) -> Array:
        """Matrix from outputs to predictors."""
        first = int(self.has_outcome)
        return np.eye(self.n_predictors)[[*range(first), *(first + k for k in self.sloped)]]

    def levels(self) -> Array:
        """Matrix from trained levels to predictors."""
        return np.eye(self.n_predictors)[[int(self.has_outcome) + k for k in self.trained]]

    def tied(self) -> Array:
        """Predictors that follow the outcome's index, with their sign."""
        own = np.eye(self.n_predictors)[[int(self.has_outcome) + k for k in self.sloped]]
        return np.asarray(self.propensity.index_sign * own.sum(axis=0))
