"""An analysis as plain data for programs: numbers about the cohort and the model, nothing about single persons."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import whether
from whether.analysis import sentences
from whether.learners import LinearFit

if TYPE_CHECKING:
    from whether.analysis.result import Analysis

SCHEMA = "whether analysis"
SCHEMA_VERSION = 1
# Entries that count people; small ones can be held back.
COUNTS = frozenset(
    ("people", "events", "unlabeled", "n", "n_events", "n_after_last_event", "n_training", "n_test", "n_positive")
)
# Entries that are one person's own: rounded where small counts are held back.
PERSONAL_TIMES = frozenset(("longest", "last_event", "time_of_lowest"))


def summarize(analysis: Analysis, suppress_below: int = 0) -> dict[str, Any]:
    """Turn an analysis into dictionaries, lists, numbers and text that JSON can have.

    Parameters
    ----------
    analysis : Analysis
    suppress_below : int
        Counts of people above zero and below this become None, and times of single persons are rounded. The
        sentences are as they are.
    """
    advice, record, moved = analysis.recommendation, analysis.backtest, analysis.sensitivity
    told = {key: value for key, value in advice.to_dict().items() if key != "evidence"}
    plain = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "whether_version": whether.__version__,
        "origin": dataclasses.asdict(analysis.origin),
        "cohort": {
            "people": analysis.n_people,
            "events": analysis.n_events,
            "unlabeled": analysis.n_unlabeled,
            "features": list(analysis.evidence.material.cohort.names),
        },
        "answer": {
            "kind": "lower bound" if analysis.is_bound else "estimate",
            "sentences": sentences.sentences(analysis),
            "unseen": dataclasses.asdict(analysis.unseen),
            "at_least": analysis.at_least,
            "mean_risk": dataclasses.asdict(analysis.mean_risk),
        },
        "recommendation": {**told, "refused": advice.refused},
        "model": _describe_model(analysis),
        "evidence": analysis.evidence.to_dict(),
        "backtest": None if record is None else record.to_dict(),
        "backtest_note": analysis.backtest_note,
        "sensitivity": None if moved is None else moved.to_dict(),
        "sensitivity_note": analysis.sensitivity_note,
        "warnings": list(analysis.warnings),
        "notes": list(analysis.notes),
    }
    cleaned = _clean(plain, suppress_below)
    assert isinstance(cleaned, dict)
    return cleaned


def _describe_model(analysis: Analysis) -> dict[str, Any]:
    model = analysis.model
    about = {
        "classifier": type(model).__name__,
        "learner": str(model.learner),
        "chosen": None if model.selection_ is None else model.selection_.chosen,
        "distribution": getattr(model, "distribution_", None),
        "converged": bool(model.converged_),
        "log_likelihood": float(model.fit_result_.log_likelihood),
        "coefficients": None,
    }
    if isinstance(model.model_, LinearFit):
        table = model.summary(analysis.mean_risk.level)
        about["coefficients"] = [dataclasses.asdict(row) for row in table.coefficients]
    return about


def _clean(value: Any, suppress_below: int) -> Any:
    """Turn what JSON cannot have (NaN, infinity) into None; hold back small counts and single persons' times."""
    if isinstance(value, dict):
        return {key: _hold_back(key, _clean(entry, suppress_below), suppress_below) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(entry, suppress_below) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _hold_back(key: str, entry: Any, suppress_below: int) -> Any:
    if suppress_below <= 1:
        return entry
    if key in COUNTS and isinstance(entry, int) and 0 < entry < suppress_below:
        return None
    return float(f"{entry:.2g}") if key in PERSONAL_TIMES and isinstance(entry, float) else entry
