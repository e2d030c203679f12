"""The parts of a fitted linear model as plain data: propensities, standardisation, optimum, how it was reached."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from whether.distributions import DISTRIBUTIONS
from whether.learners.auto import Selection
from whether.learners.fit_result import FitResult, StartResult, Status
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.learner import LinearFit, LinearLearner
from whether.learners.linear.objective import Evaluation, LinearObjective
from whether.learners.linear.optimize import Optimum
from whether.learners.linear.shrinkage import ShrinkagePath
from whether.model_file.archive import ModelFileError
from whether.model_file.codec import Kind, State, member, record
from whether.propensity import (
    Certain,
    DiscreteTimePropensity,
    EventTimePropensity,
    FollowUpPropensity,
    LogisticPropensity,
    Propensity,
)
from whether.risk import UnbiasedRisk


def _survival_kind(cls: Any) -> Kind:
    return Kind(
        cls,
        lambda value: {"distribution": value.distribution.name, "center": value.center, "spread": value.spread},
        lambda state: cls(
            DISTRIBUTIONS[state["distribution"]], check_number(state["center"]), check_number(state["spread"], above=0)
        ),
    )


def _restore_bins(state: State) -> DiscreteTimePropensity:
    edges = state["edges"]
    check_array(edges, 1, edges.size)
    if edges.size == 0 or edges[0] <= 0 or not np.all(np.diff(edges) > 0):
        raise ModelFileError("bins are out of order")
    return DiscreteTimePropensity(edges)


def _restore_objective(state: State) -> LinearObjective:
    """Make an objective without rows, as `LinearObjective.drop_rows` leaves it."""
    propensity, column_order, n_columns = state["propensity"], state["column_order"], state["n_columns"]
    if not isinstance(propensity, Propensity) or not isinstance(state["has_outcome"], bool):
        raise ModelFileError("a propensity is missing")
    check_array(column_order, 1, column_order.size, whole=True)
    if not 0 <= n_columns <= column_order.size or sorted(set(column_order.tolist())) != sorted(column_order.tolist()):
        raise ModelFileError("columns do not fit")
    for name in ("mean", "scale"):
        check_array(state[name], 1, column_order.size)
    if not np.all(state["scale"] > 0):
        raise ModelFileError("a scale is not positive")
    objective = LinearObjective.__new__(LinearObjective)
    objective.propensity, objective.has_outcome, objective.ridge = propensity, state["has_outcome"], state["ridge"]
    objective.column_order, objective.n_columns = column_order, n_columns
    objective.mean, objective.scale = state["mean"], state["scale"]
    objective.features, objective.observed = np.empty((column_order.size, 0)), np.empty(0)
    objective.weight, objective.row_order, objective.n_labeled = None, np.empty(0, dtype=np.intp), 0
    return objective.with_propensity(propensity)  # which derives the layout


def _restore_indexed(state: State) -> IndexedObjective:
    if not isinstance(state["objective"], LinearObjective) or not float(state["shrinkage"]) >= 0:
        raise ModelFileError("a part of the linear model is missing")
    return IndexedObjective(state["objective"], float(state["shrinkage"]), tuple(int(i) for i in state["fixed"]))


def _restore_fit(state: State) -> LinearFit:
    fit: LinearFit = _FIT.from_state(state)
    size = fit.indexed.size
    check_array(fit.optimum.parameters, 1, size)
    hessian = fit.optimum.evaluation.hessian
    if hessian.shape not in ((size, size), (0, 0)):
        raise ModelFileError("coefficients do not fit")
    if fit.meat is not None and fit.meat.shape != (size, size):
        raise ModelFileError("coefficients do not fit")
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
    "Certain": Kind(Certain, lambda value: {}, lambda state: Certain()),
    "LogisticPropensity": Kind(
        LogisticPropensity,
        lambda value: {"sloped": value.sloped[0]},
        lambda state: LogisticPropensity(bool(state["sloped"])),
    ),
    "EventTimePropensity": _survival_kind(EventTimePropensity),
    "FollowUpPropensity": _survival_kind(FollowUpPropensity),
    "DiscreteTimePropensity": Kind(DiscreteTimePropensity, lambda value: {"edges": value.edges}, _restore_bins),
    "UnbiasedRisk": Kind(
        UnbiasedRisk,
        lambda value: {"label_frequency": value.label_frequency},
        lambda state: UnbiasedRisk(check_number(state["label_frequency"], above=0, most=1)),
    ),
    "LinearObjective": Kind(
        LinearObjective,
        lambda value: {
            name: getattr(value, name)
            for name in ("propensity", "has_outcome", "ridge", "column_order", "n_columns", "mean", "scale")
        },
        _restore_objective,
    ),
    "IndexedObjective": Kind(
        IndexedObjective,
        lambda value: {"objective": value.objective, "shrinkage": value.shrinkage, "fixed": value.fixed.tolist()},
        _restore_indexed,
    ),
    "LinearFit": Kind(LinearFit, _FIT.to_state, _restore_fit),
    "LinearLearner": record(LinearLearner),
    "Evaluation": record(Evaluation),
    "FitResult": record(FitResult),
    "Optimum": record(Optimum),
    "Selection": record(Selection),
    "ShrinkagePath": record(ShrinkagePath),
    "StartResult": record(StartResult),
    "Status": member(Status),
}
