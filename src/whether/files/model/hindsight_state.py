"""What was learned by looking back, as plain data, checked when it is made again."""

import numpy as np

from whether.files.model.archive import require
from whether.files.model.codec import record
from whether.files.model.linear_state import check_array
from whether.learners import HindsightFit
from whether.learners.hindsight import Chain, StepDesign, Steps
from whether.learners.task import FittedModel
from whether.propensity import DiscreteTimePropensity


def _check_design(design: StepDesign) -> None:
    check_array(design.clock, 1, design.clock.size)
    if design.curved is not None:
        check_array(design.curved, 1, design.curved.size, whole=True)
        for values in (design.mean, design.scale):
            check_array(values, 1, design.curved.size)
        require(np.all(np.asarray(design.scale) > 0), "a scale is not positive")


def _check_steps(steps: Steps) -> None:
    check_array(steps.bins, 1, steps.bins.size)
    check_array(steps.step, 1, steps.bins.size, whole=True)
    check_array(steps.log_share, 1, steps.bins.size)
    rises = np.diff(steps.step, prepend=0)
    require(steps.step[0] == 0 and np.isin(rises, (0, 1)).all(), "its steps do not follow each other")


def _check_fit(fit: HindsightFit) -> None:
    require(
        isinstance(fit.propensity, DiscreteTimePropensity) and isinstance(fit.outcome, FittedModel), "a part is missing"
    )
    require(isinstance(fit.chain, Chain) and isinstance(fit.chain.design, StepDesign), "its steps are missing")
    steps = fit.chain.steps
    require(isinstance(steps, Steps) and np.array_equal(steps.bins, fit.propensity.edges), "its bins do not fit")
    require(fit.chain.design.clock.size == steps.edges.size, "its steps do not fit")
    require(fit.chain.model is None or isinstance(fit.chain.model, FittedModel), "its chain does not fit")


HINDSIGHT_KINDS = {
    "Chain": record(Chain),
    "HindsightFit": record(HindsightFit, _check_fit),
    "Steps": record(Steps, _check_steps),
    "StepDesign": record(StepDesign, _check_design),
}
