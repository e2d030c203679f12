"""Late entry and deaths before the event: the curves of lifelines and, where at hand, of R's cmprsk."""

import numpy as np
import pandas as pd
import pytest

from tests.reference.records import read_records, reference_folder
from whether.survival import cumulative_incidence, kaplan_meier


@pytest.fixture
def people(global_random_seed):
    """Time, event, death and entry of 600 people, no two of whom have the same time."""
    rng = np.random.default_rng([global_random_seed, 61])
    ends = np.stack([rng.weibull(1.5, 600) * 8, rng.exponential(12.0, 600), rng.uniform(1.0, 15.0, 600)])
    what, time, entry = ends.argmin(axis=0), ends.min(axis=0), rng.uniform(0.0, 3.0, 600)
    kept = entry < time
    return time[kept], what[kept] == 0, what[kept] == 1, entry[kept]


def test_late_entry_gives_the_curve_of_lifelines(people):
    lifelines = pytest.importorskip("lifelines")
    time, event, _, entry = people
    ours = kaplan_meier(event, time, entry=entry)
    theirs = lifelines.KaplanMeierFitter().fit(time, event, entry=entry)
    late = time[entry.argmax()]  # their risk sets of the first few people are told apart from ours by rounding only
    grid = np.linspace(0.5, late, 40)
    np.testing.assert_allclose(ours.at(grid), theirs.survival_function_at_times(grid), atol=1e-9)


def test_nobody_is_at_risk_before_entry():
    curve = kaplan_meier([1, 1, 0], [2.0, 4.0, 5.0], entry=[0.0, 2.0, 3.0])
    assert curve.at_risk.tolist() == [1.0, 2.0, 1.0]  # who enters at 2 is not yet at risk then


def test_incidence_and_its_variance_are_those_of_lifelines(people):
    lifelines = pytest.importorskip("lifelines")
    time, event, died, _ = people
    ours = cumulative_incidence(event, died, time)
    fitter = lifelines.AalenJohansenFitter(calculate_variance=True)
    theirs = fitter.fit(time, np.where(event, 1, np.where(died, 2, 0)), 1)
    grid = ours.times[ours.at_risk > 5]
    np.testing.assert_allclose(ours.at(grid), theirs.cumulative_density_.reindex(grid).iloc[:, 0], atol=1e-9)
    variance = theirs.variance_.reindex(grid)
    np.testing.assert_allclose(ours.variance[: grid.size], variance, rtol=1e-6, atol=1e-12)


def test_with_late_entry_incidences_and_survival_add_up(people):
    time, event, died, entry = people
    both = [cumulative_incidence(one, other, time, entry=entry) for one, other in ((event, died), (died, event))]
    left = kaplan_meier(event | died, time, entry=entry)
    np.testing.assert_allclose(both[0].incidence + both[1].incidence + left.survival, 1.0, atol=1e-12)


def test_without_deaths_it_is_one_minus_the_event_free(people):
    time, event, _, _ = people
    none = cumulative_incidence(event, np.zeros(time.size, dtype=bool), time)
    curve = kaplan_meier(event, time)
    np.testing.assert_allclose(none.incidence, 1 - curve.survival, atol=1e-12)
    inside = np.isfinite(curve.greenwood) & (curve.survival > 0)
    greenwood = (curve.survival**2 * curve.greenwood)[inside]
    np.testing.assert_allclose(none.variance[inside], greenwood, rtol=1e-8, atol=1e-14)
    lower, upper = none.interval()
    assert np.all((lower <= none.incidence) & (none.incidence <= upper))


def test_incidence_is_that_of_cmprsk(shared_data):
    if reference_folder() is None:
        pytest.skip("no results of other programs")
    known = next(one for one in read_records() if one["id"] == "cuminc_rotterdam")
    people = pd.read_parquet(shared_data / "records" / "rotterdam_deaths.parquet")
    status = people["status"].to_numpy()
    for curve, estimate, variance in zip(known["curve"], known["estimate"], known["variance"], strict=True):
        level, cause = curve.split()
        rows = (people["hormon"] == int(level)).to_numpy()
        seen, died = status[rows] == "recurrence", status[rows] == "died"
        ours = cumulative_incidence(*((seen, died) if cause == "1" else (died, seen)), people["time"][rows])
        np.testing.assert_allclose(ours.at(known["times"]), estimate, rtol=1e-6)
        position = np.searchsorted(ours.times, known["times"], side="right") - 1
        np.testing.assert_allclose(ours.variance[position], variance, rtol=0.02)
