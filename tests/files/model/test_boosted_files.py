"""Boosted models: trees come back to the last bit, and LightGBM never sees a tree that it could not walk through."""

import warnings

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.files.model import ModelFileError, load_model, save_model
from whether.files.model.boosted_state import ALL, pack_trees, unpack_trees

N_CASES = 300


@pytest.fixture(scope="module")
def gappy(cohort, frame):
    """The cohort with gaps and a column of categories, which tells who is labeled: trees grow in a few rounds."""
    gappy, number = frame.copy(), np.arange(len(frame))
    gappy.iloc[::9, 0] = np.nan
    is_told = (cohort.y == 1) & (number % 3 > 0)
    gappy["group"] = np.where(is_told, 1.0 + 2 * (number % 2), number * 7 % 5)
    return gappy


@pytest.fixture(scope="module")
def boosted(cohort, gappy):
    """Function that fits a boosted model, once."""
    done = {}

    def fit(name, **settings):
        key = (name, repr(settings))
        if key not in done:
            method, learner = wh.METHODS[name], wh.BoostedLearner(max_rounds=10, num_leaves=4, **settings)
            model = method.build(["x3", "group"] if method.feature_parameter else None, learner=learner, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # ten rounds are few, and the file does not mind
                done[key] = model.fit(gappy, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
            grown = (done[key].model_.outcome, done[key].model_.timing)
            assert all(trees.num_trees() for trees in grown if trees is not None)  # a file without trees tests nothing
        return done[key]

    return fit


@pytest.mark.parametrize("name", ["LR", "SARPU-R", "FUMC-F", "AFTMC-R", "DTMC", "FUPT", "AFT"])
@pytest.mark.parametrize("categorical", [(), (4,)])
def test_a_boosted_model_predicts_the_same_after_a_journey(tmp_path, boosted, gappy, name, categorical):
    model = boosted(name, categorical_features=categorical)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    for call in ("predict_proba", "predict_propensity", "decision_function"):
        np.testing.assert_array_equal(getattr(opened, call)(gappy), getattr(model, call)(gappy), strict=True)
    for part, gains in model.importances_by_part_.items():
        np.testing.assert_array_equal(opened.importances_by_part_[part], gains)
    assert opened.model_.reliance is None or (opened.feature_importances_ == model.feature_importances_).all()
    assert opened.learner.get_params()["categorical_features"] == categorical


def test_an_opened_model_says_that_it_cannot_attribute_what_its_trees_do(tmp_path, boosted, gappy):
    save_model(boosted("FUMC-F"), tmp_path / "m")
    with pytest.raises(wh.ArgumentError, match="how many people reached it, and a model file does not keep that"):
        load_model(tmp_path / "m").model.predict_contributions(gappy)


def test_a_model_by_name_of_its_learner_is_saved_too(tmp_path, cohort, gappy):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = wh.LabelClassifier(learner="boosted", random_state=0).fit(gappy, cohort.y)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(opened.predict_proba(gappy), model.predict_proba(gappy))
    assert opened.learner == "boosted"


def test_categories_of_a_data_frame_come_back(tmp_path, cohort, frame):
    typed = frame.assign(site=pd.Categorical(["lung", "colon", "skin", None] * 100), grade=pd.Categorical([3, 1] * 200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = wh.LabelClassifier(learner="boosted", random_state=0).fit(typed, cohort.y)
    save_model(model, tmp_path / "m")
    opened = load_model(tmp_path / "m").model
    assert opened.categories_ == model.categories_ == {"site": ("colon", "lung", "skin"), "grade": (1, 3)}
    np.testing.assert_array_equal(opened.predict_proba(typed), model.predict_proba(typed))


def test_the_file_holds_neither_ranges_of_features_nor_a_number_for_every_person(tmp_path, cohort, gappy, boosted):
    save_model(boosted("FUMC-F"), tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    for value in (gappy["x2"].max(), gappy["x2"].min()):
        assert np.float64(value).tobytes() not in content
        assert repr(float(value)).encode() not in content
    with np.load(tmp_path / "m") as arrays:
        assert all(arrays[name].shape[:1] != (len(gappy),) for name in arrays.files if name.startswith("arrays/"))


def test_strange_numbers_in_trees_are_refused_or_walked_through(boosted, gappy):
    state, rng = pack_trees(boosted("LR", categorical_features=(4,)).model_.outcome), np.random.default_rng(0)
    names = [*ALL, "num_leaves", "num_cat", "shrinkage"]
    assert all(state[name].size for name in names)
    refused = 0
    for _ in range(N_CASES):
        changed = {**state, "n_features": int(rng.choice([state["n_features"], 1, 3, 10**9, -1], p=[0.8, *[0.05] * 4]))}
        name = rng.choice(names)
        values = changed[name].copy()
        if values.size:
            values[rng.integers(values.size)] = rng.choice([-(2**31), -3, -1, 0, 1, 2, 7, 64, 2**31])
        changed[name] = values[: rng.integers(values.size + 1)] if rng.random() < 0.2 else values
        try:
            booster = unpack_trees(changed)
        except ModelFileError:
            refused += 1
            continue
        assert np.isfinite(booster.predict(gappy.to_numpy()[:, : booster.num_feature()], raw_score=True)).all()
    assert 0.3 * N_CASES < refused < N_CASES


@pytest.mark.parametrize(
    "changes",
    [
        {"n_features": True},
        {"leaf_value": [1.0]},
        {"threshold": np.array([np.nan])},
        {"left_child": np.zeros(3)},
    ],
)
def test_trees_without_a_part_are_refused(boosted, changes):
    state = pack_trees(boosted("LR").model_.outcome)
    with pytest.raises(ModelFileError):
        unpack_trees({**state, **changes})


def test_a_tree_deeper_than_any_stack_is_refused():
    n = 20_000
    chain = {
        "n_features": 1,
        "num_leaves": np.array([n]),
        "num_cat": np.array([0]),
        "shrinkage": np.ones(1),
        "left_child": -np.arange(1, n),
        "right_child": np.append(np.arange(1, n - 1), -n),
    }
    sizes = {**{name: n - 1 for name in ALL}, "leaf_value": n, "leaf_weight": n, "leaf_count": n}
    sizes |= {"cat_boundaries": 0, "cat_threshold": 0}
    rest = {name: np.zeros(sizes[name], dtype=kind) for name, kind in ALL.items()}
    with pytest.raises(ModelFileError, match="do not fit"):
        unpack_trees({**rest, **chain})
