"""The rule for small counts."""

from itertools import pairwise

import numpy as np
import pytest

from whether.telling.disclosure import Disclosure

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


def test_a_total_does_not_give_hidden_cells_back(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(100):
        counts = rng.poisson(rng.choice([1.0, 20.0]), size=(5, 4))
        hidden = RULE.hide_cells(counts)
        assert not ((counts > 0) & (counts < 11) & ~hidden).any()
        # Either nothing is hidden, or enough people are, or everything is.
        assert RULE.allows(counts[hidden].sum()) or not counts[~hidden].any()


@pytest.mark.parametrize(("count", "shown"), [(0, "0"), (1, "<11"), (10, "<11"), (11, "11"), (1234, "1,234")])
def test_small_counts_are_not_told(count, shown):
    assert RULE.count(count) == shown


@pytest.mark.parametrize("off", [0, 1])
def test_everything_is_told_where_suppression_is_off(off):
    rule = Disclosure(off)
    assert rule.count(1) == "1"
    assert rule.merge(np.array([[1], [2]])) == [slice(0, 1), slice(1, 2)]
    assert rule.scrub("3 people, 12.34 years", [12.34]) == "3 people, 12.34 years"


def test_sentences_lose_small_counts_and_times_of_single_persons():
    text = "with 7 people followed beyond the longest (19.34), 4 unlabeled people and 120 people at 1.7 events"
    assert RULE.scrub(text, [19.34]) == (
        "with <11 people followed beyond the longest (about 19), <11 unlabeled people and 120 people at 1.7 events"
    )
