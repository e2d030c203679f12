"""What `whether analyze` does between reading options and the end: analyse, write a folder, tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import typer

from whether.analysis import Analysis, analyze
from whether.analysis.sources import describe_origin
from whether.cli.cohorts import read_people, what_else
from whether.cli.method_choice import describe_training, save_fitted
from whether.cli.options import CohortOptions
from whether.cli.output import make_notes, refuse_names, tell, tell_remains
from whether.cli.problems import printable
from whether.estimators import LabelClassifier
from whether.files.table import TableCohort, write_table
from whether.files.whole_files import SUMMARY, whole_folder, write_text
from whether.methods import METHODS
from whether.telling import to_paragraphs, write_report, write_tables
from whether.telling.plain import SCHEMA
from whether.telling.publication.writing import TABLE_FILES

REPORT, MODEL, PREDICTIONS = "report.html", "model.whether", "predictions.csv"
FILES = (REPORT, MODEL, PREDICTIONS, SUMMARY)
ALL_FILES = (*FILES, *TABLE_FILES)  # those that only some runs write, too
WIDTH = 110  # of the sentences
WITHIN = "within_"  # with the length of time: chance of the event within it, from when the person was last seen
RESULTS = ("risk", "risk_lower", "risk_upper", "still_to_come", "labeled")


class Wanted(NamedTuple):
    """What else is written and told."""

    as_json: bool
    tables: str | None  # format of the tables of a publication
    paragraphs: bool


def run(
    cohort: CohortOptions, output: Path, wanted: Wanted, suppress_below: int, settings: dict[str, Any], **origin: str
) -> None:
    """Analyse, write the folder, and tell."""
    tell_remains(output, ALL_FILES)
    with whole_folder(output, ALL_FILES, SCHEMA) as folder:
        people = read_people(cohort)
        names = _name_people(people)
        # Ids that CSV cannot have are refused now, not after the long work.
        write_table(names, folder / PREDICTIONS)
        described = describe_origin(people, simulated=cohort.table is None, **origin)
        known = what_else(people, cohort.question, analyze, "analyze")
        answer = analyze(people, origin=described, random_state=cohort.seed, **known, **settings)
        summary = answer.to_dict(suppress_below=suppress_below)
        _save_model(answer, people, folder / MODEL)
        write_table(_predictions(answer, names), folder / PREDICTIONS)
        write_report(answer, folder / REPORT, suppress_below=suppress_below)
        write_text(folder / SUMMARY, json.dumps(summary, indent=1, allow_nan=False) + "\n")
        tables = (
            [] if wanted.tables is None else write_tables(answer, folder, wanted.tables, suppress_below=suppress_below)
        )
    files = [*FILES, *(path.name for path in tables)]
    result = {"command": "analyze", "output": str(output), "files": files, "summary": summary}
    tell([], result, make_notes(people.findings, suppress_below=suppress_below), wanted.as_json)
    if not wanted.as_json:
        _say(answer, suppress_below, wanted.paragraphs)
        tells_all = suppress_below <= 1 and not described.simulated
        for line in _about_files(output, tells_all=tells_all, has_several=described.n_persons > 0):
            typer.echo(line)
        if tables:
            typer.echo(f"Tables for a publication: {', '.join(path.name for path in tables)}.")


def _say(answer: Analysis, suppress_below: int, paragraphs: bool) -> None:
    """Print the answer, and paragraphs where they are asked for."""
    lines = answer.to_text(WIDTH, suppress_below=suppress_below).splitlines()
    for title, text in to_paragraphs(answer, suppress_below=suppress_below).items() if paragraphs else ():
        lines += ["", f"{title}, to paste:", text]
    for line in [*lines, ""]:
        typer.echo(printable(line))


def _about_files(output: Path, *, tells_all: bool, has_several: bool) -> list[str]:
    """Say which files of a folder hold individual-level data, of people who may have several rows each."""
    report = f"The report is {output / REPORT}; "
    if tells_all:
        report += f"it and {SUMMARY} tell numbers of people however small: keep them where personal data may be."
    else:
        report += f"it contains no individual-level data; neither does {SUMMARY}."
    of = "each row of the table, several for some people" if has_several else "each person"
    rows = f"{PREDICTIONS} holds a row for {of}: keep it where personal data may be. {MODEL} is the model."
    return [report, rows]


def _name_people(people: TableCohort) -> pa.Table:
    """Return the id columns or, without any, the number of the row."""
    within = [name for name in people.ids.column_names if name.startswith(WITHIN)]
    refuse_names(people.ids.column_names, (*RESULTS, *within))
    return people.ids if people.ids.num_columns else pa.table({"row": np.arange(1, people.y.size + 1)})


def _predictions(answer: Analysis, people: pa.Table) -> pa.Table:
    labeled = answer.evidence.material.cohort.labeled
    limits = () if answer.lower is None else (("risk_lower", answer.lower), ("risk_upper", answer.upper))
    columns = {name: people[name] for name in people.column_names} | {"risk": answer.risks} | dict(limits)
    # Where every event is taken as seen nothing is learned of what is still to come: a column of zeros would mislead.
    hidden = np.ones_like(labeled) if isinstance(answer.model, LabelClassifier) else labeled
    columns |= {"still_to_come": pa.array(answer.still, mask=hidden)}
    for window, chances in zip(answer.windows, answer.within if answer.within is not None else (), strict=True):
        columns[f"{WITHIN}{window.length:.10g}"] = pa.array(chances, mask=labeled)
    return pa.table({**columns, "labeled": labeled.astype(int)})


def _save_model(answer: Analysis, people: TableCohort, path: Path) -> None:
    training = describe_training(answer.model, answer.mean_risk.estimate, answer.unseen.estimate)
    save_fitted(path, answer.model, people, METHODS[answer.recommendation.method], training)
