"""Mini-batches of a cohort, and the slope of their likelihood in everybody's predictors.

Several networks are trained at a time, each on people of its own, so rows and predictors have an axis of networks in
front. Every batch has its share of labeled people, who come first in it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.learners.task import Task
from whether.likelihood import Criterion, blocks_by_label
from whether.risk import PURisk

# Stands for a log-likelihood that is not finite.
WORST = -1e6


class Batch(NamedTuple):
    """People of each network."""

    rows: Rows  # in the cohort, of shape (networks, people), those of labeled people first
    n_labeled: int


class Split:
    """The people that each network is trained on, and those of its fold, which are held out; of fold -1 nobody is."""

    def __init__(self, labeled: Flags, fold: Rows, held_out: Rows) -> None:
        self.training = [_of_class(labeled, wanted, [fold != k for k in held_out]) for wanted in (True, False)]
        apart = [fold == k if k >= 0 else fold >= 0 for k in held_out]
        parts = [_of_class(labeled, wanted, apart) for wanted in (True, False)]
        self.held_out = Batch(np.concatenate(parts, axis=1), parts[0].shape[1])

    @property
    def n_training(self) -> int:
        """People that each network is trained on."""
        return sum(part.shape[1] for part in self.training)

    def batches(self, networks: Rows, n_batches: int, rng: np.random.Generator) -> Iterator[Batch]:
        """One pass over the training people of some of the networks, in random order."""
        shuffled = [rng.permuted(part[networks], axis=1) for part in self.training]
        ends = [np.linspace(0, part.shape[1], n_batches + 1).astype(int) for part in shuffled]
        for number in range(n_batches):
            parts = [part[:, end[number] : end[number + 1]] for part, end in zip(shuffled, ends, strict=True)]
            yield Batch(np.concatenate(parts, axis=1), parts[0].shape[1])


def _of_class(labeled: Flags, wanted: bool, members: list[Flags]) -> Rows:
    """Rows of one class in each of several parts, as many in each as in the smallest."""
    rows = [np.flatnonzero(part & (labeled == wanted)) for part in members]
    size = min(part.size for part in rows)
    return np.stack([part[:size] for part in rows])


class BatchCriterion(ABC):
    """What is maximised over a cohort's people, in their predictors, with its slope.

    Predictors have one row per person here, as in PyTorch; the outcome logit, where there is one, comes first.
    """

    def __init__(self, task: Task) -> None:
        self.propensity, self.first = task.criterion().propensity, int(task.has_outcome)
        self.observed = self.propensity.observe(task.cohort)
        self.weight = task.cohort.weights
        self.people = float(self.weight.sum())

    @abstractmethod
    def values(self, outputs: Array, batch: Batch) -> Array:
        """Weighted value of each person, shape (networks, people); always finite."""

    @abstractmethod
    def slopes(self, outputs: Array, batch: Batch) -> Array:
        """Gradient of minus the mean value of a batch in the predictors, shape (networks, people, P)."""

    def level_slopes(self, outputs: Array, batch: Batch) -> Array:
        """Gradient of the penalty on the levels in the predictors of a batch, shape (networks, 1, P)."""
        slopes = np.zeros((outputs.shape[0], 1, outputs.shape[2]))
        for number, predictors in enumerate(outputs[..., self.first :]):
            level = np.average(predictors, axis=0, weights=self.weight[batch.rows[number]])
            slopes[number, 0, self.first :] = self.propensity.penalty(level)[1] / (self.people * predictors.shape[0])
        return np.asarray(np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0))

    def _weigh(self, gradient: Array, batch: Batch) -> Array:
        weight = self.weight[batch.rows]
        share = weight / weight.sum(axis=1, keepdims=True)
        # A network may stray where the likelihood overflows; such rows then only lose their say in this step.
        return np.asarray(np.nan_to_num(-share[..., None] * gradient, nan=0.0, posinf=0.0, neginf=0.0))

    def _terms(self, outputs: Array, batch: Batch, criterion: Criterion) -> tuple[Array, Array]:
        value, gradient = np.empty(outputs.shape[:2]), np.empty(outputs.shape)
        for part, labeled in blocks_by_label(batch.n_labeled, batch.rows.shape[1]):
            rows = batch.rows[:, part]
            predictors = np.ascontiguousarray(outputs[:, part].reshape(rows.size, -1).T)
            eta, observed = predictors[0] if self.first else None, self.observed.take(rows.ravel())
            with np.errstate(over="ignore", invalid="ignore"):
                terms = criterion.slopes(eta, predictors[self.first :], observed, labeled=labeled)
            value[:, part] = terms[0].reshape(rows.shape)
            gradient[:, part] = terms[1].T.reshape(*rows.shape, -1)
        return value, gradient


class BatchLikelihood(BatchCriterion):
    """The likelihood of batches."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.criterion = task.criterion()

    def values(self, outputs: Array, batch: Batch) -> Array:
        """Weighted log-likelihood of each person."""
        value = self.weight[batch.rows] * self._terms(outputs, batch, self.criterion)[0]
        return np.asarray(np.nan_to_num(value, nan=WORST, neginf=WORST, posinf=-WORST))

    def slopes(self, outputs: Array, batch: Batch) -> Array:
        """Gradient of the mean negative log-likelihood of a batch."""
        return self._weigh(self._terms(outputs, batch, self.criterion)[1], batch)


class BatchRisk(BatchCriterion):
    """The same of the unbiased risk, which has no lower bound, or of the non-negative one.

    A network can drive the negatives' share of the unbiased risk below zero, and further down for ever. Where it is
    below zero in the people held out, it counts as zero there: what was gained in that way is no merit. The
    non-negative risk does not let it happen in a batch either: the step then goes the other way, up along that share,
    until it is positive again (Kiryo et al. 2017).
    """

    def __init__(self, task: Task, risk: PURisk) -> None:
        super().__init__(task)
        self.nonnegative, self.shares = risk.nonnegative, risk.shares()

    def values(self, outputs: Array, batch: Batch) -> Array:
        """Minus the risk of each person; the negatives' share is left out where it sums up to less than zero."""
        weight = self.weight[batch.rows]
        positive, negative = (weight * self._terms(outputs, batch, share)[0] for share in self.shares)
        allowed = negative.sum(axis=1, keepdims=True) <= 0  # it is minus the risk
        return np.asarray(positive + np.where(allowed, negative, 0.0))

    def slopes(self, outputs: Array, batch: Batch) -> Array:
        """Gradient of the risk of a batch, or minus that of the negatives' share where that may not be below zero."""
        (_, positive), (value, negative) = (self._terms(outputs, batch, share) for share in self.shares)
        allowed = (self.weight[batch.rows] * value).sum(axis=1)[:, None, None] <= 0
        allowed |= not self.nonnegative
        return self._weigh(np.where(allowed, positive + negative, -negative), batch)


def batch_criterion(task: Task) -> BatchCriterion:
    """Return what is to be maximised in a task, under the first of its candidates."""
    return BatchLikelihood(task) if task.risk is None else BatchRisk(task, task.risk)
