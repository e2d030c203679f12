"""Whether straight lines are enough: a score test for curvature and interactions in either part of the model."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from whether.advise.fits import (
    EVENTS_PER_FEATURE,
    FEWEST_EVENTS,
    ProbeFit,
    all_columns,
    event_time_candidates,
    fit_probe,
    follow_up_candidates,
    logistic_candidates,
)
from whether.advise.material import Material
from whether.advise.results import HypothesisTest, Section
from whether.cohort import Cohort

Array = NDArray[np.float64]

# Rows on which the test is made at most, and features whose products are tried.
MOST_ROWS = 20_000
MOST_CROSSED = 8
MOST_CURVED = 20
# The test is approximate, and trees cost time: only a clear rejection counts.
LEVEL = 1e-3


@dataclass(frozen=True)
class LinearityEvidence(Section):
    """Score tests of squares, cubes and products, in the outcome and in the propensity part.

    Attributes
    ----------
    outcome, propensity : HypothesisTest
    model : str
        The model to which the terms were added.
    """

    outcome: HypothesisTest
    propensity: HypothesisTest
    model: str

    @property
    def is_curved(self) -> bool:
        """Whether either part clearly needs more than straight lines."""
        return self.outcome.rejects(LEVEL) or self.propensity.rejects(LEVEL)

    def sentences(self) -> list[str]:
        """Return what was found, in sentences with numbers."""
        return [
            f"Straight lines are enough (squares, cubes and products added to the {self.model}): outcome "
            f"{self.outcome}; propensity {self.propensity}."
        ]


def examine_linearity(material: Material) -> LinearityEvidence | None:
    """Return the evidence on linearity; None where no restriction tells outcome and propensity apart.

    Parameters
    ----------
    material : Material
    """
    cohort = material.cohort
    part = cohort.take(np.arange(0, cohort.n, max(1, cohort.n // MOST_ROWS)))
    columns = all_columns(part)
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
    if scarce < max(4 * FEWEST_EVENTS, EVENTS_PER_FEATURE * part.features.shape[1]):
        too_few = HypothesisTest("straight lines are enough", note=f"{events} events are too few")
        return LinearityEvidence(too_few, too_few, model)
    fit = fit_probe(part, candidates, columns)
    added = _curved_terms(fit, part, most=scarce // EVENTS_PER_FEATURE)
    outcome, propensity = _gradients(fit)
    return LinearityEvidence(_score_test(fit, outcome, added), _score_test(fit, propensity, added), model)


def _curved_terms(fit: ProbeFit, cohort: Cohort, most: int) -> Array:
    """Squares, cubes and products of features, the strongest first, in the working order of rows, shape (n, k)."""
    x = fit.objective.features.T
    layout, theta = fit.objective.layout, fit.fit.coefficients
    strength = np.abs(theta[layout.outcome])
    strength[: layout.n_shared] = np.maximum(strength[: layout.n_shared], np.abs(theta[layout.shared]))
    ranked = np.argsort(-strength, kind="stable")
    several = [column for column in ranked[:MOST_CURVED] if np.unique(x[:, column]).size > 2]
    terms = [x[:, column] ** 2 for column in several]
    terms += [x[:, first] * x[:, second] for first, second in combinations(ranked[:MOST_CROSSED], 2)]
    terms += [x[:, column] ** 3 for column in several]
    return np.column_stack(terms[:most]) if terms else np.empty((x.shape[0], 0))


def _gradients(fit: ProbeFit) -> tuple[Array, Array]:
    """Derivative of each person's log-likelihood in the outcome logit and in the sloped propensity predictor."""
    gradient = np.concatenate([block.terms.gradient for block in fit.objective.blocks(fit.fit.coefficients)], axis=1)
    return gradient[0], gradient[fit.objective.sloped].sum(axis=0)


def _score_test(fit: ProbeFit, gradient: Array, added: Array) -> HypothesisTest:
    """Score test of added terms, what the fitted coefficients explain of their scores being removed."""
    null = "straight lines are enough"
    if added.shape[1] == 0:
        return HypothesisTest(null, note="no feature has more than two values")
    scores = gradient[:, None] * (added - added.mean(axis=0))
    fitted = np.linalg.lstsq(fit.scores, scores, rcond=1e-10)[0]
    rest = scores - fit.scores @ fitted
    total = rest.sum(axis=0)
    solved, _, rank, _ = np.linalg.lstsq(rest.T @ rest, total, rcond=1e-10)
    return HypothesisTest.of(null, float(total @ solved), int(rank))
