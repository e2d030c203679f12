"""Propensities and fitted linear models as plain data, checked when they are made again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from whether.distributions import DISTRIBUTIONS, ResidualDistribution
from whether.files.model.archive import require
from whether.files.model.codec import Kind, State, member, record
from whether.inference import Covariance
from whether.learners import FitResult, LinearFit, LinearLearner, OpenFit, Selection, ShrinkagePath, StartResult, Status
from whether.learners.linear.layout import Layout
from whether.learners.linear.linear_fit import LinearPredictor, Standardization
from whether.open_residuals import OpenResiduals
from whether.propensity import Propensity, SurvivalTimePropensity

# Steps of a baseline, points of follow-up and the like: there are tens of them, whatever the cohort.
LONGEST = 10_000
# Coefficient of a standardised feature.
LARGEST = 1e100


def propensity_kinds() -> dict[str, Kind]:
    """Kinds of all propensities that there are: a file can name one of these classes and no other."""
    return {cls.__name__: _propensity_kind(cls) for cls in _final_classes(Propensity)}


def _final_classes(cls: Any) -> Iterator[Any]:
    for below in cls.__subclasses__():
        yield from _final_classes(below) if below.__subclasses__() else iter([below])


def _propensity_kind(cls: Any) -> Kind:
    """A propensity is what its constructor was given; a distribution goes by its name."""

    def to_state(propensity: Propensity) -> State:
        given = propensity.parameters().items()
        return {name: value.name if _is_named(value) else value for name, value in given}

    def from_state(state: State) -> Propensity:
        made: Propensity = cls(**{name: _parameter(name, value) for name, value in state.items()})
        return made

    return Kind(cls, to_state, from_state)


def _is_named(value: Any) -> bool:
    """Whether it is a distribution that goes by its name; one that was estimated is written out."""
    return isinstance(value, ResidualDistribution) and not isinstance(value, OpenResiduals)


def _parameter(name: str, value: Any) -> Any:
    if name == "distribution":
        return value if isinstance(value, OpenResiduals) else DISTRIBUTIONS[value]
    if name in ("events", "deaths"):
        require(isinstance(value, SurvivalTimePropensity), "a side is missing")
        return value
    if isinstance(value, np.ndarray):
        require(value.size <= LONGEST, "a part is too long")
        check_array(value, 1, value.size)
        return value
    require(isinstance(value, (bool, int, float)) and math.isfinite(value), "a number is missing")
    return value


def _check_predictor(predictor: LinearPredictor) -> None:
    layout, (columns, mean, scale) = predictor.layout, predictor.standardization
    check_array(columns, 1, columns.size, whole=True)
    require(len(set(columns.tolist())) == columns.size, "columns do not fit")
    for values in (mean, scale):
        check_array(values, 1, columns.size)
    require((scale > 0).all(), "a scale is not positive")
    n_outcome = columns.size - layout.n_skipped - layout.n_beyond
    slopes_fit = layout.n_outcome == layout.first * n_outcome and 0 <= layout.n_shared <= columns.size
    slopes_fit = slopes_fit and 0 <= layout.n_skipped <= max(layout.n_shared, 0) and layout.n_beyond >= 0
    slopes_fit = slopes_fit and layout.n_other in (0, columns.size)
    places = (*layout.sloped, *layout.other_sloped)
    predictors_fit = layout.first in (0, 1) and all(0 <= place < layout.n_predictors for place in places)
    require(slopes_fit and predictors_fit and layout.n_predictors >= 0, "a layout does not fit")
    check_array(predictor.coefficients, 1, layout.size)
    # Some people's sums of larger ones are no numbers, whoever is tried out.
    require(np.abs(predictor.coefficients).max(initial=0.0) < LARGEST, "a coefficient is out of range")


def _check_fit(fit: LinearFit) -> None:
    layout, matrix = fit.predictor.layout, fit.covariance.matrix
    skips = layout.n_skipped, layout.n_beyond
    expected = Layout.of(fit.propensity, layout.n_shared, fit.columns.size, fit.has_outcome, skips)
    require(layout == expected, "a layout does not fit its propensity")
    require(matrix is None or matrix.shape == (layout.size, layout.size), "coefficients do not fit")
    if fit.steps is not None:
        check_array(fit.steps, 2, fit.steps.shape[0] * (1 + fit.columns.size))
    require(math.isfinite(fit.ridge) and fit.shrinkage >= 0, "a number is out of range")


def _restore_residuals(state: State) -> OpenResiduals:
    knots, shares, width = state["knots"], state["shares"], state["width"]
    check_array(knots, 1, knots.size)
    check_array(shares, 1, knots.size)
    is_distribution = shares.size > 0 and shares.min() >= 0 and math.isclose(shares.sum(), 1.0, rel_tol=1e-9)
    require(is_distribution and type(width) is float and 0 < width < math.inf, "a distribution does not fit")
    return OpenResiduals(knots, shares, width)


def check_array(value: Any, n_axes: int, size: int, *, whole: bool = False) -> None:
    """Refuse anything but an array of numbers with so many axes and entries."""
    is_array = isinstance(value, np.ndarray) and value.ndim == n_axes and value.size == size
    require(is_array, "an array is missing or has the wrong size")
    require(value.dtype.kind in ("i" if whole else "if"), "an array has the wrong type")
    require(np.isfinite(value).all(), "an array has numbers that are not finite")


LINEAR_KINDS = {
    "Covariance": record(Covariance),
    "FitResult": record(FitResult),
    "Layout": record(Layout),
    "LinearFit": record(LinearFit, _check_fit),
    "LinearLearner": record(LinearLearner),
    "LinearPredictor": record(LinearPredictor, _check_predictor),
    "OpenFit": record(OpenFit, _check_fit),
    "OpenResiduals": Kind(OpenResiduals, lambda residuals: dict(vars(residuals)), _restore_residuals),
    "Selection": record(Selection),
    "ShrinkagePath": record(ShrinkagePath),
    "Standardization": record(Standardization),
    "StartResult": record(StartResult),
    "Status": member(Status),
}
