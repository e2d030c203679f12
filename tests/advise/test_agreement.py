"""Whether risks agree with curves without a model."""

import numpy as np
import pytest
from scipy.special import expit

import whether as wh
from whether.advise.evidence.agreement import examine_agreement
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import EventTimeFits


def draw_people(seed, n=1500, curved=False):
    rng = np.random.default_rng([seed, 73])
    x = rng.normal(size=(n, 2))
    risk = expit(x[:, 0] + 0.8 * curved * (x[:, 0] ** 2 - 1))
    event = np.exp(0.5 * x[:, 1] + 0.8 * rng.normal(size=n))
    end = rng.uniform(0.2, 8.0, n) * np.exp(0.3 * x[:, 0])
    seen = (rng.random(n) < risk) & (event <= end)
    return x, seen.astype(int), np.where(seen, event, end)


def look(x, y, time, **records):
    material = gather(x, y, time=time, **records)
    return examine_agreement(material, EventTimeFits(material.cohort))


@pytest.fixture
def people(global_random_seed):
    return draw_people(global_random_seed)


def test_right_risks_agree_whatever_follow_up_depends_on(people):
    found = look(*people)
    assert found.test.was_run
    assert not found.test.rejects(1e-5)
    assert found.n_groups == 8


def test_risks_of_another_shape_than_the_model_do_not(global_random_seed):
    found = look(*draw_people(global_random_seed, n=4000, curved=True))
    assert found.test.rejects(0.01)
    assert abs(found.largest_gap) > 0.05


def test_late_entry_is_allowed_for(people):
    x, y, time = people
    entry = np.random.default_rng(0).uniform(0, 1.5, time.size)
    there = time > entry
    found = look(x[there], y[there], time[there], entry_time=entry[there])
    assert found.test.was_run
    assert not found.test.rejects(1e-5)


def test_the_unit_of_time_does_not_matter(people):
    x, y, time = people
    one, other = look(x, y, time), look(x, y, 365 * time)
    assert one.test.statistic == pytest.approx(other.test.statistic, rel=1e-4)
    assert one.largest_gap == pytest.approx(other.largest_gap, abs=1e-4)


def test_it_is_not_tested_on_a_few_events_or_on_intervals(people):
    x, y, time = (part[:60] for part in people)
    assert look(x, y, time).test.note == "too few events"
    lower = np.where(people[1] == 1, 0.5 * people[2], np.nan)
    assert "intervals" in look(*people, time_lower=lower).test.note
    assert wh.examine(people[0], people[1]).agreement is None


def test_one_binary_feature_makes_two_groups(global_random_seed):
    x, y, time = draw_people(global_random_seed)
    found = look((x[:, :1] > 0).astype(float), y, time)
    assert found.n_groups == 2 or not found.test.was_run


def test_where_some_died_first_the_probe_is_another_model_and_not_tested():
    cohort = wh.simulate("deaths-by-risk", n=600, seed=0)
    known = {"time": cohort.time, "competing": cohort.competing}
    for question, is_tested in (("lifetime", False), ("net", True)):
        found = wh.examine(cohort.X, cohort.y, **known, question=question).agreement.test
        assert found.was_run == is_tested
        assert is_tested or "died first" in found.note
