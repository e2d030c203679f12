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

from whether.arrays import Array
from whether.cohort import Cohort
from whether.learners.hindsight.hindsight_fit import Chain, HindsightFit
from whether.learners.hindsight.steps import StepDesign, person_steps
from whether.learners.linear import LinearLearner
from whether.learners.rows import deal_folds, in_spreads
from whether.learners.task import Learner, Task
from whether.propensity import Certain, DiscreteTimePropensity, KnownPropensity

# Person-steps that the chain is learned from at most; of more people, evenly spaced ones are taken.
MOST_ROWS = 400_000
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
    n_folds : int
        Number of folds for the chain; 0 learns it from everybody.
    """

    learner: Learner
    n_folds: int = 3

    def fit(self, task: Task) -> HindsightFit:
        """Look back, and learn the outcome from the labels and everybody's chance to have been seen."""
        cohort, steps = task.cohort, task.propensity
        assert isinstance(steps, DiscreteTimePropensity)
        timed = cohort.without_known_negatives()
        chain = self._chain(timed, steps, task.rng)
        left = np.ones(cohort.n)
        rows = np.arange(cohort.n) if cohort.seen_negative is None else np.flatnonzero(~cohort.seen_negative)
        left[rows] = self._left_out_of_fold(timed, steps, chain, task.rng)
        known = replace(cohort, time=None, follow_up=np.clip(1 - left, SMALLEST_CHANCE, 1.0))
        outcome = self.learner.fit(Task(known, [KnownPropensity()], rng=task.rng))
        result = outcome.result
        if chain.model is not None and not chain.model.result.converged:
            result = replace(result, status=chain.model.result.status)
        return HindsightFit(steps, result, outcome, chain)

    def _left_out_of_fold(
        self, cohort: Cohort, steps: DiscreteTimePropensity, whole: Chain, rng: np.random.Generator
    ) -> Array:
        """Probability that a positive is still to turn up at the end of follow-up, by chains of the other folds."""
        follow_up = cohort.required("follow_up")
        events = int(np.count_nonzero(cohort.labeled))
        if whole.model is None or self.n_folds == 0 or events < EVENTS_PER_FOLD * self.n_folds:
            return _left(whole, steps, cohort.features, follow_up)
        dealt = cohort.labeled, follow_up, in_spreads(cohort.features)
        fold = deal_folds(*dealt, self.n_folds, weight=cohort.weight, groups=cohort.groups)
        left = np.empty(cohort.n)
        for number in range(self.n_folds):
            outside = np.flatnonzero(fold == number)
            chain = self._chain(cohort.take(np.flatnonzero(fold != number)), steps, rng)
            left[outside] = _left(chain, steps, cohort.features[outside], follow_up[outside])
        return left

    def _chain(self, cohort: Cohort, steps: DiscreteTimePropensity, rng: np.random.Generator) -> Chain:
        """Learn in which step people turn up who were unlabeled at its start."""
        design = StepDesign.of(cohort, steps.edges, is_linear=isinstance(self.learner, LinearLearner))
        if steps.edges.size == 1:
            return Chain(None, design)
        rows = person_steps(cohort.thin(max(MOST_ROWS // steps.edges.size, 1)), steps.edges, design)
        return Chain(self.learner.fit(Task(rows, [Certain()], rng=rng)), design)


def _left(chain: Chain, steps: DiscreteTimePropensity, features: Array, follow_up: Array) -> Array:
    return np.exp(steps.log_left(chain.predict(features), steps.locate(follow_up)))


