"""Learning by hindsight, with any learner: first when people turn up, then who does.

1. The chain: a classifier of "turned up in this step" among those unlabeled at its start (`steps`). Multiplied out, it
   gives the share F(f | x) of those who turn up at all who have done so by the end of a follow-up f. It is learned from
   other people's folds, or a flexible learner would know the labels that it is to correct.
2. The outcome: the label of a positive is seen with probability F(f | x), which is now known for everybody. That is the
   one likelihood with a propensity that has nothing left to be learned. Its E-step is the corrected label of an
   unlabeled person, p (1 - F) / (1 - p F); its optimum is where correcting once more changes nothing.

Nothing is assumed of the distribution of times, except that nobody turns up after the last step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from whether.arrays import Array, Rows
from whether.cohort import Cohort
from whether.learners.boosted import BoostedLearner
from whether.learners.hindsight.hindsight_fit import Chain, HindsightFit
from whether.learners.hindsight.steps import StepDesign, Steps, person_steps
from whether.learners.linear import LinearLearner
from whether.learners.rows import deal_folds, in_spreads
from whether.learners.task import Learner, Task
from whether.propensity import Certain, DiscreteTimePropensity, KnownPropensity

# Numbers that the chain is learned from at most, rows times columns; of more people, evenly spaced ones are taken.
MOST_NUMBERS = 20_000_000
# Events that folds must leave on average, or the chain is learned from everybody.
EVENTS_PER_FOLD = 3
# The least chance to have been seen: a label is possible at any follow-up.
SMALLEST_CHANCE = 1e-12


@dataclass(frozen=True)
class HindsightLearner(Learner):
    """Learns the chain of steps and the outcome, both by the same learner.

    Parameters
    ----------
    learner : Learner
    steps : Steps
    n_folds : int
        Number of folds for the chain; 0 learns it from everybody.
    """

    learner: Learner
    steps: Steps
    n_folds: int = 3

    @property
    def _bins(self) -> DiscreteTimePropensity:
        return DiscreteTimePropensity(self.steps.bins)

    def fit(self, task: Task) -> HindsightFit:
        """Look back, and learn the outcome from the labels and everybody's chance to have been seen."""
        cohort, timed = task.cohort, task.cohort.without_known_negatives()
        chain = self._chain(timed, task.rng)
        left = np.ones(cohort.n)
        rows = np.arange(cohort.n) if cohort.seen_negative is None else np.flatnonzero(~cohort.seen_negative)
        left[rows] = self._left_out_of_fold(timed, chain, task.rng)
        known = replace(cohort, time=None, follow_up=np.clip(1 - left, SMALLEST_CHANCE, 1.0))
        outcome = self.learner.fit(Task(known, [KnownPropensity()], rng=task.rng))
        result = outcome.result
        if chain.model is not None and not chain.model.result.converged:
            result = replace(result, status=chain.model.result.status)
        return HindsightFit(self._bins, result, outcome, chain)

    def _left_out_of_fold(self, cohort: Cohort, whole: Chain, rng: np.random.Generator) -> Array:
        """Probability that a positive is still to turn up at the end of follow-up, by chains of the other folds."""
        follow_up = cohort.required("follow_up")
        events = float(cohort.weights[cohort.labeled].sum())
        if whole.model is None or self.n_folds == 0 or events < EVENTS_PER_FOLD * self.n_folds:
            return self._left(whole, cohort.features, follow_up)
        dealt = cohort.labeled, follow_up, in_spreads(cohort.features)
        fold = deal_folds(*dealt, self.n_folds, weight=cohort.weight, groups=cohort.groups)
        left = np.empty(cohort.n)
        for number in range(self.n_folds):
            outside = np.flatnonzero(fold == number)
            chain = self._chain(cohort.take(np.flatnonzero(fold != number)), rng)
            left[outside] = self._left(chain, cohort.features[outside], follow_up[outside])
        return left

    def _chain(self, cohort: Cohort, rng: np.random.Generator) -> Chain:
        """Learn in which step people turn up who were unlabeled at its start."""
        edges = self.steps.edges
        design = StepDesign.of(cohort, edges, self._curved(cohort.features.shape[1]))
        n_columns = design.columns(cohort.features[:1], np.zeros(1, dtype=np.intp)).shape[1]
        rows = person_steps(cohort.thin(MOST_NUMBERS // (edges.size * n_columns) + 1), edges, design)
        # Without anybody who turned up, or who did not, there is nothing to learn but when.
        is_learnable = edges.size > 1 and 0 < np.count_nonzero(rows.labeled) < rows.n
        model = self.learner.for_times().fit(Task(rows, [Certain()], rng=rng)) if is_learnable else None
        return Chain(model, design, self.steps)

    def _left(self, chain: Chain, features: Array, follow_up: Array) -> Array:
        return np.exp(self._bins.log_left(chain.predict(features), self._bins.locate(follow_up)))

    def _curved(self, n_features: int) -> Rows | None:
        """Features of which the steps are told curves: those of a linear model, be it the one that trees start from."""
        if not isinstance(self.learner, (LinearLearner, BoostedLearner)):
            return None
        return np.setdiff1d(np.arange(n_features), getattr(self.learner, "categorical_features", ()))
