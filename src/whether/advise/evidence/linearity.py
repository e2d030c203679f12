"""Whether straight lines are enough: tests of curvature and interactions in either part of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import (
    FEWEST_EVENTS,
    Columns,
    ProbeFit,
    all_columns,
    event_time_candidates,
    fit_probe,
    follow_up_candidates,
    logistic_candidates,
    widen_probe,
)
from whether.cohort import Cohort
from whether.propensity import Propensity

Array = NDArray[np.float64]

NULL = "straight lines are enough"
# Rows on which the test is made at most, and features whose products are tried.
MOST_ROWS = 20_000
MOST_CROSSED = 8
MOST_CURVED = 20
# Events per feature, and per term added, that keep the tests near their level.
EVENTS_PER_TERM = 40
# Trees cost time: only a clear rejection counts.
LEVEL = 1e-3


@dataclass(frozen=True)
class LinearityEvidence:
    """Likelihood-ratio tests of squares, cubes and products.

    Where straight lines are right they reject in 4.8 % (outcome) and 8.6 % (propensity) of runs at the nominal 5 %
    (`python -m benchmarks evidence levels 500 exact-reporting`); the advice asks for 0.1 %.
    """

    outcome: HypothesisTest  #: Added to the outcome part.
    propensity: HypothesisTest  #: Added to the propensity part, given that they are in the outcome part.
    model: str  #: The model to which the terms were added.

    @property
    def is_curved(self) -> bool:
        """Whether either part clearly needs more than straight lines."""
        return self.outcome.rejects(LEVEL) or self.propensity.rejects(LEVEL)


def examine_linearity(material: Material) -> LinearityEvidence | None:
    """Return the evidence on linearity; None where no restriction tells outcome and propensity apart."""
    cohort = material.cohort
    part = cohort.thin(MOST_ROWS)
    columns = all_columns(part)
    candidates: Sequence[Propensity]
    if material.has_follow_up:
        model, candidates = "follow-up model", follow_up_candidates(part)
    elif material.has_time:
        model, candidates = "event-time model", event_time_candidates(part)
    elif material.propensity_columns is not None and 0 < material.propensity_columns.size < columns.size:
        model, candidates, columns = "model of named features", logistic_candidates(True), material.propensity_columns
    else:
        return None
    events = int(np.count_nonzero(part.labeled))
    scarce = min(events, part.n - events)
    if scarce < max(4 * FEWEST_EVENTS, EVENTS_PER_TERM * part.features.shape[1]):
        too_few = HypothesisTest(NULL, note="too few events")
        return LinearityEvidence(too_few, too_few, model)
    fit = fit_probe(part, candidates, columns)
    added = _curved_terms(fit, most=scarce // EVENTS_PER_TERM)
    if added.shape[1] == 0:
        nothing = HypothesisTest(NULL, note="no feature has more than two values")
        return LinearityEvidence(nothing, nothing, model)
    return LinearityEvidence(*_compare(fit, part, columns, added), model)


def _compare(fit: ProbeFit, cohort: Cohort, columns: Columns, added: Array) -> tuple[HypothesisTest, HypothesisTest]:
    """Likelihood-ratio tests of added terms in the outcome part, and then in the propensity part as well."""
    wider = np.hstack([cohort.features, np.empty_like(added)])
    wider[fit.people.order, cohort.features.shape[1] :] = added
    larger = replace(cohort, features=wider, names=("",) * wider.shape[1])
    terms = np.arange(cohort.features.shape[1], wider.shape[1])
    outcome = widen_probe(fit, larger, fit.fit.propensity, columns)
    both = widen_probe(outcome, larger, fit.fit.propensity, np.concatenate([columns, terms]))
    return (
        HypothesisTest.of(NULL, 2 * (outcome.log_likelihood - fit.log_likelihood), terms.size),
        HypothesisTest.of(NULL, 2 * (both.log_likelihood - outcome.log_likelihood), terms.size),
    )


def _curved_terms(fit: ProbeFit, most: int) -> Array:
    """Squares, cubes and products of features, the strongest first, in the working order of rows, shape (n, k)."""
    x, shared = fit.people.features, np.abs(fit.fit.shared_slopes)
    strength = np.abs(fit.fit.outcome_slopes)
    strength[: shared.size] = np.maximum(strength[: shared.size], shared)
    ranked = np.argsort(-strength, kind="stable")
    several = [column for column in ranked[:MOST_CURVED] if np.unique(x[:, column]).size > 2]
    terms = [x[:, column] ** 2 for column in several]
    terms += [x[:, first] * x[:, second] for first, second in combinations(ranked[:MOST_CROSSED], 2)]
    terms += [x[:, column] ** 3 for column in several]
    return np.column_stack(terms[:most]) if terms else np.empty((x.shape[0], 0))
