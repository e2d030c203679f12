"""`whether check`, and `whether analyze` without --event: what is proposed, and what is asked on a terminal."""

import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.cli.conftest import make_cohort, to_csv
from whether.cli import asking
from whether.cli.app import app


@pytest.fixture
def unclear(tmp_path):
    """A table with two events, and a status of three values."""
    columns = make_cohort()
    event = np.array(columns.pop("event"))
    columns |= {"relapse": event.tolist(), "death": (np.arange(event.size) % 2).tolist()}
    path = tmp_path / "two events.csv"
    path.write_text(to_csv(columns))
    return path


@pytest.fixture
def at_terminal(monkeypatch):
    """Function that runs the program as if somebody were there, who answers."""
    monkeypatch.setattr(asking, "on_terminal", lambda: True)

    def call(*arguments, answers):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input="\n".join(answers) + "\n")
        assert result.exit_code == 0, result.output
        return result.stdout

    return call


def test_a_table_that_is_ready_comes_with_a_command_that_runs(run, table, quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("check", table, "--json")
    assert done.code == 0
    assert done.json["ready"]
    program, *arguments = shlex.split(done.json["commands"][0])
    assert program == "whether"
    assert run(*arguments).code == 0
    assert quick[0]["people"].roles.event == "event"
    assert (tmp_path / "cohort-report" / "summary.json").exists()


def test_analyze_without_the_event_proposes_and_stops(run, table, quick):
    done, looked = run("analyze", table, "--unit", "years"), run("check", table)
    assert done.code == 2
    assert not quick
    assert "--event is missing" in done.err
    assert "--event event --time time --follow-up follow_up --id patient --unit years -o cohort-report" in done.out
    assert done.out.replace(" --unit years", "") == looked.out


def test_what_stands_in_the_way_is_listed_with_a_command_for_each_choice(run, unclear):
    done = run("check", unclear, "--json")
    assert done.code == 1
    assert not done.json["ready"]
    assert done.json["obstacles"][0]["columns"] == ["relapse", "death"]
    assert "--event" in done.json["obstacles"][0]["text"]
    chosen = [shlex.split(command) for command in done.json["commands"]]
    assert [words[words.index("--event") + 1] for words in chosen] == ["relapse", "death"]
    assert all(words[2] == str(unclear) for words in chosen)
    assert run("check", unclear, "--event", "relapse").code == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "To run the analysis:"),
        (("--event", "evnt"), "run this (with the first guess filled in):"),
        (("--drop", "event,time,follow_up"), "run this (with the name of the column in place of COLUMN):"),
    ],
)
def test_a_command_with_blanks_is_not_called_a_guess(run, table, options, says):
    assert says in run("check", table, *options).out


def test_of_several_commands_one_is_to_be_run(run, unclear):
    assert "run one of these (with the first guess filled in):" in run("check", unclear).out
    stopped = run("analyze", unclear)
    assert stopped.code == 2
    assert "settle what stands in the way first" in stopped.err
    assert "run the command above" not in stopped.err


def test_a_table_without_times_is_not_at_a_dead_end(run, table):
    out = " ".join(run("check", table, "--drop", "time,follow_up").out.split())
    assert "If the table has no times, leave --time out" in out


def test_on_a_terminal_what_cannot_be_told_is_asked(at_terminal, unclear, quick, tmp_path):
    out = at_terminal("analyze", unclear, "-o", tmp_path / "r", answers=["relaps", "RELAPSE", "y"])
    assert "Did you mean 'relapse'?" in out
    assert "Several columns could be the event: 'relapse', 'death'" in out
    assert quick[0]["people"].roles.event == "relapse"
    assert "--event relapse" in quick[0]["origin"].call


def test_on_a_terminal_values_are_asked_for(at_terminal, quick, tmp_path):
    columns = make_cohort()
    event = np.array(columns["event"])
    columns["event"] = np.where(event == 1, "back, again", np.where(np.arange(event.size) % 2, "died", "alive"))
    text = to_csv({**columns, "event": [f'"{value}"' for value in columns["event"]]})
    (tmp_path / "t.csv").write_text(text)
    at_terminal("analyze", tmp_path / "t.csv", "-o", tmp_path / "r", answers=["gone", "back, again", "died", "y"])
    people = quick[0]["people"]
    np.testing.assert_array_equal(people.y, event)
    np.testing.assert_array_equal(people.competing, columns["event"] == "died")


def test_a_refusal_of_the_table_cannot_be_answered(run, table, monkeypatch, tmp_path):
    monkeypatch.setattr(asking, "on_terminal", lambda: True)
    (tmp_path / "t.csv").write_text(to_csv({**make_cohort(), "event": [0] * 120}))
    done = run("analyze", tmp_path / "t.csv")
    assert done.code == 1
    assert "Nobody has the event" in done.err


def test_a_table_from_a_pipe_is_read_once(tmp_path, table):
    done = CliRunner().invoke(app, ["check", "-"], input=table.read_text())
    assert done.exit_code == 0, done.stderr
    assert "whether analyze - --event event" in done.stdout
