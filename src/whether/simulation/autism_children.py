"""The children of the autism stand-in: who they are, and what happens to each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whether.simulation.autism_codes import ACCESS, N_DIMENSIONS, N_FACTORS, count_codes
from whether.simulation.streams import FloatArray, Streams

EARLY_END = 2022.997  # 31 December 2022, the artificial endpoint
LATE_END = 2025.496  # 30 June 2025, the end of the data

_FIRST_BIRTH, _BIRTH_YEARS, _MID_BIRTH = 2014.0, 9.5, 2018.5
_RACES = ("white", "black", "hispanic", "asian", "other")
_RACE_SHARES = (0.42, 0.28, 0.16, 0.06, 0.08)
_PUBLIC_BY_RACE = np.array([0.28, 0.62, 0.68, 0.25, 0.45])
_DEMOGRAPHICS = ("male", "public", *_RACES[1:])
FEATURE_NAMES = (*(f"code_{number:03d}" for number in range(N_DIMENSIONS)), *_DEMOGRAPHICS)


@dataclass(frozen=True)
class AutismWorld:
    """One reading of the published counts.

    Parameters
    ----------
    name : str
        Short name, the key in `AUTISM_WORLDS`.
    title : str
        Name for tables.
    n, n_features : int
        Usual number of children, number of features.
    outcome_intercept : float
        Log odds of being positive of an average child; solved for 3.42 % diagnosed by June 2025.
    backlog : float
        Share of the diagnoses due before the early endpoint that are postponed; solved for 1.28 % diagnosed by then.
    birth_growth : float
        How much the number of births grows over the period; solved for 60 % seen after 24 months by then.
    outcome_trend : float
        Change of the log odds per birth year.
    event_trend : float
        Change of the log age at diagnosis per birth year.
    """

    name: str
    title: str
    n: int = 55_229
    n_features: int = len(FEATURE_NAMES)
    outcome_intercept: float = -3.421
    backlog: float = 0.280
    birth_growth: float = 3.83
    outcome_trend: float = 0.09
    event_trend: float = -0.06

    @property
    def propensity_features(self) -> tuple[str, ...]:
        """All features: no part of an embedding can be named as what drives labeling."""
        return FEATURE_NAMES


@dataclass(frozen=True, eq=False)
class Children:
    """Candidates: what happens to each child, before anybody is left out."""

    factors: FloatArray
    demographics: FloatArray
    birth: FloatArray
    first_visit: FloatArray
    last_visit: FloatArray
    outcome_proba: FloatArray
    positive: NDArray[np.bool_]
    event_time: FloatArray
    n_codes: NDArray[np.int64]
    split_rank: FloatArray

    @property
    def included(self) -> NDArray[np.bool_]:
        """Whether a child was seen after 24 months by the end of the data, without a diagnosis before."""
        in_time = self.birth + self.first_visit <= LATE_END
        return in_time & ~(self.positive & (self.event_time <= 2.0))


def draw_children(world: AutismWorld, streams: Streams) -> Children:
    """Draw candidates, each quantity from a stream of its own."""
    factors = np.column_stack([special.ndtri(streams.uniforms(f"factor {number}")) for number in range(N_FACTORS)])
    male = streams.uniforms("male") < 0.51
    race = np.searchsorted(np.cumsum(_RACE_SHARES)[:-1], streams.uniforms("race"), side="right")
    public = streams.uniforms("insurance") < _PUBLIC_BY_RACE[race]
    factors[:, ACCESS] = -0.4 * (public - 0.45) + np.sqrt(0.96) * factors[:, ACCESS]
    demographics = np.column_stack([male, public, *(race == number for number in range(1, len(_RACES)))]).astype(float)
    birth = _draw_births(world.birth_growth, streams.uniforms("birth"))
    first_visit = 2.0 + _exponential(streams.uniforms("first visit"), 0.30)
    loss_rate = 0.07 * np.exp(0.25 * (public - 0.45) - 0.30 * factors[:, ACCESS])
    last_visit = first_visit + _exponential(streams.uniforms("loss"), 1 / loss_rate)
    log_odds = world.outcome_intercept + factors[:, :3] @ np.array([0.75, 0.75, 0.35])
    log_odds += 1.25 * (male - 0.51) + world.outcome_trend * (birth - _MID_BIRTH)
    outcome_proba = special.expit(log_odds)
    return Children(
        factors=factors,
        demographics=demographics,
        birth=birth,
        first_visit=first_visit,
        last_visit=last_visit,
        outcome_proba=outcome_proba,
        positive=streams.uniforms("outcome") < outcome_proba,
        event_time=_draw_event_times(world, factors, demographics, birth, streams),
        n_codes=count_codes(factors[:, ACCESS], streams),
        split_rank=streams.uniforms("split"),
    )


def _draw_births(growth: float, levels: FloatArray) -> FloatArray:
    """Return dates of birth whose density grows linearly, by `growth` times its first value."""
    share = (np.sqrt(1 + 2 * growth * (1 + growth / 2) * levels) - 1) / growth
    return _FIRST_BIRTH + _BIRTH_YEARS * share


def _draw_event_times(
    world: AutismWorld, factors: FloatArray, demographics: FloatArray, birth: FloatArray, streams: Streams
) -> FloatArray:
    """Return ages at diagnosis.

    Factor 0 raises the risk and brings the diagnosis forward; factor 1 raises the risk and delays it.
    """
    female = 1 - demographics[:, 0]
    public, black, hispanic = (demographics[:, number] for number in (1, 2, 3))
    log_delay = np.log(2.75) - 0.30 * factors[:, 0] + 0.35 * factors[:, 1] - 0.12 * factors[:, ACCESS]
    log_delay += 0.10 * (female - 0.49) + 0.10 * (public - 0.45) + 0.06 * (black - 0.28) + 0.08 * (hispanic - 0.16)
    log_delay += world.event_trend * (birth - _MID_BIRTH) + 0.50 * special.ndtri(streams.uniforms("event time"))
    due = 1.5 + np.exp(log_delay)
    postponed = (birth + due <= EARLY_END) & (streams.uniforms("backlog") < world.backlog)
    return np.asarray(due + np.where(postponed, _exponential(streams.uniforms("delay"), 3.0), 0.0))


def _exponential(levels: FloatArray, mean: float | FloatArray) -> FloatArray:
    return np.asarray(-mean * np.log1p(-levels))
