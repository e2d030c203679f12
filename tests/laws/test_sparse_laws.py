"""Sparse features: every linear method comes to what it does with them written out, and they stay sparse."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_predict

import whether as wh
from whether.learners.linear.design import learn_standardization
from whether.validate import check_cohort

DRIVEN = [0, 1, 9, 10]
# Settled penalties and shapes: the law is about features.
QUICK = {"shrinkage": 100.0, "distribution": "lognormal"}


def draw_codes(seed, n=600):
    """Two one-hot encoded columns, a count and a number that is mostly zero, with events and follow-up."""
    rng = np.random.default_rng(seed)
    codes = [np.eye(levels)[rng.integers(0, levels, n)][:, 1:] for levels in (5, 6)]
    sparse_number = np.where(rng.random(n) < 0.3, rng.standard_normal(n), 0.0)
    X = np.column_stack([*codes, rng.poisson(0.4, n), sparse_number])
    positive = rng.random(n) < 1 / (1 + np.exp(-X @ rng.normal(size=X.shape[1])))
    event, follow_up = np.exp(0.5 * X[:, 0] + rng.standard_normal(n)), np.exp(1.2 * rng.standard_normal(n))
    y = (positive & (event <= follow_up)).astype(int)
    return X, y, {"time": np.where(y == 1, event, follow_up), "follow_up": follow_up}


@pytest.fixture(scope="module")
def codes():
    return draw_codes(3)


def build(method, **settings):
    known = method.estimator().get_params()
    used = {name: value for name, value in settings.items() if name in known and name not in method.settings}
    return method.build(DRIVEN if method.feature_parameter else None, random_state=0, **used)


@pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning", "ignore::whether.FollowUpWarning")
@pytest.mark.parametrize("method", wh.METHODS.values(), ids=lambda method: method.name)
def test_a_method_comes_to_the_same_with_sparse_features(method, codes):
    X, y, clock = codes
    model = build(method, **QUICK)
    if not model._takes_sparse():
        with pytest.raises(wh.DataError, match="is a sparse matrix of shape"):
            model.fit(sparse.csr_array(X), y, **clock)
        return
    dense = build(method, **QUICK).fit(X, y, **clock)
    model.fit(sparse.csc_matrix(X), y, **clock)
    np.testing.assert_allclose(model.model_.coefficients, dense.model_.coefficients, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(sparse.coo_array(X)), dense.predict_proba(X), rtol=1e-8, atol=1e-12)
    ours, theirs = (fitted.summary().coefficients for fitted in (model, dense))
    assert [(one.part, one.term) for one in ours] == [(one.part, one.term) for one in theirs]
    errors = [[one.standard_error for one in table] for table in (ours, theirs)]
    np.testing.assert_allclose(*errors, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_records_and_weights_count_as_they_do_with_features_written_out(seed):
    X, y, clock = draw_codes(seed)
    rng = np.random.default_rng(seed)
    entry = np.where(rng.random(y.size) < 0.5, 0.0, 0.5 * np.minimum(*clock.values()))
    known = {
        "sample_weight": rng.integers(0, 3, y.size).astype(float),
        "entry_time": entry,
        "competing": (y == 0) & (rng.random(y.size) < 0.3),
        "groups": rng.integers(0, 100, y.size),
    }
    given = {"time": clock["time"], **known}
    models = [wh.MixtureCureClassifier(**QUICK).fit(table, y, **given) for table in (X, sparse.csr_array(X))]
    np.testing.assert_allclose(*(model.model_.coefficients for model in models), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(*(model.vcov() for model in models), rtol=1e-5, atol=1e-9)


def test_what_is_stored_how_does_not_matter(codes):
    X, y, clock = codes
    plain = sparse.csr_array(X)
    unsorted = plain.copy()
    for row in range(X.shape[0]):
        inside = slice(*plain.indptr[row : row + 2])
        unsorted.indices[inside], unsorted.data[inside] = plain.indices[inside][::-1], plain.data[inside][::-1]
    unsorted.has_sorted_indices = False
    rows, columns = np.nonzero(np.ones_like(X))
    with_zeros = sparse.csr_array((X.ravel(), (rows, columns)), shape=X.shape)
    doubled = sparse.coo_array((np.tile(plain.data / 2, 2), tuple(np.tile(plain.nonzero(), 2))), shape=X.shape)
    before = unsorted.indices.copy()
    expected = wh.FollowUpCureClassifier(**QUICK).fit(plain, y, **clock).model_.coefficients
    for table in (unsorted, with_zeros, doubled):
        found = wh.FollowUpCureClassifier(**QUICK).fit(table, y, **clock).model_.coefficients
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(unsorted.indices, before)  # nobody's matrix is tidied up in place


def test_whole_numbers_are_read_as_numbers(codes):
    X, y, _clock = codes
    counts = X[:, :10].astype(np.int8)
    models = [wh.LabelClassifier().fit(table, y) for table in (counts, sparse.csr_matrix(counts))]
    np.testing.assert_allclose(*(model.coef_ for model in models), rtol=1e-9)


def test_nobodys_codes_have_no_slope_and_codes_that_come_together_the_same(codes):
    X, y, clock = codes
    more = np.column_stack([X, np.zeros(y.size), np.full(y.size, 7.0), X[:, 0]])
    model = wh.MixtureCureClassifier(**QUICK).fit(sparse.csr_array(more), y, time=clock["time"])
    *_, nobody, everybody, twin = model.coef_[0]
    assert abs(nobody) < 1e-9
    assert abs(everybody) < 1e-9
    assert twin == pytest.approx(model.coef_[0, 0], rel=1e-6)


def test_people_without_any_code_and_single_people_are_predicted(codes):
    X, y, clock = codes
    model = wh.FollowUpCureClassifier(**QUICK).fit(sparse.csr_array(X), y, **clock)
    nothing = sparse.csr_array((1, X.shape[1]))
    np.testing.assert_allclose(model.predict_proba(nothing), model.predict_proba(np.zeros((1, X.shape[1]))))
    np.testing.assert_allclose(model.predict_proba(sparse.csr_array(X[:1])), model.predict_proba(X)[:1], rtol=1e-12)
    within = [model.predict_proba_within(table, 1.0) for table in (sparse.csr_array(X), X)]
    np.testing.assert_allclose(*within, rtol=1e-9)


def test_missing_values_are_refused_with_their_place(codes):
    X, y, _ = codes
    X = X.copy()
    X[4, 9] = np.nan
    with pytest.raises(wh.DataError, match=r"X contains NaN .*row 4, column 'x9'"):
        wh.LabelClassifier().fit(sparse.csr_array(X), y)


@pytest.mark.parametrize("learner", ["boosted", "neural", "auto"])
def test_learners_that_hold_features_written_out_say_so(learner, codes):
    X, y, clock = codes
    with pytest.raises(wh.DataError, match=f"learner='{learner}'.*cannot learn from.*toarray"):
        wh.MixtureCureClassifier(learner=learner).fit(sparse.csr_array(X), y, **clock)


@pytest.mark.parametrize(
    "function", [wh.examine, wh.recommend, wh.backtest, wh.label_frequency], ids=lambda f: f.__name__
)
def test_what_looks_at_people_closely_says_that_it_cannot(function, codes):
    X, y, clock = codes
    with pytest.raises(wh.DataError, match="is a sparse matrix of shape"):
        function(sparse.csr_array(X), y, **({} if function is wh.label_frequency else clock))


def test_sparse_models_are_saved_and_cross_validated(codes, tmp_path):
    X, y, _clock = codes
    table = sparse.csr_array(X)
    model = wh.LabelClassifier().fit(table, y)
    wh.save_model(model, tmp_path / "codes.whether")
    again = wh.load_model(tmp_path / "codes.whether").model
    np.testing.assert_allclose(again.predict_proba(table), model.predict_proba(table), rtol=1e-12)
    held_out = [cross_val_predict(wh.LabelClassifier(), some, y, method="predict_proba") for some in (X, table)]
    np.testing.assert_allclose(*held_out, rtol=1e-8)


def test_thousands_of_codes_stay_sparse(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, n_codes, per_person = 400, 2_000, 5
    rows = np.repeat(np.arange(n), per_person)
    table = sparse.csr_array((np.ones(rows.size), (rows, rng.integers(0, n_codes, rows.size))), shape=(n, n_codes))
    follow_up = np.exp(rng.standard_normal(n))
    y = (rng.random(n) < 0.5 * (1 - np.exp(-follow_up))).astype(int)
    tracemalloc.start()
    model = wh.FollowUpCureClassifier(ridge=100.0, **QUICK).fit(table, y, follow_up=follow_up)
    risks = model.predict_proba(table)[:, 1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * 8 * n * n_codes  # bytes of the table written out
    assert np.all((risks > 0) & (risks < 1))


def test_moments_are_those_of_the_features_written_out(codes):
    X, y, _ = codes
    weight = np.arange(y.size) % 3 + 1.0
    names = [f"x{i}" for i in range(X.shape[1])]
    found = [
        learn_standardization(check_cohort(table, y, names=names, sample_weight=weight), np.arange(X.shape[1]))
        for table in (X, sparse.csr_array(X))
    ]
    np.testing.assert_allclose(found[1].mean, found[0].mean, rtol=1e-12)
    np.testing.assert_allclose(found[1].scale, found[0].scale, rtol=1e-12)
