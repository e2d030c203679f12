"""When as well as whether: the probability of the event within a window, for people who have waited."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from whether.arrays import Array
from whether.estimators.censored import CensoredClassifier
from whether.estimators.time_model import TimeModelClassifier
from whether.files.table.columns import guess_column
from whether.files.table.outcome import read_durations
from whether.files.table.roles import check_column
from whether.validate import ArgumentError

WITHIN, STILL = "risk_within", "still_to_come"


def when_columns(
    model: CensoredClassifier, method: str, features: Any, table: pa.Table, within: float | None, waited: str | None
) -> dict[str, Array]:
    """Columns of predictions about time that were asked for; a model without times is refused."""
    if within is None and waited is None:
        return {}
    if not isinstance(model, TimeModelClassifier):
        asked = "`event_free_for`" if within is None else "`within`"
        raise ArgumentError(
            f"{asked} needs a model of event times, and {method or type(model).__name__} has none: it says whether the "
            "event happens, and not when. Fit a method that reads times or follow-up, such as AFTMC-F or FUMC-F."
        )
    if within is not None and not within > 0:
        raise ArgumentError(f"`within` must be a length of time above zero, got {within:g}.")
    known: Array | None = None
    found: dict[str, Array] = {}
    if waited is not None:
        check_column(waited, table.column_names)
        known = read_durations(guess_column(waited, table[waited]), "time without the event", zero=True)
        found[STILL] = model.predict_proba_within(features, float("inf"), known)
    if within is not None:
        found[WITHIN] = model.predict_proba_within(features, within, known)
    return found
