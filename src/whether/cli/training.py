"""From a table to a fitted classifier: what `whether fit` does between reading options and writing a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from whether.cli.columns import Choice, Columns
from whether.cli.output import gathered_warnings
from whether.cli.problems import CommandError
from whether.cli.roles import Outcome, Roles, read_outcome
from whether.estimators.time_model import TimeModelClassifier
from whether.methods import Method
from whether.model_file import save
from whether.tables import (
    Encoder,
    Notes,
    Observed,
    TableError,
    Wishes,
    guess_column,
    learn_encoder,
    read_table,
)

FEWEST_PEOPLE = 20


@dataclass
class FittedTable:
    """A fitted classifier with the encoder of its features, and what is worth telling about both."""

    model: Any
    encoder: Encoder
    method: Method
    learner: str
    notes: Notes
    facts: dict[str, Any] = field(default_factory=dict)

    def describe(self) -> dict[str, Any]:
        """What happened, in plain data."""
        about = {"method": self.method.name, "restriction": self.method.restriction, "learner": self.learner}
        return {**about, "features": list(self.encoder.features), **self.facts}

    def save(self, path: Path) -> None:
        """Write the model file."""
        training = {**self.facts, "learner": self.learner, "notes": [note.text for note in self.notes.items]}
        save(self.model, path, encoder=self.encoder, method=self.method.name, training=training)


def fit_table(
    path: Path, query: str | None, roles: Roles, wishes: Columns, method: Method, learner: str, seed: int
) -> FittedTable:
    """Read a table and fit a method to it.

    Parameters
    ----------
    path : Path
    query : str or None
        Query to a database.
    roles : Roles
    wishes : Columns
    method : Method
    learner : str
    seed : int
    """
    choice = Choice(roles, wishes)
    table, notes = read_table(path, query=query, choose=choice.choose)
    if table.num_rows < FEWEST_PEOPLE:
        raise TableError(
            f"{str(path)!r} has {table.num_rows} row{'s' * (table.num_rows > 1)}; fewer than {FEWEST_PEOPLE} people "
            "are too few to learn from."
        )
    outcome = read_outcome(table, roles, notes)
    encoder, features = _encode(table, choice, outcome, learner, notes)
    del table  # the features are a copy, and a large table is not needed twice
    named = [name for column in choice.propensity for name in encoder.features_of(column)]
    if choice.propensity and not named:
        raise CommandError("None of the --propensity-features became a feature, so nothing decides who is seen.")
    fitted = FittedTable(
        method.build(named or None, learner=learner, random_state=seed), encoder, method, learner, notes
    )
    with gathered_warnings(notes):
        fitted.model.fit(features, outcome.event, time=outcome.time, follow_up=outcome.follow_up)
        fitted.facts = _facts(fitted.model, features, outcome)
    return fitted


def _encode(table: pa.Table, choice: Choice, outcome: Outcome, learner: str, notes: Notes) -> tuple[Encoder, Any]:
    """Encoder and features, as a data frame that shares its memory with one matrix."""
    columns = {name: guess_column(name, table[name]) for name in choice.candidates}
    wishes = Wishes(choice.named, choice.categorical, learner == "boosted", tuple(choice.ids))
    times = tuple(times for times in (outcome.time, outcome.follow_up) if times is not None)
    encoder = learn_encoder(columns, wishes, Observed(outcome.event, times), notes)
    return encoder, pd.DataFrame(encoder.encode(columns, notes), columns=list(encoder.features), copy=False)


def _facts(model: Any, features: Any, outcome: Outcome) -> dict[str, Any]:
    clock = outcome.time if outcome.follow_up is None else outcome.follow_up
    if isinstance(model, TimeModelClassifier):
        still = model.predict_proba_event_free(features, np.asarray(clock))
    else:
        still = model.predict_proba_event_free(features)
    return {
        "people": int(outcome.event.size),
        "events": int(outcome.event.sum()),
        "seen_share": float(outcome.event.mean()),
        "mean_risk": float(model.predict_proba(features)[:, 1].mean()),
        "expected_unseen": float(still[~outcome.event].sum()),
        "converged": bool(model.converged_),
    }
