"""Real people with simulated times: what the diabetes worlds promise."""

import numpy as np
import pytest

from whether.simulation import DIABETES_WORLDS, simulate
from whether.simulation.diabetes import STRONG_SIGMA_T, TABLE, WEAK_SIGMA_T
from whether.simulation.real_tables import DATA_VARIABLE, MissingDataError, data_folder, load_table

pytestmark = pytest.mark.usefixtures("shared_data")


def test_the_stored_spreads_are_those_of_the_balanced_table():
    table = load_table(TABLE)
    outcome = table["Diabetes_binary"].to_numpy(bool)
    weight = np.where(outcome, 0.5 / outcome.sum(), 0.5 / (~outcome).sum())

    def spread(values):
        return np.sqrt(np.sum(weight * (values - np.sum(weight * values)) ** 2))

    income, education, bmi, age = (
        table[name].to_numpy(float) / spread(table[name].to_numpy(float))
        for name in ("Income", "Education", "BMI", "Age")
    )
    assert spread(2 * income - 2 * education) == pytest.approx(WEAK_SIGMA_T, abs=1e-4)
    assert spread(2 * bmi + 2 * age) == pytest.approx(STRONG_SIGMA_T, abs=1e-4)


@pytest.mark.parametrize("name", DIABETES_WORLDS)
def test_labels_agree_with_outcome_times_and_propensity(name):
    cohort = simulate(name, seed=2)
    np.testing.assert_array_equal(cohort.y, cohort.positive & (cohort.event_time <= cohort.follow_up))
    assert np.all((cohort.time > 0) & (cohort.time <= cohort.follow_up))
    rate = cohort.propensity[cohort.positive == 1]
    # Five standard deviations of the number of labels.
    assert abs(cohort.y.sum() - rate.sum()) < 5 * np.sqrt(np.sum(rate * (1 - rate)))


def test_half_of_the_people_have_diabetes_and_features_are_standardised():
    cohort = simulate("diabetes-baseline", n=2000, seed=1)
    assert cohort.positive.sum() == 1000
    assert cohort.X.shape == (2000, 21)
    np.testing.assert_allclose(cohort.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(cohort.X.std(axis=0), 1)
    assert cohort.outcome_proba is None
    assert "outcome_proba" not in cohort.frame()


def test_worlds_with_one_seed_share_people_and_follow_up_and_another_seed_does_not():
    first, second = (simulate(name, n=400, seed=3) for name in ("diabetes-baseline", "diabetes-partially-dependent"))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.follow_up, second.follow_up)
    assert not np.array_equal(first.X, simulate("diabetes-baseline", n=400, seed=4).X)


def test_a_cohort_of_a_few_people_has_no_gaps():
    cohort = simulate("diabetes-baseline", n=4, seed=0)
    assert np.isfinite(cohort.X).all()


def test_an_odd_number_of_people_is_refused():
    with pytest.raises(ValueError, match=r"n must be even.*got 401"):
        simulate("diabetes-baseline", n=401)


def test_a_folder_without_tables_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(MissingDataError, match=r"No cohort tables in .*nowhere .*set WHETHER_DATA"):
        data_folder()
    monkeypatch.delenv(DATA_VARIABLE)
    with pytest.raises(MissingDataError, match=r"not part of the package: pass --data .* or set WHETHER_DATA"):
        data_folder()
