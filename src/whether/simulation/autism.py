"""A stand-in for a private cohort of children screened for autism.

It has the published counts and shape: 262 columns made of codes in the health record before age two and demographics,
few diagnoses, and a study endpoint that hides most of them. Nothing else was fitted to the private cohort. Ages and
times are in years, dates in decimal years.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.simulation.autism_children import EARLY_END, FEATURE_NAMES, AutismWorld, Children, draw_children
from whether.simulation.autism_codes import average_embedding
from whether.simulation.simulated import SimulatedCohort
from whether.simulation.streams import FloatArray, Streams, draw_until
from whether.simulation.worlds import vary

EVALUABLE_AGE = 9.0

_SPLIT = AutismWorld("autism-split", "Autism stand-in, split")

AUTISM_WORLDS: dict[str, AutismWorld] = {
    world.name: world
    for world in (
        _SPLIT,
        vary(_SPLIT, "autism-literal", "Autism stand-in, literal", outcome_intercept=-3.308, backlog=0.893),
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
        """Return who had been seen after 24 months of age by a date: the eligible."""
        return np.asarray(self.birth + self.first_visit <= date)

    def observe(self, date: float) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Return diagnosis, time and follow-up as known at a date, with zeros for children not yet born."""
        follow_up = np.minimum(self.last_visit, date - self.birth)
        labeled = (self.positive == 1) & (self.event_time <= follow_up)
        follow_up = np.maximum(follow_up, 0.0)
        return labeled.astype(np.int64), np.where(labeled, self.event_time, follow_up), follow_up


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
    return _draw(world, world.n if n is None else n, seed, lambda drawn: drawn.included)


def _draw(
    world: AutismWorld, n: int, seed: int | np.random.SeedSequence, rule: Callable[[Children], NDArray[np.bool_]]
) -> AutismCohort:
    children, rows = draw_until(lambda size: draw_children(world, Streams(seed, size)), n, rule)
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
    """Draw children who had been seen after 24 months by the early endpoint, as known at that date."""
    cohort = _draw(world, n, seed, lambda drawn: drawn.included & (drawn.birth + drawn.first_visit <= EARLY_END))
    y, time, follow_up = cohort.observe(EARLY_END)
    return SimulatedCohort(
        X=cohort.X.astype(np.float64),
        feature_names=FEATURE_NAMES,
        y=y,
        time=time,
        follow_up=follow_up,
        positive=cohort.positive,
        outcome_proba=cohort.outcome_proba,
        propensity=None,
        event_time=cohort.event_time,
        world=world,
    )


def _features(children: Children, rows: NDArray[np.intp], seed: int | np.random.SeedSequence) -> NDArray[np.float32]:
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
