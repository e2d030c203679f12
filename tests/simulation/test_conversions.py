"""The simulated log of clicks and conversions, and event times in pieces."""

import numpy as np
import pytest

from whether.simulation import SHAPE_WORLDS, simulate, simulate_conversion_log
from whether.simulation.conversions import DAY, WINDOW
from whether.simulation.noise import PieceNoise


def test_conversions_come_after_the_click_and_within_the_window(global_random_seed):
    table = simulate_conversion_log(3000, seed=global_random_seed).table
    delay = (table["conversion"] - table["click"]).dropna().to_numpy(dtype=float)
    assert delay.min() >= 0
    assert delay.max() <= WINDOW * DAY + 2  # both are in whole seconds
    assert table["click"].is_monotonic_increasing


def test_a_fifth_converts_as_the_truth_says(global_random_seed):
    log = simulate_conversion_log(4000, seed=global_random_seed)
    converted, p = log.table["conversion"].notna().to_numpy(), log.conversion_proba
    assert abs(converted.mean() - p.mean()) < 5 * np.sqrt((p * (1 - p)).sum()) / p.size
    assert 0.15 < p.mean() < 0.3


def test_the_same_seed_is_the_same_log():
    first, second = (simulate_conversion_log(200, seed=5).table for _ in range(2))
    assert first.equals(second)


def test_pieces_have_nothing_between_them_and_quantiles_undo_them():
    noise = PieceNoise(((-2.0, -1.0, 0.25), (0.0, 0.0, 0.25), (1.0, 3.0, 0.5)))
    levels = np.linspace(0.01, 0.99, 99)
    values = noise.quantile(levels)
    assert not ((values > -1) & (values < 0)).any()
    assert not ((values > 0) & (values < 1)).any()
    smooth = values != 0
    np.testing.assert_allclose(noise.cdf(values)[smooth], levels[smooth], atol=1e-12)
    np.testing.assert_allclose(noise.cdf(np.array([-3.0, -0.5, 0.0, 4.0])), [0, 0.25, 0.5, 1])


@pytest.mark.parametrize("world", SHAPE_WORLDS)
def test_worlds_of_pieces_label_as_their_propensity_says(world, global_random_seed):
    cohort = simulate(world, n=4000, seed=global_random_seed)
    labeled, expected = cohort.y[cohort.positive == 1], cohort.propensity[cohort.positive == 1]
    assert abs(labeled.mean() - expected.mean()) < 5 * 0.5 / np.sqrt(labeled.size)
