"""Who of the unlabeled still has the event to come, by a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.analysis.windows import waited_by
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.estimators.time_model import TimeModelClassifier

Array = NDArray[np.float64]


def predict_still(model: CensoredClassifier, X: Any, cohort: Cohort) -> Array:
    """Probability that the event is still to come, given that it was not seen; NaN for the labeled."""
    clock = {"time": waited_by(model, cohort)} if isinstance(model, TimeModelClassifier) else {}
    still = np.where(cohort.labeled, np.nan, model.predict_proba_event_free(X, **clock))  # type: ignore[attr-defined]
    return still if cohort.seen_negative is None else np.where(cohort.seen_negative, 0.0, still)
