"""What is said where people died first, came late, or have several rows."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import whether as wh
from tests.telling.coherence import find_contradictions
from whether.analysis import analyze
from whether.telling import write_report
from whether.telling.evidence_words import evidence_sentences
from whether.telling.figures.agreement import agreement_chart
from whether.telling.reading import Reading

QUICK = {"backtest": False, "sensitivity": False, "learner": "linear"}


@pytest.fixture(scope="module")
def deaths():
    return wh.simulate("deaths-by-risk", n=700, seed=3)


def answer(cohort, **settings):
    known = {"time": cohort.time, "competing": cohort.competing}
    return analyze(cohort.X, cohort.y, **known, **QUICK, **settings)


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.DOTALL)))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("question", "asked", "other"),
    [
        ("lifetime", "before death?", "--question net"),
        ("net", "in a world without other deaths?", "--question lifetime"),
    ],
)
def test_the_first_lines_say_which_question_is_answered(deaths, question, asked, other, tmp_path):
    found = answer(deaths, question=question)
    first, *_ = str(found).splitlines()
    assert first.startswith("Question: ")
    assert asked in " ".join(str(found).split())
    assert other in " ".join(str(found).split())
    page = text_of(write_report(found, tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.index(asked) < page.index("people in the cohort")
    assert "people died without the event" in page
    assert "Whoever died without the event counts as" in page
    assert find_contradictions(found, page) == []


def test_groups_of_people_who_enter_late_and_may_die_have_their_own_curves_of_what_was_recorded(deaths):
    entry = np.round(0.7 * np.random.default_rng(5).random(700) * deaths.time, 4)
    found = answer(deaths, entry_time=entry)
    reading = Reading(found)
    rows = [[float(cell.split()[0]) for cell in row[1:4]] for row in agreement_chart(reading).table.rows]
    horizon = agreement_chart(reading).table.header[2]
    whole = 100 * (1 - reading.curve.at(float(re.search(r"[\d.]+", horizon)[0])))
    shown = [level for _, _, level in rows]
    assert min(shown) < whole < max(shown)


@pytest.mark.usefixtures("undrawn")
def test_nothing_is_asked_where_nobody_died(deaths, tmp_path):
    found = analyze(deaths.X, deaths.y, time=deaths.time, **QUICK)
    assert "Question" not in str(found)
    assert 'class="asked"' not in write_report(found, tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_group_without_an_event_has_an_interval_all_the_same(deaths):
    found = answer(deaths)
    quiet = np.array(found.risks < np.quantile(found.risks, 0.6))  # the lowest groups of the histogram, whole
    cohort = found.evidence.material.cohort
    nobody = replace(cohort, labeled=cohort.labeled & ~quiet)
    evidence = replace(found.evidence, material=replace(found.evidence.material, cohort=nobody))
    rows = agreement_chart(Reading(replace(found, evidence=evidence))).table.rows
    assert rows[0][3] == "0.0 %"
    assert float(rows[0][4].split(" to ")[1].split()[0]) > 0


@pytest.fixture(scope="module")
def eyes(tmp_path_factory):
    cohort = wh.simulate("clusters", n=600, seed=1)
    table = pd.DataFrame(cohort.X, columns=cohort.feature_names)
    table = table.assign(event=cohort.y, time=cohort.time, patient=[f"p{number}" for number in cohort.groups])
    path = tmp_path_factory.mktemp("eyes") / "eyes.csv"
    table.to_csv(path, index=False)
    return path, np.unique(cohort.groups).size


def test_rows_of_one_person_are_not_called_people(eyes, tmp_path):
    path, n_persons = eyes
    found = analyze(path, event="event", time="time", id=["patient"], groups="patient", **QUICK)
    said, *rest = str(found).split(". ", 1)
    assert said == f"The table has {n_persons:,} people, some with several rows"
    assert "people" not in rest[0]
    assert "rows with no recorded event" in " ".join(rest[0].split())
    source = write_report(found, tmp_path / "report.html").read_text(encoding="utf-8")
    assert " people" not in "".join(re.findall(r"<script>.*?</script>", source, re.DOTALL))
    page = text_of(source)
    assert re.findall(r"\b[Pp]eople\b", page) == ["people"]  # in the sentence that says so
    assert f"The table has {n_persons:,} people" in page
    assert not re.search(r"\brows who\b|Each person", page)


def test_people_of_one_centre_are_people(eyes):
    path, _ = eyes
    found = analyze(path, event="event", time="time", groups="patient", drop=["patient"], **QUICK)
    assert "people with no recorded event" in " ".join(str(found).split())


def test_a_bound_that_others_set_is_not_explained_by_the_most_likely_people(deaths):
    found = answer(deaths, question="lifetime")
    bounds = found.evidence.bounds
    for constant, says in ((bounds.highest, "that upper bound would be no lower"), (0.9 * bounds.highest, "at most")):
        changed = replace(found.evidence, bounds=replace(bounds, highest_if_constant=constant))
        assert f"equally likely to be recorded, {says}" in " ".join(evidence_sentences(changed)["Bounds"])
