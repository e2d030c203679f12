"""The page: what is in it, in which order, and that it stands by itself."""

import base64
import dataclasses
import hashlib
import re
from itertools import pairwise

import numpy as np
import pytest

import whether as wh
from whether.analysis import GroupLevel
from whether.telling import to_paragraphs, write_report
from whether.telling.evidence_words import evidence_sentences
from whether.telling.figures.drivers import driver_chart
from whether.telling.figures.effects import coefficient_table, importance_chart
from whether.telling.figures.svg import render
from whether.telling.page import write
from whether.telling.page.notes import CITATIONS
from whether.telling.page.top import write_answer
from whether.telling.reading import Reading


def drawings(page):
    return [attributes for attributes in page.named("svg") if "viewbox" in attributes]


def test_nothing_is_fetched_from_anywhere(page):
    links = [
        value for _, attributes in page.tags for name, value in attributes.items() if name in ("src", "href", "action")
    ]
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"@import|@font-face|url\((?!#)|https?:", page.source)


def test_the_policy_lets_only_the_own_script_run(page):
    policy = next(meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    script = re.search(r"<script>(.*?)</script>", page.source, re.DOTALL)[1]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]


def test_headings_go_down_one_level_at_a_time(page):
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_references_lead_somewhere(page):
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = {value[1:] for _, attributes in page.tags if (value := attributes.get("href"))}
    used |= set(re.findall(r"url\(#([^)]+)\)", page.source))
    used |= {attributes["aria-labelledby"] for _, attributes in page.tags if "aria-labelledby" in attributes}
    assert used <= set(ids)


def test_no_line_ends_at_the_hyphen_of_a_method_and_drawings_and_names_stay_as_they_are(page):
    assert '<span class="whole">AFTMC-F</span>' in page.source
    kept = "<title>AFTMC-F</title><bdi>AFTMC-F</bdi><svg><text>AFTMC-F</text></svg><script>AFTMC-F</script>"
    assert write._keep_names(kept) == kept


def test_events_are_called_recorded_and_not_labels(page):
    assert not re.search(r"\blabels\b", page.words)


def test_it_has_landmarks_a_language_and_a_way_past_the_navigation(page):
    assert page.named("html")[0]["lang"] == "en"
    assert {"header", "nav", "main", "footer"} <= {tag for tag, _ in page.tags}
    assert page.named("a")[0]["href"] == "#answer"


def test_every_figure_has_a_description_both_drawings_and_its_numbers(page):
    plots = [attributes for attributes in page.named("div") if attributes.get("class") == "plot"]
    assert len(plots) == len(page.named("figure")) == len(page.data["figures"]) >= 9
    assert all(len(plot["aria-label"]) > 60 and plot["role"] == "img" for plot in plots)
    assert len(drawings(page)) == 2 * len(plots)
    assert len(page.tables) >= len(plots)
    assert all(points for points in page.data["figures"].values())


def test_points_lie_within_their_drawings(page):
    sizes = [tuple(map(float, box["viewbox"].split()[2:])) for box in drawings(page)]
    for kind, (width, _) in (("wide", sizes[0]), ("narrow", sizes[1])):
        places = [point[kind] for points in page.data["figures"].values() for point in points]
        assert all(0 <= x <= width and y >= 0 for x, y in places)


def test_the_answer_comes_first_with_its_interval(analysis, page):
    unseen = analysis.unseen
    headline = (
        f"About {unseen.estimate:,.0f} of the {analysis.n_unlabeled:,} people with no recorded event "
        f"({100 * unseen.estimate / analysis.n_unlabeled:.0f} %; 95 % interval {unseen.lower:,.0f} to "
        f"{unseen.upper:,.0f}) are expected to have it eventually."
    )
    assert headline in page.words
    assert page.words.index(headline) < page.words.index("How sure is it?")


def test_the_lit_path_ends_at_the_method_that_was_chosen(analysis, page):
    lit = re.findall(r'<div class="leaf lit">\s*<strong>(?:<span class="whole">)?([^<]+)<', page.source)
    assert lit == [analysis.recommendation.method]


def test_it_says_how_to_repeat_and_cite_it(page):
    for text in (wh.__version__, "whether analyze a.csv", "Qin Weng and Matthew M. Engelhard", "waste of time"):
        assert text in page.words


@pytest.mark.usefixtures("undrawn")
def test_labels_alone_give_a_ranking_and_no_number(analyze, read_report):
    page = read_report(analyze("dependent-censoring", known=(), n=1000, checks=False))
    assert "These data rank people, but do not say how many" in page.words
    assert "Ranking only, no estimate" in page.words
    assert "There are no event times, so there is no curve of events." in page.words
    assert "events" not in page.data["figures"]
    assert "backtest" not in page.data["figures"]


@pytest.mark.parametrize(("staggered", "weighted"), [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.usefixtures("undrawn")
def test_it_says_how_the_earlier_date_was_chosen_and_how_people_count(analysis, read_report, staggered, weighted):
    record = dataclasses.replace(analysis.backtest, endpoint=None if staggered else 2001.5, weighted=weighted)
    words = read_report(dataclasses.replace(analysis, backtest=record)).words
    assert ("Follow-up was cut at random, as if the data had ended earlier" in words) == staggered
    assert ("people count by the inverse of their chance" in words) == weighted


def test_where_no_number_is_settled_on_the_headline_is_a_range(analysis):
    refused = dataclasses.replace(analysis.recommendation, refusals=("short follow-up",))
    answer = write_answer(Reading(dataclasses.replace(analysis, recommendation=refused), 11))
    ends = f"{analysis.unseen.lower:,.0f} and {analysis.unseen.upper:,.0f}"
    assert answer.headline.startswith(f"Between {ends} of the {analysis.n_unlabeled:,} people")
    assert answer.badge == "Range, no single estimate"
    counts = {part.kind: part.count for part in answer.bar.parts}
    assert counts["still"] == f"at least {analysis.unseen.lower:,.0f}"
    assert counts["open"] == f"{round(analysis.unseen.upper) - round(analysis.unseen.lower):,}"
    assert answer.bar.interval is None


def test_what_may_not_be_told_is_not_announced_as_a_range(analysis):
    hidden, few = dataclasses.replace(analysis, settles=False), analysis.n_events + 1
    reading = Reading(hidden, few)
    answer, evidence = write_answer(reading), str(evidence_sentences(reading.told.evidence))
    assert "is not told" in answer.headline
    assert answer.badge == "Not told"
    assert "We give no number" in to_paragraphs(hidden, suppress_below=few)["Methods"]
    # What nobody is, is not said of some either.
    assert "known never to have the event" not in evidence
    assert "known to lie in an interval" not in evidence


def test_the_bar_is_everybody_and_its_interval_that_of_the_number(analysis):
    bar, unseen, n = write_answer(Reading(analysis, 11)).bar, analysis.unseen, analysis.n_people
    assert [part.kind for part in bar.parts] == ["seen", "still", "never"]
    assert [part.size * n for part in bar.parts] == pytest.approx(
        [analysis.n_events, round(unseen.estimate), analysis.n_unlabeled - round(unseen.estimate)]
    )
    for before, after in pairwise(bar.parts):
        assert after.start == pytest.approx(before.start + before.size)
    assert bar.parts[-1].start + bar.parts[-1].size == pytest.approx(1)
    assert bar.interval == pytest.approx([(analysis.n_events + end) / n for end in (unseen.lower, unseen.upper)])


def test_no_bar_where_few_have_the_event(analyze):
    found = analyze("partially-dependent", checks=False)
    assert write_answer(Reading(found, found.n_events + 1)).bar is None


def test_flowchart_and_z_scores_stand_in_the_appendix(page):
    titles = [text for text in page.text if text.startswith("Appendix: ")]
    assert titles == [
        "Appendix: how the method was chosen",
        "Appendix: features that decide when",
        "Appendix: paragraphs for a publication",
        "Appendix: data, terms, citation",
    ]
    assert (
        page.source.index('id="figure-drivers"') > page.source.index('id="choice"') > page.source.index('id="people"')
    )


def test_people_with_a_recorded_event_are_not_called_labeled(page):
    names = "|".join(re.escape(method.words) for method in wh.methods.METHODS.values())
    said = re.sub(f"{names}|{re.escape(CITATIONS[1][1])}", "", page.words)
    assert re.findall(r"\w*label\w*", said, re.IGNORECASE) == []


def test_colours_of_drawings_are_those_of_the_style(page):
    drawn = " ".join(re.findall(r"<svg viewBox.*?</svg>", page.source, re.DOTALL))
    assert not re.search(r"#[0-9a-fA-F]{6}", drawn)
    style = re.search(r"<style>(.*?)</style>", page.source, re.DOTALL)[1]
    light, dark = (set(re.findall(r"(--[\w-]+):", part)) for part in style.split("prefers-color-scheme: dark")[:2])
    assert set(re.findall(r"var\((--[\w-]+)\)", drawn + style)) <= light
    assert dark == light


@pytest.mark.usefixtures("undrawn")
def test_without_event_times_the_page_stands_on_follow_up(analyze, read_report):
    page = read_report(analyze("partially-dependent", known=("follow_up",), checks=False))
    assert {"labels", "calibration", "risks"} <= set(page.data["figures"])
    assert "events" not in page.data["figures"]
    assert "FUMC-F" in page.words


def test_a_model_without_coefficients_shows_what_its_risk_leans_on(analysis):
    cohort = analysis.evidence.material.cohort
    model = wh.LabelClassifier(learner="boosted", random_state=0)
    model.fit(cohort.features, cohort.labeled.astype(int))
    reading = Reading(dataclasses.replace(analysis, model=model), 11)
    assert coefficient_table(reading) is None
    chart = importance_chart(reading, np.random.default_rng(0))
    assert {row[0].full for row in chart.table.rows} == set(cohort.names)
    assert render(chart).points


def test_a_feature_of_people_who_are_followed_for_less_time_lies_on_the_side_of_sooner():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    follow_up = np.exp(-0.8 * X[:, 0] + rng.normal(size=600))
    event = np.where(rng.random(600) < 0.6, np.exp(rng.normal(-0.5, 1, size=600)), np.inf)
    known = {"time": np.minimum(event, follow_up), "follow_up": follow_up}
    found = wh.analyze(X, event <= follow_up, **known, backtest=False, sensitivity=False)
    chart = driver_chart(Reading(found, 11))
    assert "comes later with more of the feature, left of it sooner" in chart.reading
    _, _, score = next(row for row in chart.table.rows if row[0].full == "x0")
    assert score.startswith("z = \u2212")


def test_the_same_analysis_gives_the_same_bytes(analyze, tmp_path):
    found = analyze("partially-dependent", known=("follow_up",), checks=False)
    first, second = (write_report(found, tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
    assert first == second


def test_a_page_that_cannot_be_made_leaves_the_old_file(analysis, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("whether.telling.page.write.render_page", lambda content: "\ud800")
    monkeypatch.setattr("whether.telling.page.write.describe", lambda analysis, disclosure: {})
    with pytest.raises(UnicodeEncodeError):
        write_report(analysis, path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("value", [-1, 2.5, True, "11"])
def test_the_threshold_is_a_whole_number(analysis, tmp_path, value):
    with pytest.raises(ValueError, match=f"`suppress_below` must be a whole number >= 0, got {value!r}"):
        write_report(analysis, tmp_path / "report.html", suppress_below=value)


@pytest.mark.usefixtures("undrawn")
def test_levels_of_a_column_are_a_section_with_a_table_in_sight(analysis, page, read_report):
    assert "Group by group" not in page.words
    half, unseen = analysis.n_people // 2, analysis.unseen
    levels = tuple(GroupLevel("stage", name, half, 40, analysis.mean_risk, unseen, 0) for name in ("early", "late"))
    page = read_report(dataclasses.replace(analysis, by_group=levels))
    assert "by-0" in page.data["figures"]
    table = next(rows for rows in page.tables if rows[0][0] == "stage")
    limits = f"{unseen.estimate:,.0f} ({unseen.lower:,.0f} to {unseen.upper:,.0f})"
    assert [row[0] for row in table[1:]] == ["early", "late"]
    assert all(row[1:3] == [f"{half:,}", "40"] and row[-1] == limits for row in table[1:])
    bars = re.findall(r'<th scope="row"><bdi>(?:early|late)</bdi><svg class="bar"', page.source)
    assert len(bars) == 2


def test_rows_of_a_person_are_nowhere_called_people(analysis, read_report):
    several = dataclasses.replace(analysis, origin=dataclasses.replace(analysis.origin, n_persons=300))
    page = read_report(several)
    spoken = [attributes["aria-label"] for _, attributes in page.tags if "aria-label" in attributes]
    told = [point["text"] for points in page.data["figures"].values() for point in points]
    told += [sweep[part] for sweep in page.data["sweeps"] for part in ("title", "measure")]
    people = [text for text in (*page.text, *spoken, *told) if re.search(r"\bpeople\b", text)]
    assert len(told) > 100
    assert [text.partition(",")[0] for text in people] == ["The table has 300 people"]
