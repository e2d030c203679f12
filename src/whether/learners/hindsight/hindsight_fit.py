"""A fitted pair: the chain of steps, which says when people turn up, and the outcome, which says who does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whether.arrays import Array
from whether.distributions import softplus_expit
from whether.inference import Covariance
from whether.learners.fit_result import FitResult
from whether.learners.hindsight.steps import StepDesign, Steps
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
    steps : Steps
    """

    model: FittedModel | None
    design: StepDesign
    steps: Steps

    def predict(self, features: Array) -> Array:
        """Logits of the hazards of positives, of all bins but the last, one row for each.

        Telescoped, the steps say how likely a person turns up in each of them, and so in any. Given that, what is left
        of the whole at each bin gives the hazard of those who turn up at all; in the last one it is 1.
        """
        n, n_steps = features.shape[0], self.design.clock.size
        log_left, log_turned_up = np.zeros(n), np.zeros((n_steps, n))
        for step in range(n_steps):
            if self.model is None:
                break
            logit = np.asarray(self.model.predict(self.design.columns(features, np.full(n, step)))[0])
            log_turned_up[step] = np.maximum(log_left - softplus_expit(-logit)[0], SMALLEST_LOG)
            log_left = log_left - softplus_expit(logit)[0]
        in_bin = log_turned_up[self.steps.step] + self.steps.log_share[:, None]
        later = np.logaddexp.accumulate(in_bin[::-1], axis=0)[::-1]
        return np.asarray(in_bin[:-1] - later[1:])


@dataclass(frozen=True)
class HindsightFit(FittedModel):
    """What was learned by looking back.

    Attributes
    ----------
    propensity : DiscreteTimePropensity
        The bins of event times.
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
    def coefficients(self) -> Array:
        """Coefficients of a linear outcome, on standardised features."""
        return np.asarray(self.outcome.coefficients)  # type: ignore[attr-defined]

    @property
    def covariance(self) -> Covariance:
        """Of these coefficients, with everybody's chance to have been seen taken as known."""
        return self.outcome.covariance  # type: ignore[attr-defined,no-any-return]

    @property
    def ridge(self) -> float:
        """Penalty on the slopes of a linear outcome; 0 for other learners."""
        return float(getattr(self.outcome, "ridge", 0.0))
