"""Pictures: one function each, whoever asks for it, and nobody to be found in them."""

import dataclasses
import re
from itertools import combinations, pairwise

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import whether as wh
from whether.cohort import Cohort
from whether.survival import kaplan_meier
from whether.telling import draw
from whether.telling.disclosure import Disclosure, disclose
from whether.telling.figures.agreement import agreement_chart
from whether.telling.figures.drawing import TOO_FEW
from whether.telling.figures.events import event_curve
from whether.telling.figures.labels import labels_by_follow_up
from whether.telling.figures.local_effects import local_effects
from whether.telling.figures.risks import distribution, identifiability
from whether.telling.figures.validity import calibration
from whether.telling.page.threshold import sweeps
from whether.telling.reading import EvidenceReading, Reading
from whether.telling.risk_bins import merge_risks
from whether.telling.thin_curve import thin

RULE = Disclosure(11)


@pytest.fixture(autouse=True)
def close_figures():
    matplotlib.use("Agg")
    yield
    plt.close("all")


@pytest.fixture(params=[160, 500], scope="session")
def reading(request, analyze):
    return Reading(analyze("baseline", n=request.param, checks=False), 11)


def numbers_in(chart, column):
    return [int(row[column].replace(",", "")) for row in chart.table.rows]


@pytest.mark.parametrize("name", ["evidence", "backtest", "sensitivity"])
def test_python_draws_the_lines_of_the_report(analysis, page, name):
    fact = getattr(analysis, name)
    colors = {line.get_color() for ax in fact.plot().axes for line in ax.lines}
    assert colors
    assert all(str(color).lower() in page.source.lower() for color in colors)


def test_the_curve_of_python_is_that_of_the_report(analysis):
    thin = Reading(analysis, 11).thin_curve
    line = next(line for line in draw(analysis.evidence, 11).axes[0].lines if "so far" in line.get_label())
    assert set(line.get_xdata()) - {0.0} == set(thin.times)
    assert set(line.get_ydata()) - {1.0} == set(thin.survival) - {1.0}


def test_no_point_of_a_picture_of_evidence_lies_at_a_persons_time(analysis):
    cohort = analysis.evidence.material.cohort
    drawn = {float(x) for ax in analysis.evidence.plot().axes[:2] for line in ax.lines for x in line.get_xdata()}
    # Grid times have two digits or are multiples of a round number: nobody's own unless by chance.
    assert not drawn & {*cohort.time, *cohort.follow_up}


def test_everything_is_drawn_where_that_is_asked_for(analysis):
    few, many = (draw(analysis.evidence, fewest).axes[0].lines[0].get_xdata().size for fewest in (11, 0))
    assert many > few


def test_where_nothing_may_be_shown_the_picture_says_so():
    rng = np.random.default_rng(0)
    found = wh.examine(rng.normal(size=(60, 2)), np.arange(60) < 6, time=rng.exponential(size=60) + 0.01)
    figure = found.plot()
    assert not figure.axes
    assert [text.get_text() for text in figure.texts] == [TOO_FEW]


def test_bands_are_not_drawn_where_they_tell_of_a_few_events():
    rng = np.random.default_rng(0)
    moved = wh.sensitivity(rng.normal(size=(199, 2)), np.arange(199) < 6)
    assert not moved.plot().axes
    assert moved.plot(suppress_below=0).axes


def test_what_has_no_picture_is_refused():
    with pytest.raises(TypeError, match="There is no picture of dict"):
        draw({}, 11)


# ---------------------------------------------------------------- sums and differences


def test_bins_of_risk_hold_nobody_or_enough_of_each_kind(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    for _ in range(30):
        n = int(rng.integers(40, 2000))
        risks = rng.beta(*rng.uniform(0.3, 4, size=2), size=n)
        labeled = rng.random(n) < risks * rng.uniform(0.2, 1)
        bins = merge_risks(risks, labeled, RULE)
        if bins is None:
            assert not RULE.allows(labeled.sum(), n - labeled.sum())
            continue
        assert set(bins.coarse) <= set(bins.fine)
        assert RULE.allows(*np.histogram(risks, bins.fine)[0])
        for who in (labeled, ~labeled):
            assert RULE.allows(*np.histogram(risks[who], bins.coarse)[0])
        assert np.diff(bins.coarse)[1:-1] == pytest.approx(bins.width / 100)
        assert np.all(np.diff(bins.coarse) > bins.width / 100 - 1e-9)


def test_risks_that_lie_close_together_are_still_told_apart(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    risks = rng.beta(8, 60, size=2000)
    bins = merge_risks(risks, rng.random(2000) < 0.5, RULE)
    assert np.count_nonzero(np.histogram(risks, bins.coarse)[0]) >= 4


def test_histogram_thresholds_and_cells_differ_by_nobody_or_enough(reading):
    chart = distribution(reading)
    ends = [int(re.search(r"to (\d+) %", row[0])[1]) / 100 for row in chart.table.rows]
    everybody = np.add(numbers_in(chart, 1), numbers_in(chart, 2))
    found = {one.key: one for one in sweeps(reading)}["new"]
    above = {0.0: reading.n, **dict(zip(ends, reading.n - np.cumsum(everybody), strict=True))}
    for one, other in combinations([*above.values(), *found.selected], 2):
        assert RULE.allows(abs(one - other))
    cells = identifiability(reading)
    if cells is not None:
        assert RULE.allows(*numbers_in(cells, 2))
        assert sum(numbers_in(cells, 2)) == reading.n
        stops = np.cumsum(numbers_in(cells, 2))
        rows = [row[0] for row in cells.table.rows]
        for stop in (int(stop) for stop, (row, below) in zip(stops, pairwise(rows), strict=False) if row != below):
            assert reading.n - stop in found.selected


def test_those_still_to_have_it_and_those_at_risk_differ_by_nobody_or_enough(reading):
    found = {one.key: one for one in sweeps(reading)}["unlabeled"]
    unlabeled = reading.analysis.risks[~reading.cohort.labeled]
    for threshold, selected in zip(found.thresholds, found.selected, strict=True):
        for edge in reading.risk_bins.coarse[reading.risk_bins.coarse <= threshold]:
            # Who is above the one is above the other: the difference counts people.
            assert RULE.allows(np.count_nonzero(unlabeled >= edge) - selected)


def test_people_at_a_threshold_add_up(reading):
    for sweep in sweeps(reading):
        everybody = sweep.row(0)
        for row in sweep.rows():
            assert row["true"] + row["false"] == row["selected"]
            assert row["true"] + row["missed"] == everybody["true"]


def test_groups_have_nobody_or_enough_of_either_kind(reading):
    for chart, share in ((labels_by_follow_up(reading), 2), (calibration(reading), 2)):
        if chart is None:
            continue
        size = 1 if chart.key == "labels" else 0
        for row in chart.table.rows:
            n, part = int(row[size]), float(row[share].split()[0]) / 100
            assert RULE.allows(n)
            assert chart.key == "calibration" or RULE.allows(round(part * n), n - round(part * n))


def test_levels_without_a_model_stand_beside_the_risk_in_groups_that_may_be_shown(analysis):
    shown = Reading(analysis, 11)
    chart = agreement_chart(shown)
    counts = numbers_in(chart, 0)
    assert sum(counts) == shown.n
    assert len(counts) > 1
    assert all(RULE.allows(count) for count in counts)
    risks, expected, levels = ([float(row[k].split()[0]) for row in chart.table.rows] for k in (1, 2, 3))
    assert risks == sorted(risks)
    assert all(by_then <= ever for by_then, ever in zip(expected, risks, strict=True))
    assert np.corrcoef(risks, levels)[0, 1] > 0.8


def test_the_end_of_the_curve_is_not_given_back_by_the_totals(reading):
    thin, cohort = reading.thin_curve, reading.cohort
    last = thin.times[thin.counted][-1]
    rest = cohort.time > last
    assert RULE.allows(np.sum(rest & cohort.labeled), np.sum(rest & ~cohort.labeled))


def test_levels_of_the_curve_have_no_more_digits_than_people(reading):
    chart = event_curve(EvidenceReading(reading.evidence, RULE))
    assert all(re.fullmatch(r"\d+ %", row[1]) for row in chart.table.rows)


def test_a_feature_in_which_a_few_differ_from_all_others_is_not_named(reading):
    evidence = reading.evidence
    rare = np.zeros(reading.n)
    rare[:5] = [1.0, 2.0, 3.0, 4.0, 5.0]
    X = np.column_stack([evidence.material.cohort.features[:, :2], rare])
    found = wh.examine(X, evidence.material.cohort.labeled)
    rule = disclose(found, 11)
    assert [rule.allows_feature(name) for name in found.material.cohort.names] == [True, True, False]


# ---------------------------------------------------------------- people under observation, effects of features


def test_people_who_come_late_are_counted_where_enough_came_and_left(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    entry = rng.uniform(40, 70, 900).round(1)
    time, labeled = entry + rng.exponential(8, 900).round(2) + 0.01, rng.random(900) < 0.4
    found = thin(kaplan_meier(labeled, time, entry=entry), RULE, entry)
    told = found.times[found.counted]
    assert told.size >= 3
    for t, count in zip(told, found.at_risk[found.counted], strict=True):
        assert count == np.sum((entry <= t) & (time > t))
    for low, high in pairwise([0, *told, np.inf]):
        parts = [(time > low) & (time <= high) & who for who in (labeled, ~labeled)]
        assert RULE.allows(*(part.sum() for part in parts), np.sum((entry > low) & (entry <= high)))


class Invented:
    """A model whose risk is known."""

    def predict_proba(self, X):
        risk = 0.3 + 0.1 * np.tanh(X[:, 0]) - 0.2 * X[:, 2] + 0.02 * (X[:, 1] ** 2 - 1)
        return np.column_stack([1 - risk, risk])


def test_effects_have_the_direction_and_the_size_that_the_model_has(analysis, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    features = np.column_stack([rng.normal(size=(2000, 2)), rng.random(2000) < 0.3, rng.normal(size=2000)])
    material = dataclasses.replace(
        analysis.evidence.material,
        cohort=Cohort(features, np.arange(2000) % 3 == 0, names=("up", "bowl", "flag", "nothing")),
    )
    evidence = dataclasses.replace(analysis.evidence, material=material)
    found = dataclasses.replace(analysis, model=Invented(), evidence=evidence)
    effects = {one.feature.full: one for one in local_effects(Reading(found, 11))}
    assert {key: one.direction for key, one in effects.items()} == {
        "up": "rises", "bowl": "falls, then rises", "flag": "falls", "nothing": "hardly moves"
    }  # fmt: skip
    assert effects["flag"].change == pytest.approx([0.2 * features[:, 2].mean(), -0.2 * (1 - features[:, 2].mean())])
    up = effects["up"]
    assert np.diff(up.change) == pytest.approx(np.diff(0.1 * np.tanh(up.at)))
