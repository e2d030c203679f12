import numpy as np
import pyarrow as pa
import pytest

from whether.facts import FEWEST
from whether.files.table import TableError, read_cohort
from whether.files.table.columns import guess_column
from whether.files.table.findings import (
    GapsCoded,
    GapsFilled,
    Held,
    LeftOut,
    LooksLikeId,
    RarePooled,
    Reason,
    SameFeature,
    UnknownCategories,
    UsedAsCategories,
)
from whether.files.table.learn import learn_encoder
from whether.files.table.outcome import Outcome
from whether.files.table.roles import Choice

N = 200


def make(**cells):
    table = pa.table(cells)
    return {name: guess_column(name, table[name]) for name in table.column_names}


def learn(columns, *, time=None, event=None, keep_gaps=False, **wishes):
    findings = []
    n = len(next(iter(columns.values())).data)
    event = np.arange(n) % 3 == 0 if event is None else event
    choice, outcome = Choice(list(columns), **wishes), Outcome(event, time)
    return learn_encoder(columns, choice, outcome, findings, keep_gaps=keep_gaps), findings


def age(n=N):
    return 40 + 0.37 * (np.arange(n) * 7919 % n)


def test_numbers_are_one_feature_and_categories_one_for_each_but_the_most_frequent():
    columns = make(age=age(), stage=["I", "II", "I", "III"] * 50)
    encoder, findings = learn(columns)
    assert encoder.features == ("age", "stage=II", "stage=III")
    matrix = encoder.encode(columns, N, [])
    np.testing.assert_array_equal(matrix[:, 0], age())
    np.testing.assert_array_equal(matrix[:4, 1:], [[0, 0], [1, 0], [0, 0], [0, 1]])
    assert UsedAsCategories("stage", (Held("I", 100), Held("II", 50), Held("III", 50))) in findings


def test_gaps_are_filled_with_the_median_and_flagged_where_there_are_many():
    values = age()
    values[:20] = np.nan
    columns = make(age=values)
    encoder, findings = learn(columns)
    assert encoder.features == ("age", "age is missing")
    matrix = encoder.encode(columns, N, [])
    np.testing.assert_array_equal(matrix[:20], np.tile([np.median(values[20:]), 1.0], (20, 1)))
    assert GapsFilled("age", 20, np.median(values[20:]), is_flagged=True) in findings


def test_a_few_gaps_are_filled_without_a_flag():
    values = age()
    values[:4] = np.nan
    encoder, findings = learn(make(age=values))
    assert encoder.features == ("age",)
    assert GapsFilled("age", 4, np.median(values[4:])) in findings


@pytest.mark.parametrize("n_missing", [3, 21])
def test_what_fills_gaps_is_nobodys_own_value(n_missing):
    values = np.exp(np.arange(N) / 40.0)
    values[:n_missing] = np.nan
    encoder, _ = learn(make(age=values))
    fill = encoder.plans[0].fill
    assert fill not in values
    assert abs(np.mean(values[n_missing:] < fill) - 0.5) < 0.01
    assert learn(make(dose=[None] * 21 + [1.0, 2.0, 2.0, 2.0] * 45))[0].plans[0].fill == 2.0  # many people's


def test_gaps_stay_where_the_learner_copes_with_them():
    values = age()
    values[:20] = np.nan
    columns = make(age=values)
    encoder, _ = learn(columns, keep_gaps=True)
    np.testing.assert_array_equal(encoder.encode(columns, N, [])[:, 0], values)


def test_rare_categories_are_pooled_and_gaps_are_a_category():
    cells = ["a"] * 100 + ["b"] * 50 + [f"rare {i}" for i in range(30)] + [None] * 20
    columns = make(x=cells)
    encoder, findings = learn(columns)
    assert encoder.features == ("x=b", "x=(other)", "x=(missing)")
    np.testing.assert_array_equal(encoder.encode(columns, N, []).sum(axis=0), [50, 30, 20])
    assert {RarePooled("x", 30, 30, None), GapsCoded("x", 20, None)} <= set(findings)
    assert "rare 1" not in str(encoder) + str(findings)


def test_only_the_twenty_most_frequent_categories_have_a_feature():
    encoder, _ = learn(make(x=[f"c{i % 30:02d}" for i in range(900)]), event=np.arange(900) % 7 == 0)
    assert len(encoder.features) == 20
    assert encoder.features[-1] == "x=(other)"


def test_a_few_people_in_rare_categories_count_as_the_most_frequent():
    columns = make(x=["a"] * 100 + ["b"] * 95 + ["c"] * 5)
    encoder, findings = learn(columns)
    assert encoder.features == ("x=b",)
    assert RarePooled("x", 1, 5, counts_as=Held("a", 100)) in findings
    assert "'c'" not in str(findings)


def test_numbers_can_be_declared_to_be_categories():
    encoder, _ = learn(make(grade=[1, 2, 3, 3] * 50), categorical=("grade",))
    assert encoder.features == ("grade=1", "grade=2")


LEFT_OUT = {
    "empty": ([None] * N, Reason.EMPTY),
    "constant": ([3.0] * N, Reason.CONSTANT),
    "constant word": (["x"] * N, Reason.CONSTANT),
    "dates": (["2020-01-02"] * N, Reason.DATES),
    "remarks": ([f"remark {i}" for i in range(N)], Reason.REMARK),
    "row numbers": (list(range(1, N + 1)), Reason.ID),
    "shuffled row numbers": ([(i * 7919) % N for i in range(N)], Reason.ID),
    "event": ((np.arange(N) % 3 == 0).astype(int), Reason.IS_EVENT),
    "no event": ((np.arange(N) % 3 != 0).astype(int), Reason.IS_EVENT),
    "lists": ([[1, 2]] * N, Reason.STRANGE),
    "nearly constant": (["x"] * (N - 3) + ["y"] * 3, Reason.NEARLY_CONSTANT),
    "few of each": ([f"w{i % 40}" for i in range(N)], Reason.ALL_RARE),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_cannot_be_a_feature_is_left_out_and_said_to_be(case):
    cells, reason = LEFT_OUT[case]
    encoder, findings = learn(make(age=age(), x=cells))
    assert encoder.features == ("age",)
    assert [(found.column, found.reason) for found in findings if isinstance(found, LeftOut)] == [("x", reason)]


@pytest.mark.parametrize("case", [case for case in LEFT_OUT if "row numbers" not in case])
def test_what_was_asked_for_by_name_and_cannot_be_a_feature_is_an_error(case):
    cells, reason = LEFT_OUT[case]
    with pytest.raises(TableError, match=f"'x' {reason.value}"):
        learn(make(age=age(), x=cells), is_named=True)


def test_an_id_asked_for_by_name_is_used_with_a_warning():
    encoder, findings = learn(make(x=list(range(N))), is_named=True)
    assert encoder.features == ("x",)
    assert LooksLikeId("x") in [found for found in findings if found.is_warning]


@pytest.mark.parametrize("name", ["id", "patient_id", "Patient ID", "MRN", "Unnamed: 0", "index"])
def test_whole_numbers_that_differ_are_an_id_by_their_name(name):
    encoder, _ = learn(make(**{"age": age(), name: [i * i for i in range(N)]}))
    assert encoder.features == ("age",)


@pytest.mark.parametrize("name", ["platelets", "grid", "acid"])
def test_whole_numbers_that_differ_are_no_id_without_such_a_name(name):
    encoder, _ = learn(make(**{name: [i * i for i in range(N)]}))
    assert encoder.features == (name,)


def test_a_column_that_mostly_equals_the_time_is_a_follow_up_and_no_feature():
    time = age()
    encoder, findings = learn(
        make(age=age()[::-1].copy(), length=np.where(np.arange(N) % 4 == 0, 99.5, time)), time=time
    )
    assert encoder.features == ("age",)
    assert LeftOut("length", Reason.IS_TIME) in findings


def test_features_that_repeat_another_are_left_out():
    stage = ["I", "II"] * 100
    encoder, findings = learn(make(stage=stage, again=[s.lower() for s in stage], number=[0.0, 1.0] * 100))
    assert encoder.features == ("stage=II",)
    assert SameFeature("again=ii", "stage=II") in findings


def test_a_word_among_many_numbers_is_an_error_that_says_where():
    cells = [str(value) for value in age()]
    cells[16] = "old"
    with pytest.raises(TableError, match=r"'x' holds numbers except for a few cells \(row 17 holds 'old'"):
        learn(make(x=cells))


def test_infinity_is_an_error():
    values = age()
    values[4] = np.inf
    with pytest.raises(TableError, match="infinite in row 5"):
        learn(make(x=values))


def test_nothing_left_is_an_error_with_the_reasons():
    with pytest.raises(TableError, match=r"No column is left .* 'x' is empty"):
        learn(make(x=[None] * N))


def test_two_features_of_one_name_are_an_error():
    with pytest.raises(TableError, match="Two features would be called 'a=y'"):
        learn({**make(a=["x", "y"] * 100), **make(**{"a=y": age()})})


@pytest.fixture
def encoder():
    cells = ["I", "II", "I", "III"] * 50
    return learn(make(age=age(), stage=cells))[0]


def test_a_new_table_may_have_other_columns_and_another_order(encoder):
    table = pa.table({"x": [1, 2], "stage": ["III", "I"], "age": ["50", "60"]})
    np.testing.assert_array_equal(encoder.encode_table(table, []), [[50, 0, 1], [60, 0, 0]])


def test_a_table_without_a_column_is_refused_by_name(encoder):
    with pytest.raises(TableError, match=r"lacks 1 of the 2 .*: 'stage'. Did you mean 'stages'\?"):
        encoder.encode_table(pa.table({"age": [1], "stages": ["I"]}), [])


def test_text_where_numbers_are_expected_is_refused(encoder):
    with pytest.raises(TableError, match="'age' should hold numbers, but row 2 holds 'old'"):
        encoder.encode_table(pa.table({"age": ["50", "old"], "stage": ["I", "I"]}), [])


def test_a_category_never_seen_counts_as_the_most_frequent_with_a_warning(encoder):
    findings = []
    matrix = encoder.encode_table(pa.table({"age": [50, 60], "stage": ["IV", "II"]}), findings)
    np.testing.assert_array_equal(matrix[:, 1:], [[0, 0], [1, 0]])
    assert findings == [UnknownCategories("stage", (Held("IV", 1),), "I")]
    assert findings[0].is_warning


def test_a_column_with_no_category_of_the_training_table_is_refused(encoder):
    with pytest.raises(TableError, match="No value of column 'stage' was seen in training: expected 'I', 'II', 'III'"):
        encoder.encode_table(pa.table({"age": [50, 60], "stage": [1, 2]}), [])


def test_new_gaps_are_filled_and_told(encoder):
    findings = []
    matrix = encoder.encode_table(pa.table({"age": [None, 60.0], "stage": ["I", None]}), findings)
    assert matrix[0, 0] == np.median(age())
    assert findings == [
        GapsFilled("age", 1, np.median(age()), in_training=False),
        GapsCoded("stage", 1, Held("I", FEWEST)),
    ]


@pytest.mark.parametrize("rare", [(), ("1A234",) * 12])  # without categories of few people, and with
@pytest.mark.parametrize("cells", [[1067, 1069], [1067.0, None], ["1067", "20095"]])
def test_numbers_in_the_place_of_text_are_no_other_category(rare, cells):
    codes = [*rare, *["01067", "01069", "20095", "D-803"] * 40][:160]
    table = pa.table({"code": codes, "event": [0] * 80 + [1] * 80, "time": np.arange(1.0, 161.0)})
    encoder = read_cohort(table, "event", time="time").encoder
    with pytest.raises(TableError, match=r"'1067' where training had '01067'.* Save the column as text"):
        encoder.encode_table(pa.table({"code": cells}), [])
