"""The stand-in has the published counts and shape, and one stream per draw."""

import numpy as np
import pytest

from whether.simulation import AUTISM_WORLDS, simulate, simulate_autism
from whether.simulation.autism import AutismCohort
from whether.simulation.autism_children import EARLY_END, LATE_END
from whether.simulation.autism_codes import count_codes
from whether.simulation.streams import Streams

N_CHILDREN = 55_229


@pytest.fixture
def without_codes(monkeypatch):
    """Make cohorts whose features were left out, which is what takes long."""
    monkeypatch.setattr("whether.simulation.autism._features", lambda children, rows, seed: np.empty((rows.size, 0)))
    return lambda name, seed: simulate_autism(AUTISM_WORLDS[name], seed=seed)


def count(cohort: AutismCohort) -> dict[str, float]:
    early, late = cohort.observe(EARLY_END)[0], cohort.observe(LATE_END)[0]
    eligible, training = cohort.is_seen_after_24_months(EARLY_END), cohort.split == "train"
    return {
        "percent diagnosed": 100 * late.mean(),
        "diagnosed in training": early[training].sum(),
        "eligible": eligible.sum(),
        "diagnosed of the eligible": early[eligible].sum(),
    }


# Published values, with the standard deviation of one cohort. The mean of eight cohorts scatters by a third of it.
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("autism-split", {"percent diagnosed": (3.42, 0.08), "diagnosed in training": (424, 23)}),
        (
            "autism-literal",
            {"percent diagnosed": (3.42, 0.08), "eligible": (33_137, 93), "diagnosed of the eligible": (424, 20)},
        ),
    ],
)
def test_published_counts_come_out_within_two_standard_deviations(without_codes, name, published, global_random_seed):
    counts = [count(without_codes(name, 1000 * global_random_seed + number)) for number in range(8)]
    for what, (value, spread) in published.items():
        assert abs(np.mean([found[what] for found in counts]) - value) <= 2 * spread, what


def test_the_cohort_has_the_published_size_and_split(without_codes):
    cohort = without_codes("autism-split", 0)
    sizes = [np.count_nonzero(cohort.split == part) for part in ("train", "validation", "test")]
    assert (cohort.positive.size, *sizes) == (N_CHILDREN, 33_137, 11_045, 11_047)


def test_readings_share_the_draws_that_they_do_not_change():
    first, second = (simulate_autism(AUTISM_WORLDS[name], n=600, seed=5) for name in AUTISM_WORLDS)
    shared = np.isin(first.birth, second.birth)
    assert shared.mean() > 0.98  # the readings leave out other children, those diagnosed before age two
    where = np.searchsorted(second.birth, first.birth[shared], sorter=np.argsort(second.birth))
    match = np.argsort(second.birth)[where]
    np.testing.assert_array_equal(first.X[shared], second.X[match])
    np.testing.assert_array_equal(first.last_visit[shared], second.last_visit[match])


def test_a_smaller_cohort_is_the_beginning_of_a_larger_one():
    small, large = (simulate_autism(n=n, seed=6) for n in (150, 400))
    np.testing.assert_allclose(small.X, large.X[:150], rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(small.event_time, large.event_time[:150])


def test_simulate_returns_eligible_children_as_known_at_the_early_endpoint():
    cohort = simulate("autism-split", n=300, seed=7)
    assert cohort.X.shape == (300, 262)
    assert np.all((cohort.time > 0) & (cohort.time <= cohort.follow_up))
    np.testing.assert_array_equal(cohort.y, cohort.positive & (cohort.event_time <= cohort.follow_up))
    whole = simulate_autism(n=700, seed=7)
    eligible = whole.is_seen_after_24_months(EARLY_END)
    y, time, follow_up = (values[eligible][:300] for values in whole.observe(EARLY_END))
    np.testing.assert_array_equal(cohort.y, y)
    np.testing.assert_array_equal(cohort.time, time)
    np.testing.assert_array_equal(cohort.follow_up, follow_up)


def test_features_reflect_the_factors_behind_risk():
    cohort = simulate_autism(n=4000, seed=8)
    risk = np.log(cohort.outcome_proba / (1 - cohort.outcome_proba))
    design = np.column_stack([np.ones(4000), cohort.X])
    half = slice(0, 2000), slice(2000, None)
    coefficients = np.linalg.lstsq(design[half[0]], risk[half[0]], rcond=1e-6)[0]
    # A correlation of zero scatters by 0.02; factors are recovered with R2 of about one half.
    assert np.corrcoef(design[half[1]] @ coefficients, risk[half[1]])[0, 1] > 0.3


def test_number_of_codes_follows_its_distribution():
    streams = Streams(9, 40_000)
    counts = count_codes(np.zeros(40_000), streams)
    # Poisson of mean 60 Gamma(2, 1/2): mean 60, variance 60 + 3600 / 2; the floor of three adds next to nothing.
    assert abs(counts.mean() - 60) < 5 * np.sqrt(1860 / 40_000) + 0.01
    assert abs(counts.var() / 1860 - 1) < 0.05
    assert counts.min() == 3
