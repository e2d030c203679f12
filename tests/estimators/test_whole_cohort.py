"""All that is known of people in one object."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_validate

import whether as wh


@pytest.fixture(scope="module")
def drawn():
    return wh.simulate("late-entry-deaths", n=600, seed=2)


@pytest.fixture(scope="module")
def cohort(drawn):
    return wh.Cohort(drawn.X, drawn.y, time=drawn.time, **drawn.records)


def test_a_fit_to_it_is_the_fit_to_its_parts(cohort, drawn):
    model = wh.MixtureCureClassifier("lognormal", shrinkage=10.0)
    by_parts = model.fit(drawn.X, drawn.y, time=drawn.time, **drawn.records).predict_proba(drawn.X)
    assert np.array_equal(cohort.fit(model).predict_proba(drawn.X), by_parts)
    assert set(cohort.known) == {"time", *drawn.records}
    assert repr(cohort).startswith("Cohort of 600 people: ")


@pytest.mark.parametrize("rows", [slice(0, 200), np.arange(200), np.arange(600) < 200], ids=["slice", "rows", "flags"])
def test_some_of_the_people_are_a_cohort(cohort, drawn, rows):
    part = cohort[rows]
    assert len(part) == 200
    assert np.array_equal(part.X, drawn.X[:200])
    assert all(np.array_equal(part.known[name], values[:200], equal_nan=True) for name, values in cohort.known.items())


def test_a_frame_stays_a_frame(drawn):
    frame = pd.DataFrame(drawn.X).add_prefix("x").assign(kind=pd.Categorical(np.where(drawn.X[:, 0] > 0, "a", "b")))
    part = wh.Cohort(frame, drawn.y, time=pd.Series(drawn.time))[100:300]
    assert part.X.shape == (200, frame.shape[1])
    assert part.fit(wh.MixtureCureClassifier(learner="boosted")).predict_proba(part.X).shape == (200, 2)


def test_records_go_through_cross_validation(cohort):
    groups = np.arange(600) // 3
    grouped = wh.Cohort(cohort.X, cohort.y, **cohort.known, groups=groups)
    with sklearn.config_context(enable_metadata_routing=True):
        model = grouped.request(wh.MixtureCureClassifier("lognormal", shrinkage=10.0))
        found = cross_validate(model, grouped.X, grouped.y, params=grouped.known, cv=GroupKFold(3))
    assert np.isfinite(found["test_score"]).all()
    request = model.get_metadata_routing().fit.requests
    assert {name for name, asked in request.items() if asked} == set(grouped.known)


def test_what_is_wrong_is_said_when_it_is_made(drawn):
    with pytest.raises(wh.DataError, match="entry_time must be before time"):
        wh.Cohort(drawn.X, drawn.y, time=drawn.time, entry_time=drawn.time + 1)
    with pytest.raises(wh.DataError, match="of different people"):
        wh.Cohort(drawn.X[:10], drawn.y, time=drawn.time)


def test_deaths_are_scored_as_negatives(cohort, drawn):
    model = cohort.fit(wh.MixtureCureClassifier("lognormal", shrinkage=10.0))
    known = {"follow_up": np.asarray(drawn.time)}
    plain = model.score(drawn.X, drawn.y, **known)
    told = model.score(drawn.X, drawn.y, **known, competing=drawn.competing)
    assert told < plain  # of the dead it is known that they are negative, which is less likely than not seen
