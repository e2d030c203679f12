"""Where trees start: what held-out people say, and what they cannot tell."""

from types import SimpleNamespace

import numpy as np
import pytest

from whether.learners.boosted.boosted_fit import Offset
from whether.learners.boosted.comparison import MOST_APART, OffsetComparison

LINE, LEVEL = (Offset(name, None, np.arange(2), np.zeros(2)) for name in ("linear", "level"))


@pytest.fixture
def compare():
    """Function that compares held-out people to whom each start, and its trees, give the same gain but for noise."""

    def make(*, line, line_trees, level_trees, noise=1.0):
        comparison, rng = OffsetComparison(6_000), np.random.default_rng(0)
        nothing = rng.normal(size=1_000)
        wave = noise * np.tile([1.0, -1.0], 500)
        for name, first, best in (("linear", line, line + line_trees), ("level", 0.0, level_trees)):
            at_first, at_best = nothing + first, nothing + best + (wave if name == "linear" else 0.0)
            comparison.add(name, SimpleNamespace(best_values=at_best, first_values=at_first, best_round=9, path=[]))
        return comparison

    return make


def test_a_line_that_trees_hardly_improve_stays(compare):
    assert compare(line=0.1, line_trees=0.0, level_trees=0.1).choose(LINE, LEVEL, apart=0.0) is LINE


def test_but_not_where_it_puts_the_mean_risk_far_apart(compare):
    # Such a line has taken times for risks: labels are predicted as well by it.
    undecided = compare(line=0.1, line_trees=0.0, level_trees=0.1)
    assert not undecided.decided
    assert undecided.choose(LINE, LEVEL, apart=MOST_APART + 0.01) is LEVEL


def test_unless_held_out_people_insist(compare):
    decided = compare(line=0.3, line_trees=0.0, level_trees=0.1)
    assert decided.decided
    assert decided.choose(LINE, LEVEL, apart=0.5) is LINE
