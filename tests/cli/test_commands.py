import re
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import make_cohort, to_csv
from whether import METHODS, simulate
from whether.estimators import refits
from whether.files.model import load_model
from whether.files.table import open_table
from whether.files.table.columns import guess_column

TIMES = ("--time", "time", "--follow-up", "follow_up")


def fit(run, table, output, *options, advised=False):
    """Fit by the follow-up cure model, which is quick, unless the method is given or is to be as advised."""
    if not advised and "--method" not in options:
        options += ("--method", "FUMC-R" if "--propensity-features" in options else "FUMC-F")
    done = run("fit", table, "--event", "event", *options, "-o", output, "--json")
    assert done.code == 0, done.err
    return done.json


def numbers(path):
    """Columns of a file of numbers, to the last bit."""
    table = open_table(path).read()
    return {name: guess_column(name, table[name]).numbers() for name in table.column_names}


def notes_of(result):
    return " ".join(note["text"] for note in result["notes"])


@pytest.mark.parametrize("command", ["fit", "predict", "simulate"])
def test_the_help_of_a_command_shows_an_example_that_begins_like_it(run, command):
    done = run(command, "--help")
    assert done.code == 0
    assert f"  whether {command} " in done.out


def test_the_examples_in_the_help_of_fit_run_as_they_stand(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run("fit", "--help").out
    example = shown[shown.index("Example:") : shown.index("With dates:")]
    for line in re.findall(r"^\s+whether (.*)$", example, re.MULTILINE):
        done = run(*line.replace("4000", "400").split())
        assert done.code == 0, done.err
    assert pd.read_csv("risks.csv").shape == (400, 3)


def test_rows_of_a_group_have_clustered_errors(run, table, tmp_path):
    fit(run, table, tmp_path / "m", *TIMES, "--id", "patient", "--group", "stage")
    assert load_model(tmp_path / "m").model.n_groups_ == 3


def test_the_version_is_printed(run):
    import whether

    assert run("--version").out == f"whether {whether.__version__}\n"


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_the_catalogue_can_be_fitted_and_asked(run, tmp_path, table, name):
    named = ("--propensity-features", "stage") if METHODS[name].feature_parameter else ()
    result = fit(run, table, tmp_path / "m.whether", *TIMES, "--method", name, *named, "--id", "patient")
    assert result["method"] == load_model(tmp_path / "m.whether").method == name
    done = run("predict", tmp_path / "m.whether", table, "-o", tmp_path / "r.csv", "--json")
    assert done.code == 0, done.err
    risks = pd.read_csv(tmp_path / "r.csv")
    assert list(risks["patient"]) == make_cohort()["patient"]
    assert risks["risk"].between(0, 1).all()
    assert done.json["mean_risk"] == pytest.approx(result["mean_risk"], rel=1e-12)


@pytest.mark.parametrize("learner", ["boosted", "neural", "auto"])
def test_every_learner_can_be_fitted_and_asked(run, tmp_path, cohort, learner, monkeypatch):
    monkeypatch.setattr(refits, "N_REFITS", 2)
    cohort["age"][:20] = [""] * 20  # trees take gaps as they are, the others have them filled
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES, "--learner", learner)
    assert ("age is missing" in result["features"]) == (learner != "boosted")
    done = run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "r.csv", "--json")
    assert done.code == 0, done.err
    assert done.json["mean_risk"] == pytest.approx(result["mean_risk"], rel=1e-12)
    assert done.json["columns"][-3:] == ["risk", "risk_lower", "risk_upper"]


@pytest.mark.parametrize(
    "options",
    [
        TIMES,
        ("--follow-up", "follow_up", "--drop", "time"),
        ("--time", "time", "--drop", "follow_up"),
        (*TIMES, "--propensity-features", "stage"),
        ("--drop", "time,follow_up", "--propensity-features", "age"),
    ],
)
def test_without_a_method_it_is_the_recommended_one(run, tmp_path, table, options):
    result = fit(run, table, tmp_path / "m", *options, advised=True)
    advice = run("recommend", table, "--event", "event", *options, "--json").json["recommendation"]
    assert (result["method"], result["learner"]) == (advice["method"], advice["learner"])
    assert set(advice["refusals"]) <= {note["text"] for note in result["notes"] if note["warning"]}


def test_a_method_may_be_named_in_any_case(run, tmp_path, table):
    assert fit(run, table, tmp_path / "m", "--drop", "time,follow_up", "--method", "lr")["method"] == "LR"


def test_the_columns_that_decide_who_is_seen_reach_the_model_as_features(run, tmp_path, table):
    fit(run, table, tmp_path / "m", *TIMES, "--propensity-features", "stage")
    opened = load_model(tmp_path / "m")
    assert opened.model.time_features == ["stage=I", "stage=II"] == opened.encoder.features_of("stage")


def test_predictions_in_another_process_are_the_same_to_the_last_bit(run, tmp_path, table):
    fit(run, table, tmp_path / "m", *TIMES)
    opened = load_model(tmp_path / "m")
    features = opened.encoder.encode_table(open_table(table).read(), [])
    expected = opened.model.predict_proba(pd.DataFrame(features, columns=list(opened.encoder.features)))[:, 1]
    outputs = [str(tmp_path / f"r.{suffix}") for suffix in ("csv", "parquet", "feather")]
    program = (
        "import sys; from whether.cli.app import app\n"
        f"for output in {outputs!r}: app([*sys.argv[1:], '-o', output], standalone_mode=False)"
    )
    arguments = [sys.executable, "-c", program, "predict", tmp_path / "m", table]
    subprocess.run(arguments, check=True, capture_output=True)
    for output in outputs:
        np.testing.assert_array_equal(numbers(output)["risk"], expected)


def test_intervals_hold_the_risk_and_widen_with_the_level(run, tmp_path, table, model):
    widths = []
    for level in (0.5, 0.99):
        assert run("predict", model, table, "-o", tmp_path / "r.csv", "--level", level).code == 0
        risks = pd.read_csv(tmp_path / "r.csv")
        assert (risks["risk_lower"] < risks["risk"]).all()
        assert (risks["risk"] < risks["risk_upper"]).all()
        widths.append(risks["risk_upper"] - risks["risk_lower"])
    assert (widths[0] < widths[1]).all()


def test_the_interval_of_a_person_with_all_features_zero_is_that_of_the_intercept(model):
    from scipy.special import expit

    fitted = load_model(model).model
    intercept = fitted.summary().coefficients[0]
    person = pd.DataFrame(np.zeros((1, fitted.n_features_in_)), columns=fitted.feature_names_in_)
    expected = expit([intercept.lower, intercept.upper])
    np.testing.assert_allclose(fitted.predict_interval(person)[0], expected, rtol=1e-9)


def test_a_model_without_standard_errors_has_intervals_from_refits_unless_they_are_left_out(
    run, tmp_path, table, monkeypatch
):
    monkeypatch.setattr(refits, "N_REFITS", 3)
    for options, how in (((), "refits"), (("--no-intervals",), "none")):
        assert fit(run, table, tmp_path / how, *TIMES, "--method", "AFT", *options)["intervals"] == how
        columns = run("predict", tmp_path / how, table, "-o", tmp_path / f"{how}.csv", "--json").json["columns"]
        assert ("risk_lower" in columns) == (how == "refits")
    assert "no intervals" in run("predict", tmp_path / "none", table, "-o", tmp_path / "again.csv").out


def test_ids_are_copied_only_where_they_are_there_or_asked_for(run, tmp_path, cohort, table, model):
    done = run("predict", model, table, "-o", tmp_path / "r.csv", "--json", "--id", "patient,event")
    assert done.json["columns"][:2] == ["patient", "event"]
    del cohort["patient"]
    (tmp_path / "anonymous.csv").write_text(to_csv(cohort))
    done = run("predict", model, tmp_path / "anonymous.csv", "-o", tmp_path / "r.csv", "--json")
    assert done.json["columns"] == ["risk", "risk_lower", "risk_upper"]


@pytest.mark.parametrize(("no", "yes"), [("0", "1"), ("no", "yes"), ("FALSE", "TRUE"), ("N", "Y"), ("0.0", "1.0")])
def test_the_event_may_be_said_in_many_ways(run, tmp_path, cohort, no, yes):
    cohort["event"] = [yes if seen else no for seen in cohort["event"]]
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES)
    assert result["events"] == cohort["event"].count(yes)
    assert (f"{yes!r} means that the event was seen" in notes_of(result)) == (not yes.startswith("1"))


def test_true_and_false_of_parquet_are_an_event(run, tmp_path, cohort, parquet):
    cohort["event"] = [bool(seen) for seen in cohort["event"]]
    assert fit(run, parquet(cohort), tmp_path / "m", *TIMES)["events"] == sum(cohort["event"])


def test_the_value_that_means_the_event_can_be_given(run, tmp_path, cohort):
    cohort["event"] = [2 if seen else 1 for seen in cohort["event"]]
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES, "--event-value", "2")
    assert result["events"] == cohort["event"].count(2)


def with_dates(cohort):
    """The cohort with dates of entry and of the event or of the last visit, and the endpoint they imply."""
    endpoint = np.datetime64("2020-12-31")
    days = np.maximum(np.round(365.25 * np.array(cohort["follow_up"])), 2).astype(int)
    until = np.clip(np.round(365.25 * np.array(cohort["time"])), 1, days).astype(int)
    entry = endpoint - days
    return {
        **cohort,
        "entry": [str(day) for day in entry],
        "seen": [str(day) for day in entry + until],
        "time": (until / 365.25).tolist(),
        "follow_up": (days / 365.25).tolist(),
    }


def test_times_that_follow_from_dates_give_the_same_model(run, tmp_path, cohort):
    cohort = with_dates(cohort)
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    direct = fit(run, tmp_path / "t.csv", tmp_path / "a", *TIMES, "--drop", "entry,seen")
    dates = ("--entry", "entry", "--endpoint", "2020-12-31", "--time", "seen", "--drop", "time,follow_up")
    derived = fit(run, tmp_path / "t.csv", tmp_path / "b", *dates)
    assert derived["mean_risk"] == pytest.approx(direct["mean_risk"], abs=1e-12)
    assert "years of 365.25 days" in notes_of(derived)


def test_people_without_the_event_need_no_date_where_there_is_an_endpoint(run, tmp_path, cohort):
    cohort = with_dates(cohort)
    full, empty = dict(cohort), dict(cohort)
    empty["seen"] = [day if seen else "" for day, seen in zip(cohort["seen"], cohort["event"], strict=True)]
    full["seen"] = [day if seen else "2020-12-31" for day, seen in zip(cohort["seen"], cohort["event"], strict=True)]
    dates = ("--entry", "entry", "--endpoint", "2020-12-31", "--time", "seen", "--drop", "time,follow_up")
    risks = []
    for name, columns in (("full", full), ("empty", empty)):
        (tmp_path / f"{name}.csv").write_text(to_csv(columns))
        result = fit(run, tmp_path / f"{name}.csv", tmp_path / name, *dates, "--method", "AFTMC-F")
        risks.append(result["mean_risk"])
    assert risks[0] == risks[1]


def test_entries_in_decimal_years_have_an_endpoint_in_decimal_years(run, tmp_path, cohort):
    cohort["entry"] = [2020.5 - follow_up for follow_up in cohort["follow_up"]]
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    direct = fit(run, tmp_path / "t.csv", tmp_path / "a", *TIMES, "--drop", "entry")
    years = ("--entry", "entry", "--endpoint", "2020.5", "--drop", "time,follow_up")
    assert fit(run, tmp_path / "t.csv", tmp_path / "b", *years)["mean_risk"] == pytest.approx(direct["mean_risk"])


def test_a_query_chooses_the_people(run, tmp_path, cohort):
    with sqlite3.connect(tmp_path / "h.db") as connection:
        pd.DataFrame(cohort).to_sql("people", connection, index=False)
    connection.close()
    query = "SELECT * FROM people WHERE stage != 'III'"
    result = fit(run, tmp_path / "h.db", tmp_path / "m", *TIMES, "--query", query, "--id", "patient")
    assert result["people"] == sum(stage != "III" for stage in cohort["stage"])
    assert result["features"] == ["age", "stage=II"]


def test_names_with_commas_and_markup_are_names_like_others(run, tmp_path, cohort):
    renamed = {
        "age, years": cohort["age"],
        "<script>alert(1)</script>": cohort["stage"],
        "[bold]x": cohort["age"][::-1],
    }
    columns = {**renamed, **{name: cohort[name] for name in ("event", "time", "follow_up")}}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    options = ("--propensity-features", "age, years", "--features", '"age, years",<script>alert(1)</script>,[bold]x')
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES, *options)
    assert result["features"] == ["age, years", *[f for f in result["features"] if "script" in f], "[bold]x"]
    done = run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "r.csv")
    assert done.code == 0, done.err


def test_formula_like_and_script_like_cells_are_categories_like_others(run, tmp_path, cohort):
    cells = {"I": "=cmd|'/C calc'!A0", "II": "<script>alert(1)</script>", "III": "@SUM(A1)"}
    cohort["stage"] = [cells[stage] for stage in cohort["stage"]]
    pd.DataFrame(cohort).to_csv(tmp_path / "t.csv", index=False)
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES, "--id", "patient")
    assert len(result["features"]) == 3
    assert run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "r.csv").code == 0


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "utf-16"])
def test_a_cohort_is_the_same_in_every_encoding(run, tmp_path, cohort, encoding):
    cohort["ort"] = ["Köln", "Ulm"] * 60
    (tmp_path / "t.csv").write_bytes(to_csv(cohort, ";").encode(encoding))
    assert "ort=Ulm" in fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES)["features"]


def test_what_was_done_to_the_table_is_told_and_kept(run, tmp_path, cohort):
    cohort["age"][:20] = [""] * 20
    cohort["row"] = list(range(120))
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    done = run("fit", tmp_path / "t.csv", "--event", "event", *TIMES, "--method", "FUMC-F", "-o", tmp_path / "m")
    assert "20 missing values replaced by the median" in done.err
    assert "warning: Column 'row' looks like an id" in done.err
    assert "warning: Column 'patient' looks like an id or a remark" in done.err
    assert any("20 missing values" in note for note in load_model(tmp_path / "m").training["notes"])


def test_boosted_trees_keep_gaps_whatever_method_is_advised(run, tmp_path, cohort):
    cohort["age"][:20] = [""] * 20
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES, "--learner", "boosted", advised=True)
    assert result["learner"] == "boosted"
    assert "age is missing" not in result["features"]


def test_a_model_file_tells_no_small_number_of_events(run, tmp_path, cohort):
    cohort["event"] = [event if i < 21 else 0 for i, event in enumerate(cohort["event"])]
    assert 0 < sum(cohort["event"]) < 11
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES)
    training = load_model(tmp_path / "m").training
    assert training["people"] == len(cohort["event"])
    assert training["events"] is training["seen_share"] is training["mean_risk"] is None


@pytest.mark.parametrize("options", [(), ("--categorical", "site")])
def test_no_value_of_few_people_is_told_or_kept(run, tmp_path, cohort, options):
    cohort["site"] = [1, 2] * 58 + [77] * 4 if options else ["north", "south"] * 58 + ["Utopia"] * 4
    cohort["visit"] = [f"2019-03-{1 + i % 28:02d}" for i in range(120)]
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    result = fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES, *options)
    assert any(name.startswith("site=") for name in result["features"])
    told = notes_of(result) + str(load_model(tmp_path / "m").training["notes"])
    told += str(load_model(tmp_path / "m").encoder)
    for cell in ("77", "Utopia", "2019-03", "P00"):
        assert cell not in told


def test_warnings_of_the_library_are_told_as_warnings(run, tmp_path, table):
    done = run(
        "fit", table, "--event", "event", "--drop", "time,follow_up", "--method", "SARPU-F", "-o", tmp_path / "m"
    )
    assert done.code == 0
    assert "warning: All features are in both parts" in done.err


def test_a_simulated_cohort_has_no_truth_in_it_unless_it_is_asked_for(run, tmp_path):
    assert run("simulate", "baseline", "--n", "50", "--seed", "1", "-o", tmp_path / "a.csv").code == 0
    drawn, table = simulate("baseline", n=50, seed=1), numbers(tmp_path / "a.csv")
    assert list(table) == ["x1", "x2", "x3", "x4", "event", "time", "follow_up"]
    np.testing.assert_array_equal(np.column_stack([table[name] for name in drawn.feature_names]), drawn.X)
    np.testing.assert_array_equal(table["time"], drawn.time)
    done = run("simulate", "baseline", "--n", "50", "--seed", "1", "--truth", "-o", tmp_path / "b.parquet", "--json")
    assert done.json["columns"][-3:] == ["positive", "true_risk", "true_propensity"]
    assert done.json["positive"] == drawn.positive.sum()


@pytest.mark.parametrize("name", ["rotterdam", "nwts", "hodgkin", "fertility", "melanoma_registry", "colon_ncctg"])
def test_a_real_cohort_needs_nothing_but_the_names_of_its_columns(run, tmp_path, shared_data, name):
    ids = ("--id", "group") if name == "fertility" else ()
    result = fit(run, shared_data / f"{name}.parquet", tmp_path / "m", "--time", "time", *ids, "--method", "AFTMC-F")
    assert result["converged"]
    assert result["seen_share"] < result["mean_risk"] < 1
    assert 0 < result["expected_unseen"] < result["people"] - result["events"]
    done = run("predict", tmp_path / "m", shared_data / f"{name}.parquet", "-o", tmp_path / "r.parquet", "--json")
    assert done.code == 0, done.err
    assert done.json["mean_risk"] == pytest.approx(result["mean_risk"], rel=1e-12)


def test_fit_does_not_count_out_a_few_events(run, tmp_path, cohort):
    cohort["event"] = [event if i < 21 else 0 for i, event in enumerate(cohort["event"])]
    (tmp_path / "t.csv").write_text(to_csv(cohort))
    assert fit(run, tmp_path / "t.csv", tmp_path / "m", *TIMES)["events"] is None
    options = ("--event", "event", *TIMES, "--method", "FUMC-F", "-o", tmp_path / "m")
    assert "fewer than 11 have a recorded event" in run("fit", tmp_path / "t.csv", *options).out


def test_a_model_without_features_is_fitted_saved_and_asked(run, tmp_path):
    run("simulate", "baseline", "--n", "400", "-o", tmp_path / "cohort.csv")
    model, risks = tmp_path / "model", tmp_path / "risks.csv"
    options = ("--features", "none", "--method", "AFTMC-F", "--penalty", "none")
    assert fit(run, tmp_path / "cohort.csv", model, *TIMES, *options)["features"] == []
    assert run("predict", model, tmp_path / "cohort.csv", "-o", risks).code == 0
    written = pd.read_csv(risks)
    fitted = load_model(model).model
    assert fitted.is_maximum_likelihood_
    assert written.risk.to_numpy() == pytest.approx(fitted.predict_proba(np.empty((400, 0)))[:, 1])
    assert (written.risk_lower < written.risk).all()


def test_parts_have_the_features_that_options_name(run, tmp_path):
    run("simulate", "baseline", "--n", "400", "-o", tmp_path / "cohort.csv")
    options = ("--propensity-features", "none", "--outcome-features", "x1,x3", "--penalty", "none")
    fit(run, tmp_path / "cohort.csv", tmp_path / "model", *TIMES, "--method", "AFTMC-R", *options)
    table = load_model(tmp_path / "model").model.summary().to_frame()
    assert table.term[table.part == "outcome"].tolist() == ["intercept", "x1", "x3"]
    assert table.term[table.part != "outcome"].tolist() == ["intercept", "intercept"]
