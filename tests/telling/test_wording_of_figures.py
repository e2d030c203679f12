"""What figures and thresholds say is true of what they show."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import whether as wh
from tests.telling.conftest import describe_origin
from whether.files.table.findings import Held, UsedAsCategories
from whether.survival import kaplan_meier
from whether.telling.disclosure import Disclosure
from whether.telling.evidence_words import evidence_sentences
from whether.telling.feature_words import level_features
from whether.telling.figures.by_group import group_charts
from whether.telling.figures.drivers import driver_chart
from whether.telling.figures.effects import WIDEST, Effect, _draw_ratios, coefficient_table, ratio_charts
from whether.telling.figures.events import _counts_below
from whether.telling.figures.local_effects import local_effects
from whether.telling.page.bar import _ranged, _stretch
from whether.telling.page.flowchart import steps
from whether.telling.page.threshold import Sweep
from whether.telling.page.write import _finalize
from whether.telling.reading import Reading
from whether.telling.thin_curve import thin
from whether.telling.words import name

QUICK = {"backtest": False, "sensitivity": False, "learner": "linear"}


def sweep(thresholds, selected, default=0, *, may_hide=True):
    return Sweep("new", "people", "the risk", thresholds, selected, [float(one) for one in selected], default, may_hide)


def test_thresholds_that_are_held_back_are_not_said_to_be_reached_by_nobody():
    hidden, shown = (sweep([0.0, 0.3], [200, 15], 1, may_hide=may).start for may in (True, False))
    assert "select nobody, or people who may not be counted:" in hidden
    assert "select nobody:" in shown


def test_a_threshold_below_half_is_not_called_more_likely_than_not():
    assert "more likely than not" in sweep([0.0, 0.5], [200, 15], 1).start
    assert "more likely" not in sweep([0.0, 0.49, 0.6], [200, 50, 15], 1).start


def test_each_row_of_thresholds_is_about_people_of_its_own():
    rows = sweep([0.0, 0.1, 0.2, 0.3, 0.4], [200, 200, 200, 90, 90]).rows()
    assert [(row["threshold"], row["selected"]) for row in rows] == [(0.0, 200), (0.3, 90)]


def test_a_range_from_zero_does_not_say_that_at_least_nobody_will_have_it():
    rows = _ranged(SimpleNamespace(lower=0.2, upper=75.0), 88, 0, "more will have it", "never")
    assert [part.kind for part in _stretch(rows, 284)] == ["open", "never"]


@pytest.fixture(scope="module")
def staged():
    """An analysis of people some of whom died first, with a category of three levels and a gap."""
    cohort = wh.simulate("deaths-by-risk", n=700, seed=3)
    table = pd.DataFrame(np.asarray(cohort.X), columns=[f"x{i}" for i in range(np.asarray(cohort.X).shape[1])])
    table["stage"] = np.array(["early", "late", "middle"])[np.arange(700) % 3]
    table["status"] = np.where(cohort.y == 1, "relapse", np.where(cohort.competing == 1, "died", "alive"))
    table["years"] = np.asarray(cohort.time)
    return wh.analyze(
        table,
        event="status",
        event_value="relapse",
        competing="died",
        question="lifetime",
        time="years",
        by="stage",
        **QUICK,
    )


def test_levels_of_a_category_are_named_as_such_and_set_against_their_reference(staged):
    reading = Reading(staged, 11)
    charts = ratio_charts(reading, coefficient_table(reading))
    steps = {str(row[0]): row[1] for chart in charts for row in chart.table.rows}
    named = {feature: step for feature, step in steps.items() if "stage" in feature}
    assert len(named) == 2
    assert not any("=" in feature for feature in steps)
    reference = ({"early", "late", "middle"} - {feature.removeprefix("stage: ") for feature in named}).pop()
    assert set(named.values()) == {f"against {reference}"}
    ends = {one.ends for one in local_effects(reading) if "stage" in str(one.feature)}
    assert {first for first, _ in ends} == {reference}


def test_a_reference_that_few_people_have_is_not_named():
    findings = [UsedAsCategories("stage", (Held("early", 5), Held("late", 80)))]
    few, many = (level_features(findings, fewest)["stage=late"] for fewest in (11, 0))
    assert (str(few), few.reference, many.reference) == ("stage: late", "", "early")


def test_what_is_asked_is_asked_of_groups_and_features_too(staged):
    reading = Reading(staged, 11)
    groups, ratios = group_charts(reading)[0][0], ratio_charts(reading, coefficient_table(reading))[0]
    assert "comes before death" in groups.reading
    assert "come before death" in ratios.reading
    assert "ever" not in (groups.reading + ratios.reading).split()


def test_evidence_has_the_unit_of_time_and_the_names_of_the_page(staged):
    told = Reading(staged, 11).told.evidence
    said = " ".join(
        line for lines in evidence_sentences(told, unit="years", called=str.upper).values() for line in lines
    )
    assert "units of time" not in said
    assert "unit of time" not in said
    assert " years" in said


@pytest.mark.parametrize("narrow", [False, True])
def test_numbers_under_the_curve_stand_near_its_ticks_and_apart(global_random_seed, narrow):
    rng = np.random.default_rng(global_random_seed)
    time = rng.exponential(size=2000) * 5
    curve = thin(kaplan_meier(rng.random(2000) < 0.5, time), Disclosure(11), None)
    ax = Figure().subplots()
    ax.plot(curve.times, curve.survival)
    counts = _counts_below(ax, SimpleNamespace(n=2000), curve, narrow)
    told = {
        0.0: 2000,
        **dict(zip(curve.times[curve.counted].tolist(), curve.at_risk[curve.counted].tolist(), strict=True)),
    }
    assert all(told[at] == number for at, number in counts)
    low, high = ax.get_xlim()
    apart = np.diff([(at - low) / (high - low) for at, _ in counts])
    assert np.all(apart > 0.04)
    # Every number but the last is as near to some tick as any that there is.
    off = {at: [abs(at - tick) for tick in ax.get_xticks()] for at in told}
    least = np.min(list(off.values()), axis=0)
    assert all(at == max(told) or np.any(np.isclose(off[at], least)) for at, _ in counts)


def test_a_number_stays_on_the_line_of_what_it_is_set_against():
    assert (
        _finalize("(z = −2.8, p < 0.001; 46 % of a = b)")
        == "(z\u00a0=\u00a0−2.8, p\u00a0<\u00a00.001; 46\u00a0% of a = b)"
    )


@pytest.mark.parametrize("limits", ["870 to 1,087", "−10 to −0.1", "−0.1 to +0.2", "46 to 52 %", "0.1 to > 1,000"])
def test_two_limits_stay_on_one_line(limits):
    said = _finalize(f"579 ({limits}) people are expected to have it, 12 from 3 to come")
    assert limits.replace(" ", "\u00a0") in said
    assert "579 (" in said
    assert "are expected to have it" in said
    assert "95\u00a0%\u00a0interval" in _finalize("mean risk (95 % interval)")


def test_z_scores_are_explained_by_the_kinds_of_points_that_are_drawn(analysis):
    found = analysis.evidence.dependence
    assert found.time_drivers

    def explained(**drivers):
        evidence = replace(analysis.evidence, dependence=replace(found, **drivers))
        return driver_chart(Reading(replace(analysis, evidence=evidence), 11)).reading

    event, end = "the event (circles)", "the end of follow-up (squares)"
    drivers = found.time_drivers
    assert f"area {event} or {end} comes later" in explained(follow_up_drivers=drivers)
    assert f"area {event} comes later" in explained(follow_up_drivers=())
    assert f"area {end} comes later" in explained(time_drivers=(), follow_up_drivers=drivers)


def test_each_end_of_the_flowchart_has_a_name_of_its_own(analysis):
    questions, end = steps(Reading(analysis, 11))
    names = [leaf.method for question in questions for leaf in question.leaves] + [end.method]
    assert len(set(names)) == len(names)


def test_an_interval_that_goes_on_beyond_the_axis_is_drawn_with_an_arrowhead():
    effects = [
        Effect(name("a"), "yes against no", 1.0, lower, upper, 0.5) for lower, upper in ((0.5, 2.0), (0.5, 900.0))
    ]
    figure = Figure()
    _draw_ratios(effects, "odds ratio", True, figure, False)
    arrows = [line for line in figure.axes[0].lines if line.get_marker() == ">"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in arrows] == [(WIDEST, 1)]


def test_the_origin_of_a_cohort_without_a_table_has_no_levels(analysis):
    assert Reading(analysis, 11).levels == {}
    assert describe_origin().findings == ()
