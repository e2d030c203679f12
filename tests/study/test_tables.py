"""Tables: the paper's numbers beside ours, the same bytes for the same results."""

import random
from dataclasses import replace

import pytest

from whether.study.errors import StudyError
from whether.study.plan import STUDIES
from whether.study.render import render
from whether.study.score_tables import make_records, make_tables

SIMULATION = STUDIES["simulation"]


@pytest.fixture
def rows(make_row):
    return [
        make_row(method=method, learner=learner, seed=seed, auc=auc + 0.01 * seed)
        for method, learner, auc in (("LR", "linear", 0.79), ("oracle", "linear", 0.89), ("FUMC-F", "auto", 0.88))
        for seed in range(3)
    ]


def write(rows, form, **choice):
    records = make_records(SIMULATION, rows, **choice)
    return render(make_tables(SIMULATION, records), records, form)


def test_text_has_ours_the_papers_and_the_difference(rows):
    lines = [line.split() for line in write(rows, "text").splitlines()]
    assert ["Baseline", "ours", "0.800", "(.010)"] in lines
    assert ["paper", "0.81", "(.02)"] in lines
    assert ["difference", "-0.010"] in lines


def test_our_own_methods_stand_beside_the_oracle(rows):
    lines = [line.split() for line in write(rows, "text").splitlines()]
    assert ["scenario", "oracle", "FUMC-F", "auto"] in lines
    assert ["Baseline", "score", "0.900", "(.010)", "0.890", "(.010)"] in lines
    assert ["minus", "oracle", "-0.010"] in lines


def test_csv_has_one_line_per_score(rows):
    text = write(rows, "csv").splitlines()
    assert text[0].startswith("study,world,scenario,method,learner,label,metric,mean,sd,replicates,paper")
    assert text[1] == (
        "simulation,baseline,Baseline,LR,linear,LR,auc,0.800000,0.010000,3,0.81,0.02,-0.010000,-0.100000"
    )
    assert len(text) == 4


def test_markdown_rows_have_as_many_cells_as_the_header(rows):
    lines = [line for line in write(rows, "markdown").splitlines() if line.startswith("|")]
    assert "| Baseline | ours | 0.800 (.010) |" in lines
    assert {line.count("|") for line in lines[:5]} == {4}


def test_latex_is_a_tabular_with_signs_in_math(rows):
    text = write(rows, "latex")
    assert text.count(r"\begin{tabular}{llr}") == 1
    assert r" & difference & $-0.010$ \\" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_the_order_in_which_cells_finished_does_not_show(rows, form):
    shuffled = rows.copy()
    random.Random(0).shuffle(shuffled)
    assert write(rows, form) == write(shuffled, form)


def test_seconds_do_not_show(rows):
    slower = [replace(row, fit_seconds=99.0) for row in rows]
    assert write(rows, "csv") == write(slower, "csv")


def test_a_method_with_fewer_replicates_and_failures_are_noted(rows, make_row):
    records = make_records(SIMULATION, rows[:-1])
    text = render(make_tables(SIMULATION, records, n_failed=1), records, "text")
    assert "Other numbers of replicates: baseline/FUMC-F auto: 2." in text
    assert "1 cells failed" in text


def test_scores_clearly_below_the_paper_are_listed(rows, make_row):
    rows = [*rows, make_row(method="AFT", auc=0.75)]
    assert "More than 0.02 below the paper: baseline/AFT (0.040)." in write(rows, "text")
    assert "below the paper" not in write(rows[:-1], "text")


def test_a_difference_that_rounds_to_nothing_has_no_sign(make_row):
    lines = [line.split() for line in write([make_row(auc=0.8099)], "text").splitlines()]
    assert ["difference", "0.000"] in lines


def test_one_replicate_has_no_standard_deviation(make_row):
    text = write([make_row(auc=0.8)], "text")
    assert ["Baseline", "ours", "0.800"] in [line.split() for line in text.splitlines()]
    assert "over 1 replicate." in text


def test_scores_against_another_target_have_a_table_of_their_own(make_row):
    study = STUDIES["autism"]
    row = make_row("autism", "autism-split", auc=0.7, **{"truth.auc": 0.72})
    titles = [table.title for table in make_tables(study, make_records(study, [row]))]
    assert titles == ["autism: AUC", "autism: AUC, all test children, with the true outcome"]


def test_wide_tables_are_cut_into_even_parts(make_row):
    rows = [make_row(method=entry.name, learner=entry.learner, auc=0.8) for entry in SIMULATION.entries]
    widths = [len(table.header) - 2 for table in make_tables(SIMULATION, make_records(SIMULATION, rows))]
    assert widths == [9, 6, 6]


def test_choice_of_worlds_methods_and_metrics(rows, make_row):
    rows = [*rows, make_row(world="small-sample", auc=0.7, brier=0.2)]
    records = make_records(SIMULATION, rows, metrics=["brier"], worlds=["small-sample"], methods=["LR"])
    assert [(record.world, record.metric, record.score.mean) for record in records] == [("small-sample", "brier", 0.2)]
    assert records[0].published is None  # the paper has the AUC only


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"metrics": ["accuracy"]}, "No metric is called 'accuracy'; there are auc,"),
        ({"metrics": ["nobody.auc"]}, "No metric is called 'nobody.auc'"),
        ({"worlds": ["high-censorship"]}, "No finished cells of the study 'simulation'"),
    ],
)
def test_what_cannot_be_shown_is_refused(rows, choice, message):
    with pytest.raises(StudyError, match=message):
        make_records(SIMULATION, rows, **choice)


def test_an_unknown_format_is_refused(rows):
    with pytest.raises(StudyError, match="No format is called 'html'; there are text, markdown, latex, csv"):
        write(rows, "html")
