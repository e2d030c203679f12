"""From a fitted classifier to its coefficient table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whether.arrays import Array
from whether.family import MIXTURE, Family
from whether.inference import Summary, Term, tabulate

if TYPE_CHECKING:
    from whether.estimators.censored import CensoredClassifier
    from whether.learners import LinearFit

# With fewer clusters, the sandwich over them is known to be too small.
FEW_GROUPS = 30


def summarize(classifier: CensoredClassifier, fit: LinearFit, level: float) -> Summary:
    """Make the table of a classifier with a linear fit."""
    covariance = fit.covariance
    # Without a covariance nothing but the estimates is asked for: the map of thousands of slopes would be huge.
    alone = None if covariance.matrix is not None else fit.predictor.raw[:, None]
    terms, matrix, offset = describe_coefficients(fit, classifier._names(), classifier.family, alone)
    notes = list(classifier._notes())
    if covariance.matrix is None:
        variances = np.full(len(terms), np.nan)
        notes.insert(0, _singular_note(fit, classifier._names()))
    else:
        variances = np.einsum("ij,jk,ik->i", matrix, covariance.matrix, matrix)
        notes += _covariance_notes(classifier)
    result = fit.result
    facts: dict[str, Any] = {
        "people": f"{classifier.n_people_:g}",
        **({} if classifier.n_groups_ is None else {"clusters": classifier.n_groups_}),
        "events seen": f"{classifier.n_events_:g}",
        **({"known negatives": f"{classifier.n_known_negatives_:g}"} if classifier.n_known_negatives_ else {}),
        **({"deaths before it": f"{classifier.n_deaths_:g}"} if classifier.n_deaths_ else {}),
        classifier._fit_measure: f"{result.log_likelihood:.3f}",
        "parameters": result.n_parameters,
        "converged": "yes" if result.converged else f"no ({result.message})",
    }
    if classifier.is_maximum_likelihood_:
        facts |= {"AIC": f"{classifier.aic_:.3f}", "BIC": f"{classifier.bic_:.3f}"}
    estimates = offset + (matrix @ fit.coefficients if alone is None else matrix[:, 0])
    return Summary(type(classifier).__name__, facts, tabulate(terms, estimates, variances, level), level, tuple(notes))


def describe_coefficients(
    fit: LinearFit, names: list[str], family: Family = MIXTURE, raw: Array | None = None
) -> tuple[list[Term], Array, Array]:
    """Terms of the table and the affine map to them from the coefficients on standardised features.

    The rows are: intercept and slopes of the outcome, intercepts and shared slopes of the propensity's sloped
    predictors, then what is one number for everybody; all in the user's units (features as they are, log time).
    With ``raw``, coefficients on the features as they are in a column, it is these that the rows hold.
    """
    layout, propensity = fit.predictor.layout, fit.propensity
    raw = fit.predictor.to_raw() if raw is None else raw
    offset, multiplier = propensity.units()
    rows: list[tuple[Term, Array, float]] = []
    if fit.has_outcome:
        rows.append((Term("outcome", "intercept"), raw[0], 0.0))
        for position in np.argsort(fit.outcome_columns):  # the user's order of columns
            name = names[fit.outcome_columns[position]]
            rows.append((Term("outcome", name, family.ratio_kind), raw[layout.outcome][position], 0.0))
    levels = [
        (Term(name, "intercept"), multiplier[k] * raw[layout.first + k], offset[k])
        for k, name in enumerate(propensity.predictors)
    ]
    sloped = [position - layout.first for position in layout.sloped] if layout.n_shared else []
    rows += [levels[k] for k in sloped if propensity.has_level]
    for position in np.argsort(fit.shared_columns) if sloped else ():
        part = propensity.predictors[sloped[0]].split(" ")[0]
        slope = multiplier[sloped[0]] * raw[layout.shared][position]
        rows.append((Term(part, names[fit.shared_columns[position]], propensity.ratio_kind), slope, 0.0))
    for k in propensity.other_sloped:
        rows.append(levels[k])
        for position in np.argsort(fit.other_columns):
            term = Term(propensity.predictors[k], names[fit.other_columns[position]], propensity.ratio_kind)
            rows.append((term, multiplier[k] * raw[layout.other][position], 0.0))
    rest = {*range(len(levels))} - {*sloped, *propensity.other_sloped}
    rows += [levels[k] for k in sorted(rest) if propensity.has_level]
    terms, matrix, shifts = zip(*rows, strict=True)
    return list(terms), np.array(matrix), np.array(shifts)


def name_moved(fit: LinearFit, names: list[str]) -> str:
    """Name the coefficients that move along the direction in which the likelihood is flat."""
    terms, matrix, _ = describe_coefficients(fit, names)
    moved = np.abs(matrix @ np.asarray(fit.covariance.flat))
    largest = [int(i) for i in np.argsort(-moved)[:3] if moved[i] > 0.1 * moved.max()]
    return ", ".join(f"{terms[i].part}: {terms[i].name}" for i in largest)


def _covariance_notes(classifier: CensoredClassifier) -> list[str]:
    if classifier.n_groups_ is None:
        return ["Standard errors: sandwich."] if classifier.covariance == "sandwich" else []
    few = " They tend to be too small with so few." if classifier.n_groups_ < FEW_GROUPS else ""
    return [f"Standard errors: sandwich, clustered by {classifier.n_groups_} groups of rows.{few}"]


def _singular_note(fit: LinearFit, names: list[str]) -> str:
    if fit.covariance.flat is None:
        return "No standard errors: the model has too many parameters for its information matrix."
    return (
        "No standard errors: the information matrix is singular. The likelihood is flat in a direction that moves "
        f"{name_moved(fit, names)}; the data do not determine these coefficients."
    )
