"""Propensities and fitted linear models as plain data, checked when they are made again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from whether.distributions import DISTRIBUTIONS, ResidualDistribution
from whether.files.model.archive import ModelFileError
from whether.files.model.codec import Kind, State, member, record
from whether.inference import Covariance
from whether.learners import FitResult, LinearFit, LinearLearner, Selection, ShrinkagePath, StartResult, Status
from whether.learners.linear.linear_fit import Layout, LinearPredictor, Standardization
from whether.propensity import Propensity


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
        return {name: value.name if isinstance(value, ResidualDistribution) else value for name, value in given}

    def from_state(state: State) -> Propensity:
        made: Propensity = cls(**{name: _parameter(name, value) for name, value in state.items()})
        return made

    return Kind(cls, to_state, from_state)


def _parameter(name: str, value: Any) -> Any:
    if name == "distribution":
        return DISTRIBUTIONS[value]
    if isinstance(value, np.ndarray):
        check_array(value, 1, value.size)
        return value
    return value if isinstance(value, bool) else check_number(value)


def _restore_predictor(state: State) -> LinearPredictor:
    layout, (columns, mean, scale) = state["layout"], state["standardization"]
    check_array(columns, 1, columns.size, whole=True)
    if len(set(columns.tolist())) < columns.size:
        raise ModelFileError("columns do not fit")
    for values in (mean, scale):
        check_array(values, 1, columns.size)
    if not np.all(scale > 0):
        raise ModelFileError("a scale is not positive")
    _check_layout(layout, columns.size)
    check_array(state["coefficients"], 1, layout.size)
    return LinearPredictor(layout, state["standardization"], state["coefficients"])


def _check_layout(layout: Layout, n_columns: int) -> None:
    if not all(type(number) is int and number >= 0 for number in (*layout[:4], *layout.sloped)):
        raise ModelFileError("a layout does not fit")
    slopes_fit = layout.n_outcome == layout.first * n_columns and layout.n_shared <= n_columns
    if layout.first > 1 or not slopes_fit or any(place >= layout.n_predictors for place in layout.sloped):
        raise ModelFileError("a layout does not fit")


def _restore_fit(state: State) -> LinearFit:
    fit: LinearFit = _FIT.from_state(state)
    layout, propensity, matrix = fit.predictor.layout, fit.propensity, fit.covariance.matrix
    if layout != Layout.of(propensity, layout.n_shared, fit.columns.size, fit.has_outcome):
        raise ModelFileError("a layout does not fit its propensity")
    if matrix is not None and matrix.shape != (layout.size, layout.size):
        raise ModelFileError("coefficients do not fit")
    check_number(fit.ridge)
    if not isinstance(fit.result, FitResult) or not float(fit.shrinkage) >= 0:
        raise ModelFileError("a part of the linear model is missing")
    return fit


def check_array(value: Any, n_axes: int, size: int, *, whole: bool = False) -> None:
    """Refuse anything but an array of numbers with so many axes and entries."""
    if not isinstance(value, np.ndarray) or value.ndim != n_axes or value.size != size:
        raise ModelFileError("an array is missing or has the wrong size")
    if value.dtype.kind not in ("i" if whole else "if"):
        raise ModelFileError("an array has the wrong type")
    if not np.isfinite(value).all():
        raise ModelFileError("an array has numbers that are not finite")


def check_number(value: Any, above: float = -math.inf, most: float = math.inf) -> float:
    """Refuse anything but a finite number in a range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelFileError("a number is missing")
    if not above < value <= most:
        raise ModelFileError("a number is out of range")
    return float(value)


_FIT = record(LinearFit)

LINEAR_KINDS = {
    "Covariance": record(Covariance),
    "FitResult": record(FitResult),
    "Layout": record(Layout),
    "LinearFit": Kind(LinearFit, _FIT.to_state, _restore_fit),
    "LinearLearner": record(LinearLearner),
    "LinearPredictor": Kind(LinearPredictor, record(LinearPredictor).to_state, _restore_predictor),
    "Selection": record(Selection),
    "ShrinkagePath": record(ShrinkagePath),
    "Standardization": record(Standardization),
    "StartResult": record(StartResult),
    "Status": member(Status),
}
