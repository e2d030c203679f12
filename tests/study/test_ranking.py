"""Mean ranks, and the distance that chance leaves between them."""

import math

import pytest

from whether.study.plan import STUDIES
from whether.study.ranking import critical_distance, rank_methods

WORLDS = ("w1", "w2", "w3", "w4")
# By hand: ranks of a are 1, 1, 1.5, 1, of b 2, 3, 1.5, 3, of c 3, 2, 3, 2.
SCORES = {"a": (0.9, 0.8, 0.7, 0.9), "b": (0.8, 0.6, 0.7, 0.5), "c": (0.7, 0.7, 0.6, 0.6)}


@pytest.fixture
def scores():
    return {(world, label): value for label, row in SCORES.items() for world, value in zip(WORLDS, row, strict=True)}


def test_mean_ranks_of_an_example_by_hand(scores):
    found = rank_methods(scores, list(SCORES), more_is_better=True)
    assert found.labels == ("a", "b", "c")
    assert found.mean_ranks == (4.5 / 4, 9.5 / 4, 10 / 4)
    assert found.n_worlds == 4
    # Friedman's statistic with the correction for the one tie, and its chi-squared with two degrees of freedom.
    statistic = (12 / (4 * 3 * 4) * (4.5**2 + 9.5**2 + 10**2) - 3 * 4 * 4) / (1 - 6 / (4 * 3 * 8))
    assert found.p_value == pytest.approx(math.exp(-statistic / 2))


def test_where_less_is_better_the_order_turns_round(scores):
    found = rank_methods(scores, list(SCORES), more_is_better=False)
    assert found.labels == ("c", "b", "a")
    assert found.rank_of("a") == 4 - 4.5 / 4
    assert found.rank_of("nobody") is None


@pytest.mark.parametrize(
    ("n_methods", "n_worlds", "distance"),
    [(4, 14, 2.569 * math.sqrt(4 * 5 / (6 * 14))), (10, 30, 3.164 * math.sqrt(10 * 11 / (6 * 30)))],
)
def test_critical_distances_are_those_of_the_published_table(n_methods, n_worlds, distance):
    assert critical_distance(n_methods, n_worlds) == pytest.approx(distance, rel=1e-3)


def test_a_bar_joins_the_longest_runs_that_chance_may_have_parted(scores):
    found = rank_methods(scores, list(SCORES), more_is_better=True)
    assert found.critical_distance > 1.4
    assert found.cliques == [(0, 2)]


def test_a_method_that_failed_too_often_is_named_and_not_ranked(scores):
    del scores["w2", "b"]
    found = rank_methods(scores, list(SCORES), more_is_better=True)
    assert found.labels == ("a", "c")
    assert found.not_ranked == (("b", 1),)
    assert found.n_worlds == 4
    assert math.isnan(found.p_value)


def test_one_world_or_one_method_makes_no_ranking(scores):
    assert rank_methods(scores, ["a"], more_is_better=True) is None
    alone = {key: value for key, value in scores.items() if key[0] == "w1"}
    assert rank_methods(alone, list(SCORES), more_is_better=True) is None


def test_groups_are_worlds_of_their_study():
    for study in STUDIES.values():
        assert {world for group in study.groups for world in group.worlds} <= set(study.worlds)
