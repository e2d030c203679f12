"""What was learned by looking back, as plain data, checked when it is made again."""

from whether.files.model.archive import require
from whether.files.model.codec import record
from whether.files.model.linear_state import check_array
from whether.learners import HindsightFit
from whether.learners.hindsight import Chain, StepDesign
from whether.learners.task import FittedModel
from whether.propensity import DiscreteTimePropensity


def _check_design(design: StepDesign) -> None:
    check_array(design.clock, 1, design.clock.size)
    require((design.mean is None) == (design.scale is None), "a design is not whole")
    if design.mean is not None and design.scale is not None:
        check_array(design.mean, 1, design.mean.size)
        check_array(design.scale, 1, design.mean.size)
        require((design.scale > 0).all(), "a scale is not positive")


def _check_fit(fit: HindsightFit) -> None:
    require(isinstance(fit.propensity, DiscreteTimePropensity) and isinstance(fit.outcome, FittedModel), "a part lacks")
    require(isinstance(fit.chain, Chain) and isinstance(fit.chain.design, StepDesign), "its steps lack")
    n_steps = fit.chain.design.clock.size
    require(n_steps == fit.propensity.edges.size, "its steps do not fit")
    require(isinstance(fit.chain.model, FittedModel) == (n_steps > 1), "its chain does not fit")


HINDSIGHT_KINDS = {
    "Chain": record(Chain),
    "HindsightFit": record(HindsightFit, _check_fit),
    "StepDesign": record(StepDesign, _check_design),
}
