"""The summary for programs: plain, complete, and about nobody in particular."""

import json

import numpy as np
import pytest


def lists_in(value, where=""):
    """Every list in nested plain data, with where it is."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from lists_in(entry, f"{where}/{key}")
    elif isinstance(value, list):
        yield where, value
        for entry in value:
            yield from lists_in(entry, where)


@pytest.mark.parametrize("name", ["answer", "refused"])
def test_the_summary_is_strict_json(request, name):
    plain = request.getfixturevalue(name).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_nothing_in_the_summary_is_as_long_as_the_cohort(answer):
    longest = max(len(entries) for _, entries in lists_in(answer.to_dict()))
    assert longest < 50 < answer.n_people


def test_no_risk_of_a_person_is_in_the_summary(answer):
    told = json.dumps(answer.to_dict())
    assert not any(str(risk) in told for risk in answer.risks)
    assert not any(str(chance) in told for chance in answer.still[~np.isnan(answer.still)])


def test_the_summary_says_what_it_is(answer):
    plain = answer.to_dict()
    assert (plain["schema"], plain["schema_version"]) == ("whether analysis", 3)
    assert plain["cohort"]["people"] == 800
    assert plain["answer"]["kind"] == "estimate"
    assert plain["answer"]["unseen"]["estimate"] == answer.unseen.estimate
    assert plain["recommendation"]["method"] == answer.recommendation.method
    terms = {row["term"] for row in plain["model"]["coefficients"]}
    assert {"intercept", "x0", "x1", "x2", "x3"} <= terms


def test_small_counts_are_held_back_where_asked(answer):
    n_after = answer.evidence.follow_up.events.n_after_last_event
    held_back = answer.to_dict(suppress_below=n_after + 1)
    assert held_back["evidence"]["follow_up"]["events"]["n_after_last_event"] is None
    assert held_back["cohort"]["people"] == 800
    assert answer.to_dict(suppress_below=n_after)["evidence"]["follow_up"]["events"]["n_after_last_event"] == n_after
