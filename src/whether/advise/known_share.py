"""The share of positives as it is known from elsewhere, handed to whoever can read it."""

from __future__ import annotations

import math
from typing import Any

from whether.advise.evidence.whole import Evidence
from whether.estimators.parameters import settle_share
from whether.learners.task import KnownShare
from whether.validate import ArgumentError


def check_known_share(prevalence: float | None, error: float | None, evidence: Evidence) -> KnownShare | None:
    """Return what is known of the share of positives from elsewhere; refuse what the recorded events rule out."""
    if error is not None and not 0 < error < math.inf:
        raise ArgumentError(f"prevalence_error must be a number > 0, got {error!r}.")
    return settle_share(prevalence, error, evidence.material.cohort)


def reads_share(model: Any) -> bool:
    """Whether a classifier has a use for a share that is known."""
    return "prevalence" in model.get_params(deep=False)


def tell_share(model: Any, share: KnownShare | None) -> Any:
    """Return the classifier, told the share of positives as far as it reads it, with or without an error."""
    if share is None:
        return model
    told = {"prevalence": share.share, "prevalence_error": share.error}
    return model.set_params(**{name: value for name, value in told.items() if name in model.get_params(deep=False)})
