import math

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.advise.evidence.cure_fraction import estimate_cure_fraction
from whether.advise.evidence.follow_up import last_events
from whether.cohort import Cohort


def statistics(time, labeled):
    return last_events(np.array(labeled, dtype=bool), np.array(time, dtype=float), np.random.default_rng(0))


def test_last_events_are_counted_as_published():
    # The last event is at 6 and the longest time 9: two events, at 4 and 6, lie in (3, 6].
    found = statistics([1, 2, 3, 4, 6, 7, 8, 9], [1, 1, 1, 1, 1, 0, 0, 0])
    assert found.q_n == 2 / 8
    assert found.alpha_n == pytest.approx((1 - 2 / 8) ** 8)
    # Shen: w = 3/9, tau = 6/3 + 9 * 2/3 = 8, from 8 * 6 / 9 = 5.33 on: one event.
    assert found.shen == pytest.approx((1 - 1 / 8) ** 8)


def test_they_are_undefined_where_the_longest_time_is_an_event():
    found = statistics([1, 2, 3], [1, 0, 1])
    assert math.isnan(found.alpha_n)
    assert math.isnan(found.q_n_p_value)


def draw_cured(seed, longest):
    rng = np.random.default_rng([seed, 5])
    event = np.where(rng.random(20_000) < 0.4, np.inf, rng.weibull(1.3, size=20_000))
    follow_up = rng.uniform(0.05, longest, size=20_000)
    return event, follow_up, event <= follow_up


def test_the_ratio_is_recovered_from_event_times(global_random_seed):
    event, follow_up, labeled = draw_cured(global_random_seed, longest=3.0)
    time = np.where(labeled, event, follow_up)
    found = estimate_cure_fraction(Cohort(np.empty((labeled.size, 0)), labeled, (), time=time))
    later = math.exp(-(time.max() ** 1.3))
    truth = later / (0.4 + 0.6 * later)
    assert found.distribution == "weibull"
    assert abs(math.log(found.ratio / truth)) < 5 * found.log_ratio_error


@pytest.mark.parametrize("from_labels", [False, True])
def test_the_cured_share_is_recovered_where_follow_up_is_long(global_random_seed, from_labels):
    event, follow_up, labeled = draw_cured(global_random_seed, longest=8.0)
    recorded = follow_up if from_labels else np.where(labeled, event, follow_up)
    cohort = Cohort(np.empty((labeled.size, 0)), labeled, (), time=recorded, follow_up=recorded)
    found = estimate_cure_fraction(cohort, from_labels=from_labels)
    assert abs(found.cured - 0.4) < 0.1  # labels alone leave the shape of the tail open
    assert found.ratio < 0.05


def test_a_curve_with_a_plateau_levels_off(examine_world):
    found = examine_world("partially-dependent").follow_up
    assert found.reading() == "levels off"
    assert found.events.plateau.lower < found.events.plateau.estimate < found.events.plateau.upper


def test_a_short_follow_up_goes_on(examine_world):
    assert examine_world("short-follow-up").follow_up.reading() == "goes on"


def test_without_times_and_follow_up_nothing_is_said_of_them(examine_world):
    assert examine_world("baseline", known=()).follow_up is None


def cohort_table(folder, name, columns):
    table = pd.read_parquet(folder / f"{name}.parquet")
    return table[columns].astype(float), table["event"], np.maximum(table["time"], 1e-3)


@pytest.mark.parametrize(
    ("name", "columns", "reading"),
    [
        ("nwts", ["stage", "histol", "age", "tumdiam"], "levels off"),
        ("hodgkin", ["age", "sex_male", "extranodal", "stage"], "levels off"),
        ("rotterdam", ["age", "meno", "nodes", "pgr", "er"], "goes on"),
    ],
)
def test_plateaus_of_real_cohorts_are_told_from_their_absence(shared_data, name, columns, reading):
    X, event, time = cohort_table(shared_data, name, columns)
    assert wh.examine(X, event, time=time).follow_up.reading() == reading
