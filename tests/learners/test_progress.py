"""What a fit shows of itself: nothing in scripts, lines when asked, a bar for whoever is watching."""

import io
import sys

import pytest
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression

import whether as wh
from whether.learners import EMLearner, NeuralLearner
from whether.learners import progress as module
from whether.learners.progress import progress, reporting


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def watch(monkeypatch):
    """Function that puts a terminal in place of stderr; not the fixture itself, which pytest's capture would undo."""

    def open_terminal():
        monkeypatch.setattr(sys, "stderr", Terminal())
        monkeypatch.setenv("TERM", "xterm")
        return sys.stderr

    return open_terminal


def work(verbose):
    with reporting(verbose), progress(3, "Folds") as bar:
        for _ in range(3):
            bar.advance()


def fit(verbose):
    cohort = wh.simulate("baseline", n=200, seed=0)
    return wh.LabelClassifier(verbose=verbose).fit(cohort.X, cohort.y)


def test_nothing_is_shown_in_scripts(capfd, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    work(verbose=0)
    fit(verbose=0)
    assert capfd.readouterr() == ("", "")


def test_lines_are_printed_to_stderr_when_asked(capfd, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    work(verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    assert "Folds: 1 of 3, 0 s left" in err
    assert err.splitlines()[-1].endswith("Folds: 3 of 3")


def test_the_time_left_is_that_of_as_many_steps_as_were_done(monkeypatch):
    clock = iter([0.0, 100.0, 130.0, 150.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    steps = module.Steps(None, 4, "Folds")
    assert steps.time_left() == ""
    steps.advance()
    assert steps.time_left() == "4.5 min left"  # three times 100 s, 30 s of which are gone
    assert module.Steps(None, None, "Epochs").time_left() == ""


def test_lines_wait_for_their_time(capfd, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 1e6)
    work(verbose=1)
    assert [line.split("] ")[1] for line in capfd.readouterr().err.splitlines()] == ["Folds: 3 of 3"]


@pytest.mark.parametrize("verbose", [True, 1, 2])
def test_a_verbose_classifier_says_what_was_fitted_and_how_it_ended(capfd, verbose):
    fit(verbose)
    assert "LabelClassifier, 200 people: The optimum was reached" in capfd.readouterr().err


def test_a_bar_is_drawn_for_whoever_is_watching_once_the_fit_is_long(watch, monkeypatch):
    terminal = watch()
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    work(verbose=0)
    assert "Folds" in terminal.getvalue()
    assert "/3" in terminal.getvalue()


def test_no_bar_is_drawn_for_a_short_fit(watch):
    terminal = watch()
    work(verbose=0)
    assert terminal.getvalue() == ""


def test_a_bar_is_drawn_at_once_when_asked(watch):
    terminal = watch()
    work(verbose=1)
    assert "Folds" in terminal.getvalue()


def test_steps_within_steps_are_rows_of_one_display(watch):
    terminal = watch()
    with reporting(1), progress(2, "Folds") as outer:
        with reporting(0), progress(None, "Epochs") as inner:
            inner.advance(5)
        outer.advance()
    assert "Epochs" in terminal.getvalue()
    assert terminal.getvalue().count("Folds: 1 of 2") == 1  # the line at the end; the inner steps have none


def test_a_failing_fit_takes_its_bar_away(watch):
    terminal = watch()
    with pytest.raises(RuntimeError), reporting(1), progress(2, "Folds"):
        raise RuntimeError
    before = terminal.getvalue()
    with progress(2, "Folds") as bar:
        bar.advance()
    assert terminal.getvalue() == before


def test_without_a_report_steps_are_counted_and_not_shown(watch):
    terminal = watch()
    with progress(None, "Rounds") as bar:
        bar.advance(2)
    assert str(bar) == "Rounds: 2"
    assert terminal.getvalue() == ""


def test_threads_do_not_draw_into_the_report_of_their_parent(watch, monkeypatch):
    terminal = watch()
    monkeypatch.setattr(module, "PATIENCE", 0.0)

    def step(number):
        with progress(2, f"Inside {number}") as bar:
            bar.advance()

    with reporting(1):
        Parallel(n_jobs=2, backend="threading")(delayed(step)(number) for number in range(2))
    assert "Inside" not in terminal.getvalue()


@pytest.mark.parametrize("stderr", [None, io.StringIO()])
def test_a_program_without_a_usable_stderr_fits_all_the_same(monkeypatch, stderr):
    if stderr is not None:
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    work(verbose=0)
    assert fit(verbose=0).converged_


@pytest.mark.parametrize("verbose", [-1, 0.5, "yes", None])
def test_a_verbose_that_makes_no_sense_is_refused(verbose):
    with pytest.raises(ValueError, match="verbose must be True, False or a whole number >= 0, got"):
        fit(verbose)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (EMLearner(LogisticRegression(), max_iter=2), "Rounds of EM: 2 of 2"),
        (NeuralLearner(hidden=(4,), max_epochs=2, n_networks=1), "Epochs: 2 of 2"),
    ],
    ids=["em", "neural"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_learners_say_how_far_they_are(learner, words, capfd):
    if isinstance(learner, NeuralLearner):
        pytest.importorskip("torch")
    cohort = wh.simulate("baseline", n=200, seed=0)
    wh.ElkanNotoClassifier(learner=learner, verbose=1, random_state=0).fit(cohort.X, cohort.y)
    assert words in capfd.readouterr().err
