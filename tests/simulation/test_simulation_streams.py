"""Which draws depend on which: seeds, replay and common random numbers."""

from zlib import crc32

import numpy as np
import pytest

from whether.simulation import WORLDS, simulate

FIELDS = ["X", "y", "time", "follow_up", "positive", "outcome_proba", "propensity", "event_time"]
SEEDS: list[int | np.random.SeedSequence] = [8, np.random.SeedSequence(8), np.random.SeedSequence(8).spawn(3)[2]]
SEED_NAMES = ["int", "sequence", "spawned sequence"]
# Every world with one seed, and one world with every kind of seed: streams do not know of worlds.
CASES = [*((name, 8) for name in WORLDS), *(("baseline", seed) for seed in SEEDS[1:])]
SAME_OUTCOME_SIGNAL = [name for name, world in WORLDS.items() if world.outcome == WORLDS["baseline"].outcome]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_replay_gives_identical_bytes(name: str, seed: int | np.random.SeedSequence) -> None:
    first, second = simulate(name, n=200, seed=seed), simulate(name, n=200, seed=seed)
    for field in FIELDS:
        assert getattr(first, field).tobytes() == getattr(second, field).tobytes()


def test_simulating_does_not_advance_a_seed_sequence() -> None:
    seed = np.random.SeedSequence(8)
    simulate("baseline", n=10, seed=seed)
    assert seed.n_children_spawned == 0


def test_an_int_seed_is_the_sequence_made_from_it() -> None:
    first, second = (simulate("baseline", n=50, seed=seed) for seed in SEEDS[:2])
    np.testing.assert_array_equal(first.X, second.X)


def test_different_seeds_give_different_cohorts() -> None:
    seeds: list[int | np.random.SeedSequence] = [8, 9, *np.random.SeedSequence(8).spawn(2)]
    columns = [simulate("baseline", n=50, seed=seed).X[:, 0] for seed in seeds]
    assert len({column.tobytes() for column in columns}) == 4


@pytest.mark.parametrize(
    ("name", "seed"), [case for case in CASES if not WORLDS[case[0]].censoring.features and "wide" not in case[0]]
)
def test_follow_up_is_uncorrelated_with_every_feature(name: str, seed: int | np.random.SeedSequence) -> None:
    cohort = simulate(name, n=20_000, seed=seed)
    log_follow_up = np.log(cohort.follow_up)
    for column in cohort.X.T:
        # Under independence a correlation has standard error 1 / sqrt(n).
        assert abs(np.corrcoef(column, log_follow_up)[0, 1]) < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("seed", SEEDS, ids=SEED_NAMES)
def test_follow_up_is_a_function_of_the_features_in_dependent_censoring(seed: int | np.random.SeedSequence) -> None:
    cohort = simulate("dependent-censoring", seed=seed)
    np.testing.assert_allclose(np.log(cohort.follow_up), -2 * cohort.X[:, 3], atol=1e-12)


@pytest.mark.parametrize("name", WORLDS)
def test_all_worlds_share_the_first_four_features(name: str) -> None:
    np.testing.assert_array_equal(simulate(name, n=100, seed=9).X[:, :4], simulate("baseline", n=100, seed=9).X)


def test_wider_world_begins_with_the_features_of_the_narrower() -> None:
    np.testing.assert_array_equal(simulate("wide-256", n=50).X[:, :50], simulate("wide-50", n=50).X)


@pytest.mark.parametrize("name", SAME_OUTCOME_SIGNAL)
def test_positives_differ_only_where_the_intercept_does(name: str) -> None:
    cohort, baseline = simulate(name, n=1000, seed=9), simulate("baseline", n=1000, seed=9)
    direction = np.sign(cohort.world.outcome_intercept)
    # One uniform decides in both worlds, so nobody moves against the intercept.
    assert np.all((cohort.positive - baseline.positive) * direction >= 0)
    if direction == 0:
        np.testing.assert_array_equal(cohort.positive, baseline.positive)


@pytest.mark.parametrize("name", ["low-susceptibility", "partially-dependent", "positive-correlation"])
def test_worlds_that_leave_follow_up_alone_share_it(name: str) -> None:
    cohort, baseline = simulate(name, n=100, seed=9), simulate("baseline", n=100, seed=9)
    np.testing.assert_array_equal(cohort.follow_up, baseline.follow_up)


@pytest.mark.parametrize("name", ["varied-censoring", "centered-censoring", "short-follow-up", "two-humps"])
def test_follow_up_keeps_its_order_where_only_its_distribution_changes(name: str) -> None:
    cohort, baseline = simulate(name, n=100, seed=9), simulate("baseline", n=100, seed=9)
    np.testing.assert_array_equal(np.argsort(cohort.follow_up), np.argsort(baseline.follow_up))


def test_unobserved_frailty_leaves_the_labels_as_they_are() -> None:
    with_frailty, without = simulate("informative-censoring", seed=9), simulate("noisy-times", seed=9)
    np.testing.assert_array_equal(with_frailty.y, without.y)


def test_unobserved_frailty_ties_event_time_to_follow_up() -> None:
    cohort = simulate("informative-censoring", n=20_000, seed=9)
    assert np.corrcoef(np.log(cohort.event_time), np.log(cohort.follow_up))[0, 1] > 0.15


def test_smaller_cohort_is_the_beginning_of_a_larger() -> None:
    small, large = simulate("two-humps", n=50, seed=9), simulate("two-humps", n=500, seed=9)
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(small, field), getattr(large, field)[:50])


def test_no_two_stream_names_share_a_key() -> None:
    names = ["outcome", "event time", "hump", "censoring", "frailty", "reporting"]
    names += ["death", "entry", "registry", "visit", "exact date"]
    names += ["cluster size", "cluster outcome", "cluster event time"]
    names += [f"feature x{number}" for number in range(1, 257)]
    assert len({crc32(name.encode()) for name in names}) == len(names)
