"""No two sentences of a report disagree, whatever the data allow."""

from dataclasses import replace

import numpy as np
import pytest

import whether as wh
from tests.telling.coherence import find_contradictions

# A world, and what is known of it.
CASES = {
    "everything": ("partially-dependent", ("time", "follow_up")),
    "event times only": ("partially-dependent", ("time",)),
    "follow-up only": ("partially-dependent", ("follow_up",)),
    "labels only": ("dependent-censoring", ()),
    "labels at random": ("feature-independent", ()),
    "short follow-up": ("short-follow-up", ("time", "follow_up")),
    "wrong times": ("batch-reporting", ("time", "follow_up")),
}


@pytest.mark.parametrize("case", CASES)
def test_no_two_sentences_disagree(case, read_report, global_random_seed):
    world, known = CASES[case]
    cohort = wh.simulate(world, n=600, seed=global_random_seed)
    given = {name: getattr(cohort, name) for name in known}
    by = {"arm": np.arange(600) % 3, "x": np.asarray(cohort.X)[:, 0]}
    answer = wh.analyze(cohort.X, cohort.y, **given, by=by, n_splits=2)
    assert find_contradictions(answer, read_report(answer).words) == []


@pytest.mark.parametrize("name", ["e1684", "hodgkin"])
def test_no_two_sentences_about_a_real_cohort_disagree(name, shared_data, read_report):
    answer = wh.analyze(
        shared_data / f"{name}.parquet", event="event", time="time", by="sex_female" if name == "e1684" else "stage",
        learner="linear", n_splits=3,
    )  # fmt: skip
    assert find_contradictions(answer, read_report(answer).words) == []


def test_contradictions_are_found(analysis):
    advice, unseen, risk = analysis.recommendation, analysis.unseen, analysis.mean_risk
    assert find_contradictions(analysis) == []
    cases = {
        "intervals_hold_their_estimate": {"unseen": replace(unseen, estimate=unseen.upper + 1)},
        "count_and_share_are_one_thing": {"unseen": replace(unseen, upper=float(analysis.n_unlabeled))},
        "the_floor_is_below_the_answer": {"unseen": replace(unseen, lower=0.0, upper=0.0)},
        "the_curve_is_held": {"cautions": ("curve above risk",), "mean_risk": replace(risk, upper=0.0)},
        "the_past_is_told_where_it_is_off": {"cautions": ("too low in the past",)},
        "one_number_of_later_events": {
            "recommendation": replace(advice, flags=(*advice.flags, "extrapolation")),
            "warnings": ("25 % of the expected positives would have their event later than the longest follow-up.",),
        },
    }
    for name, changes in cases.items():
        assert name in find_contradictions(replace(analysis, **changes)), name
