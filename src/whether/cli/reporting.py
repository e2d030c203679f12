"""What `whether analyze` does between reading options and the end: analyse, write a folder, tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
from whether.telling import write_report
from whether.telling.plain import SCHEMA

REPORT, MODEL, PREDICTIONS = "report.html", "model.whether", "predictions.csv"
FILES = (REPORT, MODEL, PREDICTIONS, SUMMARY)
WIDTH = 110  # of the sentences
RESULTS = ("risk", "risk_lower", "risk_upper", "still_to_come", "labeled")


def run(
    cohort: CohortOptions, output: Path, as_json: bool, suppress_below: int, settings: dict[str, Any], **origin: str
) -> None:
    """Analyse, write the folder, and tell."""
    tell_remains(output, FILES)
    with whole_folder(output, FILES, SCHEMA) as folder:
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
    result = {"command": "analyze", "output": str(output), "files": list(FILES), "summary": summary}
    tell([], result, make_notes(people.findings, suppress_below=suppress_below), as_json)
    if not as_json:
        for line in answer.to_text(WIDTH, suppress_below=suppress_below).splitlines():
            typer.echo(printable(line))
        typer.echo("")
        tells_all = suppress_below <= 1 and not described.simulated
        for line in _about_files(output, tells_all=tells_all, has_several=described.n_persons > 0):
            typer.echo(line)


def _about_files(output: Path, *, tells_all: bool, has_several: bool) -> list[str]:
    """Say what the files of a folder tell of single persons, who may have several rows each."""
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
    refuse_names(people.ids.column_names, RESULTS)
    return people.ids if people.ids.num_columns else pa.table({"row": np.arange(1, people.y.size + 1)})


def _predictions(answer: Analysis, people: pa.Table) -> pa.Table:
    labeled = answer.evidence.material.cohort.labeled
    limits = () if answer.lower is None else (("risk_lower", answer.lower), ("risk_upper", answer.upper))
    columns = {name: people[name] for name in people.column_names} | {"risk": answer.risks} | dict(limits)
    # Where every event is taken as seen nothing is learned of what is still to come: a column of zeros would mislead.
    hidden = np.ones_like(labeled) if isinstance(answer.model, LabelClassifier) else labeled
    still = pa.array(answer.still, mask=hidden)
    return pa.table({**columns, "still_to_come": still, "labeled": labeled.astype(int)})


def _save_model(answer: Analysis, people: TableCohort, path: Path) -> None:
    training = describe_training(answer.model, answer.mean_risk.estimate, answer.unseen.estimate)
    save_fitted(path, answer.model, people, METHODS[answer.recommendation.method], training)
