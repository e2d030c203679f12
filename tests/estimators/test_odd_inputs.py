"""Masks, weights that are shares, and one value that lies far out."""

import numpy as np
import pytest

import whether as wh
from whether.validate import find_outlying


@pytest.fixture(scope="module")
def people():
    return wh.simulate("baseline", n=300, seed=0)


def masked(values, row=3):
    hidden = np.ma.array(np.array(values, dtype=float), mask=False)
    hidden[row] = np.ma.masked
    return hidden


def test_masked_values_are_refused_wherever_they_are(people):
    model = wh.MixtureCureClassifier("lognormal")
    with pytest.raises(wh.DataError, match="X is a masked array, 4 of whose 1200 values are masked"):
        model.fit(masked(people.X), people.y, time=people.time)
    with pytest.raises(wh.DataError, match="y is a masked array, 1 of whose 300"):
        model.fit(people.X, masked(people.y), time=people.time)
    for name in ("time", "sample_weight", "groups", "competing"):
        known = {"time": people.time, name: masked(people.time)}
        with pytest.raises(wh.DataError, match=f"{name} is a masked array"):
            model.fit(people.X, people.y, **known)
    with pytest.raises(wh.DataError, match="X is a masked array"):
        wh.examine(masked(people.X), people.y, time=people.time)
    # A mask that hides nothing is no mask.
    model.fit(np.ma.array(people.X), np.ma.array(people.y), time=np.ma.array(people.time))
    with pytest.raises(wh.DataError, match="X is a masked array"):
        model.predict_proba(masked(people.X))


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1 / 300])
def test_weights_that_are_shares_are_refused(people, size):
    with pytest.raises(
        wh.DataError, match=r"the 300 rows together stand for .*pass sample_weight / sample_weight.mean"
    ):
        wh.LabelClassifier().fit(people.X, people.y, sample_weight=np.full(300, size))


def test_one_value_that_lies_far_out_is_told_with_its_column(people):
    X = people.X.copy()
    X[5, 2] = 1e6
    with pytest.warns(UserWarning, match="erases the effect of 'x2'"):
        model = wh.LabelClassifier().fit(X, people.y)
    assert model.outlying_features_ == ("x2",)
    assert wh.LabelClassifier().fit(people.X, people.y).outlying_features_ == ()


def test_rare_values_and_long_tails_are_not_outlying(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    columns = np.column_stack(
        [
            np.arange(2000) == 7,
            rng.lognormal(0, 1, 2000),
            np.where(np.arange(2000) < 3, 1.0, np.nan),
            rng.normal(size=2000),
        ]
    )
    assert find_outlying(columns, ["rare", "tail", "gaps", "plain"]) == []
    columns[9, 3] = 1e300
    assert find_outlying(columns, ["rare", "tail", "gaps", "plain"]) == ["plain"]


def test_a_feature_is_suggested_whatever_its_case(people):
    frame = people.frame()[list(people.feature_names)].rename(columns=str.upper)
    with pytest.raises(wh.DataError, match=r"Did you mean 'X2'\?"):
        wh.SARPUClassifier(["x2"]).fit(frame, people.y)


@pytest.mark.parametrize("size", [1e160, 1e300, 1e-200, 1e-280])
def test_features_whose_squares_are_no_numbers_count_like_others(people, size):
    X = people.X * np.where(np.arange(people.X.shape[1]) == 1, size, 1.0)
    expected = wh.LabelClassifier().fit(people.X, people.y).predict_proba(people.X)
    found = wh.LabelClassifier().fit(X, people.y).predict_proba(X)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_value_near_the_largest_number_erases_the_feature_and_nothing_else(people):
    X = people.X.copy()
    X[:2, 1] = 1e308
    assert np.isfinite(wh.LabelClassifier().fit(X, people.y).predict_proba(X)).all()


def test_numbers_next_to_zero_are_zero(people):
    X = people.X * np.where(np.arange(people.X.shape[1]) == 1, 1e-320, 1.0)
    assert np.isfinite(wh.LabelClassifier().fit(X, people.y).predict_proba(X)).all()
