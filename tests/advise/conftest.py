"""Cohorts of known kinds, and their evidence, examined once."""

from functools import lru_cache

import pytest

import whether as wh


@lru_cache(maxsize=32)
def examined(world, seed, n=None, known=("time", "follow_up")):
    cohort = wh.simulate(world, n=n, seed=seed)
    return wh.examine(cohort.X, cohort.y, **{name: getattr(cohort, name) for name in known})


@pytest.fixture
def examine_world(global_random_seed):
    """Evidence on a cohort of a world: ``examine_world("baseline", known=("time",))``."""
    return lambda world, **settings: examined(world, global_random_seed, **settings)
