"""Every data error: raised before anything is fitted, from every kind of table, with the value and where it is."""

import datetime
import math

import numpy as np
import pytest

import whether as wh
from whether.validate.features import check_columns, check_features


def replaced(values, row, value):
    """A copy with one entry replaced."""
    changed = np.array(values, dtype=float)
    changed[row] = value
    return changed


# ---------------------------------------------------------------- features


def test_numbers_whose_sum_is_too_large_are_no_infinity():
    large = np.full((40, 2), 1e307)
    check_features(large, ["a", "b"])
    check_features(replaced(large, (3, 1), math.nan), ["a", "b"], allow_missing=True)
    with pytest.raises(wh.DataError, match=r"NaN \(missing\): 1 values are not finite \(first: row 3, column 'b'"):
        check_features(replaced(large, (3, 1), math.nan), ["a", "b"])
    with pytest.raises(wh.DataError, match=r"infinity: 2 values are not finite \(first: row 0, column 'b'"):
        check_features(replaced(large, ([0, 5], [1, 0]), [math.inf, -math.inf]), ["a", "b"])


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("translate", "message"),
    [
        (lambda y: np.where(y == 1, "yes", "no"), r"got the values 'no', 'yes' \(first: row 0, y='no'\)"),
        (lambda y: y + 1, r"got the values 1, 2 \(first: row \d+, y=2\).*pass \(y == 2\)"),
        (lambda y: 2 * y - 1, r"got the values -1, 1 \(first: row 0, y=-1\).*not known to be: pass \(y == 1\)"),
        (lambda y: np.where(y == 1, 7, y), r"got the values 0, 7 \(first: row \d+, y=7\).*Pass y = \(outcome =="),
        (lambda y: y + np.arange(y.size) % 2, r"got the values 0, 1, 2 \(first: row \d+, y=2\).*Only binary"),
        (lambda y: y * 0.37, r"got the values 0\.0, 0\.37 \(first: row \d+, y=0\.37\).*continuous"),
    ],
    ids=["strings", "1 and 2", "-1 and 1", "0 and 7", "three values", "continuous"],
)
def test_labels_other_than_0_and_1_are_refused(refused, cohort, as_column, translate, message):
    refused(wh.LabelClassifier(), message, y=as_column(translate(cohort.y)))


def test_missing_label_is_refused(refused, cohort, as_column):
    labels = as_column(replaced(cohort.y, 17, math.nan))
    refused(wh.LabelClassifier(), r"missing for 1 of 300 people \(first: row 17, y=nan\)", y=labels)


def test_missing_label_of_a_nullable_column_is_refused(refused, cohort):
    import pandas

    labels = pandas.Series(cohort.y, dtype="Int64")
    labels[17] = pandas.NA
    refused(wh.LabelClassifier(), r"y contains NaN.*row 17", y=labels)


def test_missing_label_among_objects_is_refused(refused, cohort):
    labels = cohort.y.astype(object)
    labels[17] = None
    refused(wh.LabelClassifier(), r"y contains NaN.*row 17, y=None", y=labels)


def test_numbers_and_strings_in_one_column_of_labels_are_refused(refused, cohort):
    labels = cohort.y.astype(object)
    labels[17] = "unknown"
    refused(wh.LabelClassifier(), r"got the values 'unknown', 0, 1 \(first: row 17, y='unknown'\)", y=labels)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, float, object])
def test_labels_of_any_type_equal_integers(cohort, as_column, kind, dtype):
    if kind == "polars" and dtype is object:
        pytest.skip("a polars column of objects has no numbers")
    expected = wh.LabelClassifier().fit(cohort.X, cohort.y).predict_proba(cohort.X)
    model = wh.LabelClassifier().fit(cohort.X, as_column(cohort.y.astype(dtype)))
    np.testing.assert_array_equal(model.predict_proba(cohort.X), expected)


@pytest.mark.parametrize(
    ("label", "message"), [(0, "Nobody is labeled.*all 300 people"), (1, "Nobody is unlabeled.*all 300 people")]
)
def test_labels_of_one_kind_are_refused(classifier, refused, needed_times, label, message):
    refused(classifier, message, y=np.full(300, label), **needed_times(classifier))


def test_weights_that_leave_one_class_are_refused(refused, cohort):
    refused(wh.LabelClassifier(), "Nobody is labeled", sample_weight=1.0 - cohort.y)


def test_labels_of_wrong_length_are_refused(refused, cohort, as_column):
    refused(wh.LabelClassifier(), "y has 299 entries, but X has 300 rows", y=as_column(cohort.y[:299]))


# ---------------------------------------------------------------- times


@pytest.mark.parametrize("name", ["time", "follow_up"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.nan, r"for 1 of 300 it is missing \(NaN\) \(first: row 17, {name}=nan\)"),
        (0.0, r"for 1 of 300 it is not > 0 \(first: row 17, {name}=0\.0\)"),
        (-2.0, r"for 1 of 300 it is not > 0 \(first: row 17, {name}=-2\.0\)"),
        (math.inf, r"for 1 of 300 it is infinite \(first: row 17, {name}=inf\)"),
    ],
    ids=["missing", "zero", "negative", "infinite"],
)
def test_impossible_time_is_refused(refused, cohort, as_column, name, value, message):
    times = {"time": cohort.time, "follow_up": cohort.follow_up}
    times[name] = as_column(replaced(times[name], 17, value))
    refused(wh.MixtureCureClassifier(), message.format(name=name), **times)


def test_impossible_time_is_refused_by_those_who_do_not_read_it_too(classifier, refused, cohort):
    times = {"time": replaced(cohort.time, 17, -2.0), "follow_up": cohort.follow_up}
    refused(classifier, r"row 17, time=-2\.0", **times)


@pytest.mark.parametrize("name", ["time", "follow_up"])
def test_times_of_wrong_length_are_refused(refused, cohort, as_column, name):
    short = as_column(getattr(cohort, name)[:299])
    refused(wh.LabelClassifier(), rf"{name} must be one number per person: shape \(300,\).*\(299,\)", **{name: short})


def test_dates_as_times_are_refused(refused, as_column):
    dates = as_column(np.datetime64("2020-01-01", "ms") + np.arange(300))
    refused(wh.LabelClassifier(), r"time holds dates or time differences \(datetime64", time=dates)


def test_time_differences_as_times_are_refused(refused, as_column):
    spans = as_column(np.arange(1, 301).astype("timedelta64[ms]"))
    refused(wh.LabelClassifier(), r"time holds dates or time differences \(timedelta64", time=spans)


def test_date_objects_as_times_are_refused(refused):
    dates = [datetime.date(2020, 1, 1)] * 300
    refused(wh.LabelClassifier(), r"time must be numbers; row 0 holds datetime.date\(2020, 1, 1\)", time=dates)


def test_text_as_time_is_refused(refused, cohort, as_column):
    texts = [str(value) for value in cohort.time]
    texts[17] = "lost"
    refused(wh.LabelClassifier(), r"time must be numbers; row 17 holds .*'lost'", time=as_column(texts))


@pytest.mark.parametrize("missing", [None, "NA"])
def test_missing_time_among_objects_is_refused_as_missing(refused, cohort, missing):
    import pandas

    times = cohort.time.astype(object)
    times[17] = pandas.NA if missing else None
    refused(wh.LabelClassifier(), r"1 of 300 it is missing \(NaN\) \(first: row 17, time=nan\)", time=times)


def test_missing_time_of_a_nullable_column_is_refused(refused, cohort):
    import pandas

    times = pandas.Series(cohort.time, dtype="Float64")
    times[17] = pandas.NA
    refused(wh.LabelClassifier(), r"is missing \(NaN\) \(first: row 17", time=times)


def test_event_after_the_end_of_follow_up_is_refused(classifier, refused, cohort, as_column):
    row = int(np.argmax(cohort.y))
    time = as_column(replaced(cohort.time, row, 2.0 * cohort.follow_up[row]))
    late, end = 2.0 * cohort.follow_up[row], cohort.follow_up[row]
    message = rf"after the end of follow-up for 1 labeled person \(first: row {row}, time={late}, follow_up={end}\)"
    refused(classifier, message, time=time, follow_up=as_column(cohort.follow_up))


def test_follow_up_that_ends_at_the_event_is_refused(classifier, refused, cohort, as_column):
    ends = f"{np.median(cohort.time[cohort.y == 1]):.4g}"
    times = {"time": as_column(cohort.time), "follow_up": as_column(cohort.time)}
    refused(classifier, f"median is {ends} for labeled people.*equals time for every labeled person", **times)


def test_follow_up_that_ends_at_the_event_is_refused_without_times_too(refused, as_column):
    # Without times the evidence is that labeled people have the shorter follow-up, for which 300 are too few.
    large = wh.simulate("partially-dependent", n=2000, seed=0)
    ends = f"{np.median(large.time[large.y == 1]):.4g}"
    refused(
        wh.FollowUpCureClassifier(),
        f"seems to end at the event: its median is {ends} for labeled people.*MixtureCureClassifier",
        X=large.X,
        y=large.y,
        follow_up=as_column(large.time),
    )


@pytest.mark.parametrize("seed", range(5))
def test_times_recorded_at_the_end_of_follow_up_are_no_reason_to_refuse_it(seed):
    batch = wh.simulate("batch-reporting", n=300, seed=seed)
    assert np.array_equal(batch.time, batch.follow_up)
    model = wh.FollowUpCureClassifier("lognormal", shrinkage=100.0)
    assert model.fit(batch.X, batch.y, time=batch.time, follow_up=batch.follow_up).converged_


@pytest.mark.parametrize(
    ("estimator", "missing", "instead"),
    [
        (wh.FollowUpCureClassifier(), "follow_up", "SARPUClassifier"),
        (wh.MixtureCureClassifier(), "time", "FollowUpCureClassifier"),
        (wh.DiscreteTimeCureClassifier(), "time", "FollowUpCureClassifier"),
        (wh.AFTClassifier(), "time", "FollowUpCureClassifier"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else value,
)
def test_needed_times_that_are_not_given_are_an_error_that_names_another_method(
    refused, cohort, estimator, missing, instead
):
    labeled = int(cohort.y.sum())
    message = rf"{type(estimator).__name__}.*{missing}=None \(300 people, {labeled} labeled\).*{instead}"
    refused(estimator, message, error=wh.MissingTimeError)


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize(
    ("value", "message"),
    [(-1.0, r"row 17, .*weight=-1\.0"), (math.nan, "row 17, .*weight=nan"), (math.inf, "row 17, .*weight=inf")],
)
def test_impossible_weight_is_refused(refused, as_column, value, message):
    weight = as_column(replaced(np.ones(300), 17, value))
    refused(wh.LabelClassifier(), f"sample_weight must be >= 0 and finite.*{message}", sample_weight=weight)


def test_weights_of_zero_for_everybody_are_refused(refused, as_column):
    refused(wh.LabelClassifier(), "sample_weight is zero for everybody", sample_weight=as_column(np.zeros(300)))


# ---------------------------------------------------------------- features


def test_constant_column_is_refused(classifier, refused, cohort, needed_times, as_table, kind):
    X = cohort.X.copy()
    X[:, 2] = 4.5
    name = "x2" if kind == "array" else "dose"
    refused(
        classifier,
        rf"Column '{name}' is constant \(always 4\.5\)",
        X=as_table(X, ["age", "bmi", "dose", "stage"]),
        **needed_times(classifier),
    )


@pytest.mark.parametrize("kind", [float, int, bool])
def test_columns_that_vary_in_the_last_row_alone_are_accepted(kind):
    X = np.zeros((3_000, 3), dtype=kind)
    X[-1, 0] = X[-2, 1] = X[0, 2] = 1
    check_columns(X, ["a", "b", "c"])


@pytest.mark.parametrize("row", [0, 1, 2_999])
def test_a_column_with_one_gap_or_one_value_is_not_taken_for_constant_or_empty(row):
    X = np.random.default_rng(row).normal(size=(3_000, 3))
    X[:, 0], X[:, 1] = 7.0, np.nan
    X[row, 0], X[row, 1] = np.nan, 7.0
    check_columns(X, ["a", "b", "c"])


def test_column_that_is_constant_where_weights_are_positive_is_refused(refused, cohort):
    X = cohort.X.copy()
    X[10:, 2] = 4.5
    weight = (np.arange(300) >= 10).astype(float)
    refused(wh.LabelClassifier(), r"Column 'x2' is constant \(always 4\.5\)", X=X, sample_weight=weight)


def test_duplicate_columns_are_refused(classifier, refused, cohort, needed_times, as_table, kind):
    X = cohort.X.copy()
    X[:, 3] = X[:, 1]
    names = ("x1", "x3") if kind == "array" else ("bmi", "stage")
    refused(
        classifier,
        f"Columns '{names[0]}' and '{names[1]}' are identical",
        X=as_table(X, ["age", "bmi", "dose", "stage"]),
        **needed_times(classifier),
    )


def test_duplicate_columns_that_differ_in_the_sign_of_zero_are_refused(refused, cohort):
    X = cohort.X.copy()
    X[:, 1] = np.round(X[:, 1])
    X[:, 3] = np.where(X[:, 1] == 0, -X[:, 1], X[:, 1])
    refused(wh.LabelClassifier(), "Columns 'x1' and 'x3' are identical", X=X)


@pytest.mark.parametrize(
    ("value", "what"), [(math.nan, r"NaN \(missing\)"), (math.inf, "infinity"), (-math.inf, "infinity")]
)
def test_feature_that_is_not_finite_is_refused(refused, cohort, as_table, kind, value, what):
    X = cohort.X.copy()
    X[17, 2] = X[20, 3] = value
    column = "x2" if kind == "array" else "dose"
    refused(
        wh.LabelClassifier(),
        rf"X contains {what}: 2 values.*row 17, column '{column}', value {value}",
        X=as_table(X, ["age", "bmi", "dose", "stage"]),
    )


def test_infinities_of_both_signs_are_refused(refused, cohort):
    X = cohort.X.copy()
    X[17, 2], X[20, 2] = math.inf, -math.inf
    refused(wh.LabelClassifier(), "row 17, column 'x2', value inf", X=X)


def test_missing_feature_of_a_nullable_column_is_refused(refused, cohort):
    import pandas

    table = pandas.DataFrame(cohort.X, columns=list("abcd")).astype("Float64")
    table.loc[17, "c"] = pandas.NA
    refused(wh.LabelClassifier(), "row 17, column 'c', value nan", X=table)


def test_large_features_whose_sum_overflows_are_no_error(cohort):
    X = cohort.X.astype(np.float32)
    X[:, 0] *= 1e36
    assert wh.LabelClassifier().fit(X.astype(float), cohort.y).converged_


def test_feature_that_is_not_finite_is_refused_at_prediction(fitted, cohort):
    X = cohort.X.copy()
    X[17, 2] = math.nan
    with pytest.raises(ValueError, match="row 17, column 'x2', value nan"):
        fitted.predict_proba(X)


@pytest.mark.parametrize("kind", ["pandas", "polars"], indirect=True)
def test_column_that_is_not_numeric_is_named(refused, cohort, as_table, kind):
    table = as_table(cohort.X, cohort.feature_names)
    words = ["low", "high"] * 150
    if kind == "pandas":
        table = table.assign(stage=words)
    else:
        import polars

        table = table.with_columns(polars.Series("stage", words))
    refused(wh.LabelClassifier(), r"Column 'stage' is not numeric \(.*first value 'low'\).*OneHotEncoder", X=table)


@pytest.mark.parametrize("kind", ["pandas", "polars"], indirect=True)
def test_boolean_and_integer_columns_are_numeric(cohort, as_table):
    X = np.column_stack([cohort.X[:, 0], cohort.X[:, 1] > 0, np.round(3 * cohort.X[:, 2])])
    expected = wh.LabelClassifier().fit(X, cohort.y).predict_proba(X)
    table = as_table(X, list("abc"))
    columns = {"b": X[:, 1].astype(bool), "c": X[:, 2].astype(int)}
    if hasattr(table, "assign"):
        table = table.assign(**columns)
    else:
        import polars

        table = table.with_columns(*(polars.Series(name, values) for name, values in columns.items()))
    np.testing.assert_array_equal(wh.LabelClassifier().fit(table, cohort.y).predict_proba(table), expected)


# ---------------------------------------------------------------- named features


@pytest.mark.parametrize("parameter", ["propensity_features", "time_features"])
@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["dosse"], r"has 'dosse', which is no feature of X \(features: age, bmi, dose, stage\)\. Did you mean 'dose'"),
        (["zzz"], r"has 'zzz', which is no feature of X \(features: age, bmi, dose, stage\)\.$"),
        ([4], "has 4; positions run from 0 to 3"),
        ([-5], "has -5; positions run from 0 to 3"),
        ([1.5], r"has 1\.5; positions run from 0 to 3"),
        ("dose", r"got the string 'dose': write \['dose'\]"),
        (2, r"got the number 2: write \[2\]"),
        (["dose", "dose"], r"names a feature twice: \['dose', 'dose'\]"),
        (["dose", 2], r"names a feature twice: \['dose', 2\]"),
    ],
    ids=str,
)
def test_features_that_do_not_exist_are_refused(refused, cohort, parameter, features, message):
    build = {"propensity_features": wh.SARPUClassifier, "time_features": wh.MixtureCureClassifier}[parameter]
    table = cohort.frame()[list(cohort.feature_names)].set_axis(["age", "bmi", "dose", "stage"], axis=1)
    refused(build(**{parameter: features}), f"{parameter} .*{message}", X=table, time=cohort.time)


def test_name_in_an_array_without_names_is_refused(refused):
    refused(wh.SARPUClassifier(propensity_features=["x1"]), r"has the name 'x1', but X has no column names")


def test_table_without_columns_that_has_lost_its_rows_is_refused(cohort):
    table = pytest.importorskip("polars").DataFrame({"a": cohort.X[:, 0]})
    with pytest.raises(wh.DataError, match="X has neither columns nor rows"):
        wh.LabelClassifier().fit(table.select([]), cohort.y)


def test_table_without_columns_is_refused_by_learners_that_need_features(cohort):
    with pytest.raises(ValueError, match="a minimum of 1 is required"):
        wh.LabelClassifier(learner="boosted").fit(np.empty((cohort.y.size, 0)), cohort.y)
