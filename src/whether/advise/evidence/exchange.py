"""Whether the outcome probability and the propensity could be exchanged.

The label probability is their product. With the same features in both, (p, e) and (e, p) have the same likelihood, and
only something outside the labels can tell which is which: named features, follow-up or times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import (
    FEWEST_EVENTS,
    MOST_CHOSEN,
    Columns,
    ProbeFit,
    all_columns,
    event_time_candidates,
    fit_probe,
    follow_up_candidates,
    logistic_candidates,
    promising_columns,
)
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.propensity import Propensity

Array = NDArray[np.float64]

# Correlation of the outcome logits of equally likely optima below which they give different answers.
SAME_ANSWER = 0.9
# Rows on which starts are compared.
MOST_ROWS = 10_000


@dataclass(frozen=True)
class ExchangeEvidence:
    """What the labels alone leave open, and whether the restriction at hand closes it."""

    #: Mean of p and of e when labels alone are fitted with all features in both parts: nothing in them says which of
    #: the two is the risk.
    mean_risk: float
    mean_exchanged: float
    correlation: float  #: Correlation of the logits of the two.
    restriction: str  #: What is there to tell them apart.
    #: Under that restriction, the smallest correlation of the outcome logits of equally likely optima; 1 is agreement.
    least_agreement: float
    n_starts: int  #: tried under it
    n_rivals: int  #: of them ended within half a log-likelihood unit of the best

    @property
    def decided(self) -> bool:
        """Whether the restriction tells outcome and propensity apart."""
        return self.restriction != "none" and self.least_agreement >= SAME_ANSWER


def examine_exchange(material: Material) -> ExchangeEvidence | None:
    """Return the evidence on exchange; None with too few events to fit anything, and with late entry."""
    cohort = material.cohort
    if material.enters_late or min(material.n_events, cohort.n - material.n_events) < FEWEST_EVENTS:
        return None
    part = cohort.thin(MOST_ROWS)
    named = material.propensity_columns
    if named is None and part.features.shape[1] > MOST_CHOSEN:
        part = part.select(promising_columns(part))
    # The penalty of the classifiers: with many features both parts would run away without it.
    free = fit_probe(part, logistic_candidates(True), all_columns(part), n_starts=3, ridge=1.0)
    eta, v = free.predictors
    restriction, fit = _restricted(material, free, part)
    result = fit.fit.result
    return ExchangeEvidence(
        mean_risk=float(softplus_expit(eta)[1].mean()),
        mean_exchanged=float(softplus_expit(v[0])[1].mean()),
        correlation=float(np.corrcoef(eta, v[0])[0, 1]) if min(np.std(eta), np.std(v[0])) > 1e-12 else 0.0,
        restriction=restriction,
        least_agreement=result.least_agreement,
        n_starts=len(result.starts),
        n_rivals=len(result.rivals()),
    )


def _restricted(material: Material, free: ProbeFit, part: Cohort) -> tuple[str, ProbeFit]:
    """Fit under the strongest restriction at hand, from starts that believe different things."""
    named = material.propensity_columns
    candidates: Sequence[Propensity]
    columns: Columns = all_columns(part)
    if material.has_follow_up:
        name, candidates = "follow-up", follow_up_candidates(part)
    elif material.has_time:
        name, candidates = "event times", event_time_candidates(part)
    elif named is not None and named.size < columns.size:
        name, candidates, columns = "named features", logistic_candidates(named.size > 0), named
    else:
        return "none", free
    return name, fit_probe(part, candidates[:1], columns, n_starts=4, ridge=1.0)
