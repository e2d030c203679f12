"""From a table to a fitted classifier: what `whether fit` does between reading options and writing a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from whether.cli.columns import Columns
from whether.cli.output import gathered_warnings
from whether.cli.prepared import prepare
from whether.cli.roles import Outcome, Roles
from whether.estimators.time_model import TimeModelClassifier
from whether.files.model import save
from whether.files.table import Encoder, Notes
from whether.methods import Method


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
    ready = prepare(path, query, roles, wishes, keeps_missing=learner == "boosted")
    features, outcome, notes = ready.features, ready.outcome, ready.notes
    fitted = FittedTable(
        method.build(ready.propensity_features, learner=learner, random_state=seed),
        ready.encoder,
        method,
        learner,
        notes,
    )
    with gathered_warnings(notes):
        fitted.model.fit(features, outcome.event, time=outcome.time, follow_up=outcome.follow_up)
        fitted.facts = _facts(fitted.model, features, outcome)
    return fitted


def _facts(model: Any, features: Any, outcome: Outcome) -> dict[str, Any]:
    if isinstance(model, TimeModelClassifier):
        # How long somebody is known to be without the event is what the model read in the fit.
        clock = outcome.follow_up if model.model_.propensity.needs_follow_up else outcome.time
        still = model.predict_proba_event_free(features, np.asarray(clock))
    else:
        still = model.predict_proba_event_free(features)
    risks = model.predict_proba(features)[:, 1]
    return describe_training(model, outcome, float(risks.mean()), float(still[~outcome.event].sum()))


def describe_training(model: Any, outcome: Outcome, mean_risk: float, expected_unseen: float) -> dict[str, Any]:
    """Return what a model file says about its training.

    Parameters
    ----------
    model : CensoredClassifier
    outcome : Outcome
    mean_risk, expected_unseen : float
    """
    return {
        "people": int(outcome.event.size),
        "events": int(outcome.event.sum()),
        "seen_share": float(outcome.event.mean()),
        "mean_risk": mean_risk,
        "expected_unseen": expected_unseen,
        "converged": bool(model.converged_),
    }
