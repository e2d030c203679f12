"""Whether labels go with the length of follow-up: the test keeps its level, and sees what a clock explains."""

import numpy as np
import pytest

import whether as wh
from whether.advise.evidence.material import gather
from whether.advise.evidence.seen_longer import check_seen_longer

N_RUNS = 200


def draw(rng, chance, curve):
    """People whose follow-up depends on a feature of the risk, and whose labels do not depend on follow-up."""
    x = rng.normal(size=(500, 2))
    logit = x[:, 0] + 0.5 * x[:, 1] + curve * (x[:, 0] ** 2 - 1)
    y = rng.random(500) < chance / (1 + np.exp(-logit))
    return gather(x, y.astype(int), follow_up=np.exp(0.5 * x[:, 0] + 0.5 * rng.normal(size=500)))


@pytest.mark.parametrize(("chance", "curve"), [(1.0, 0.0), (0.5, 0.0), (1.0, 0.5)])
def test_labels_that_do_not_depend_on_follow_up_are_seldom_said_to(global_random_seed, chance, curve):
    rng = np.random.default_rng(global_random_seed)
    rejected = np.mean([check_seen_longer(draw(rng, chance, curve)).rejects() for _ in range(N_RUNS)])
    assert rejected < 0.05 + 4.5 * np.sqrt(0.05 * 0.95 / N_RUNS)


def test_labels_that_follow_up_cuts_short_are_found():
    cohort = wh.simulate("partially-dependent", n=1000, seed=0)
    assert check_seen_longer(gather(cohort.X, cohort.y, follow_up=cohort.follow_up)).p_value < 1e-6


def test_without_follow_up_or_without_differences_in_it_nothing_is_tested():
    cohort = wh.simulate("partially-dependent", n=500, seed=0)
    assert not check_seen_longer(gather(cohort.X, cohort.y)).was_run
    assert not check_seen_longer(gather(cohort.X, cohort.y, follow_up=np.full(500, 2.0))).was_run
