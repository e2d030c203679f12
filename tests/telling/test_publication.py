"""Tables and paragraphs that a publication takes over."""

import csv
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import whether as wh
from whether.analysis.cohort_table import LevelRow, NumberRow, describe_cohort, summarize
from whether.files.table.findings import EventRead, Held
from whether.telling import to_paragraphs, write_tables
from whether.telling.disclosure import disclose
from whether.telling.publication.tables import UNTOLD, publication_tables
from whether.telling.publication.writing import check_table_format, latex_text
from whether.validate import ArgumentError

HOSTILE = r"a_b & 5% {\input{x}} #1 $"


@pytest.fixture(scope="module")
def frame():
    cohort = wh.simulate("partially-dependent", n=600, seed=0)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(cohort.X[:, :2], columns=["marker", HOSTILE])
    table["stage"] = np.where(rng.random(600) < 0.4, "I", "=1+1")
    table.loc[:4, "stage"] = "rare"
    table["dose"] = np.where(rng.random(600) < 0.2, np.nan, 1900 + rng.integers(0, 90, 600))
    table["treated"] = (rng.random(600) < 0.5).astype(int)
    return table.assign(event=cohort.y, time=cohort.time)


@pytest.fixture(scope="module")
def told(frame):
    return wh.analyze(frame, event="event", time="time", by="stage", backtest=False, sensitivity=False)


def test_the_cohort_table_has_the_counts_and_means_of_the_table(frame, told):
    found = describe_cohort(told)
    one = next(row for row in found.rows if isinstance(row, LevelRow) and (row.column, row.level) == ("treated", "1"))
    assert (one.n_people, one.n_events) == (frame.treated.sum(), frame.treated[frame.event == 1].sum())
    dose = next(row for row in found.rows if isinstance(row, NumberRow) and row.column == "dose")
    assert (dose.n_missing, dose.n_missing_events) == (
        frame.dose.isna().sum(),
        frame.dose[frame.event == 1].isna().sum(),
    )
    assert dose.with_event.mean == pytest.approx(frame.dose[frame.event == 1].mean())
    assert dose.everybody.deviation == pytest.approx(frame.dose.std())


def test_levels_of_few_people_are_pooled_and_nobodys_value_is_told(frame, told):
    rows = [row for row in describe_cohort(told).rows if isinstance(row, LevelRow)]
    for column in {row.column for row in rows}:
        levels = [row for row in rows if row.column == column]
        assert sum(row.n_people for row in levels) == len(frame)
        for row in levels:
            assert all(count == 0 or count > 10 for count in (row.n_events, row.n_people - row.n_events))
    assert "rare" not in " ".join(cell for table in publication_tables(told) for row in table.rows for cell in row)


def test_quartiles_are_means_of_the_people_around_them(global_random_seed):
    values = np.random.default_rng(global_random_seed).normal(size=2001)
    found = summarize(values)
    assert found.median == pytest.approx(np.sort(values)[995:1006].mean())
    assert abs(found.lower - np.quantile(values, 0.25)) < 0.1
    assert not np.isclose(values, found.upper, rtol=0, atol=1e-12).any()


def test_with_few_events_nothing_is_told_by_event(told):
    rule = disclose(told, told.n_events + 1)
    cells = [cell for table in publication_tables(told, rule.fewest) for row in table.rows for cell in row]
    assert UNTOLD in cells
    assert not any(f"{told.n_events:,}" == cell for cell in cells)


@pytest.mark.parametrize("kind", ["word", "latex", "csv"])
def test_every_format_has_every_table_and_names_that_do_no_harm(told, tmp_path, kind):
    if kind == "word":
        docx = pytest.importorskip("docx")
    files = write_tables(told, tmp_path, kind)
    tables = publication_tables(told)
    assert [table.key for table in tables] == ["cohort", "coefficients", "results"]
    if kind == "word":
        written = docx.Document(files[0]).tables
        assert [len(one.rows) for one in written] == [len(table.rows) + 1 for table in tables]
        assert written[0].rows[1].cells[1].text == "600"
    if kind == "latex":
        text = files[0].read_text(encoding="utf-8")
        assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 3
        assert r"\input{" not in text
        assert not re.search(r"(?<!\\)[#$]|(?<!\\)_", text.replace("$-$", ""))
    if kind == "csv":
        for path, table in zip(files, tables, strict=True):
            rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
            assert len(rows) == len(table.rows) + 1
            assert not any(cell.strip().startswith("=") for row in rows for cell in row)


def test_levels_of_a_category_are_named_with_their_reference(told):
    coefficients = next(table for table in publication_tables(told) if table.key == "coefficients")
    named = {row[0].strip() for row in coefficients.rows if "stage" in row[0]}
    assert named == {"stage: I (reference =1+1)"}


def test_numbers_of_printed_tables_have_a_minus(told, tmp_path):
    negative = re.compile(r"(?<![\w-])-\d")
    for path in write_tables(told, tmp_path, "latex"):
        rows = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(r"\quad")]
        assert "$-$" in " ".join(rows)
        assert not any(negative.search(cell) for row in rows for cell in row.split(" & ")[1:])


def test_latex_keeps_the_words():
    assert latex_text("a_b & 5 %") == r"a\_b \& 5 \%"


def test_a_format_that_there_is_not_is_refused():
    with pytest.raises(ArgumentError, match=r"must be one of word, latex, csv, got 'pdf'"):
        check_table_format("pdf")


def test_without_the_package_for_word_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "docx", None)
    with pytest.raises(ArgumentError, match=r"whether\[word\]"):
        check_table_format("word")


def test_paragraphs_have_the_numbers_of_the_answer(told):
    found = to_paragraphs(told)
    assert list(found) == ["Methods", "Results"]
    assert f"{told.unseen.estimate:,.0f} of the" in found["Results"]
    assert told.recommendation.method in found["Methods"]
    assert told.to_dict()["paragraphs"] == {title.lower(): text for title, text in found.items()}


def test_paragraphs_of_a_range_promise_no_estimate():
    short = wh.simulate("short-follow-up", n=800, seed=0)
    known = {"time": short.time, "follow_up": short.follow_up}
    answer = wh.analyze(short.X, short.y, **known, backtest=False, sensitivity=False)
    assert answer.kind == "range"
    text = " ".join(to_paragraphs(answer).values())
    assert "range" in text
    assert not re.search(r"About [\d,]+ of the", text)


def test_the_event_is_called_by_the_values_that_mean_it(analysis, read_report):
    few, many = (EventRead("status", (Held("relapse", n),), (Held("alive", 99),)) for n in (3, 40))
    for finding, called in ((many, "status: 'relapse'"), (few, "status")):
        found = replace(analysis, origin=replace(analysis.origin, event="status", findings=(finding,)))
        assert f"having the event ({called}) at some time" in to_paragraphs(found)["Methods"]
        page = read_report(found).words
        assert f"Event: {called}" in page
        assert ("Event: status:" in page) == ("relapse" in called)
