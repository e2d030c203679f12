"""Worlds over a real table: people and outcomes of the diabetes survey, with simulated times.

Half of each cohort has diabetes. Features and outcomes are real, so the probability of the outcome is unknown; event
times and follow-up are simulated, so the labeling propensity is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np

from whether.simulation.noise import Noise, NoNoise, NormalNoise
from whether.simulation.real_tables import describe_table, load_table
from whether.simulation.simulated import SimulatedCohort
from whether.simulation.streams import FloatArray, Streams
from whether.simulation.truth import label_rate
from whether.simulation.worlds import vary
from whether.validate import ArgumentError

TABLE = "diabetes_brfss2015"

# Spread of the log event times 2 Income - 2 Education and 2 BMI + 2 Age among as many people with diabetes as without,
# each feature in units of its standard deviation there. A test computes them from the table.
WEAK_SIGMA_T = 2.0757
STRONG_SIGMA_T = 2.7688


@dataclass(frozen=True)
class DiabetesWorld:
    """One world over the diabetes table.

    Parameters
    ----------
    name : str
        Short name, the key in `DIABETES_WORLDS`.
    title : str
        Name for tables, that of the published table.
    event : tuple of (str, float)
        Features that drive the log event time, with their coefficients; features are standardised.
    event_noise : Noise
        Noise of the log event time.
    censoring_noise : Noise
        The log follow-up.
    n, n_features : int
        Usual number of people, number of features.
    """

    name: str
    title: str
    event: tuple[tuple[str, float], ...]
    event_noise: Noise
    censoring_noise: Noise
    n: int = 10_000
    n_features: int = 21

    @property
    def propensity_features(self) -> tuple[str, ...]:
        """Names of the features behind event times; none where labeling does not depend on the features."""
        return tuple(name for name, _ in self.event)


def _follow_up(sigma: float, spread: float = 1.0) -> NormalNoise:
    return NormalNoise(spread * sigma, cut=3 * sigma)


_BASELINE = DiabetesWorld(
    "diabetes-baseline",
    "Baseline",
    event=(("Income", 2.0), ("Education", -2.0)),
    event_noise=NoNoise(),
    censoring_noise=_follow_up(WEAK_SIGMA_T),
)
_STRONG = replace(_BASELINE, censoring_noise=_follow_up(STRONG_SIGMA_T))

# fmt: off
# The seven published scenarios, in the order of the table.
_WORLDS = (
    _BASELINE,
    vary(_BASELINE, "diabetes-partially-dependent", "Partially dependent diagnosis",
         event=(("Income", 1.0), ("Education", -1.0)), event_noise=NormalNoise(sqrt(0.75) * WEAK_SIGMA_T)),
    vary(_BASELINE, "diabetes-feature-independent", "Feature-independent diagnosis",
         event=(), event_noise=NormalNoise(WEAK_SIGMA_T)),
    vary(_BASELINE, "diabetes-varied-censoring", "Varied censoring", censoring_noise=_follow_up(WEAK_SIGMA_T, 5.0)),
    vary(_BASELINE, "diabetes-centered-censoring", "Centered censoring", censoring_noise=_follow_up(WEAK_SIGMA_T, 0.5)),
    vary(_STRONG, "diabetes-positive-correlation", "Positive correlation", event=(("BMI", -2.0), ("Age", -2.0))),
    vary(_STRONG, "diabetes-negative-correlation", "Negative correlation", event=(("BMI", 2.0), ("Age", 2.0))),
)
# fmt: on

DIABETES_WORLDS: dict[str, DiabetesWorld] = {world.name: world for world in _WORLDS}


def simulate_diabetes(world: DiabetesWorld, n: int, seed: int | np.random.SeedSequence) -> SimulatedCohort:
    """Draw people from the table, half of them with diabetes, and times for them.

    Every draw belongs to a row of the table, so worlds with one seed share the people and all draws that they do not
    change. Features are standardised in the cohort.
    """
    names, table, outcome = _people()
    if n % 2 or n // 2 > min(outcome.sum(), (~outcome).sum()):
        raise ArgumentError(
            f"n must be even, and half of it at most the {int(outcome.sum()):,} people with diabetes; got {n}."
        )
    streams = Streams(seed, outcome.size)
    rows = _choose_rows(outcome, n // 2, streams)
    X = table[rows].astype(np.float64)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)  # a rare answer may be missing from a small cohort
    mean_log_event = np.zeros(n)
    for name, coefficient in world.event:
        mean_log_event += coefficient * X[:, names.index(name)]
    log_event = mean_log_event + world.event_noise.quantile(streams.uniforms("event time")[rows])
    log_follow_up = world.censoring_noise.quantile(streams.uniforms("censoring")[rows])
    labeled = outcome[rows] & (log_event <= log_follow_up)
    return SimulatedCohort(
        X=X,
        feature_names=names,
        y=labeled.astype(np.int64),
        time=np.exp(np.where(labeled, log_event, log_follow_up)),
        follow_up=np.exp(log_follow_up),
        positive=outcome[rows].astype(np.int64),
        outcome_proba=None,
        propensity=label_rate(world.event_noise, world.censoring_noise, -mean_log_event),
        event_time=np.exp(log_event),
        world=world,
    )


def _choose_rows(outcome: np.ndarray, half: int, streams: Streams) -> np.ndarray:
    """Return as many rows with the outcome as without, in random order."""
    rank = streams.uniforms("person")
    chosen = [
        group[np.argsort(rank[group], kind="stable")[:half]] for group in map(np.flatnonzero, (outcome, ~outcome))
    ]
    rows = np.concatenate(chosen)
    return np.asarray(rows[np.argsort(streams.uniforms("order")[rows], kind="stable")])


@lru_cache(maxsize=1)
def _people() -> tuple[tuple[str, ...], FloatArray, np.ndarray]:
    """Return the names of the features, the features, and who has diabetes."""
    about = describe_table(TABLE)
    table = load_table(TABLE)
    names = tuple(about["features"])
    return names, table[list(names)].to_numpy(), table[about["label"]].to_numpy(dtype=bool)
