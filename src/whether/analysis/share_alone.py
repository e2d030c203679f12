"""What the data say without the share of positives that is known from elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.base import clone

from whether.advise import Recommendation
from whether.advise.recommendation import advise
from whether.advise.variants import fit_to
from whether.analysis.level import settle_level
from whether.analysis.share_check import ShareCheck
from whether.analysis.sums import take_sums
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier


def check_share(
    advice: Recommendation,
    model: CensoredClassifier,
    cohort: Cohort,
    X: Any,
    level: float,
    rng: np.random.Generator,
    **of_sums: Any,
) -> ShareCheck | None:
    """Fit the model without the share that it was told; None where it was told none."""
    known = advice.known_share
    if known is None:
        return None
    alone: CensoredClassifier = clone(model).set_params(prevalence=None, prevalence_error=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit that counts warns
        fit_to(cohort, alone, X)
        untold = advise(advice.evidence)
        found = settle_level(take_sums(alone, X, cohort, level, rng, **of_sums), untold, None)
    risk = found.mean_risk
    lowest, highest = np.fmin(risk.lower, risk.estimate), np.fmax(risk.upper, risk.estimate)
    gap = known.share - float(np.clip(known.share, lowest, highest))
    is_range = untold.refused or not found.settles
    differs = abs(gap) > float(ndtri(0.5 + level / 2)) * known.error
    return ShareCheck(known.share, known.error, risk, is_range, gap, differs)
