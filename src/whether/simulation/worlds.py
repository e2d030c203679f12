"""The simulated worlds: what differs from one to the next, as data.

Everybody has features, each a standard normal truncated to [-2, 2]. The outcome happens with the logistic of a signal;
log event time and log follow-up are a signal plus noise each; a positive whose event comes within follow-up is labeled.
Where the family is the promotion time, the signal is the log of the mean number of hidden causes, the event time is
that of a cause, and the event comes with the first of them.
Constants that give a stated rate are solutions of `calibrate`, stored rounded.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from scipy import stats

from whether.family import MIXTURE, PROMOTION_TIME, Family
from whether.simulation.noise import Noise, NoNoise, NormalNoise, PieceNoise, StudentNoise, UniformNoise
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
from whether.validate import ArgumentError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Reporting = Literal["exact", "late", "noisy", "batch"]

FEATURE_DISTRIBUTION = NormalNoise(sd=1.0, cut=2.0)

# Spread of the baseline's log event times, 2 x3 - 2 x4: the unit of follow-up.
SIGMA_T = float(stats.truncnorm(-2, 2).std()) * sqrt(8.0)

_NOTHING = Linear()
_NO_NOISE = NoNoise()
_LINEAR_RISK = Linear(("x1", "x2"), (2.0, -2.0))
_LINEAR_TIMES = Linear(("x3", "x4"), (2.0, -2.0))
_BASELINE_FOLLOW_UP = NormalNoise(SIGMA_T, cut=3 * SIGMA_T)


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
    family : Family
        What the outcome's predictor says: log odds of being positive, or log of the mean number of causes.
    outcome : Linear or Curve
        The outcome's predictor, without the intercept.
    outcome_intercept : float
        Added to the predictor; solved for where a rate of positives is stated.
    event : Linear or Curve
        Mean of the log event time.
    event_noise : Noise
        Noise of the log event time.
    event_hump : float
        Log event times are moved this far down or up, with even chances.
    censoring : Linear or Curve
        Part of the log follow-up that depends on features.
    censoring_noise : Noise
        Random part of the log follow-up.
    censoring_shift : float
        Added to the log follow-up; solved for where a censoring rate is stated.
    frailty_sd : float
        Spread of an unobserved normal in both log event time and log follow-up.
    reporting : {"exact", "late", "noisy", "batch"}
        How the event times of the labeled are recorded: as they are; uniformly between the event and the end of
        follow-up; with normal noise on the log scale, cut at the end of follow-up; or as the end of follow-up.
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
    family: Family = MIXTURE
    outcome: Signal = _LINEAR_RISK
    outcome_intercept: float = 0.0
    event: Signal = _LINEAR_TIMES
    event_noise: Noise = _NO_NOISE
    event_hump: float = 0.0
    censoring: Signal = _NOTHING
    censoring_noise: Noise = _BASELINE_FOLLOW_UP
    censoring_shift: float = 0.0
    frailty_sd: float = 0.0
    reporting: Reporting = "exact"
    reporting_sd: float = 0.0
    positive_rate: float | None = None
    censoring_rate: float | None = None

    def __post_init__(self) -> None:
        """Refuse a way of reporting or a feature that does not exist, and two humps of several causes."""
        if self.event_hump and self.family != MIXTURE:
            raise ArgumentError(f"event times with two humps are drawn for a mixture only, not for {self.family.name}")
        if self.reporting not in get_args(Reporting):
            raise ArgumentError(f"reporting must be one of {get_args(Reporting)}, got {self.reporting!r}")
        read = {*self.outcome.features, *self.propensity_features}
        missing = sorted(name for name in read if not 0 <= column(name) < self.n_features)
        if missing:
            raise ArgumentError(f"world {self.name!r} reads {missing} but has {self.n_features} features")

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, in column order."""
        return tuple(f"x{number}" for number in range(1, self.n_features + 1))

    @property
    def propensity_features(self) -> tuple[str, ...]:
        """Names of the features behind event times or follow-up, if any: what a restricted propensity may read."""
        return tuple(sorted({*self.event.features, *self.censoring.features}, key=column))


AnyRecord = TypeVar("AnyRecord", bound="DataclassInstance")


def vary(world: AnyRecord, name: str, title: str, **changes: Any) -> AnyRecord:
    """Return a world of another name that differs in what is named only."""
    return replace(world, name=name, title=title, **changes)


_BASELINE = World("baseline", "Baseline", positive_rate=0.5, censoring_rate=0.5)
_UNSTATED = replace(_BASELINE, censoring_rate=None)
_STRESS = World("stress", "Stress", event_noise=NormalNoise(0.5), censoring_noise=NormalNoise(2.5))
_RARE = replace(_STRESS, n=33_000)
_CURVED_RISK = Curve(("x1", "x2"), steep_wave_and_steep_valley)
_SHORT = UniformNoise(-3.0, -0.5)
_CAUSES = World(
    "promotion", "Promotion time", family=PROMOTION_TIME, outcome=Linear(("x1", "x2"), (1.0, -1.0)),
    outcome_intercept=-0.4777, event=_NOTHING, event_noise=NormalNoise(1.0), censoring_noise=UniformNoise(-1.5, 1.5),
    positive_rate=0.5,
)  # fmt: skip

# fmt: off
# The thirteen published scenarios, in the order of the table.
_PUBLISHED = (
    _BASELINE,
    vary(_BASELINE, "low-censorship", "Low censorship", censoring_rate=0.2, censoring_shift=2.9755),
    vary(_BASELINE, "high-censorship", "High censorship", censoring_rate=0.8, censoring_shift=-2.9755),
    vary(_BASELINE, "low-susceptibility", "Low susceptibility", positive_rate=0.2, outcome_intercept=-2.6004),
    vary(_BASELINE, "high-susceptibility", "High susceptibility", positive_rate=0.8, outcome_intercept=2.6004),
    vary(_BASELINE, "small-sample", "Small sample size", n=1000),
    # Less signal, as much more noise: the spread of log event times stays.
    vary(_BASELINE, "partially-dependent", "Partially dependent diagnosis",
         event=Linear(("x3", "x4"), (1.0, -1.0)), event_noise=NormalNoise(sqrt(0.75) * SIGMA_T)),
    vary(_BASELINE, "feature-independent", "Feature-independent diagnosis",
         event=_NOTHING, event_noise=NormalNoise(SIGMA_T)),
    # At five times the spread the truncation leaves nearly a uniform.
    vary(_BASELINE, "varied-censoring", "Varied censoring", censoring_noise=NormalNoise(5 * SIGMA_T, cut=3 * SIGMA_T)),
    vary(_BASELINE, "centered-censoring", "Centered censoring",
         censoring_noise=NormalNoise(SIGMA_T / 2, cut=3 * SIGMA_T)),
    # One feature drives both risk and timing. Sharing one of two, rather than both as printed, is what reproduces the
    # published scores. No censoring rate is stated: positives come early in one and late in the other.
    vary(_UNSTATED, "positive-correlation", "Positive correlation", event=Linear(("x1", "x3"), (-2.0, 2.0))),
    vary(_UNSTATED, "negative-correlation", "Negative correlation", event=Linear(("x1", "x3"), (2.0, 2.0))),
    vary(_BASELINE, "dependent-censoring", "Dependent censoring",
         event=Linear(("x3",), (2.0,)), censoring=Linear(("x4",), (-2.0,)), censoring_noise=_NO_NOISE),
)

# The correlation worlds with event times exactly as printed.
_PRINTED = (
    vary(_UNSTATED, "positive-correlation-printed", "Positive correlation (as printed)",
         event=Linear(("x1", "x2"), (-2.0, 2.0))),
    vary(_UNSTATED, "negative-correlation-printed", "Negative correlation (as printed)",
         event=Linear(("x1", "x2"), (2.0, -2.0))),
)

# Beyond the published ones: worlds that separate methods. The first four are fitted by no linear predictor.
_BEYOND = (
    vary(_STRESS, "nonlinear-risk", "Non-linear risk", outcome=_CURVED_RISK),
    vary(_STRESS, "nonlinear-times", "Non-linear times", event=Curve(("x3", "x4"), steep_wave_and_valley)),
    vary(_STRESS, "nonlinear-both", "Non-linear both, sharing a feature",
         outcome=_CURVED_RISK, event=Curve(("x2", "x3"), wave_and_valley)),
    vary(_STRESS, "interaction", "Interaction",
         outcome=Curve(("x1", "x2"), pure_product), event=Curve(("x3", "x4"), product_and_first)),
    vary(_STRESS, "wide-50", "Wide, 50 features", n_features=50),
    vary(_STRESS, "wide-256", "Wide, 256 features", n_features=256),
    vary(_RARE, "rare-1.3", "Rare, 1.3 % positive", positive_rate=0.013, outcome_intercept=-6.8206),
    vary(_RARE, "rare-5", "Rare, 5 % positive", positive_rate=0.05, outcome_intercept=-5.0527),
    vary(_STRESS, "short-follow-up", "Short follow-up", censoring_noise=_SHORT),
    # The noise takes over the spread of the signal it replaces.
    vary(_STRESS, "short-follow-up-independent", "Short follow-up, feature-independent times",
         event=_NOTHING, event_noise=NormalNoise(sqrt(SIGMA_T**2 + 0.5**2)), censoring_noise=_SHORT),
    vary(_STRESS, "heavy-tails", "Heavy tails", event_noise=StudentNoise(2.0)),
    vary(_STRESS, "two-humps", "Two humps", event_hump=2.0),
    vary(_STRESS, "informative-censoring", "Informative censoring", frailty_sd=1.5),
    vary(_STRESS, "late-reporting", "Late reporting", reporting="late"),
    vary(_STRESS, "noisy-times", "Noisy times", reporting="noisy", reporting_sd=3.0),
    vary(_STRESS, "batch-reporting", "Batch reporting", reporting="batch"),
)

# Event times that follow no usual distribution: nothing happens for a while, or all events come on a few dates.
_SHAPED = (
    vary(_STRESS, "plateau", "Plateau", event=_NOTHING, censoring_noise=UniformNoise(-2.0, 2.5),
         event_noise=PieceNoise(((-2.0, -1.0, 0.5), (1.0, 2.0, 0.5)))),
    vary(_STRESS, "calendar-dates", "Events on four dates", event=_NOTHING, censoring_noise=UniformNoise(-1.0, 2.5),
         event_noise=PieceNoise(((-1.0, -1.0, 0.1), (0.0, 0.0, 0.15), (0.7, 0.7, 0.15), (1.6, 1.6, 0.6)))),
    vary(_STRESS, "plateau-by-feature", "Plateau, earlier or later by a feature", event=Linear(("x3",), (0.5,)),
         censoring_noise=UniformNoise(-2.5, 3.5), event_noise=PieceNoise(((-2.0, -1.0, 0.4), (1.0, 2.0, 0.6)))),
)

# Worlds in which what makes the event likelier brings it forward: hidden causes, of which the first is the event.
_PROMOTION = (
    _CAUSES,
    vary(_CAUSES, "promotion-dependent-follow-up", "Promotion time, dependent follow-up",
         censoring=Linear(("x1", "x3"), (0.5, 0.5))),
    vary(_CAUSES, "promotion-nonlinear", "Promotion time, non-linear",
         outcome=Curve(("x1", "x2"), wave_and_valley), outcome_intercept=-0.3548),
)
# fmt: on

PAPER_WORLDS: tuple[str, ...] = tuple(world.name for world in _PUBLISHED)
PRINTED_WORLDS: tuple[str, ...] = tuple(world.name for world in _PRINTED)
STRESS_WORLDS: tuple[str, ...] = tuple(world.name for world in _BEYOND)
SHAPE_WORLDS: tuple[str, ...] = tuple(world.name for world in _SHAPED)
PROMOTION_WORLDS: tuple[str, ...] = tuple(world.name for world in _PROMOTION)
WORLDS: dict[str, World] = {world.name: world for world in (*_PUBLISHED, *_PRINTED, *_BEYOND, *_SHAPED, *_PROMOTION)}
