"""What `whether analyze` does between reading options and the end: analyse, write a folder, tell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import typer

from whether.analysis import Analysis, Origin, analyze
from whether.analysis.sentences import sentences, wrap
from whether.analysis.summary import SCHEMA
from whether.cli.columns import Choice, Columns
from whether.cli.folder import SUMMARY, whole_folder
from whether.cli.output import tell
from whether.cli.prepared import Prepared, prepare, prepare_table
from whether.cli.problems import CommandError, printable
from whether.cli.roles import Roles
from whether.cli.training import FittedTable, describe_training
from whether.estimators import LabelClassifier
from whether.files.atomic_file import atomic_path
from whether.files.table import Notes, write_table
from whether.methods import METHODS
from whether.simulation import simulate
from whether.telling import write_report
from whether.telling.disclosure import Disclosure

REPORT, MODEL, PREDICTIONS = "report.html", "model.whether", "predictions.csv"
FILES = (REPORT, MODEL, PREDICTIONS, SUMMARY)
# Parts of the summary with names of the user's; all other text is sentences, in which small counts may be.
NAMES = frozenset(("origin", "features", "named_features", "feature", "coefficients"))
RESULTS = ("risk", "risk_lower", "risk_upper", "still_to_come", "labeled")
# A world in which what raises the risk is not what brings the event forward, seen for about as long as events take.
WORLD, N_SIMULATED = "partially-dependent", 4000


@dataclass(frozen=True)
class Table:
    """A table of the user's."""

    path: Path
    query: str | None
    roles: Roles
    wishes: Columns

    @property
    def name(self) -> str:
        """What the cohort is called."""
        return self.path.name

    def prepare(self) -> Prepared:
        """Read and encode it."""
        return prepare(self.path, self.query, self.roles, self.wishes, copies_ids=True)


@dataclass(frozen=True)
class SimulatedCohort:
    """Invented people whose truth is known."""

    seed: int
    name: str = "simulated cohort"

    @property
    def roles(self) -> Roles:
        """What its columns are."""
        return Roles("event", "time", "follow_up")

    def prepare(self) -> Prepared:
        """Draw and encode it."""
        drawn = simulate(WORLD, n=N_SIMULATED, seed=self.seed)
        columns: dict[str, Any] = dict(zip(drawn.feature_names, drawn.X.T, strict=True))
        columns |= {"event": drawn.y, "time": drawn.time, "follow_up": drawn.follow_up}
        table, choice = pa.table(columns), Choice(self.roles, Columns())
        choice.choose(table.column_names)
        ready = prepare_table(table, choice, Notes(), self.name)
        hidden = int(drawn.positive[drawn.y == 0].sum())
        ready.notes.say(
            f"The people are simulated (world {WORLD}, seed {self.seed}), so that the truth is known: {hidden:,} of "
            "the unlabeled are positive."
        )
        return ready


@dataclass(frozen=True)
class Job:
    """What was asked for."""

    source: SimulatedCohort | Table
    output: Path
    call: str
    unit: str
    learner: str | None
    with_backtest: bool
    suppress_below: int
    seed: int


def run(job: Job, as_json: bool) -> None:
    """Analyse, write the folder, and tell.

    Parameters
    ----------
    job : Job
    as_json : bool
        Whether to print the summary as JSON instead of sentences.
    """
    with whole_folder(job.output, FILES, SCHEMA) as folder:
        ready = job.source.prepare()
        people = _name_people(ready)
        # Ids that CSV cannot have are refused now, not after the long work.
        write_table(people, folder / PREDICTIONS)
        answer = analyze(
            ready.features,
            ready.outcome.event.astype(int),
            **ready.known,
            groups=ready.groups,
            origin=_describe_origin(job, ready),
            learner=job.learner,
            backtest=job.with_backtest,
            random_state=job.seed,
        )
        summary = _scrub(answer.to_dict(suppress_below=job.suppress_below), answer, Disclosure(job.suppress_below))
        _save_model(answer, ready, folder / MODEL)
        write_table(_predictions(answer, people), folder / PREDICTIONS)
        write_report(answer, folder / REPORT, suppress_below=job.suppress_below)
        with atomic_path(folder / SUMMARY) as file:
            file.write_text(json.dumps(summary, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    if as_json:
        result = {"command": "analyze", "output": str(job.output), "files": list(FILES), "summary": summary}
        tell([], result, ready.notes, as_json=True)
    else:
        _tell_people(answer, ready.notes, job.output)


def _scrub(plain: dict[str, Any], answer: Analysis, rule: Disclosure) -> dict[str, Any]:
    """Take small counts and single persons' times out of the sentences of a summary, as the report does."""
    curve = answer.evidence.follow_up
    last = None if curve is None or curve.events is None else curve.events.last_event
    times = [time for time in (None if curve is None else curve.longest, last) if time is not None]

    def scrub(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: entry if name in NAMES else scrub(entry) for name, entry in value.items()}
        if isinstance(value, list):
            return [scrub(entry) for entry in value]
        return rule.scrub(value, times) if isinstance(value, str) else value

    return {name: entry if name in NAMES else scrub(entry) for name, entry in plain.items()}


def _describe_origin(job: Job, ready: Prepared) -> Origin:
    roles = job.source.roles
    has_dates = any("365.25" in note.text for note in ready.notes.items)
    return Origin(
        name=job.source.name,
        event=roles.event,
        time=roles.time or "",
        follow_up=roles.follow_up or "",
        entry=roles.entry or "",
        propensity_features=tuple(ready.propensity_features or ()),
        unit=job.unit or ("years" if has_dates else ""),
        notes=tuple(note.text for note in ready.notes.items),
        call=job.call,
        simulated=isinstance(job.source, SimulatedCohort),
    )


def _name_people(ready: Prepared) -> pa.Table:
    """Return the id columns or, without any, the number of the row."""
    twice = next((name for name in ready.ids.column_names if name in RESULTS), None)
    if twice is not None:
        raise CommandError(f"The id column {twice!r} would have the name of a column of results. Rename it.")
    return ready.ids if ready.ids.num_columns else pa.table({"row": np.arange(1, len(ready.features) + 1)})


def _predictions(answer: Analysis, people: pa.Table) -> pa.Table:
    labeled = answer.evidence.material.labeled
    limits = () if answer.lower is None else (("risk_lower", answer.lower), ("risk_upper", answer.upper))
    columns = {name: people[name] for name in people.column_names} | {"risk": answer.risks} | dict(limits)
    # Where every event is taken as seen nothing is learned of what is still to come: a column of zeros would mislead.
    hidden = np.ones_like(labeled) if isinstance(answer.model, LabelClassifier) else labeled
    still = pa.array(answer.still, mask=hidden)
    return pa.table({**columns, "still_to_come": still, "labeled": labeled.astype(int)})


def _save_model(answer: Analysis, ready: Prepared, path: Path) -> None:
    method, learner = METHODS[answer.recommendation.method], str(answer.model.learner)
    facts = describe_training(answer.model, ready.outcome, answer.mean_risk.estimate, answer.unseen.estimate)
    FittedTable(answer.model, ready.encoder, method, learner, ready.notes, facts).save(path)


def _tell_people(answer: Analysis, notes: Notes, output: Path) -> None:
    for note in notes.items:
        typer.echo(printable(f"{'warning: ' if note.is_warning else ''}{note.text}"), err=True)
    for text in sentences(answer):
        typer.echo(wrap(printable(text)))
    typer.echo("")
    typer.echo(f"The report is {output / REPORT}; it tells nothing about single persons, and nor does {SUMMARY}.")
    typer.echo(f"{PREDICTIONS} is about single persons: keep it where personal data may be. {MODEL} is the model.")
