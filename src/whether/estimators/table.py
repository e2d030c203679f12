"""From a fitted classifier to its coefficient table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whether.arrays import Array
from whether.inference import Covariance, Summary, Term, tabulate

if TYPE_CHECKING:
    from whether.estimators.censored import CensoredClassifier
    from whether.learners import LinearFit


def summarize(classifier: CensoredClassifier, fit: LinearFit, level: float) -> Summary:
    """Make the table of a classifier with a linear fit."""
    terms, matrix, offset = describe_coefficients(fit, classifier._names())
    covariance = fit.covariance
    notes = list(classifier._notes())
    if covariance.matrix is None:
        variances = np.full(len(terms), np.nan)
        notes.insert(0, _singular_note(covariance, terms, matrix))
    else:
        variances = np.einsum("ij,jk,ik->i", matrix, covariance.matrix, matrix)
    if classifier.covariance == "sandwich":
        notes.append("Standard errors: sandwich.")
    result = fit.result
    facts = {
        "people": f"{classifier.n_people_:g}",
        "events seen": f"{classifier.n_events_:g}",
        classifier._fit_measure: f"{result.log_likelihood:.3f}",
        "parameters": result.n_parameters,
        "converged": "yes" if result.converged else f"no ({result.message})",
    }
    estimates = offset + matrix @ fit.coefficients
    return Summary(type(classifier).__name__, facts, tabulate(terms, estimates, variances, level), level, tuple(notes))


def describe_coefficients(fit: LinearFit, names: list[str]) -> tuple[list[Term], Array, Array]:
    """Terms of the table and the affine map to them from the coefficients on standardised features.

    The rows are: intercept and slopes of the outcome, intercepts and shared slopes of the propensity's sloped
    predictors, then what is one number for everybody; all in the user's units (features as they are, log time).
    """
    layout, columns, raw, first = fit.predictor.layout, fit.columns, fit.predictor.to_raw(), fit.predictor.layout.first
    offset, multiplier = fit.propensity.units()
    ordered = [names[i] for i in columns]
    terms, rows, offsets = [], [], []

    def add(term: Term, row: Array, shift: float = 0.0) -> None:
        terms.append(term)
        rows.append(row)
        offsets.append(shift)

    if fit.has_outcome:
        add(Term("outcome", "intercept"), raw[0])
        positions = np.argsort(columns)  # the user's order of columns
        for position in positions:
            add(Term("outcome", ordered[position], "odds ratio"), raw[layout.outcome][position])
    sloped = {position - first for position in layout.sloped} if layout.n_shared else set()
    for k in [k for k in range(len(multiplier)) if k in sloped]:
        add(Term(fit.propensity.predictors[k], "intercept"), multiplier[k] * raw[first + k], offset[k])
    if sloped:
        k = min(sloped)
        part = fit.propensity.predictors[k].split(" ")[0]
        for position in np.argsort(columns[: layout.n_shared]):
            row = multiplier[k] * raw[layout.shared][position]
            add(Term(part, ordered[position], fit.propensity.ratio_kind), row)
    for k in [k for k in range(len(multiplier)) if k not in sloped]:
        add(Term(fit.propensity.predictors[k], "intercept"), multiplier[k] * raw[first + k], offset[k])
    return terms, np.array(rows), np.array(offsets)


def _singular_note(covariance: Covariance, terms: list[Term], matrix: Array) -> str:
    if covariance.flat is None:
        return "No standard errors: the model has too many parameters for its information matrix."
    moved = np.abs(matrix @ covariance.flat)
    largest = np.argsort(-moved)[:3]
    named = ", ".join(f"{terms[i].part}: {terms[i].name}" for i in largest if moved[i] > 0.1 * moved.max())
    return (
        "No standard errors: the information matrix is singular. The likelihood is flat in a direction that moves "
        f"{named}; the data do not determine these coefficients."
    )
