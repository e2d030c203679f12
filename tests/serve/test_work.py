"""A table on its way through the server: looked at, corrected, analysed, stopped, forgotten."""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pandas as pd
import pytest

from tests.processes import wait_until
from whether.line_ends import keep_together

UNCLEAR = b"status,years,age\n" + b"".join(b"%d,%d.5,%d\n" % (i % 3, 1 + i % 9, 40 + i % 30) for i in range(120))
HARM = '<img src=x onerror="alert(1)">'


def test_a_table_is_understood_and_comes_with_its_command(served, cohort):
    state = served.wait(served.drop("cohort.csv", cohort))
    assert {one["name"]: one["role"] for one in state["look"]["columns"]} == {
        "x1": "feature", "x2": "feature", "x3": "feature", "x4": "feature", "event": "event", "time": "time",
        "follow_up": "follow_up",
    }  # fmt: skip
    wanted = "whether analyze cohort.csv --event event --time time --follow-up follow_up -o cohort-report"
    assert state["look"]["command"] == wanted


def test_roles_are_corrected(served, cohort):
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    served.say(work, "role", column="x1", role="drop")
    served.say(work, "role", column="x2", role="id")
    state = served.say(work, "by", column="x3", wanted=True)
    assert "--drop x1 --id x2 --by x3" in state["look"]["command"]
    state = served.say(work, "role", column="follow_up", role="drop")
    assert "--follow-up" not in state["look"]["command"]
    state = served.say(work, "role", column="x4", role="last_contact")
    assert state["look"]["ready"] is False
    assert "“date of the event”" in state["look"]["obstacles"][0]
    assert served.say(work, "role", column="x4", role="feature")["look"]["ready"]


def test_what_is_said_last_counts_however_quickly(served, cohort):
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    for unit in ("days", "weeks", "months", "years"):
        assert served.ask("POST", f"{work}/settings", {"unit": unit})[0].status == 204
    with ThreadPoolExecutor(4) as pool:
        said = [pool.submit(served.ask, "POST", f"{work}/role", {"column": f"x{i}", "role": "drop"}) for i in (1, 2, 3)]
        assert [one.result()[0].status for one in said] == [204, 204, 204]
    state = served.wait(work)
    assert sorted(state["look"]["options"]["drop"]) == ["x1", "x2", "x3"]
    assert "--unit years" in state["look"]["command"]


def test_what_values_mean_is_asked_and_then_the_question(served):
    work = served.drop("unclear.csv", UNCLEAR)
    state = served.wait(work)
    assert state["look"]["asks_values"]
    assert not state["look"]["ready"]
    state = served.say(work, "values", meanings={"0": "none", "1": "seen", "2": "other"})
    assert state["look"]["ready"]
    state = served.say(work, "settings", question="net", unit="years", prevalence="30", backtest=False)
    wanted = "--event-value 1 --competing 2 --question net --unit years --prevalence 0.3 --no-backtest"
    assert wanted in state["look"]["command"]


def test_a_sheet_of_a_workbook_is_asked_for(served, tmp_path):
    book = tmp_path / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        frame = pd.DataFrame({"event": [0, 1] * 30, "time": range(1, 61), "age": [40, 50, 60] * 20})
        frame.to_excel(writer, sheet_name="people", index=False)
        frame.head(2).to_excel(writer, sheet_name="notes", index=False)
    work = served.drop("book.xlsx", book.read_bytes())
    assert "say which with “Name of the sheet”" in served.wait(work)["problem"]
    assert "--sheet people" in served.say(work, "settings", sheet="people")["look"]["command"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.csv", b"", "is empty"), ("paper.pdf", b"%PDF-1.7", "is a PDF document"),
        ("one.csv", b"a,b\n", "no rows"), ("../twice.csv", b"a,a\n1,2\n", "more than one column called"),
    ],
)  # fmt: skip
def test_a_bad_table_gets_its_sentence(served, name, content, sentence):
    state = served.wait(served.drop(name, content))
    assert sentence in state["problem"]
    assert str(served.temporary) not in state["problem"]
    assert state["look"] is None


def test_settings_that_mean_nothing_are_refused(served, cohort):
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    answer, body = served.ask("POST", f"{work}/settings", {"prevalence": "130"})
    assert answer.status == 400
    assert "between 0 and 100" in json.loads(body)["problem"]
    assert served.ask("POST", f"{work}/role", b"[]")[0].status == 400
    assert served.ask("POST", f"{work}/role", {"column": "x1"})[0].status == 400
    assert served.ask("POST", f"{work}/nonsense", {})[0].status == 404
    assert (
        served.ask("POST", f"{served.root}tables?name=a", b"", **{"Content-Length": str(3 * 1024**3)})[0].status == 413
    )


def test_names_that_would_do_harm_arrive_as_they_are(served):
    table = f'event,time,"{HARM.replace(chr(34), chr(34) * 2)}"\n' + "".join(
        f"{i % 2},{i},{i % 7}\n" for i in range(1, 60)
    )
    work = served.drop(HARM + ".csv", table.encode())
    state = served.wait(work)
    assert state["table"] == HARM + ".csv"
    assert state["look"]["columns"][2]["name"] == HARM
    assert shlex.split(state["look"]["command"])[2] == HARM + ".csv"


def test_downloads_are_what_the_program_writes(served, cohort, tmp_path):
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    state = served.say(work, "settings", backtest=False, unit="years", prevalence="50", prevalence_error="5")
    command = state["look"]["command"]
    assert served.ask("POST", f"{work}/analysis")[0].status == 204
    titles = []

    def watch(state):
        titles.extend(row["title"] for row in state["progress"])
        return not state["doing"]

    state = served.wait(work, until=watch)
    assert state["problem"] == ""
    assert "Examining the cohort" in titles  # which takes longest: a fast machine fits between two reports
    (tmp_path / "cohort.csv").write_bytes(cohort)
    subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=tmp_path, check=True, capture_output=True)
    names = [file["name"] for file in state["runs"][0]["files"]]
    assert names == ["report.html", "predictions.csv", "model.whether", "summary.json"]
    for name in names:
        answer, body = served.ask("GET", f"{work}/files/{name}")
        assert body == (tmp_path / "cohort-report" / name).read_bytes(), name
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    summary = json.loads((tmp_path / "cohort-report" / "summary.json").read_text(encoding="utf-8"))
    headline = summary["answer"]["headline"]
    assert state["runs"][0]["headline"] == keep_together(headline)
    assert "taken to be 50 % (standard error 5" in headline
    report, body = served.ask("GET", f"{work}/report")
    assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in report.headers["Content-Security-Policy"]
    assert served.ask("GET", f"{work}/files/{quote('cohort.csv')}")[0].status == 404


def test_an_analysis_is_stopped_and_leaves_nothing(served, cohort):
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    served.ask("POST", f"{work}/analysis")
    served.wait(work, until=lambda state: state["progress"])
    answer, body = served.ask("POST", f"{work}/role", {"column": "x1", "role": "drop"})
    assert answer.status == 409, body
    folder = next(path.parent for path in served.files() if path.parent.name == work.rsplit("/", 1)[-1])
    assert any(path.name.endswith(".unfinished") for path in folder.iterdir())
    assert served.ask("DELETE", f"{work}/analysis")[0].status == 204
    assert [path.name for path in folder.iterdir()] == ["cohort.csv"]
    state = served.wait(work)
    assert (state["doing"], state["runs"]) == ("", [])
    assert state["look"]["ready"]


def test_a_crash_is_told_and_the_server_goes_on(served, cohort):
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    served.ask("POST", f"{work}/analysis")
    served.wait(work, until=lambda state: state["progress"])
    os.kill(_working(served.process.pid, work.rsplit("/", 1)[-1]), 9)
    state = served.wait(work)
    assert "perhaps the computer has too little memory" in state["problem"]
    assert state["look"]["ready"]


def _working(server, folder):
    """The process that works in a folder."""
    for entry in os.listdir("/proc"):
        try:
            if os.readlink(f"/proc/{entry}/cwd").endswith(folder):
                return int(entry)
        except OSError:
            continue
    raise AssertionError(f"nobody works for {server} in {folder}")


def test_a_table_is_forgotten_when_asked(served, cohort):
    work = served.drop("cohort.csv", cohort)
    assert served.ask("DELETE", work)[0].status == 204
    answer, body = served.ask("GET", f"{work}/events")
    assert answer.status == 404
    assert "not here any more" in json.loads(body)["problem"]
    name = work.rsplit("/", 1)[-1]
    wait_until(lambda: not any(name in str(path) for path in served.files()), "files remain")
