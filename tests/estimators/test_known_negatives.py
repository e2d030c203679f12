"""People who are known never to have the event, as ``fit`` takes them."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import cross_val_score

import whether as wh


@pytest.fixture(scope="module")
def never(cohort):
    return (cohort.y == 0) & (np.arange(300) % 4 == 0)


def test_every_classifier_reads_known_negatives_or_names_one_that_does(classifier, cohort, needed_times, never):
    known = {**needed_times(classifier), "known_negative": never}
    if isinstance(classifier, wh.AFTClassifier):
        with pytest.raises(wh.ArgumentError, match=r"cannot read known_negative: .*MixtureCureClassifier"):
            classifier.fit(cohort.X, cohort.y, **known)
        return
    model = classifier.fit(cohort.X, cohort.y, **known)
    assert model.n_known_negatives_ == never.sum()
    assert f"known negatives: {never.sum()}" in str(model.summary())


@pytest.mark.parametrize(
    "kind",
    [np.asarray, np.ndarray.tolist, lambda flags: flags.astype(int), pd.Series],
    ids=["bool", "list", "0/1", "pd"],
)
def test_flags_may_be_booleans_or_numbers_of_any_kind(kind, cohort, never):
    known = {"follow_up": cohort.follow_up}
    model = wh.FollowUpCureClassifier("lognormal", shrinkage=100.0)
    risks = [
        model.fit(cohort.X, cohort.y, **known, known_negative=flags).predict_proba(cohort.X)
        for flags in (never, kind(never))
    ]
    assert np.array_equal(*risks)


def test_a_labeled_known_negative_is_refused_with_its_row(refused, cohort, never):
    row = int(np.flatnonzero(cohort.y)[2])
    flags = never | (np.arange(300) == row)
    message = rf"known_negative is True for 1 labeled people \(first: row {row}, y=1\)"
    refused(wh.SARPUClassifier([2]), message, error=wh.DataError, known_negative=flags)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (np.zeros(299, dtype=bool), r"known_negative must be one boolean per person: shape \(300,\) was expected"),
        (np.where(np.arange(300) == 17, np.nan, 0.0), r"for 1 of 300 it is not \(first: row 17, known_negative=nan\)"),
        ([None, *[False] * 299], r"for 1 of 300 it is not \(first: row 0, known_negative=None\)"),
        (np.where(np.arange(300) == 5, 2, 0), r"first: row 5, known_negative=2\). Pass False"),
        (["no"] * 300, r"for 300 of 300 it is not \(first: row 0, known_negative='no'\)"),
    ],
)
def test_flags_that_say_nothing_are_refused(refused, flags, message):
    refused(wh.LabelClassifier(), message, error=wh.DataError, known_negative=flags)


def test_a_baseline_without_a_cured_part_has_no_score_of_known_negatives(cohort, never):
    model = wh.AFTClassifier("lognormal").fit(cohort.X, cohort.y, time=cohort.time)
    with pytest.raises(wh.ArgumentError, match="in its model everybody has the event at last"):
        model.score(cohort.X, cohort.y, known_negative=never)


def test_follow_up_of_known_negatives_does_not_make_that_of_others_look_short(cohort):
    never = (cohort.y == 0) & (np.arange(300) % 5 > 0)
    follow_up = np.where(never, 1e3, cohort.follow_up)
    model = wh.FollowUpCureClassifier("lognormal", shrinkage=100.0)
    with pytest.raises(wh.DataError, match="follow_up seems to end at the event"):
        model.fit(cohort.X, cohort.y, follow_up=follow_up)
    assert model.fit(cohort.X, cohort.y, follow_up=follow_up, known_negative=never).longest_follow_up_ < 1e3


def test_routed_flags_reach_fit_and_score(cohort, never):
    flags, model = {"known_negative": never}, wh.SARPUClassifier([2, 3])
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(known_negative=True)
        ignored, read = (
            cross_val_score(model.set_score_request(known_negative=wanted), cohort.X, cohort.y, params=flags, cv=3)
            for wanted in (False, True)
        )
    assert (read < ignored).all()  # it is surer of a person who is known not to have been missed, and pays for it


def test_a_likelihood_ratio_test_is_of_the_same_known_negatives(cohort, never):
    small = wh.MixtureCureClassifier("exponential", penalty=None).fit(cohort.X, cohort.y, time=cohort.time)
    large = wh.MixtureCureClassifier("weibull", penalty=None)
    large.fit(cohort.X, cohort.y, time=cohort.time, known_negative=never)
    with pytest.raises(wh.ArgumentError, match="they differ in the number of known negatives"):
        wh.likelihood_ratio_test(small, large)


def test_a_saved_model_keeps_the_number_of_known_negatives(cohort, never, tmp_path):
    model = wh.SARPUClassifier([2]).fit(cohort.X, cohort.y, known_negative=never)
    wh.save_model(model, tmp_path / "m.whether")
    assert str(wh.load_model(tmp_path / "m.whether").model.summary()) == str(model.summary())
