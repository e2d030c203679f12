"""The simulated worlds: what differs from one to the next, as data.

Everybody has features, each a standard normal truncated to [-2, 2]. The outcome
happens with the logistic of a signal; log event time and log follow-up are a
signal plus noise each; a positive whose event comes within follow-up is labeled.
Constants that give a stated rate are solutions of `calibrate`, stored rounded.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal, get_args

from scipy import stats

from whether.simulation.distributions import Distribution, Normal, PointMass, StudentT, Uniform
from whether.simulation.signals import (
    Curve,
    Linear,
    Signal,
    column,
    product_and_first,
    pure_product,
    steep_wave_and_steep_valley,
    steep_wave_and_valley,
    wave_and_valley,
)

Reporting = Literal["exact", "late", "noisy", "batch"]

FEATURE_DISTRIBUTION = Normal(sd=1.0, cut=2.0)

# Spread of the baseline's log event times, 2 x3 - 2 x4: the unit of follow-up.
SIGMA_T = float(stats.truncnorm(-2, 2).std()) * sqrt(8.0)

_NOTHING = Linear()
_NO_NOISE = PointMass()
_LINEAR_RISK = Linear(("x1", "x2"), (2.0, -2.0))
_LINEAR_TIMES = Linear(("x3", "x4"), (2.0, -2.0))
_BASELINE_FOLLOW_UP = Normal(SIGMA_T, cut=3 * SIGMA_T)


@dataclass(frozen=True)
class World:
    """One world of the generating process.

    Parameters
    ----------
    name : str
        Short name, the key in `WORLDS`.
    title : str
        Name for tables; that of the published table where there is one.
    n : int
        Usual number of people.
    n_features : int
        Number of features; those no signal reads are irrelevant.
    outcome : Linear or Curve
        Log odds of being positive, without the intercept.
    outcome_intercept : float
        Added to the log odds; solved for where a rate of positives is stated.
    event : Linear or Curve
        Mean of the log event time.
    event_noise : Distribution
        Noise of the log event time.
    event_hump : float
        Log event times are moved this far down or up, with even chances.
    censoring : Linear or Curve
        Part of the log follow-up that depends on features.
    censoring_noise : Distribution
        Random part of the log follow-up.
    censoring_shift : float
        Added to the log follow-up; solved for where a censoring rate is stated.
    frailty_sd : float
        Spread of an unobserved normal in both log event time and log follow-up.
    reporting : {"exact", "late", "noisy", "batch"}
        How the event times of the labeled are recorded: as they are; uniformly
        between the event and the end of follow-up; with normal noise on the log
        scale, cut at the end of follow-up; or as the end of follow-up.
    reporting_sd : float
        Spread of the noise in the record where reporting is noisy.
    positive_rate : float, optional
        Stated share of positives.
    censoring_rate : float, optional
        Stated share of the positives who are not labeled.
    """

    name: str
    title: str
    n: int = 4000
    n_features: int = 4
    outcome: Signal = _LINEAR_RISK
    outcome_intercept: float = 0.0
    event: Signal = _LINEAR_TIMES
    event_noise: Distribution = _NO_NOISE
    event_hump: float = 0.0
    censoring: Signal = _NOTHING
    censoring_noise: Distribution = _BASELINE_FOLLOW_UP
    censoring_shift: float = 0.0
    frailty_sd: float = 0.0
    reporting: Reporting = "exact"
    reporting_sd: float = 0.0
    positive_rate: float | None = None
    censoring_rate: float | None = None

    def __post_init__(self) -> None:
        """Refuse a way of reporting or a feature that does not exist."""
        if self.reporting not in get_args(Reporting):
            raise ValueError(f"reporting must be one of {get_args(Reporting)}, got {self.reporting!r}")
        read = {*self.outcome.features, *self.propensity_features}
        missing = sorted(name for name in read if not 0 <= column(name) < self.n_features)
        if missing:
            raise ValueError(f"world {self.name!r} reads {missing} but has {self.n_features} features")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in column order."""
        return tuple(f"x{number}" for number in range(1, self.n_features + 1))

    @property
    def propensity_features(self) -> tuple[str, ...]:
        """Names of the features behind event times or follow-up, if any.

        These are what a restricted propensity model may read. Empty where
        labeling does not depend on the features at all.
        """
        return tuple(sorted({*self.event.features, *self.censoring.features}, key=column))


_BASELINE = World("baseline", "Baseline", positive_rate=0.5, censoring_rate=0.5)


def _published() -> tuple[World, ...]:
    """Return the thirteen published scenarios, in the order of the table."""
    return (
        _BASELINE,
        replace(_BASELINE, name="low-censorship", title="Low censorship", censoring_rate=0.2, censoring_shift=2.9755),
        replace(
            _BASELINE, name="high-censorship", title="High censorship", censoring_rate=0.8, censoring_shift=-2.9755
        ),
        replace(
            _BASELINE,
            name="low-susceptibility",
            title="Low susceptibility",
            positive_rate=0.2,
            outcome_intercept=-2.6004,
        ),
        replace(
            _BASELINE,
            name="high-susceptibility",
            title="High susceptibility",
            positive_rate=0.8,
            outcome_intercept=2.6004,
        ),
        replace(_BASELINE, name="small-sample", title="Small sample size", n=1000),
        # Less signal, as much more noise: the spread of log event times stays.
        replace(
            _BASELINE,
            name="partially-dependent",
            title="Partially dependent diagnosis",
            event=Linear(("x3", "x4"), (1.0, -1.0)),
            event_noise=Normal(sqrt(0.75) * SIGMA_T),
        ),
        replace(
            _BASELINE,
            name="feature-independent",
            title="Feature-independent diagnosis",
            event=_NOTHING,
            event_noise=Normal(SIGMA_T),
        ),
        # At five times the spread the truncation leaves nearly a uniform.
        replace(
            _BASELINE,
            name="varied-censoring",
            title="Varied censoring",
            censoring_noise=Normal(5 * SIGMA_T, cut=3 * SIGMA_T),
        ),
        replace(
            _BASELINE,
            name="centered-censoring",
            title="Centered censoring",
            censoring_noise=Normal(0.5 * SIGMA_T, cut=3 * SIGMA_T),
        ),
        *_correlated(),
        replace(
            _BASELINE,
            name="dependent-censoring",
            title="Dependent censoring",
            event=Linear(("x3",), (2.0,)),
            censoring=Linear(("x4",), (-2.0,)),
            censoring_noise=_NO_NOISE,
        ),
    )


def _correlated() -> tuple[World, ...]:
    """Return the two worlds where one feature drives both risk and timing.

    Sharing one feature of two, rather than both as printed, is what reproduces
    the published scores. No censoring rate is stated: positives come early in
    one and late in the other.
    """
    world = replace(_BASELINE, censoring_rate=None)
    return (
        replace(
            world,
            name="positive-correlation",
            title="Positive correlation",
            event=Linear(("x1", "x3"), (-2.0, 2.0)),
        ),
        replace(
            world,
            name="negative-correlation",
            title="Negative correlation",
            event=Linear(("x1", "x3"), (2.0, 2.0)),
        ),
    )


def _printed() -> tuple[World, ...]:
    """Return the correlation worlds with event times exactly as printed."""
    world = replace(_BASELINE, censoring_rate=None)
    return (
        replace(
            world,
            name="positive-correlation-printed",
            title="Positive correlation (as printed)",
            event=Linear(("x1", "x2"), (-2.0, 2.0)),
        ),
        replace(
            world,
            name="negative-correlation-printed",
            title="Negative correlation (as printed)",
            event=Linear(("x1", "x2"), (2.0, -2.0)),
        ),
    )


_STRESS = World("stress", "Stress", event_noise=Normal(0.5), censoring_noise=Normal(2.5))
_CURVED_RISK = Curve(("x1", "x2"), steep_wave_and_steep_valley)
_SHORT = Uniform(-3.0, -0.5)


def _curved() -> tuple[World, ...]:
    """Return the stress worlds that no linear predictor fits."""
    return (
        replace(_STRESS, name="nonlinear-risk", title="Non-linear risk", outcome=_CURVED_RISK),
        replace(
            _STRESS, name="nonlinear-times", title="Non-linear times", event=Curve(("x3", "x4"), steep_wave_and_valley)
        ),
        replace(
            _STRESS,
            name="nonlinear-both",
            title="Non-linear both, sharing a feature",
            outcome=_CURVED_RISK,
            event=Curve(("x2", "x3"), wave_and_valley),
        ),
        replace(
            _STRESS,
            name="interaction",
            title="Interaction",
            outcome=Curve(("x1", "x2"), pure_product),
            event=Curve(("x3", "x4"), product_and_first),
        ),
    )


def _stress() -> tuple[World, ...]:
    """Return the worlds beyond the published ones."""
    rare = replace(_STRESS, n=33_000)
    return (
        *_curved(),
        replace(_STRESS, name="wide-50", title="Wide, 50 features", n_features=50),
        replace(_STRESS, name="wide-256", title="Wide, 256 features", n_features=256),
        replace(rare, name="rare-1.3", title="Rare, 1.3 % positive", positive_rate=0.013, outcome_intercept=-6.8206),
        replace(rare, name="rare-5", title="Rare, 5 % positive", positive_rate=0.05, outcome_intercept=-5.0527),
        replace(_STRESS, name="short-follow-up", title="Short follow-up", censoring_noise=_SHORT),
        # The noise takes over the spread of the signal it replaces.
        replace(
            _STRESS,
            name="short-follow-up-independent",
            title="Short follow-up, feature-independent times",
            event=_NOTHING,
            event_noise=Normal(sqrt(SIGMA_T**2 + 0.5**2)),
            censoring_noise=_SHORT,
        ),
        replace(_STRESS, name="heavy-tails", title="Heavy tails", event_noise=StudentT(2.0)),
        replace(_STRESS, name="two-humps", title="Two humps", event_hump=2.0),
        replace(_STRESS, name="informative-censoring", title="Informative censoring", frailty_sd=1.5),
        replace(_STRESS, name="late-reporting", title="Late reporting", reporting="late"),
        replace(_STRESS, name="noisy-times", title="Noisy times", reporting="noisy", reporting_sd=3.0),
        replace(_STRESS, name="batch-reporting", title="Batch reporting", reporting="batch"),
    )


PAPER_WORLDS: tuple[str, ...] = tuple(world.name for world in _published())
PRINTED_WORLDS: tuple[str, ...] = tuple(world.name for world in _printed())
STRESS_WORLDS: tuple[str, ...] = tuple(world.name for world in _stress())
WORLDS: dict[str, World] = {world.name: world for world in (*_published(), *_printed(), *_stress())}
