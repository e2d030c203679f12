import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from whether.evaluate import (
    bootstrap_interval,
    calibration_curve,
    censored_calibration_curve,
)


def test_true_risks_lie_on_the_diagonal(world):
    curve = calibration_curve(world.positive, world.p, level=0.9999999)
    assert np.all((curve.lower <= curve.predicted) & (curve.predicted <= curve.upper))
    assert curve.count.sum() == world.p.size


def test_true_risks_lie_on_the_diagonal_under_censoring_too(world):
    curve = censored_calibration_curve(world.y, world.p, time=world.time, level=0.9999999)
    # Within a group times still depend on x a little, and follow-up does not: Kaplan and Meier's curve holds.
    assert np.all((curve.lower - 0.01 <= curve.predicted) & (curve.predicted <= curve.upper + 0.01))


def test_a_group_without_events_has_an_upper_limit():
    y = np.repeat([0, 1], [30, 30])
    time = np.concatenate([np.repeat([1.0, 5.0], [10, 20]), np.linspace(0.1, 2, 30)])
    curve = censored_calibration_curve(y, 0.1 + 0.8 * y, time=time, n_groups=2)
    assert curve.observed[0] == curve.lower[0] == 0
    # Twenty people were followed to the last event: the probability that none of them had it is 2.5 %.
    assert (1 - curve.upper[0]) ** 20 == pytest.approx(0.025)
    nobody = censored_calibration_curve(y, 0.1 + 0.8 * y, time=time, n_groups=2, horizon=6.0)
    assert nobody.upper[0] == 1


def test_a_risk_that_is_half_the_truth_leaves_the_diagonal(world):
    curve = censored_calibration_curve(world.y, world.p / 2, time=world.time)
    assert curve.lower[-1] > curve.predicted[-1]


def test_tied_risks_make_fewer_groups():
    curve = calibration_curve([0, 1, 1, 0], [0.2, 0.2, 0.7, 0.7])
    assert curve.predicted.tolist() == pytest.approx([0.2, 0.7])


def test_the_interval_of_a_mean_has_its_known_width(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    interval = bootstrap_interval(np.mean, rng.normal(size=400), rng=rng, n_resamples=400)
    assert interval.standard_error == pytest.approx(1 / 20, rel=0.35)
    assert interval.lower < interval.estimate < interval.upper


def test_rows_of_one_group_are_drawn_together(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    group = np.repeat(np.arange(50), 20)
    values = rng.normal(size=50)[group]  # the same within a group: 50 numbers, not 1,000
    together = bootstrap_interval(np.mean, values, rng=rng, groups=group, n_resamples=200)
    apart = bootstrap_interval(np.mean, values, rng=rng, n_resamples=200)
    assert together.standard_error > 2 * apart.standard_error


def test_resamples_without_a_class_are_counted_not_hidden(global_random_seed):
    def needs_both(y):
        if len(set(y)) < 2:
            raise ValueError("one class")
        return float(np.mean(y))

    rng = np.random.default_rng(global_random_seed)
    interval = bootstrap_interval(needs_both, np.array([0, 0, 1]), rng=rng, n_resamples=200)
    assert 20 < interval.n_failed < 130  # expected (8 + 1) / 27 of 200


def test_only_groups_with_nobody_or_enough_of_either_kind_are_drawn():
    matplotlib.use("Agg")
    positive, risk = np.r_[np.arange(40) < 5, np.arange(40) < 20], np.r_[np.full(40, 0.2), np.full(40, 0.6)]
    curve = calibration_curve(positive, risk, n_groups=2)
    for fewest, drawn in ((11, [0.6]), (0, [0.2, 0.6])):
        figure = curve.plot(suppress_below=fewest)
        points = figure.axes[0].containers[0].lines[0]
        assert points.get_xdata() == pytest.approx(drawn)
        plt.close(figure)
