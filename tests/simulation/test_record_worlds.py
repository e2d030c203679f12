"""Worlds with deaths, late entry, visits, known negatives and clusters: what is written down, and what is true."""

from dataclasses import replace

import numpy as np
import pytest

from whether import MixtureCureClassifier
from whether.simulation import RECORD_WORLDS, WORLDS, SimulatedCohort, simulate
from whether.simulation.signals import Linear

RECORDS = {
    "deaths": {"competing"},
    "deaths-by-risk": {"competing"},
    "deaths-by-risk-latent": {"competing"},
    "late-entry": {"entry_time"},
    "visits": {"time_lower"},
    "never-after": {"known_negative"},
    "clusters": {"groups"},
    "late-entry-deaths": {"entry_time", "competing"},
    "visits-late-entry": {"time_lower", "entry_time"},
}
DEATHS = [name for name, records in RECORDS.items() if "competing" in records]
LATE_ENTRY = [name for name, records in RECORDS.items() if "entry_time" in records]
VISITS = [name for name, records in RECORDS.items() if "time_lower" in records]
PROPENSITY_KNOWN = ["deaths-by-risk", "visits", "never-after", "clusters"]
N = 20_000
N_TRIALS = 20_000


def assert_agree(happened: np.ndarray, probability: np.ndarray, groups: np.ndarray | None = None) -> None:
    """In each fifth by probability the mean difference is within five standard errors, those of clusters if given."""
    clusters = np.arange(len(happened)) if groups is None else groups
    for rows in np.array_split(np.argsort(probability), 5):
        sums = np.bincount(clusters[rows], weights=(happened - probability)[rows])
        # The true propensity is exact to 1e-3 only.
        assert abs(sums.sum()) <= 5 * np.sqrt(np.sum(sums**2)) + 1e-3 * len(rows)


def live_through(x: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw outcome, event time and time of death for one row of features, over and over, from what the worlds state."""
    positive = rng.random(N_TRIALS) < 1 / (1 + np.exp(0.4 - x[0] + x[1]))
    event = rng.lognormal(0.4 * x[1] + 0.5 * x[2], 0.6, N_TRIALS)
    return positive, event, rng.lognormal(0.5 - 0.5 * x[0] + 0.4 * x[1], 0.7, N_TRIALS)


@pytest.mark.parametrize("name", RECORD_WORLDS)
def test_a_cohort_carries_the_records_of_its_world_and_no_others(name: str) -> None:
    cohort = simulate(name, n=300)
    assert set(cohort.records) == RECORDS[name]
    assert all(len(values) == 300 for values in cohort.records.values())
    assert (cohort.lifetime_proba is not None) == (name in DEATHS) == (cohort.lifetime_positive is not None)
    assert (cohort.entry_proba is not None) == (name in LATE_ENTRY)
    assert cohort.X.shape == (300, 4)


@pytest.mark.parametrize("name", WORLDS)
def test_other_worlds_have_no_such_records(name: str) -> None:
    cohort = simulate(name, n=10)
    assert cohort.records == {}
    assert cohort.lifetime_positive is cohort.lifetime_proba is cohort.entry_proba is None


@pytest.mark.parametrize("name", RECORD_WORLDS)
def test_labels_are_for_positives_and_times_lie_within_follow_up(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=3000, seed=global_random_seed)
    assert np.all(cohort.y <= cohort.positive)
    assert np.all((cohort.time > 0) & (cohort.time <= cohort.follow_up) & np.isfinite(cohort.follow_up))
    assert np.all(cohort.event_time[cohort.y == 1] <= cohort.time[cohort.y == 1])


@pytest.mark.parametrize("name", [name for name in RECORD_WORLDS if name not in LATE_ENTRY])
def test_true_risk_agrees_with_the_share_of_positives(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=N, seed=global_random_seed)
    assert cohort.outcome_proba is not None
    assert_agree(cohort.positive, cohort.outcome_proba, cohort.groups)


@pytest.mark.parametrize("name", PROPENSITY_KNOWN)
def test_true_propensity_agrees_with_the_label_rate_among_positives(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=N, seed=global_random_seed)
    assert cohort.propensity is not None
    among = cohort.positive == 1
    groups = None if cohort.groups is None else cohort.groups[among]
    assert_agree(cohort.y[among], cohort.propensity[among], groups)


@pytest.mark.parametrize("name", ["deaths", "deaths-by-risk", "deaths-by-risk-latent"])
def test_true_lifetime_risk_agrees_with_the_share_whose_event_comes_first(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=N, seed=global_random_seed)
    assert cohort.lifetime_positive is not None
    assert cohort.lifetime_proba is not None
    assert_agree(cohort.lifetime_positive, cohort.lifetime_proba)


def test_true_lifetime_risk_agrees_with_lives_drawn_by_other_means(global_random_seed: int) -> None:
    rng = np.random.default_rng(global_random_seed)
    cohort = simulate("deaths-by-risk-latent", n=10, seed=global_random_seed)
    assert cohort.lifetime_proba is not None
    for x, risk in zip(cohort.X, cohort.lifetime_proba, strict=True):
        positive, event, death = live_through(x, rng)
        assert abs(np.mean(positive & (event < death)) - risk) <= 5 * np.sqrt(risk * (1 - risk) / N_TRIALS) + 1e-3


def test_where_deaths_are_not_latent_the_only_truth_is_that_of_the_lifetime() -> None:
    cohort = simulate("deaths-by-risk", n=500)
    np.testing.assert_array_equal(cohort.lifetime_proba, cohort.outcome_proba)
    np.testing.assert_array_equal(cohort.lifetime_positive, cohort.positive)


@pytest.mark.parametrize("name", DEATHS)
def test_nobody_dies_with_the_event_and_the_dead_are_not_followed_further(name: str) -> None:
    cohort = simulate(name, n=3000)
    assert cohort.competing is not None
    assert cohort.lifetime_positive is not None
    assert 0.1 < cohort.competing.mean() < 0.4
    assert not np.any(cohort.competing & (cohort.y == 1))
    assert not np.any(cohort.competing & (cohort.lifetime_positive == 1))
    assert np.all(cohort.time[cohort.competing] < cohort.follow_up[cohort.competing])  # as planned, had they lived


@pytest.mark.parametrize(("name", "driven"), [("deaths", False), ("deaths-by-risk-latent", True)])
def test_deaths_go_with_the_risk_only_where_the_world_says_so(name: str, driven: bool, global_random_seed: int) -> None:
    people = replace(RECORD_WORLDS[name].people, outcome=Linear(), outcome_intercept=-50.0)
    cohort = simulate(replace(RECORD_WORLDS[name], people=people), n=N, seed=global_random_seed)
    assert cohort.competing is not None
    correlation = np.corrcoef(cohort.competing, cohort.X[:, 0])[0, 1]
    assert (correlation > 0.1) if driven else (abs(correlation) < 5 / np.sqrt(N))


@pytest.mark.parametrize("name", LATE_ENTRY)
def test_everybody_comes_in_before_anything_happened(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=3000, seed=global_random_seed)
    assert cohort.entry_time is not None
    assert len(cohort.y) == 3000
    assert 0.3 < np.mean(cohort.entry_time > 0) < 0.9
    assert np.all((cohort.entry_time >= 0) & (cohort.entry_time < cohort.time))
    assert np.all(cohort.entry_time[cohort.positive == 1] < cohort.event_time[cohort.positive == 1])


@pytest.mark.parametrize("name", LATE_ENTRY)
def test_true_risk_at_entry_agrees_with_the_share_of_positives(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=N, seed=global_random_seed)
    assert cohort.entry_proba is not None
    assert_agree(cohort.positive, cohort.entry_proba)


@pytest.mark.parametrize("name", LATE_ENTRY)
def test_true_risk_at_entry_agrees_with_lives_drawn_by_other_means(name: str, global_random_seed: int) -> None:
    rng = np.random.default_rng(global_random_seed)
    cohort = simulate(name, n=10, seed=global_random_seed)
    assert cohort.entry_time is not None
    assert cohort.entry_proba is not None
    for x, entry, risk in zip(cohort.X, cohort.entry_time, cohort.entry_proba, strict=True):
        positive, event, death = live_through(x, rng)
        until = np.where(positive, event, death if name in DEATHS else np.inf)
        inside = until > entry
        assert abs(positive[inside].mean() - risk) <= 5 * np.sqrt(risk * (1 - risk) / inside.sum())


@pytest.mark.parametrize("name", VISITS)
def test_the_event_lies_between_two_visits_or_at_its_date(name: str, global_random_seed: int) -> None:
    cohort = simulate(name, n=3000, seed=global_random_seed)
    assert cohort.time_lower is not None
    labeled = cohort.y == 1
    lower, upper, event = cohort.time_lower[labeled], cohort.time[labeled], cohort.event_time[labeled]
    exact = lower == upper
    np.testing.assert_array_equal(event[exact], upper[exact])
    assert np.all((lower < event) & (event <= upper) | exact)
    assert np.all((upper - lower <= 1 + 1e-12) & (lower >= 0))
    # The share of exact dates is 0.3, whatever the event time.
    assert abs(exact.mean() - 0.3) < 5 * np.sqrt(0.3 * 0.7 / labeled.sum())
    assert np.all(np.isnan(cohort.time_lower[~labeled]))
    if cohort.entry_time is not None:
        assert np.all(lower >= cohort.entry_time[labeled])


def test_visits_leave_labels_and_follow_up_as_they_are() -> None:
    visits, dates = simulate("visits", n=500), simulate(replace(RECORD_WORLDS["visits"], visit_gap=None), n=500)
    np.testing.assert_array_equal(visits.y, dates.y)
    np.testing.assert_array_equal(visits.follow_up, dates.follow_up)


def test_known_negatives_are_negative_and_their_peers_are_all_labeled(global_random_seed: int) -> None:
    cohort = simulate("never-after", n=N, seed=global_random_seed)
    without = simulate(replace(RECORD_WORLDS["never-after"], registered_share=0.0), n=N, seed=global_random_seed)
    assert cohort.known_negative is not None
    assert not np.any(cohort.known_negative & (cohort.positive == 1))
    negative = cohort.positive == 0
    share = cohort.known_negative[negative].mean()
    assert abs(share - 0.25) < 5 * np.sqrt(0.25 * 0.75 / negative.sum())
    missed = (cohort.positive == 1) & (without.y == 0)
    assert abs(cohort.y[missed].mean() - 0.25) < 5 * np.sqrt(0.25 * 0.75 / missed.sum())


def test_clusters_have_two_to_five_rows_that_share_two_features() -> None:
    cohort = simulate("clusters", n=3000)
    assert cohort.groups is not None
    sizes = np.bincount(cohort.groups)
    assert set(sizes[:-1]) == {2, 3, 4, 5}  # the last cluster may be cut short
    first = np.searchsorted(cohort.groups, cohort.groups)
    np.testing.assert_array_equal(cohort.X[:, [0, 2]], cohort.X[first][:, [0, 2]])
    assert np.all((cohort.X[:, [1, 3]] != cohort.X[first][:, [1, 3]])[first != np.arange(3000)])


def residual_pairs(cohort: SimulatedCohort) -> tuple[np.ndarray, np.ndarray]:
    """Products of residuals of the first two rows of each cluster: of the outcome, and of the log event time."""
    assert cohort.groups is not None
    assert cohort.outcome_proba is not None
    noise = (np.log(cohort.event_time) - 0.4 * cohort.X[:, 1] - 0.5 * cohort.X[:, 2]) / 0.6
    starts = np.flatnonzero(np.diff(cohort.groups, prepend=-1))[:-1]
    outcome = cohort.positive - cohort.outcome_proba
    return outcome[starts] * outcome[starts + 1], noise[starts] * noise[starts + 1]


def test_rows_of_a_cluster_go_together_in_outcome_and_time(global_random_seed: int) -> None:
    outcome, noise = residual_pairs(simulate("clusters", n=N, seed=global_random_seed))
    assert outcome.mean() > 5 * outcome.std() / np.sqrt(outcome.size)
    # Normal scores of the event times are correlated by 0.5.
    assert abs(noise.mean() - 0.5) < 5 * noise.std() / np.sqrt(noise.size)


@pytest.mark.parametrize("name", RECORD_WORLDS)
def test_smaller_cohort_is_the_beginning_of_a_larger(name: str) -> None:
    small, large = simulate(name, n=50, seed=9).frame(), simulate(name, n=500, seed=9).frame()
    np.testing.assert_array_equal(small, large[:50])


def test_frame_holds_records_and_both_truths() -> None:
    columns = list(simulate("late-entry-deaths", n=5).frame())
    assert columns[4:9] == ["y", "time", "follow_up", "entry_time", "competing"]
    assert columns[9:] == ["positive", "outcome_proba", "lifetime_positive", "lifetime_proba", "entry_proba"]


@pytest.mark.parametrize("name", RECORD_WORLDS)
def test_a_model_takes_the_records_as_they_are(name: str) -> None:
    cohort = simulate(name, n=1000)
    model = MixtureCureClassifier(distribution="lognormal", shrinkage=0)
    model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, **cohort.records)
    assert model.converged_


@pytest.mark.parametrize("people", ["two-humps", "informative-censoring", "noisy-times", "promotion"])
def test_people_without_a_stated_truth_are_refused(people: str) -> None:
    with pytest.raises(ValueError, match="'visits' must be a mixture without humps"):
        replace(RECORD_WORLDS["visits"], people=WORLDS[people])


def test_deaths_with_a_registry_are_refused() -> None:
    with pytest.raises(ValueError, match="'deaths' has deaths and a registry"):
        replace(RECORD_WORLDS["deaths"], registered_share=0.1)
