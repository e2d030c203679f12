"""True risks and labeling propensities of a world."""

from functools import lru_cache

import numpy as np

from whether.family import MIXTURE
from whether.simulation.noise import Noise, NoNoise
from whether.simulation.streams import FloatArray
from whether.simulation.worlds import World

# Log follow-up minus log event time before noise stays well within these ends;
# at this step linear interpolation is off by less than 1e-4.
_SLACK_GRID = np.linspace(-20.0, 20.0, 2001)
_N_CENSORING_LEVELS = 512


def true_outcome_proba(world: World, X: FloatArray) -> FloatArray:
    """Return the probability of being positive at each row, Pr(Z=1 | x)."""
    return world.family.probability(outcome_predictor(world, X))[0]


def outcome_predictor(world: World, X: FloatArray) -> FloatArray:
    """Return the outcome's predictor at each row."""
    return world.outcome(X) + world.outcome_intercept


def true_propensity(world: World, X: FloatArray) -> FloatArray:
    """Return the probability that a positive at each row is labeled, Pr(S=1 | Z=1, x).

    Without noise in the event times this is exact; with it, the integral over follow-up is numerical, with an error far
    below 1e-3. Frailty drops out: it moves event and end of follow-up alike.
    """
    slack = world.censoring(X) + world.censoring_shift - world.event(X)
    if world.family != MIXTURE:
        return _label_rate_of_causes(world, outcome_predictor(world, X), slack)
    hump = world.event_hump
    if hump == 0:
        return label_rate(world.event_noise, world.censoring_noise, slack)
    early = label_rate(world.event_noise, world.censoring_noise, slack + hump)
    late = label_rate(world.event_noise, world.censoring_noise, slack - hump)
    return 0.5 * (early + late)


def label_rate(event_noise: Noise, censoring_noise: Noise, slack: FloatArray) -> FloatArray:
    """Return Pr(event noise <= slack + censoring noise); slack is log follow-up minus log event time before noise."""
    if isinstance(event_noise, NoNoise):
        # Both noises may be absent, so ties count: an event at the very end of
        # follow-up is seen. For continuous noise the two forms agree.
        if isinstance(censoring_noise, NoNoise):
            return event_noise.cdf(slack)
        return 1.0 - censoring_noise.cdf(-slack)
    return np.interp(slack, _SLACK_GRID, _label_rate_table(event_noise, censoring_noise))


def _label_rate_of_causes(world: World, eta: FloatArray, slack: FloatArray) -> FloatArray:
    """Return the probability that the first of a positive's causes comes in time, averaged over follow-up quantiles."""
    levels, total = (np.arange(_N_CENSORING_LEVELS) + 0.5) / _N_CENSORING_LEVELS, np.zeros_like(slack)
    for value in world.censoring_noise.quantile(levels):
        with np.errstate(divide="ignore"):
            log_left = np.log1p(-world.event_noise.cdf(slack + value))
        total -= np.expm1(world.family.log_missed(eta, log_left))
    return total / _N_CENSORING_LEVELS


@lru_cache(maxsize=64)
def _label_rate_table(event_noise: Noise, censoring_noise: Noise) -> FloatArray:
    """Return the label rate on the grid, averaged over follow-up quantiles."""
    levels = (np.arange(_N_CENSORING_LEVELS) + 0.5) / _N_CENSORING_LEVELS
    total = np.zeros_like(_SLACK_GRID)
    for value in censoring_noise.quantile(levels):
        total += event_noise.cdf(_SLACK_GRID + value)
    table = total / _N_CENSORING_LEVELS
    # The cached table is shared between callers.
    table.flags.writeable = False
    return table
