"""What a cell is fitted to and scored on, for every world of every study.

Workers make or load the data themselves: a cell that travels to another machine is a few words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from whether.evaluate import impose_calendar_endpoint
from whether.simulation import AUTISM_WORLDS, SimulatedCohort, find_world, simulate, simulate_autism
from whether.simulation.autism import EVALUABLE_AGE, AutismCohort
from whether.simulation.autism_children import EARLY_END, LATE_END
from whether.study.plan import Options
from whether.study.real_cohorts import COHORT_WORLDS, SplitCohort, split_cohort
from whether.study.survset_cohorts import SURVSET_WORLDS, split_survset

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

FIT_SHARE = 0.8
# Fresh people of a replicate have a seed far from those of all training cohorts.
FRESH_SEED = 10_000
_ONE_DAY = 1 / 365.25


@dataclass(frozen=True, eq=False)
class Target:
    """People on whom predicted risks are scored, with their outcome and its true probability where that is known."""

    name: str
    X: Array
    positive: Labels
    outcome_proba: Array | None = None
    weight: Array | None = None  # How many people each stands for.


@dataclass(frozen=True, eq=False)
class LabelTarget:
    """People on whom predicted propensities are scored, with outcome, label and, where known, the true propensity."""

    X: Array
    positive: Labels
    labeled: Labels
    propensity: Array | None = None


@dataclass(frozen=True, eq=False)
class HeldOut:
    """People on whom the probability of a label is scored, with the follow-up in which it could come."""

    X: Array
    labeled: Labels
    follow_up: Array


@dataclass(frozen=True, eq=False)
class Sample:
    """One replicate of one world."""

    X: Array  # What methods are fitted to.
    y: Labels
    time: Array
    follow_up: Array
    oracle_X: Array  # What the oracle is fitted to.
    oracle_y: Labels
    drivers: tuple[int, ...] | None  # Positions of the features that drive labeling, where they can be named.
    targets: tuple[Target, ...]  # The first is what the main scores refer to.
    labels: LabelTarget
    # Features of people with the share of them that has the event in the end, where only that is known.
    eventual_share: tuple[Array, float] | None = None
    held_out: HeldOut | None = None
    # Share of those to learn from that has the event in the end, where intervals of their mean risk are scored.
    learned_share: float | None = None
    horizon: float | None = None  # By when that share has it; None if that is ever.
    oracle_weight: Array | None = None  # How many people each of those that the oracle is fitted to stands for.


@lru_cache(maxsize=3)
def draw_sample(study: str, world: str, seed: int, options: Options) -> Sample:
    """Return one replicate of one world; the last few are kept."""
    make = _MAKERS.get(study, _simulated)
    return _drop_constant_columns(make(world, seed, options))


def _simulated(world: str, seed: int, options: Options) -> Sample:
    """Fit on 80 % of the world's usual number of people, score on many new ones."""
    return _from_cohorts(*_simulate_twice(world, seed, options))


def _simulate_twice(world: str, seed: int, options: Options) -> tuple[SimulatedCohort, SimulatedCohort]:
    """People to learn from, and new ones."""
    size = options.n or find_world(world).n
    cohort = simulate(world, n=int(FIT_SHARE * size), seed=seed)
    return cohort, simulate(world, n=options.n_fresh, seed=FRESH_SEED + seed)


def _diabetes(world: str, seed: int, options: Options) -> Sample:
    """Fit on 80 % of the people drawn from the table, score on the others."""
    cohort = simulate(world, n=options.n, seed=seed)
    first = int(FIT_SHARE * cohort.y.size)
    return _from_cohorts(_take(cohort, slice(0, first)), _take(cohort, slice(first, None)))


def _take(cohort: SimulatedCohort, rows: slice) -> SimulatedCohort:
    names = ("X", "y", "time", "follow_up", "positive", "propensity", "event_time")
    return replace(cohort, **{name: getattr(cohort, name)[rows] for name in names})


def _from_cohorts(cohort: SimulatedCohort, fresh: SimulatedCohort) -> Sample:
    return Sample(
        X=cohort.X,
        y=cohort.y,
        time=cohort.time,
        follow_up=cohort.follow_up,
        oracle_X=cohort.X,
        oracle_y=cohort.positive,
        drivers=tuple(cohort.feature_names.index(name) for name in cohort.world.propensity_features),
        targets=(Target("fresh", fresh.X, fresh.positive, fresh.outcome_proba),),
        labels=LabelTarget(fresh.X, fresh.positive, fresh.y, fresh.propensity),
    )


def _autism(world: str, seed: int, options: Options) -> Sample:
    """Fit on what was known of the training children at the early endpoint.

    Scored are test children followed past age nine with what is known of them, and all test children with the truth.
    """
    cohort = simulate_autism(AUTISM_WORLDS[world], n=options.n, seed=seed)
    event, time, follow_up = cohort.observe(LATE_END)
    then = impose_calendar_endpoint(
        event, time, cohort.birth, endpoint=EARLY_END, horizon=EVALUABLE_AGE, data_end=LATE_END, follow_up=follow_up
    )
    eligible = cohort.is_seen_after_24_months(EARLY_END)
    test = cohort.split == "test"
    y, observed, length = (then.y, then.time, then.follow_up) if not options.all_rows else _floor_times(cohort)
    rows = (cohort.split == "train") & (eligible | options.all_rows)
    evaluable, seen = test & then.scorable, test & eligible
    X = _in_double(cohort, rows)
    return Sample(
        X=X,
        y=y[rows],
        time=observed[rows],
        follow_up=length[rows],
        oracle_X=X,
        oracle_y=cohort.positive[rows],
        drivers=None,
        targets=(
            Target("evaluable", _in_double(cohort, evaluable), event[evaluable]),
            Target("truth", _in_double(cohort, test), cohort.positive[test]),
        ),
        labels=LabelTarget(_in_double(cohort, seen), cohort.positive[seen], then.y[seen]),
    )


def _in_double(cohort: AutismCohort, rows: NDArray[np.bool_]) -> Array:
    return cohort.X[rows].astype(np.float64)


def _floor_times(cohort: AutismCohort) -> tuple[Labels, Array, Array]:
    """Give children who were not yet born a day, because methods need times above zero."""
    y, time, follow_up = cohort.observe(EARLY_END)
    return y, np.maximum(time, _ONE_DAY), np.maximum(follow_up, _ONE_DAY)


def _real(world: str, seed: int, options: Options) -> Sample:
    """Fit on what was known of training people at the earlier endpoint, score test people with what is known now."""
    return _from_split(split_cohort(COHORT_WORLDS[world], seed))


def _from_split(cohort: SplitCohort) -> Sample:
    X, then = cohort.X, cohort.then
    rows = cohort.training & then.entered
    later, test = cohort.training & then.scorable, ~cohort.training & then.scorable
    return Sample(
        X=X[rows],
        y=then.y[rows],
        time=then.time[rows],
        follow_up=then.follow_up[rows],
        oracle_X=X[later],
        oracle_y=then.positive[later],
        drivers=None,
        targets=(Target("scorable", X[test], then.positive[test]),),
        labels=LabelTarget(X[test], then.positive[test], then.y[test]),
        eventual_share=(X[~cohort.training & then.entered], cohort.eventual_share),
    )


def _field(world: str, seed: int, options: Options) -> Sample:
    """As in the other studies, with labels of new people, the level of those to learn from, and weights of cohorts."""
    if world not in SURVSET_WORLDS:
        cohort, fresh = _simulate_twice(world, seed, options)
        return replace(
            _from_cohorts(cohort, fresh),
            eventual_share=(fresh.X, float(fresh.positive.mean())),
            held_out=HeldOut(fresh.X, fresh.y, fresh.follow_up),
            learned_share=float(cohort.positive.mean()),
        )
    split = split_survset(SURVSET_WORLDS[world], seed)
    sample, then = _from_split(split), split.then
    test = ~split.training & then.entered
    (target,) = sample.targets
    return replace(
        sample,
        targets=(replace(target, weight=then.weight[~split.training & then.scorable]),),
        held_out=HeldOut(split.X[test], then.y[test], then.follow_up[test]),
        learned_share=split.learned_share,
        horizon=split.horizon,
        oracle_weight=then.weight[split.training & then.scorable],
    )


_MAKERS: dict[str, Callable[[str, int, Options], Sample]] = {
    "diabetes": _diabetes,
    "autism": _autism,
    "cohorts": _real,
    "field": _field,
}


def _drop_constant_columns(sample: Sample) -> Sample:
    """Leave out columns that never vary among those to learn from: a rare category may fall into the test part."""
    varies = np.ones(sample.X.shape[1], dtype=bool)
    for features in (sample.X, sample.oracle_X):
        varies &= features.max(axis=0) > features.min(axis=0)
    if varies.all():
        return sample
    keep = np.flatnonzero(varies)
    drivers = None if sample.drivers is None else tuple(int(np.searchsorted(keep, column)) for column in sample.drivers)
    shared, held_out = sample.eventual_share, sample.held_out
    return replace(
        sample,
        X=sample.X[:, keep],
        oracle_X=sample.oracle_X[:, keep],
        drivers=drivers,
        targets=tuple(replace(target, X=target.X[:, keep]) for target in sample.targets),
        labels=replace(sample.labels, X=sample.labels.X[:, keep]),
        eventual_share=None if shared is None else (shared[0][:, keep], shared[1]),
        held_out=None if held_out is None else replace(held_out, X=held_out.X[:, keep]),
    )
