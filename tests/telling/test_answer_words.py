"""The answer in words: what each sentence says where the facts are otherwise than usual."""

import re
from dataclasses import replace

import numpy as np
import pytest

from whether.advise.standing import BELOW_CURVE
from whether.analysis import Note
from whether.telling.page.sections import SECTIONS, make_sections
from whether.telling.reading import Reading


def told(analysis):
    return " ".join(str(analysis).split())


def make_range(analysis, **unseen):
    return replace(analysis, settles=False, unseen=replace(analysis.unseen, **unseen))


def test_the_curve_is_the_source_of_a_lower_end_only_where_it_shows_more_than_was_recorded(analysis):
    assert "of follow-up would have shown, had everybody" in told(make_range(analysis, lower=20.0))
    without = told(make_range(analysis, lower=0.0))
    assert "The lower end counts recorded events only: the curve of events shows no more" in without
    assert "would have shown" not in without


def test_what_is_no_estimate_has_no_words_of_one(analysis):
    noted = replace(analysis, notes=(Note("intervals reach to other models", {"models": 8}),))
    assert "The intervals reach as far as 8 models" in told(noted)
    assert "Estimates of the mean risk by this" in told(noted)
    found = told(replace(noted, settles=False))
    assert "The upper end, and the intervals of single risks, reach as far as 8 models" in found
    assert "The mean risk by this and the other methods" in found
    assert "not counting chance" in found


def test_a_curve_above_the_mean_risk_is_set_beside_it_where_the_interval_holds_both(analysis):
    risk = analysis.mean_risk
    for more, is_said in ((0.02, True), (0.001, False), (-0.02, False)):
        bounds = replace(analysis.evidence.bounds, lowest_by_times=risk.estimate + more)
        wide = replace(risk, upper=risk.estimate + 0.05)
        found = replace(analysis, evidence=replace(analysis.evidence, bounds=bounds), mean_risk=wide)
        assert ("he curve of events alone comes to" in told(found)) == is_said


def test_a_fit_below_the_curve_is_named_where_another_was_left_out_for_that(analysis):
    moved = analysis.sensitivity
    first, *others = moved.variants
    variants = (replace(first, kind="restriction", value="ANOTHER", note="", objection=BELOW_CURVE), *others)
    low = replace(
        analysis,
        sensitivity=replace(moved, variants=variants),
        mean_risk=replace(analysis.mean_risk, estimate=0.0, lower=0.0),
    )
    said = "The fit of this report shows fewer than the curve, too"
    assert said in told(low)
    assert said not in told(replace(low, mean_risk=analysis.mean_risk))


def test_checks_with_the_learner_that_was_chosen_are_not_called_others(analyze):
    found = analyze("partially-dependent", n=200, learner="auto")
    names = {note.name for note in found.notes}
    assert ("checked with linear models" in names) == (found.model.selection_.chosen != "linear")


@pytest.mark.usefixtures("undrawn")
def test_scores_by_weight_say_where_follow_up_depends_on_features(analysis):
    weighted = replace(analysis, backtest=replace(analysis.backtest, weighted=True))
    found = analysis.evidence.dependence
    for p_value, is_said in ((1e-6, True), (0.5, False)):
        test = replace(found.follow_up, p_value=p_value)
        evidence = replace(analysis.evidence, dependence=replace(found, follow_up=test))
        texts = [
            shown.chart.reading
            for section in make_sections(Reading(replace(weighted, evidence=evidence)), SECTIONS)
            for shown in section.pictures
            if shown.chart.key == "backtest"
        ]
        assert [("Here follow-up was found to depend on features" in text) for text in texts] == [is_said]


@pytest.mark.usefixtures("undrawn")
def test_a_page_that_holds_nothing_back_says_of_whom(analysis, read_report):
    invented = replace(analysis, origin=replace(analysis.origin, simulated=True))
    assert "for people who are invented" in read_report(invented, suppress_below=0).words
    real = read_report(analysis, suppress_below=0).words
    assert "invented" not in real
    assert "keep it where personal data may be" in real


def test_small_shares_have_the_same_digits_everywhere(analysis, read_report):
    risks = np.full(analysis.n_people, 0.034)
    share = replace(analysis.mean_risk, estimate=0.034, lower=0.031, upper=0.041)
    page = read_report(replace(analysis, risks=risks, mean_risk=share)).words
    assert "3.1 to 4.1 %" in page
    assert " 3 %" not in page.partition("How the method was chosen")[0].partition("Read with")[0]


@pytest.mark.parametrize("estimate", [5.6, 17.4, 95.5])
def test_the_share_beside_the_number_is_that_of_the_number_as_it_is_told(analysis, estimate):
    number, of = re.search(r"About (\d+) of the (\d+) people", text := told(_with(analysis, estimate))).groups()
    assert f"({100 * int(number) / int(of):.0f} %;" in text


def _with(analysis, estimate):
    return replace(analysis, unseen=replace(analysis.unseen, estimate=estimate, lower=1.0, upper=200.0))
