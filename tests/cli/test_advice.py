"""examine, recommend, backtest and sensitivity: what the library says, told as text, JSON or a picture."""

import errno
import json
import os
import re

import numpy as np
import pandas as pd
import pytest

import whether as wh
from tests.cli.conftest import make_cohort, to_csv
from tests.cli.test_bad_inputs import BAD_TABLES, check_refusal

COMMANDS = ("examine", "recommend", "backtest", "sensitivity")
TIMES = ("--event", "event", "--time", "time", "--follow-up", "follow_up")
QUICK = {"backtest": ("--splits", "2", "--methods", "LR,FUMC-F", "--no-advice")}


def strict(text):
    """JSON without NaN and infinity, which are no JSON."""

    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def cohort():
    """A cohort with enough events for every command."""
    return wh.simulate("partially-dependent", n=600, seed=3)


@pytest.fixture
def path(cohort, tmp_path):
    frame = pd.DataFrame(cohort.X, columns=list(cohort.feature_names))
    frame = frame.assign(event=cohort.y, time=cohort.time, follow_up=cohort.follow_up, clinic=np.arange(600) // 3)
    frame.to_parquet(tmp_path / "c.parquet")
    return tmp_path / "c.parquet"


def asked(run, command, table, *options):
    done = run(command, table, *options, *QUICK.get(command, ()), "--json")
    assert done.code == 0, done.err
    return strict(done.out)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_in_the_help_runs_as_it_stands(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    shown = run(command, "--help").out
    example = shown[shown.index("Example:") : shown.index("Arguments:")].split("With dates:")[0]
    lines = re.findall(r"^\s+whether (.*)$", example, re.MULTILINE)
    assert lines[-1].startswith(f"{command} ")
    for line in lines:
        fewer = ("--splits", "2") if line.startswith("backtest") else ()
        done = run(*line.replace("2000", "400").split(), *fewer)
        assert done.code == 0, done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_json_on_the_screen_and_in_a_file_are_the_same(run, path, tmp_path, command):
    told = asked(run, command, path, *TIMES, "--drop", "clinic", "-o", tmp_path / "r.json")
    kept = strict((tmp_path / "r.json").read_text())
    assert told.pop("output") == str(tmp_path / "r.json")
    told.pop("notes")
    assert told == kept
    assert (told["command"], told["people"]) == (command, 600)


@pytest.mark.parametrize(
    ("command", "ending", "start"),
    [
        ("examine", "svg", b"<?xml"),
        ("recommend", "PDF", b"%PDF"),
        ("backtest", "png", b"\x89PNG"),
        ("sensitivity", "png", b"\x89PNG"),
    ],
)
def test_a_picture_is_written_in_the_format_of_its_ending_and_the_text_is_plain(
    run, path, tmp_path, command, ending, start
):
    options = (*TIMES, "--drop", "clinic", *QUICK.get(command, ()), "-o", tmp_path / f"p.{ending}")
    done = run(command, path, *options)
    assert done.code == 0, done.err
    assert (tmp_path / f"p.{ending}").read_bytes().startswith(start)
    assert done.out.endswith(f"Written to {tmp_path / f'p.{ending}'}.\n")
    assert "\x1b" not in done.out
    *lines, _ = done.out.splitlines()
    assert max(map(len, lines)) <= 112


def test_bands_are_drawn_of_labels_alone(run, path, tmp_path):
    labels = ("--event", "event", "--drop", "clinic,time,follow_up")
    done = run("sensitivity", path, *labels, "-o", tmp_path / "p.png")
    assert done.code == 0, done.err
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_examine_and_recommend_say_what_the_library_says(run, path, cohort):
    X = pd.DataFrame(cohort.X, columns=list(cohort.feature_names))
    advice = wh.recommend(X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    told = asked(run, "recommend", path, *TIMES, "--drop", "clinic")
    assert told["evidence"] == asked(run, "examine", path, *TIMES, "--drop", "clinic")["evidence"]
    expected = strict(json.dumps(advice.to_dict(), allow_nan=False))
    assert told["evidence"] == expected.pop("evidence")
    assert told["recommendation"] == expected
    assert str(advice) in run("recommend", path, *TIMES, "--drop", "clinic").out


def test_a_backtest_keeps_groups_and_settings(run, path, cohort):
    options = ("--group", "clinic", "--stagger", "1.5", "--horizon", "2.5", "--test-size", "0.4", "--seed", "7")
    told = asked(run, "backtest", path, *TIMES, *options)["backtest"]
    record = wh.backtest(
        cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, groups=np.arange(600) // 3, stagger=1.5,
        horizon=2.5, test_size=0.4, random_state=7, n_splits=2, methods=["LR", "FUMC-F"], advice=False,
    )  # fmt: skip
    assert told == strict(json.dumps(record.to_dict(), allow_nan=False))


def test_a_date_to_go_back_to_is_understood_like_the_dates_of_entry(run, tmp_path, cohort):
    rng = np.random.default_rng(0)
    days = rng.integers(0, 3000, 600)
    time = np.minimum(cohort.time, 8.0)
    frame = pd.DataFrame(cohort.X, columns=list(cohort.feature_names)).assign(
        event=cohort.y * (cohort.time <= 8), time=time, entry=(pd.Timestamp("2000-01-01") + pd.to_timedelta(days, "D"))
    )
    frame.to_parquet(tmp_path / "dates.parquet")
    frame.assign(entry=1970 + (10957 + days) / 365.25).to_parquet(tmp_path / "years.parquet")
    columns = ("--event", "event", "--time", "time", "--entry", "entry", "--horizon", "2")
    by_date = asked(run, "backtest", tmp_path / "dates.parquet", *columns, "--back-to", "2006-07-02")
    by_year = asked(run, "backtest", tmp_path / "years.parquet", *columns, "--back-to", str(1970 + 13331 / 365.25))
    assert by_date["backtest"]["scores"] == by_year["backtest"]["scores"]
    assert by_date["backtest"]["stagger"] is None


def test_shares_to_try_reach_the_sensitivity(run, path):
    told = asked(
        run, "sensitivity", path, *TIMES, "--drop", "clinic", "--label-frequency", "0.6,0.8", "--prevalence", "0.4"
    )
    tried = [(entry["kind"], entry["value"]) for entry in told["sensitivity"]["variants"]]
    assert [value for kind, value in tried if kind == "label frequency"] == [0.6, 0.8]
    assert [value for kind, value in tried if kind == "prevalence"] == [0.4]


@pytest.mark.parametrize("command", ["examine", "recommend", "sensitivity"])
@pytest.mark.parametrize(
    "known", [(), ("--time", "time"), ("--follow-up", "follow_up"), ("--propensity-features", "x3,x4")]
)
def test_whatever_is_known_is_enough(run, path, command, known):
    drop = ",".join({"clinic", "time", "follow_up"} - {known[-1] if known else ""})
    told = asked(run, command, path, "--event", "event", *known, "--drop", drop)
    assert told["events"] > 0


def test_without_a_table_a_cohort_is_simulated(run):
    done = run("recommend")
    assert done.code == 0, done.err
    assert done.out.startswith("Recommended: ")
    assert "The people are simulated" in done.err


# ---------------------------------------------------------------- what is refused

# Every command reads tables by one function; what it refuses is tried in full with `fit`.


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "case", ["binary file", "unknown column", "no events", "dates for durations", "unknown option"]
)
def test_a_bad_table_is_refused_in_one_sentence(run, tmp_path, command, case):
    content, options, code, said = BAD_TABLES[case]
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    check_refusal(run(command, path, *options, "-o", tmp_path / "r.png"), code, said, tmp_path, ["t.csv"])


BACKTEST = ("backtest", "--event", "event", "--time", "time", "--drop", "follow_up")
BAD_OPTIONS = {
    "no event": (("examine", "--time", "time"), 2, "--event is missing"),
    "a group to examine": (("examine", *TIMES, "--group", "patient"), 2, "No such option: --group"),
    "a picture of labels": (("examine", "--event", "event", "-o", "p.png"), 2, "no picture without times"),
    "an unknown ending": (("examine", *TIMES, "-o", "r.xlsx"), 2, "must end in .json, or in .png, .svg or .pdf"),
    "no folder": (("recommend", *TIMES, "-o", "none/r.json"), 2, "There is no folder 'none'"),
    "the table itself": (("recommend", *TIMES, "-o", "t.csv"), 2, "would overwrite"),
    "no times to go back in": (("backtest", "--event", "event"), 2, "works through event times"),
    "an unknown method": ((*BACKTEST, "--methods", "LR,AFTM-F"), 2, "no method 'AFTM-F'.*Did you mean 'AFTMC-F'"),
    "no method": ((*BACKTEST, "--methods", ","), 2, "names none"),
    "R without features": ((*BACKTEST, "--methods", "AFTMC-R"), 2, "needs --propensity-features"),
    "an unknown learner": ((*BACKTEST, "--learner", "deep"), 2, "--learner must be one of"),
    "one split": ((*BACKTEST, "--splits", "1"), 2, "splits"),
    "everybody scored": ((*BACKTEST, "--test-size", "1"), 2, "--test-size must lie between 0 and 1"),
    "a date without entry": ((*BACKTEST, "--back-to", "2015-12-31"), 2, "--back-to needs --entry"),
    "a date that is none": ((*BACKTEST, "--entry", "age", "--back-to", "soon"), 2, "--back-to must be a date"),
    "two ways to go back": (
        (*BACKTEST, "--entry", "age", "--back-to", "2015", "--stagger", "2"), 2, "--back-to or --stagger, not both",
    ),
    "before anybody entered": ((*BACKTEST, "--entry", "age", "--back-to", "1"), 1, "Nobody had entered before"),
    "after the data": ((*BACKTEST, "--entry", "age", "--back-to", "900"), 1, "not earlier than the end of the data"),
    "no length": ((*BACKTEST, "--stagger", "0"), 2, "--stagger must be a length of time above zero, got 0"),
    "a negative horizon": ((*BACKTEST, "--horizon", "-3"), 2, "--horizon must be a length"),
    "an endless horizon": ((*BACKTEST, "--horizon", "1e9"), 1, "only one kind of outcome|Nobody who had entered"),
    "a share above one": (("sensitivity", *TIMES, "--prevalence", "30"), 2, "--prevalence must be shares above 0"),
    "a share in words": (("sensitivity", *TIMES, "--label-frequency", "half"), 2, "--label-frequency must be shares"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_sentence(run, tmp_path, monkeypatch, case):
    (command, *options), code, said = BAD_OPTIONS[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(to_csv(make_cohort()))
    check_refusal(run(command, "t.csv", *options), code, said, tmp_path, ["t.csv"])


@pytest.mark.parametrize("command", COMMANDS)
def test_columns_without_a_table_are_refused(run, tmp_path, command):
    done = run(command, "--event", "event")
    check_refusal(done, 2, "--event needs a table: without one the cohort is simulated", tmp_path, [])


@pytest.mark.parametrize("ending", ["json", "png"])
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), 1, "No space left on device"),
        (KeyboardInterrupt(), 130, "Stopped. Nothing was written"),
    ],
)
def test_a_write_that_fails_leaves_nothing(run, tmp_path, path, monkeypatch, ending, error, code, said):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    done = run("examine", path, *TIMES, "--drop", "clinic", "-o", tmp_path / f"r.{ending}")
    check_refusal(done, code, said, tmp_path, ["c.parquet"])


def test_a_name_that_a_terminal_would_obey_is_shown_harmless(run, tmp_path, cohort):
    columns = {"\x1b[31mred\x07": cohort.X[:, 2], "x4": cohort.X[:, 3], "event": cohort.y, "time": cohort.time}
    (tmp_path / "t.csv").write_text(to_csv({name: list(values) for name, values in columns.items()}))
    done = run("examine", tmp_path / "t.csv", "--event", "event", "--time", "time")
    assert done.code == 0, done.err
    assert "[31mred" in done.out
    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out + done.err


def test_a_share_from_elsewhere_is_part_of_what_is_assumed(run, path):
    told = asked(run, "recommend", path, *TIMES, "--prevalence", "0.6", "--prevalence-error", "0.05")["recommendation"]
    assert told["known_share"] == {"share": 0.6, "error": 0.05}
    assert told["assumption"].endswith(
        "; and the share of people like these who ever have the event is 60 % (standard error 5 percentage points)"
    )


def test_an_error_without_a_share_is_refused(run, path):
    done = run("recommend", path, *TIMES, "--prevalence-error", "0.05")
    assert done.code == 2
    assert "--prevalence-error (0.05) is the standard error of --prevalence" in done.err
