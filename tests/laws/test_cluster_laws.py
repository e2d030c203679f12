"""Rows that depend on each other: what groups change, the covariance, and what they leave as it is."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from whether import METHODS, LabelClassifier, MixtureCureClassifier
from whether.analysis.uncertainty import spread_of_sums
from whether.learners.rows import deal_folds, sum_by_group

# Fits without penalties, in which everybody twice has the same maximum as everybody once.
MAXIMUM_LIKELIHOOD = ["LR", "ENPU", "SARPU-R", "FUMC-R", "AFTMC-F", "DTMC", "AFTPT", "FUPT", "AFT"]


@pytest.fixture(scope="module")
def people(draw_times):
    return draw_times(11, 400)


@pytest.fixture(scope="module")
def many(draw_times):
    return draw_times(12, 1500)


def settings_of(name):
    return {"label_frequency": 0.9} if name == "ENPU" else {}


def covariance_of(model):
    return model.model_.covariance.matrix


# ---------------------------------------------------------------- the covariance


def test_a_cluster_of_one_is_no_cluster(method, people, build, quiet_fit):
    settings = {"shrinkage": 100.0, "covariance": "sandwich"}
    alone = quiet_fit(build(method, **settings), people)
    grouped = quiet_fit(build(method, **settings), people, groups=np.arange(400))
    assert np.array_equal(alone.model_.coefficients, grouped.model_.coefficients)
    if covariance_of(alone) is not None:
        np.testing.assert_allclose(covariance_of(grouped), 400 / 399 * covariance_of(alone), rtol=1e-9)


def test_clusters_of_one_leave_the_penalty_that_is_chosen_as_it_is(people, quiet_fit):
    alone = quiet_fit(MixtureCureClassifier("lognormal"), people)
    grouped = quiet_fit(MixtureCureClassifier("lognormal"), people, groups=np.random.default_rng(0).permutation(400))
    np.testing.assert_allclose(grouped.shrinkage_path_.log_likelihood, alone.shrinkage_path_.log_likelihood, rtol=1e-12)
    np.testing.assert_allclose(grouped.shrinkage_path_.standard_error, alone.shrinkage_path_.standard_error, rtol=1e-9)
    assert grouped.shrinkage_ == alone.shrinkage_


@pytest.mark.parametrize("name", MAXIMUM_LIKELIHOOD)
def test_everybody_twice_in_groups_has_the_standard_errors_of_everybody_once(name, many, build, quiet_fit):
    settings = {"penalty": None, "covariance": "sandwich", **settings_of(name)}
    once = quiet_fit(build(METHODS[name], **settings), many)
    rows = np.repeat(np.arange(1500), 2)
    twice = quiet_fit(build(METHODS[name], **settings), many.take(rows), groups=rows)
    np.testing.assert_allclose(covariance_of(twice), 1500 / 1499 * covariance_of(once), rtol=1e-3, atol=1e-6)
    assert twice.n_groups_ == 1500


@pytest.mark.parametrize("name", ["LR", "SARPU-R", "AFTMC-F"])
def test_a_row_of_weight_two_is_two_rows_of_one_group(name, people, build, quiet_fit):
    weight, group = np.repeat([1.0, 2.0], 200), np.arange(400) // 4
    rows = np.repeat(np.arange(400), weight.astype(int))
    weighted = quiet_fit(build(METHODS[name], shrinkage=100.0), people, sample_weight=weight, groups=group)
    repeated = quiet_fit(build(METHODS[name], shrinkage=100.0), people.take(rows), groups=group[rows])
    np.testing.assert_allclose(covariance_of(weighted), covariance_of(repeated), rtol=1e-4, atol=1e-8)


def test_groups_have_the_sandwich_whatever_is_asked_for(people, quiet_fit):
    group = np.arange(400) // 2
    observed, sandwich = (
        quiet_fit(LabelClassifier(covariance=kind), people, groups=group) for kind in ("observed", "sandwich")
    )
    assert np.array_equal(covariance_of(observed), covariance_of(sandwich))


def test_errors_of_sums_over_people_allow_for_groups(many, quiet_fit):
    rows = np.repeat(np.arange(1500), 2)
    doubled = many.take(rows)
    once = quiet_fit(MixtureCureClassifier("lognormal", penalty=None, covariance="sandwich"), many)
    twice = quiet_fit(MixtureCureClassifier("lognormal", penalty=None), doubled, groups=rows)
    one, two = (
        spread_of_sums(model, cohort, ~cohort.labeled)
        for model, cohort in ((once, many.checked()), (twice, doubled.checked()))
    )
    correction = np.sqrt(1500 / 1499)
    assert two.mean_risk == pytest.approx(correction * one.mean_risk, rel=1e-4)
    assert two.unseen == pytest.approx(2 * correction * one.unseen, rel=1e-4)


def test_two_eyes_of_a_person_have_the_cluster_sandwich_of_the_textbook(shared_data):
    table = pd.read_parquet(shared_data / "records" / "retinopathy.parquet")
    X, y = table[["age", "trt", "risk"]].to_numpy(dtype=float), table["event"].to_numpy()
    model = LabelClassifier(penalty=None).fit(X, y, groups=table["id"])
    design = np.column_stack([np.ones(y.size), X])
    p = expit(design @ model.summary().to_frame().estimate.to_numpy())
    bread = np.linalg.inv((design * (p * (1 - p))[:, None]).T @ design)
    scores = pd.DataFrame(design * (y - p)[:, None]).groupby(table["id"]).sum().to_numpy()
    expected = 197 / 196 * bread @ scores.T @ scores @ bread
    np.testing.assert_allclose(model.vcov().to_numpy(), expected, rtol=1e-6)
    assert model.n_groups_ == 197


def test_standard_errors_of_alike_rows_hold_in_repeated_draws(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    z = []
    for _ in range(150):  # twenty rows of each of sixty centres, whose feature is one number
        x = np.repeat(rng.normal(size=60), 20)
        y = rng.random(1200) < expit(0.5 * x + np.repeat(rng.normal(size=60), 20))
        model = LabelClassifier(penalty=None).fit(x[:, None], y, groups=np.repeat(np.arange(60), 20))
        slope = model.summary().coefficients[1]
        # A centre's effect, averaged over, flattens the slope: Pr(y | x) is close to expit(0.5 x / sqrt(1 + 0.346)).
        z.append((slope.estimate - 0.5 / np.sqrt(1.346)) / slope.standard_error)
    # Without groups the errors are less than half as large, and the square of z is above 4 on average.
    assert np.mean(np.square(z)) < 1.2 + 5 * np.sqrt(2 / 150)


# ---------------------------------------------------------------- folds


def test_folds_do_not_split_groups_and_all_have_labeled_people(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labeled, observed, features = rng.random(300) < 0.3, rng.normal(size=300), rng.normal(size=(300, 2))
    group = rng.integers(0, 60, 300)
    fold = deal_folds(labeled, observed, features, 5, groups=group)
    assert all(np.unique(fold[group == number]).size == 1 for number in np.unique(group))
    assert (np.bincount(fold[labeled], minlength=5) > 0).all()


def test_folds_of_groups_do_not_depend_on_the_order_of_rows(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    known = rng.random(300) < 0.3, rng.normal(size=300), rng.normal(size=(300, 2))
    group, order = rng.integers(0, 60, 300), rng.permutation(300)
    straight = deal_folds(*known, 5, groups=group)
    shuffled = deal_folds(*(values[order] for values in known), 5, groups=rng.permutation(60)[group][order])
    assert np.array_equal(shuffled, straight[order])


def test_where_few_groups_have_labeled_people_rows_are_dealt_alone():
    rng = np.random.default_rng(0)
    labeled, observed, features = np.arange(100) < 30, rng.normal(size=100), rng.normal(size=(100, 2))
    alone = deal_folds(labeled, observed, features, 5)
    assert np.array_equal(deal_folds(labeled, observed, features, 5, groups=np.arange(100) // 10), alone)


def test_values_are_summed_over_the_rows_of_each_group():
    values = np.arange(12.0).reshape(6, 2)
    assert sum_by_group(values, np.array([7, 2, 7, 2, 2, 9])).tolist() == [[16, 19], [4, 6], [10, 11]]
    assert sum_by_group(values, None) is values
