"""The rule for small counts."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pytest

from whether.evaluate import Interval
from whether.facts import Expected, OfFeature, People, Personal, RestsOn
from whether.telling.disclosure import Disclosure, disclose, is_told

RULE = Disclosure(11)


@pytest.mark.parametrize("kinds", [1, 2])
def test_merged_bins_hold_nobody_or_enough_and_lose_nobody(global_random_seed, kinds):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(100):
        counts = rng.poisson(rng.choice([0.3, 3.0, 30.0]), size=(rng.integers(1, 30), kinds))
        runs = RULE.merge(counts)
        if not runs:
            assert not RULE.allows(*counts.sum(axis=0))
            continue
        assert runs[0].start == 0
        assert runs[-1].stop == len(counts)
        assert all(before.stop == after.start for before, after in pairwise(runs))
        assert all(RULE.allows(*counts[run].sum(axis=0)) for run in runs)


def test_bins_that_are_large_enough_stay_as_they_are():
    assert RULE.merge(np.array([[11], [0], [40]])) == [slice(0, 1), slice(1, 2), slice(2, 3)]


def test_bins_that_are_too_small_even_together_are_not_shown():
    assert RULE.merge(np.array([[3], [4]])) == []


@pytest.mark.parametrize(("count", "shown"), [(0, "0"), (1, "<11"), (10, "<11"), (11, "11"), (1234, "1,234")])
def test_small_counts_are_not_told(count, shown):
    assert RULE.count(count) == shown


@pytest.mark.parametrize("off", [0, 1])
def test_everything_is_told_where_suppression_is_off(off):
    rule = Disclosure(off)
    assert rule.count(1) == "1"
    assert rule.merge(np.array([[1], [2]])) == [slice(0, 1), slice(1, 2)]


@dataclass(frozen=True)
class Parts:
    """Some of the people, and what rests on them."""

    n_part: Annotated[int, People("people")]
    share: Annotated[float, RestsOn(("n_part",))]
    longest: Annotated[float, Personal(2)]
    unseen: Annotated[float, Expected()]
    n_starts: int = 4


@dataclass(frozen=True)
class Few:
    """An expected number with its ends."""

    unseen: Annotated[Interval, Expected()]


@dataclass(frozen=True)
class Effect:
    """Something that is said of a feature."""

    feature: Annotated[str, OfFeature()]
    z: float


def rule(people=100, events=50, **marks):
    return Disclosure(11, {"people": (people, math.inf), "events": (events, people)}, marks)


@pytest.mark.parametrize("n_part", [1, 10, 90, 99])
def test_a_small_part_its_complement_and_what_rests_on_them_are_withheld(n_part):
    told = rule().tell(Parts(n_part, n_part / 100, 1.0, 3.0))
    assert str(told.n_part) == ("fewer than 11" if n_part < 50 else "nearly all")
    assert not is_told(told.share)


@pytest.mark.parametrize("n_part", [0, 11, 50, 89, 100])
def test_nobody_everybody_and_enough_are_told(n_part):
    told = rule().tell(Parts(n_part, n_part / 100, 1.0, 3.0))
    assert (told.n_part, told.share) == (n_part, n_part / 100)


def test_what_is_about_the_computation_is_never_withheld():
    assert rule().tell(Parts(3, 0.03, 1.0, 3.0)).n_starts == 4


def test_one_persons_value_is_rounded():
    assert rule().tell(Parts(50, 0.5, 1234.567, 3.0)).longest == 1200.0


@pytest.mark.parametrize(("events", "told"), [(50, 3.4), (5, 3.0), (0, 3.4)])
def test_an_expected_number_is_a_whole_one_where_it_would_tell_how_few_have_the_event(events, told):
    assert rule(events=events).tell(Parts(50, 0.5, 1.0, 3.4)).unseen == told


@pytest.mark.parametrize(("events", "dead", "told"), [(50, 5, 50.0), (50, 0, 50.0), (50, 20, 30.0), (5, 20, 80.0)])
def test_an_end_that_would_tell_how_few_have_it_or_died_counts_them_in(events, dead, told):
    groups = {"people": (100, math.inf), "events": (events, 100), "dead": (dead, 100)}
    found = Interval(20.0, 3.0, 100.0 - events - dead, math.nan)
    assert Disclosure(11, groups).tell(Few(found)).unseen == replace(found, upper=told)


def test_an_expected_number_of_a_few_people_is_withheld():
    assert not is_told(rule(events=95).tell(Parts(50, 0.5, 1.0, 3.4)).unseen)


def test_nothing_is_said_of_a_feature_that_marks_a_few():
    effects = (Effect("common", 2.0), Effect("rare", 3.0))
    assert rule(common=40, rare=3).tell(effects) == effects[:1]


def test_a_group_that_nobody_knows_is_a_mistake_and_not_told():
    with pytest.raises(KeyError, match="people"):
        Disclosure(11).tell(Parts(3, 0.03, 1.0, 3.0))


def test_a_fact_is_told_as_it_is_where_suppression_is_off():
    fact = Parts(3, 0.03, 1234.567, 3.4)
    assert Disclosure(0).tell(fact) is fact


@pytest.mark.parametrize(("rows_each", "fewest"), [((), 11), ((2,) * 197, 21), ((40, *(1,) * 60), 50), ((5, 5), 11)])
def test_where_rows_are_counted_it_takes_more_than_few_people_can_have(rows_each, fewest):
    fact = SimpleNamespace(origin=SimpleNamespace(rows_each=rows_each), evidence=None)
    assert disclose(fact, 11).fewest == fewest
    assert disclose(fact, 0).fewest == 0
