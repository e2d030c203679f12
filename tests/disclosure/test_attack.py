"""The attack finds what it is meant to find, and takes nothing else for a leak."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tests.disclosure.attack import attack
from tests.disclosure.cohorts import KNOWN, make_people
from tests.disclosure.truth import find_truth

N, EVENTS = 311, 7
TABLE = make_people(N, EVENTS)
TIME = TABLE["time"].to_numpy()

SUMMARIES = {
    "stated": {"events": 7},
    "complements": {"people": N, "unlabeled": N - EVENTS},
    "shares": {"q_n": 5 / N},
    "rounded_shares": {"bounds": {"lowest": 0.0225}},
    "ratios": {"n_features": 4, "events_per_parameter": 0.7},
    "score_equation": {"answer": {"mean_risk": {"estimate": 12.34567 / N}, "unseen": {"estimate": 5.34567}}},
    "limits": {"late_rate": {"estimate": 1e-3, "lower": 1e-3 * 0.025317808, "upper": 1e-3 * 5.5716434}},
    "pairs": {"rate": 0.0123456789, "exposure": EVENTS / 0.0123456789},
    "values": {"median": {"estimate": float(np.sort(TIME)[N // 2])}},
    "words": {"notes": ["Column 'site' has a category without a feature of its own, 'Zanzibar'."]},
    "coefficients": {"coefficients": [{"part": "outcome", "term": "transplant", "estimate": 0.3}]},
}
SENTENCES = {
    "stated": "7 events among 311 people are too few",
    "complements": "of 304 people whose event was not seen, any may be",
    "rounded_shares": "the event was seen in 2.3 %",
    "ratios": "Events are few: 0.7 per coefficient.",
}
HARMLESS = {
    "people": N,
    "events": None,
    "n_features": 4,
    "n_splits": 7,
    "mean_risk": {"estimate": 0.0434567, "lower": 0.02, "upper": 0.09, "level": 0.95},
    "p_value": 38 / 201,
    "sentences": ["<11 events are too few", "4 of 7 starts agree", "about 7 people are expected to be positive"],
    "follow_up": {"median": 4900.0, "longest": 9000.0},
    "by_group": [{"level": "north", "column": "site", "n_people": 51, "n_events": 17}],
}


@pytest.fixture
def find(tmp_path):
    """Write files and name the rules that find something in them."""
    table = TABLE.assign(transplant=(np.arange(N) < 3).astype(int))
    table.loc[5, "site"] = "Zanzibar"
    truth = find_truth(table, KNOWN)

    def run(**files):
        for name, content in files.items():
            stem, _, suffix = name.partition("_")
            (tmp_path / f"{stem}.{suffix}").write_text(content if isinstance(content, str) else json.dumps(content))
        return {leak.rule for leak in attack(tmp_path, truth)}

    return run


@pytest.mark.parametrize("rule", SUMMARIES)
def test_each_way_is_found_in_json(find, rule):
    assert rule in find(summary_json=SUMMARIES[rule])


@pytest.mark.parametrize("rule", SENTENCES)
def test_each_way_is_found_in_words(find, rule):
    assert rule in find(answer_txt=SENTENCES[rule], summary_json={"n_features": 4})


def test_numbers_that_tell_nothing_are_no_leak(find):
    assert find(summary_json=HARMLESS) == set()


def test_bins_are_put_beside_thresholds(find):
    rows = "".join(
        f"<tr><td>{edges} %</td><td>20</td><td>{n}</td></tr>" for edges, n in (("0 to 30", 200), ("30 to 100", 71))
    )
    table = f"<table><tr><th>risk</th><th>event recorded</th><th>no event recorded</th></tr>{rows}</table>"
    sweep = {"key": "new", "thresholds": [0.0, 0.28, 0.5], "selected": [N, 98, 40]}
    script = f'<script type="application/json" id="report-data">{json.dumps({"sweeps": [sweep]})}</script>'
    assert "thresholds" not in find(report_html=script)
    assert "thresholds" in find(report_html=table + script)


def test_small_cells_and_shares_of_them_are_found(find):
    header = "<tr><th>people</th><th>with a recorded event</th></tr>"
    assert "cells" in find(report_html=f"<table>{header}<tr><td>50</td><td>8.0 %</td></tr></table>")


@pytest.mark.parametrize(("n_left", "leaks"), [(4, True), (25, False)])
def test_people_counted_at_two_times_give_those_who_left_between(tmp_path, n_left, leaks):
    people = make_people(N, 101)
    time = people["time"].to_numpy()
    until = float(np.sort(time[people["event"] == 0])[n_left - 1])
    row = f"<tr><td>{until!r}</td><td>{np.sum(time > until)}</td></tr>"
    header = "<tr><th>time (days)</th><th>people still under observation</th></tr>"
    (tmp_path / "report.html").write_text(f"<table>{header}{row}</table>")
    found = {leak.group for leak in attack(tmp_path, find_truth(people, KNOWN)) if leak.rule == "at_risk"}
    assert found == ({"ends of observation by time"} if leaks else set())


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ({"people": 149, "open": 89, "unlabeled": 96}, {"dead of everybody"}),
        ({"share": 142 / 149, "unlabeled": 96}, {"dead of everybody"}),
        ({"people": 149, "unlabeled": 96, "open": None}, set()),
        ({"by_group": [{"level": "b", "n_people": 70, "n_events": 20, "unseen": {"upper": 47.0}}]}, {"dead of arm=b"}),
        ({"by_group": [{"level": "b", "n_people": 70, "n_events": 20, "unseen": {"upper": 50.0}}]}, set()),
    ],
)
def test_few_deaths_follow_from_the_other_kinds(tmp_path, told, found):
    status = np.repeat(["had", "died", "alive"], [53, 7, 89])
    arm = np.full(149, "a")
    arm[np.r_[0:20, 53:56, 60:107]] = "b"
    table = pd.DataFrame({"status": status, "time": 1.0 + np.arange(149) // 20, "arm": arm})
    roles = {"event": "status", "event_value": "had", "time": "time", "competing": "died"}
    (tmp_path / "summary.json").write_text(json.dumps(told))
    leaks = attack(tmp_path, find_truth(table, roles, ["arm"]))
    assert {leak.group for leak in leaks if leak.rule == "parts"} == found


@pytest.mark.parametrize(("step", "leaks"), [(1, True), (20, False)])
def test_steps_of_a_curve_are_counted(tmp_path, step, leaks):
    table = make_people(N, 101)
    times = np.sort(table.loc[table["event"] == 1, "time"].to_numpy())
    survival = np.cumprod([1 - 1 / np.sum(table["time"] >= t) for t in times])
    shown = np.arange(step - 1, times.size, step)
    axes = (figure := Figure()).subplots()
    axes.step(np.append(0, times[shown]), np.append(1.0, survival[shown]), where="post")
    figure.savefig(tmp_path / "curve.svg")
    assert ("steps" in {leak.rule for leak in attack(tmp_path, find_truth(table, KNOWN))}) == leaks


def test_points_that_are_shares_of_groups_are_found(tmp_path):
    truth = find_truth(TABLE, KNOWN)
    groups = np.array_split(truth.labeled[np.argsort(truth.follow_up)], 12)
    axes = (figure := Figure()).subplots()
    axes.plot(range(12), [group.mean() for group in groups], "o")
    figure.savefig(tmp_path / "points.svg")
    assert "points" in {leak.rule for leak in attack(tmp_path, truth)}


def test_a_gap_a_rare_level_and_an_extreme_are_part_of_the_truth():
    table = pd.DataFrame({"event": [0, 1] * 20, "age": [1234.5, None, *range(38)], "ward": ["a"] * 38 + ["b"] * 2})
    truth = find_truth(table, {"event": "event"})
    assert truth.groups == {"gaps in age": 1, "ward=b": 2}
    assert truth.extremes["greatest age"] == 1234.5
    assert "ward=b" in truth.rare
