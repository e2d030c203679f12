"""What `whether analyze` does between reading options and the end: analyse, write a folder, tell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import typer

from whether.analysis import Analysis, analyze
from whether.analysis.table_input import describe_origin
from whether.cli.cohorts import read_people
from whether.cli.fitting import describe_training, save_fitted
from whether.cli.options import CohortOptions
from whether.cli.output import make_notes, refuse_names, tell
from whether.estimators import LabelClassifier
from whether.files.table import TableCohort, write_table
from whether.files.whole_files import SUMMARY, whole_folder, write_text
from whether.methods import METHODS
from whether.telling import write_report
from whether.telling.plain import SCHEMA

REPORT, MODEL, PREDICTIONS = "report.html", "model.whether", "predictions.csv"
FILES = (REPORT, MODEL, PREDICTIONS, SUMMARY)
# Width of the sentences.
WIDTH = 110
RESULTS = ("risk", "risk_lower", "risk_upper", "still_to_come", "labeled")


@dataclass(frozen=True)
class Job:
    """What was asked for."""

    cohort: CohortOptions
    output: Path
    call: str
    unit: str
    learner: str | None
    with_backtest: bool
    suppress_below: int


def run(job: Job, as_json: bool) -> None:
    """Analyse, write the folder, and tell."""
    with whole_folder(job.output, FILES, SCHEMA) as folder:
        people = read_people(job.cohort)
        names = _name_people(people)
        # Ids that CSV cannot have are refused now, not after the long work.
        write_table(names, folder / PREDICTIONS)
        answer = analyze(
            people,
            origin=describe_origin(people, unit=job.unit, call=job.call, simulated=job.cohort.table is None),
            learner=job.learner,
            backtest=job.with_backtest,
            random_state=job.cohort.seed,
        )
        summary = answer.to_dict(suppress_below=job.suppress_below)
        _save_model(answer, people, folder / MODEL)
        write_table(_predictions(answer, names), folder / PREDICTIONS)
        write_report(answer, folder / REPORT, suppress_below=job.suppress_below)
        write_text(folder / SUMMARY, json.dumps(summary, indent=1, allow_nan=False) + "\n")
    result = {"command": "analyze", "output": str(job.output), "files": list(FILES), "summary": summary}
    tell([], result, make_notes(people.findings, suppress_below=job.suppress_below), as_json)
    if not as_json:
        _tell_people(answer, job)


def _name_people(people: TableCohort) -> pa.Table:
    """Return the id columns or, without any, the number of the row."""
    refuse_names(people.ids.column_names, RESULTS)
    return people.ids if people.ids.num_columns else pa.table({"row": np.arange(1, people.y.size + 1)})


def _predictions(answer: Analysis, people: pa.Table) -> pa.Table:
    labeled = answer.evidence.material.labeled
    limits = () if answer.lower is None else (("risk_lower", answer.lower), ("risk_upper", answer.upper))
    columns = {name: people[name] for name in people.column_names} | {"risk": answer.risks} | dict(limits)
    # Where every event is taken as seen nothing is learned of what is still to come: a column of zeros would mislead.
    hidden = np.ones_like(labeled) if isinstance(answer.model, LabelClassifier) else labeled
    still = pa.array(answer.still, mask=hidden)
    return pa.table({**columns, "still_to_come": still, "labeled": labeled.astype(int)})


def _save_model(answer: Analysis, people: TableCohort, path: Path) -> None:
    facts = describe_training(answer.model, people.y, answer.mean_risk.estimate, answer.unseen.estimate)
    save_fitted(path, answer.model, people, METHODS[answer.recommendation.method], facts)


def _tell_people(answer: Analysis, job: Job) -> None:
    output = job.output
    for line in answer.to_text(WIDTH, suppress_below=job.suppress_below).splitlines():
        typer.echo("".join(letter if letter.isprintable() else " " for letter in line))
    typer.echo("")
    typer.echo(f"The report is {output / REPORT}; it tells nothing about single persons, and nor does {SUMMARY}.")
    typer.echo(f"{PREDICTIONS} is about single persons: keep it where personal data may be. {MODEL} is the model.")
