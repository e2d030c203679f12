"""A stand-in for a private cohort of children screened for autism.

It has the published counts and shape: 262 columns made of codes in the health record before age two and demographics,
few diagnoses, and a study endpoint that hides most of them. Nothing else was fitted to the private cohort. Ages and
times are in years, dates in decimal years.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whether.simulation.autism_codes import ACCESS, N_DIMENSIONS, N_FACTORS, average_embedding, count_codes
from whether.simulation.cohort import SimulatedCohort
from whether.simulation.streams import FloatArray, Streams

Split = Literal["train", "validation", "test"]

EARLY_END = 2022.997  # 31 December 2022, the artificial endpoint
LATE_END = 2025.496  # 30 June 2025, the end of the data
EVALUABLE_AGE = 9.0

_FIRST_BIRTH, _BIRTH_YEARS, _MID_BIRTH = 2014.0, 9.5, 2018.5
_RACES = ("white", "black", "hispanic", "asian", "other")
_RACE_SHARES = (0.42, 0.28, 0.16, 0.06, 0.08)
_PUBLIC_BY_RACE = np.array([0.28, 0.62, 0.68, 0.25, 0.45])
_DEMOGRAPHICS = ("male", "public", *_RACES[1:])
_FEATURE_NAMES = (*(f"code_{number:03d}" for number in range(N_DIMENSIONS)), *_DEMOGRAPHICS)


@dataclass(frozen=True)
class AutismWorld:
    """One reading of the published counts.

    Parameters
    ----------
    name : str
        Short name, the key in `AUTISM_WORLDS`.
    title : str
        Name for tables.
    n : int
        Usual number of children.
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
    outcome_intercept: float = -3.421
    backlog: float = 0.280
    birth_growth: float = 3.83
    outcome_trend: float = 0.09
    event_trend: float = -0.06

    @property
    def propensity_features(self) -> tuple[str, ...]:
        """All features: no part of an embedding can be named as what drives labeling."""
        return _FEATURE_NAMES


_SPLIT = AutismWorld("autism-split", "Autism stand-in, split")

AUTISM_WORLDS: dict[str, AutismWorld] = {
    world.name: world
    for world in (
        _SPLIT,
        replace(
            _SPLIT,
            name="autism-literal",
            title="Autism stand-in, literal",
            outcome_intercept=-3.308,
            backlog=0.893,
        ),
    )
}


@dataclass(frozen=True, eq=False)
class AutismCohort:
    """All children of the stand-in, with their truth.

    Attributes
    ----------
    X : numpy.ndarray of float32 of shape (n, 262)
        Mean embedding of the codes before age two, then male, public insurance and race.
    birth : numpy.ndarray of shape (n,)
        Date of birth; not a feature.
    first_visit : numpy.ndarray of shape (n,)
        Age at the first visit after 24 months.
    last_visit : numpy.ndarray of shape (n,)
        Age at which the child leaves, if observation does not end before.
    positive : numpy.ndarray of int of shape (n,)
        Truth: 1 if autism is diagnosed at some age.
    outcome_proba : numpy.ndarray of shape (n,)
        Truth: probability of that given the factors and the date of birth, which the features only reflect.
    event_time : numpy.ndarray of shape (n,)
        Truth: age at diagnosis; for negatives, when it would have been.
    split : numpy.ndarray of str of shape (n,)
        "train" (60 %), "validation" (20 %) or "test".
    world : AutismWorld
    """

    X: NDArray[np.float32]
    birth: FloatArray
    first_visit: FloatArray
    last_visit: FloatArray
    positive: NDArray[np.int64]
    outcome_proba: FloatArray
    event_time: FloatArray
    split: NDArray[np.str_]
    world: AutismWorld

    def is_seen_after_24_months(self, date: float) -> NDArray[np.bool_]:
        """Return who had been seen after 24 months of age by a date: the eligible.

        Parameters
        ----------
        date : float
        """
        return np.asarray(self.birth + self.first_visit <= date)

    def observe(self, date: float) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Return diagnosis, time and follow-up as known at a date, with zeros for children not yet born.

        Parameters
        ----------
        date : float
        """
        follow_up = np.minimum(self.last_visit, date - self.birth)
        labeled = (self.positive == 1) & (self.event_time <= follow_up)
        follow_up = np.maximum(follow_up, 0.0)
        return labeled.astype(np.int64), np.where(labeled, self.event_time, follow_up), follow_up


@dataclass(frozen=True, eq=False)
class _Children:
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


def simulate_autism(
    world: AutismWorld = _SPLIT, n: int | None = None, seed: int | np.random.SeedSequence = 0
) -> AutismCohort:
    """Draw the children of the stand-in.

    Candidates are drawn until `n` of them meet the inclusion rule. Both readings share every draw that they do not
    change.

    Parameters
    ----------
    world : AutismWorld
    n : int, optional
        Number of children. Default: the published number.
    seed : int or numpy.random.SeedSequence
        Root of the random streams.
    """
    children, rows = _draw_until(world, world.n if n is None else n, seed, lambda drawn: drawn.included)
    return AutismCohort(
        X=_features(children, rows, seed),
        birth=children.birth[rows],
        first_visit=children.first_visit[rows],
        last_visit=children.last_visit[rows],
        positive=children.positive[rows].astype(np.int64),
        outcome_proba=children.outcome_proba[rows],
        event_time=children.event_time[rows],
        split=_split(children.split_rank[rows]),
        world=world,
    )


def simulate_eligible_children(world: AutismWorld, n: int, seed: int | np.random.SeedSequence) -> SimulatedCohort:
    """Draw children who had been seen after 24 months by the early endpoint, as known at that date.

    Parameters
    ----------
    world : AutismWorld
    n : int
        Number of children.
    seed : int or numpy.random.SeedSequence
        Root of the random streams.
    """

    def eligible(drawn: _Children) -> NDArray[np.bool_]:
        return np.asarray(drawn.included & (drawn.birth + drawn.first_visit <= EARLY_END))

    children, rows = _draw_until(world, n, seed, eligible)
    follow_up = np.minimum(children.last_visit, EARLY_END - children.birth)[rows]
    event_time, positive = children.event_time[rows], children.positive[rows]
    labeled = positive & (event_time <= follow_up)
    return SimulatedCohort(
        X=_features(children, rows, seed).astype(np.float64),
        feature_names=_FEATURE_NAMES,
        y=labeled.astype(np.int64),
        time=np.where(labeled, event_time, follow_up),
        follow_up=follow_up,
        positive=positive.astype(np.int64),
        outcome_proba=children.outcome_proba[rows],
        propensity=None,
        event_time=event_time,
        world=world,
    )


def _draw_until(
    world: AutismWorld,
    n: int,
    seed: int | np.random.SeedSequence,
    rule: Callable[[_Children], NDArray[np.bool_]],
) -> tuple[_Children, NDArray[np.intp]]:
    """Draw ever more candidates until n of them meet the rule; more candidates leave the first ones as they are."""
    size = n + n // 20 + 100
    while True:
        children = _draw_children(world, Streams(seed, size))
        rows = np.flatnonzero(rule(children))
        if rows.size >= n:
            return children, rows[:n]
        size = 1 + int(1.05 * size * n / max(rows.size, 1))


def _draw_children(world: AutismWorld, streams: Streams) -> _Children:
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
    return _Children(
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


def _features(children: _Children, rows: NDArray[np.intp], seed: int | np.random.SeedSequence) -> NDArray[np.float32]:
    """Return the 262 columns. Codes are drawn for every candidate, so that leaving one out shifts nobody's draws."""
    last = int(rows[-1]) + 1
    codes = average_embedding(children.factors[:last], children.n_codes[:last], seed)
    return np.hstack([codes[rows], children.demographics[rows].astype(np.float32)])


def _split(rank: FloatArray) -> NDArray[np.str_]:
    """Deal 60 % to training, 20 % to validation and the rest to the test."""
    n_train, n_validation = int(0.6 * rank.size), int(0.2 * rank.size)
    split = np.full(rank.size, "test", dtype="<U10")
    order = np.argsort(rank, kind="stable")
    split[order[:n_train]] = "train"
    split[order[n_train : n_train + n_validation]] = "validation"
    return split
