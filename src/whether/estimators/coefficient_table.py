"""From a fitted classifier to its coefficient table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whether.arrays import Array
from whether.family import Family
from whether.inference import Covariance, Summary, Term, tabulate

if TYPE_CHECKING:
    from whether.estimators.censored import CensoredClassifier
    from whether.learners import LinearFit


def summarize(classifier: CensoredClassifier, fit: LinearFit, level: float) -> Summary:
    """Make the table of a classifier with a linear fit."""
    terms, matrix, offset = describe_coefficients(fit, classifier._names(), classifier.family)
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


def describe_coefficients(fit: LinearFit, names: list[str], family: Family) -> tuple[list[Term], Array, Array]:
    """Terms of the table and the affine map to them from the coefficients on standardised features.

    The rows are: intercept and slopes of the outcome, intercepts and shared slopes of the propensity's sloped
    predictors, then what is one number for everybody; all in the user's units (features as they are, log time).
    """
    layout, columns, raw, propensity = fit.predictor.layout, fit.columns, fit.predictor.to_raw(), fit.propensity
    offset, multiplier = propensity.units()
    rows: list[tuple[Term, Array, float]] = []
    if fit.has_outcome:
        rows.append((Term("outcome", "intercept"), raw[0], 0.0))
        for position in np.argsort(columns):  # the user's order of columns
            term = Term("outcome", names[columns[position]], family.ratio_kind)
            rows.append((term, raw[layout.outcome][position], 0.0))
    levels = [
        (Term(name, "intercept"), multiplier[k] * raw[layout.first + k], offset[k])
        for k, name in enumerate(propensity.predictors)
    ]
    sloped = [position - layout.first for position in layout.sloped] if layout.n_shared else []
    rows += [levels[k] for k in sloped]
    for position in np.argsort(columns[: layout.n_shared]) if sloped else ():
        part = propensity.predictors[sloped[0]].split(" ")[0]
        slope = multiplier[sloped[0]] * raw[layout.shared][position]
        rows.append((Term(part, names[columns[position]], propensity.ratio_kind), slope, 0.0))
    rows += [level for k, level in enumerate(levels) if k not in sloped]
    terms, matrix, shifts = zip(*rows, strict=True)
    return list(terms), np.array(matrix), np.array(shifts)


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
