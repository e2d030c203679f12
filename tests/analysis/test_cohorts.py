"""Real cohorts through the program, with nothing but column names given."""

import json

import pytest
from typer.testing import CliRunner

from whether.cli.app import app
from whether.telling.figures.svg import Picture
from whether.telling.page import sections

ROLES = ("--event", "event", "--time", "time", "--unit", "years")


@pytest.fixture(scope="module")
def analyze(shared_data, tmp_path_factory):
    """Function that analyses a cohort and returns the summary; the drawings of the page are left out."""

    def call(name, *options):
        arguments = ["analyze", str(shared_data / f"{name}.parquet"), *ROLES, *options, "--learner", "linear", "--json"]
        folder = str(tmp_path_factory.mktemp(name) / "r")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sections, "render", lambda chart: Picture(chart, "", "", []))
            done = CliRunner().invoke(app, [*arguments, "--no-backtest", "-o", folder])
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)["summary"]

    return call


def test_a_cohort_whose_recurrences_go_on_is_given_a_range(analyze):
    told = analyze("rotterdam", "--entry", "entry_year")
    assert told["answer"]["kind"] == "range"
    assert told["answer"]["sentences"][0].startswith("Between ")
    assert "entry_year" not in told["cohort"]["features"]
    assert 0.5 < told["answer"]["at_least"] / 1464 + 1518 / 2982 < 1


def test_a_cohort_with_a_plateau_gets_an_estimate_near_the_curve_of_events(analyze):
    told = analyze("hodgkin")
    assert told["answer"]["kind"] == "estimate"
    # The curve levels off at 0.654; its standard error is 0.018.
    assert told["answer"]["mean_risk"]["estimate"] == pytest.approx(1 - 0.654, abs=3 * 0.018)
    # Heavier tails than the fitted one allow a few more than its own interval, of 574 people without the event.
    assert told["answer"]["unseen"]["upper"] < 0.15 * 574


def test_gaps_and_categories_of_a_cohort_are_told(analyze):
    notes = " ".join(analyze("colon_ncctg")["origin"]["notes"])
    assert "'nodes': 18 missing values replaced by the median" in notes
    assert "'differ': 23 missing values" in notes
    assert "'rx' ('Lev', 'Lev+5FU'; reference 'Obs')" in notes
