"""Incidence without a model: the level of kernel-weighted curves of events."""

import numpy as np
import pytest
from scipy.special import expit

import whether as wh
from whether.kernel_survival import nonparametric_incidence
from whether.survival import kaplan_meier


@pytest.fixture
def people(global_random_seed):
    """A feature that drives the risk, label and time of 600 people, followed long enough."""
    rng = np.random.default_rng([global_random_seed, 71])
    x = rng.uniform(-2, 2, 600)
    event = np.where(rng.random(600) < expit(1.2 * x), rng.exponential(1.0, 600), np.inf)
    end = rng.uniform(0.5, 15.0, 600)
    return x, event <= end, np.minimum(event, end)


def test_a_wide_bandwidth_gives_the_level_of_kaplan_and_meier(people):
    x, seen, time = people
    found = nonparametric_incidence(x, seen, time, at=[0.0], bandwidth=1e9)
    curve = kaplan_meier(seen, time)
    assert found.incidence[0] == pytest.approx(1 - curve.survival[-1], abs=1e-9)
    lower, upper = curve.interval()
    assert found.lower[0] == pytest.approx(1 - upper[-1], abs=1e-9)
    assert found.upper[0] == pytest.approx(1 - lower[-1], abs=1e-9)
    assert found.people[0] == pytest.approx(600)


def test_late_entry_and_known_negatives_give_the_curves_of_their_risk_sets(people):
    x, seen, time = people
    entry = 0.5 * time
    found = nonparametric_incidence(x, seen, time, at=[0.0], bandwidth=1e9, entry_time=entry)
    assert found.incidence[0] == pytest.approx(1 - kaplan_meier(seen, time, entry=entry).survival[-1], abs=1e-9)
    never = ~seen & (time > 8)
    found = nonparametric_incidence(x, seen, time, at=[0.0], bandwidth=1e9, known_negative=never)
    watched = kaplan_meier(seen, np.where(never, 99.0, time))
    assert found.incidence[0] == pytest.approx(1 - watched.survival[-1], abs=1e-9)


def test_the_unit_of_time_and_the_order_of_people_do_not_matter(people):
    x, seen, time = people
    places = np.linspace(-1, 1, 5)
    found = nonparametric_incidence(x, seen, time, at=places, bandwidth=0.7)
    order = np.argsort(-x)
    other = nonparametric_incidence(10 * x[order] + 3, seen[order], 365 * time[order], at=10 * places + 3, bandwidth=7)
    np.testing.assert_allclose(found.incidence, other.incidence, atol=1e-12)
    np.testing.assert_allclose(found.beyond, other.beyond, atol=1e-12)


def test_a_weight_of_two_is_two_people(people):
    x, seen, time = people
    weight = 1.0 + (np.arange(600) % 3 == 0)
    rows = np.repeat(np.arange(600), weight.astype(int))
    weighted = nonparametric_incidence(x, seen, time, at=[-1.0, 1.0], bandwidth=0.8, sample_weight=weight)
    repeated = nonparametric_incidence(x[rows], seen[rows], time[rows], at=[-1.0, 1.0], bandwidth=0.8)
    for name in ("incidence", "lower", "upper", "people", "beyond"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-9)


def test_of_levels_each_has_its_own_curve(people):
    x, seen, time = people
    kind = np.where(x > 0, "high", "low")
    found = nonparametric_incidence(kind, seen, time)
    assert found.at[:, 0].tolist() == ["high", "low"]
    assert found.bandwidth.tolist() == [0.0]
    for name, level in zip(found.at[:, 0], found.incidence, strict=True):
        assert level == pytest.approx(1 - kaplan_meier(seen[kind == name], time[kind == name]).survival[-1])
    both = nonparametric_incidence(
        np.column_stack([kind == "high", x]), seen, time, at=[[1.0, 5.0]], bandwidth=[0, 1e9]
    )
    assert both.incidence[0] == pytest.approx(found.incidence[0], abs=1e-9)


def test_the_bootstrap_bandwidth_recovers_the_risk(people):
    x, seen, time = people
    found = nonparametric_incidence(x, seen, time, at=[-1.0, 0.0, 1.0])
    assert 0 < found.bandwidth[0] <= 4
    error = np.abs(found.incidence - expit(1.2 * np.array([-1.0, 0.0, 1.0])))
    # Five standard errors, and what a bandwidth of this size smooths away.
    assert (error < 5 * (found.upper - found.lower) / 4 + 0.05 * found.bandwidth[0]).all()
    assert (found.beyond > 0).all()


def test_short_follow_up_is_seen_where_nobody_is_followed_past_the_last_event(people):
    x, seen, time = people
    cut = np.minimum(time, 0.3)
    found = nonparametric_incidence(x, seen & (time <= 0.3), cut, at=[0.0], bandwidth=1e9)
    assert found.incidence[0] < nonparametric_incidence(x, seen, time, at=[0.0], bandwidth=1e9).incidence[0]
    assert np.isnan(nonparametric_incidence(x, seen, time, at=[50.0], bandwidth=1.0).incidence[0])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"bandwidth": -1.0}, "must be 'bootstrap' or 1 number"),
        ({"bandwidth": "rule"}, "got 'rule'"),
        ({"at": ["a"]}, "both be text"),
        ({"at": [[1.0, 2.0]]}, "must have 1 column"),
    ],
)
def test_what_makes_no_sense_is_refused(people, change, text):
    with pytest.raises((wh.ArgumentError, wh.DataError), match=text):
        nonparametric_incidence(*people, **change)


def test_missing_values_and_lengths_are_refused(people):
    x, seen, time = people
    with pytest.raises(wh.DataError, match="row 1"):
        nonparametric_incidence(np.where(np.arange(600) == 1, np.nan, x), seen, time)
    with pytest.raises(wh.DataError, match="600 values"):
        nonparametric_incidence(x[:-1], seen, time)
