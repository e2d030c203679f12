"""Groups of rows that depend on each other, as ``fit`` takes them."""

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, cross_validate

import whether as wh
from whether.learners import AutoLearner, BoostedLearner, LinearLearner


@pytest.fixture(scope="module")
def groups():
    return np.arange(300) // 3


def test_every_classifier_takes_groups(classifier, cohort, needed_times, groups):
    model = classifier.fit(cohort.X, cohort.y, **needed_times(classifier), groups=groups)
    assert model.n_groups_ == 100
    assert "clusters: 100" in str(model.summary())
    assert "Standard errors: sandwich, clustered by 100 groups of rows." in model.summary().notes


def test_groups_change_no_estimate(classifier, cohort, needed_times, groups):
    times = needed_times(classifier)
    plain = sklearn.base.clone(classifier).fit(cohort.X, cohort.y, **times)
    grouped = classifier.fit(cohort.X, cohort.y, **times, groups=groups)
    np.testing.assert_array_equal(grouped.predict_proba(cohort.X), plain.predict_proba(cohort.X))


def test_a_fit_without_groups_says_nothing_of_them(cohort):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y)
    assert model.n_groups_ is None
    assert "cluster" not in str(model.summary())


def test_the_table_says_that_few_groups_are_too_few(cohort):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y, groups=np.arange(300) % 10)
    assert "clustered by 10 groups of rows. They tend to be too small" in model.summary().notes[-1]


@pytest.mark.parametrize(
    "label",
    [str, lambda number: f"centre {number}" if number % 2 else number, lambda number: -1.5 * number],
    ids=["strings", "strings and numbers", "floats"],
)
def test_labels_of_groups_may_be_anything(label, cohort, groups):
    labels = np.array([label(number) for number in groups.tolist()], dtype=object)
    plain, named = (wh.LabelClassifier().fit(cohort.X, cohort.y, groups=values) for values in (groups, labels))
    np.testing.assert_allclose(named.vcov(), plain.vcov(), rtol=1e-12)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.arange(299), r"groups must be one label per person: shape \(300,\) was expected, got \(299,\)"),
        (np.where(np.arange(300) == 17, np.nan, 1.0), r"groups is missing for 1 of 300 people \(first: row 17\)"),
        ([None, *range(299)], r"groups is missing for 1 of 300 people \(first: row 0\)"),
        (np.zeros(300), "groups puts all 300 rows into one group"),
    ],
)
def test_groups_that_say_nothing_are_refused(refused, labels, message):
    refused(wh.LabelClassifier(), message, groups=labels)


def test_a_group_of_no_weight_is_no_group(cohort):
    groups, weight = np.arange(300) % 50, np.ones(300)
    weight[groups == 7] = 0.0
    assert wh.LabelClassifier().fit(cohort.X, cohort.y, groups=groups, sample_weight=weight).n_groups_ == 49


def test_routed_groups_reach_the_fit_and_the_folds(cohort, groups):
    with sklearn.config_context(enable_metadata_routing=True):
        model = wh.MixtureCureClassifier("lognormal", shrinkage=100.0).set_fit_request(groups=True, time=True)
        model.set_score_request(time=False)
        known = {"groups": groups, "time": cohort.time}
        found = cross_validate(
            model, cohort.X, cohort.y, params=known, cv=GroupKFold(4), return_estimator=True, return_indices=True
        )
    for fitted, rows in zip(found["estimator"], found["indices"]["train"], strict=True):
        assert fitted.n_groups_ == np.unique(groups[rows]).size == 75


def test_a_likelihood_ratio_test_of_dependent_rows_is_refused(cohort, groups):
    known = {"time": cohort.time, "groups": groups}
    small, large = (
        wh.MixtureCureClassifier(name, penalty=None).fit(cohort.X, cohort.y, **known)
        for name in ("exponential", "weibull")
    )
    with pytest.raises(wh.ArgumentError, match="takes rows as independent"):
        wh.likelihood_ratio_test(small, large)


@pytest.mark.parametrize(
    "learner",
    [
        "boosted",
        AutoLearner({"linear": LinearLearner(shrinkage=100.0), "boosted": BoostedLearner()}),
        "neural",
    ],
    ids=["boosted", "auto", "neural"],
)
def test_other_learners_hold_out_whole_groups(learner, cohort, monkeypatch):
    from whether.learners import choice
    from whether.learners.boosted import spread
    from whether.learners.linear import shrinkage
    from whether.learners.neural import neural_fitting

    dealt = []

    def deal(labeled, observed, features, n_folds, weight=None, groups=None):
        fold = original(labeled, observed, features, n_folds, weight, groups)
        dealt.append(all(np.unique(fold[groups == number]).size == 1 for number in np.unique(groups)))
        return fold

    original = shrinkage.deal_folds
    for module in (shrinkage, spread, neural_fitting, choice):
        monkeypatch.setattr(module, "deal_folds", deal)
    group = np.random.default_rng(0).integers(0, 60, 300)
    model = wh.FollowUpCureClassifier("lognormal", learner=learner)
    model.fit(cohort.X, cohort.y, follow_up=cohort.follow_up, groups=group)
    assert dealt
    assert all(dealt)


def test_whether_classifier_hands_groups_on(cohort, groups):
    known = {"time": cohort.time, "follow_up": cohort.follow_up}
    model = wh.WhetherClassifier(learner="linear").fit(cohort.X, cohort.y, **known, groups=groups)
    assert model.estimator_.n_groups_ == 100


def test_a_saved_model_keeps_its_clusters(cohort, groups, tmp_path):
    model = wh.LabelClassifier().fit(cohort.X, cohort.y, groups=groups)
    wh.save_model(model, tmp_path / "m.whether")
    assert str(wh.load_model(tmp_path / "m.whether").model.summary()) == str(model.summary())


def test_stretches_of_one_persons_time_are_no_people(cohort):
    halfway = cohort.time / 2
    rows = np.repeat(np.arange(cohort.y.size), 2)
    is_last = np.arange(rows.size) % 2 == 1
    known = {
        "time": np.where(is_last, cohort.time[rows], halfway[rows]),
        "entry_time": np.where(is_last, halfway[rows], 0.0),
    }
    events = np.where(is_last, cohort.y[rows], 0)
    with pytest.raises(ValueError, match=f"{cohort.y.size} rows continue another row of the same group .first: row 1 "):
        wh.MixtureCureClassifier().fit(cohort.X[rows], events, **known, groups=rows)
    # Two people of a family, observed over the same years, are.
    wh.MixtureCureClassifier().fit(
        cohort.X, cohort.y, time=cohort.time, entry_time=halfway, groups=np.arange(cohort.y.size) // 2
    )
