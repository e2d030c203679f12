"""Whether straight lines are enough: tests of curvature and interactions in either part of the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import (
    FEWEST_EVENTS,
    Columns,
    EventTimeFits,
    ProbeFit,
    all_columns,
    fit_probe,
    follow_up_candidates,
    logistic_candidates,
    widen_probe,
)
from whether.advise.evidence.score_test import score_statistic
from whether.cohort import Cohort
from whether.learners import FittedPeople, LinearLearner, Task

Array = NDArray[np.float64]

NULL = "straight lines are enough"
# Rows on which the test is made at most, and features whose products are tried.
MOST_ROWS = 20_000
MOST_CROSSED = 8
MOST_CURVED = 20
# Events per feature, and per term added, that keep the tests near their level.
EVENTS_PER_FEATURE, EVENTS_PER_TERM = 40, 100
# Standard deviations at which features are cut before they are raised to powers: a few people would decide otherwise.
CUT = 2.0
# Trees cost time: only a clear rejection counts.
LEVEL = 1e-3


@dataclass(frozen=True)
class LinearityEvidence:
    """Score tests of squares, cubes and products, with the expected information for their variance.

    A likelihood ratio would not do: where labels and follow-up determine little it rejects far too often. Under the
    null these tests reject in 2.6 to 7.0 % of 500 runs at the nominal 5 % from event times, and in 2.8 to 7.1 % from
    labels and follow-up, in six worlds whose follow-up depends on features (`python -m benchmarks evidence levels 500
    curved-outcome curved-times curved-outcome-labels curved-times-labels`). The advice asks for 0.1 %: trees cost time.
    """

    outcome: HypothesisTest  #: Added to the outcome part.
    propensity: HypothesisTest  #: Added to the propensity part, given that they are in the outcome part.
    model: str  #: The model to which the terms were added.

    @property
    def is_curved(self) -> bool:
        """Whether either part clearly needs more than straight lines."""
        return self.outcome.rejects(LEVEL) or self.propensity.rejects(LEVEL)


def examine_linearity(material: Material, fits: EventTimeFits, *, trust_times: bool = True) -> LinearityEvidence | None:
    """Return the evidence on linearity; None where no restriction tells outcome and propensity apart.

    It comes from event times if these may be trusted, else from labels and follow-up, which determine less.
    """
    part = material.cohort.thin(MOST_ROWS)
    named, columns = material.propensity_columns, all_columns(part)
    use_times = material.has_time and (trust_times or not material.has_follow_up)
    if not use_times and not material.has_follow_up and (named is None or not 0 < named.size < columns.size):
        return None
    model = (
        "event-time model" if use_times else "follow-up model" if material.has_follow_up else "model of named features"
    )
    events = int(np.count_nonzero(part.labeled))
    scarce = min(events, part.n - events)
    if scarce < max(4 * FEWEST_EVENTS, EVENTS_PER_FEATURE * columns.size):
        too_few = HypothesisTest(NULL, note="too few events")
        return LinearityEvidence(too_few, too_few, model)
    if use_times:
        fit = fits.of(part)
    elif material.has_follow_up:
        fit = fit_probe(part, follow_up_candidates(part), columns)
    else:
        fit = fit_probe(part, logistic_candidates(True), columns := np.asarray(named))
    added = _curved_terms(fit, most=scarce // EVENTS_PER_TERM)
    if added.shape[1] == 0:
        nothing = HypothesisTest(NULL, note="no feature has more than two values")
        return LinearityEvidence(nothing, nothing, model)
    return LinearityEvidence(*_compare(fit, part, columns, added), model)


def _compare(fit: ProbeFit, cohort: Cohort, columns: Columns, added: Array) -> tuple[HypothesisTest, HypothesisTest]:
    """Score tests of added terms in the outcome part, and in the propensity part once they are in the outcome part."""
    wider = np.hstack([cohort.features, np.empty_like(added)])
    wider[fit.people.order, cohort.features.shape[1] :] = added
    larger = replace(cohort, features=wider, names=("",) * wider.shape[1])
    terms = np.arange(cohort.features.shape[1], wider.shape[1])
    curved = widen_probe(fit, larger, fit.fit.propensity, columns)
    return (
        _score_test(fit, larger, columns, terms.size, "outcome"),
        _score_test(curved, larger, np.concatenate([columns, terms]), terms.size, "shared"),
    )


def _score_test(narrow: ProbeFit, cohort: Cohort, columns: Columns, n_terms: int, part: str) -> HypothesisTest:
    """Test that the last terms of a part have no slopes, at the optimum of the model without them."""
    task = Task(cohort, [narrow.fit.propensity], columns)
    at_null = LinearLearner(ridge=narrow.fit.ridge, shrinkage=0.0, max_iter=0).fit_from(task, narrow.fit)
    slopes: slice = getattr(at_null.predictor.layout, part)
    terms = np.arange(slopes.stop - n_terms, slopes.stop)
    return HypothesisTest.of(NULL, score_statistic(at_null, FittedPeople(at_null, task), terms, cohort), n_terms)


def _curved_terms(fit: ProbeFit, most: int) -> Array:
    """Squares, cubes and products of features, the strongest first, in the working order of rows, shape (n, k)."""
    x, shared = np.clip(fit.people.features, -CUT, CUT), np.abs(fit.fit.shared_slopes)
    strength = np.abs(fit.fit.outcome_slopes)
    strength[: shared.size] = np.maximum(strength[: shared.size], shared)
    ranked = np.argsort(-strength, kind="stable")
    several = [column for column in ranked[:MOST_CURVED] if np.unique(x[:, column]).size > 2]
    terms = [x[:, column] ** 2 for column in several]
    terms += [x[:, first] * x[:, second] for first, second in combinations(ranked[:MOST_CROSSED], 2)]
    terms += [x[:, column] ** 3 for column in several]
    return np.column_stack(terms[:most]) if terms else np.empty((x.shape[0], 0))
