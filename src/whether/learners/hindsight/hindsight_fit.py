"""A fitted pair: the chain of steps, which says when people turn up, and the outcome, which says who does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.arrays import Array
from whether.distributions import softplus_expit
from whether.learners.fit_result import FitResult
from whether.learners.hindsight.steps import StepDesign
from whether.learners.task import FittedModel
from whether.propensity import DiscreteTimePropensity

# A classifier may be quite sure that nobody turns up in any step: how it divides nothing is then lost in rounding.
SMALLEST_LOG = -700.0


@dataclass(frozen=True)
class Chain:
    """Chances to turn up in each step of those who have not before, positive or not.

    Attributes
    ----------
    model : FittedModel or None
        Predicts their logit from the columns of the design; None where there is one step only.
    design : StepDesign
    """

    model: FittedModel | None
    design: StepDesign

    def predict(self, features: Array) -> Array:
        """Logits of the hazards of positives, of all steps but the last, shape (K - 1, n).

        Telescoped, the steps say how likely a person turns up in each of them, and so in any. Given that, what is left
        of the whole at each step gives the hazard of those who turn up at all; in the last step it is 1.
        """
        n, n_steps = features.shape[0], self.design.clock.size
        if self.model is None:
            return np.empty((0, n))
        log_left, log_turned_up = np.zeros(n), np.empty((n_steps, n))
        for step in range(n_steps):
            logit = np.asarray(self.model.predict(self.design.columns(features, np.full(n, step)))[0])
            log_turned_up[step] = np.maximum(log_left - softplus_expit(-logit)[0], SMALLEST_LOG)
            log_left = log_left - softplus_expit(logit)[0]
        later = np.logaddexp.accumulate(log_turned_up[::-1], axis=0)[::-1]
        return np.asarray(log_turned_up[:-1] - later[1:])


@dataclass(frozen=True)
class HindsightFit(FittedModel):
    """What was learned by looking back.

    Attributes
    ----------
    propensity : DiscreteTimePropensity
        The steps, as bins of event times.
    result : FitResult
        Of the outcome part.
    outcome : FittedModel
        Who turns up at all.
    chain : Chain
        When they do.
    """

    propensity: DiscreteTimePropensity
    result: FitResult
    outcome: FittedModel
    chain: Chain

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit, and logits of the hazards of positives in each step."""
        return self.outcome.predict(features)[0], self.chain.predict(features)

    @property
    def ridge(self) -> float:
        """Penalty on the slopes of a linear outcome; 0 for other learners."""
        return float(getattr(self.outcome, "ridge", 0.0))
