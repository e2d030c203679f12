"""Neural models as plain data: what the networks add to, what they see, their shape and the matrix of parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from whether.files.model.archive import ModelFileError, require
from whether.files.model.boosted_state import settings
from whether.files.model.codec import Kind, State, record
from whether.files.model.linear_state import check_array
from whether.learners import FitResult, NeuralFit, NeuralLearner
from whether.learners.neural.architectures import Perceptrons, View
from whether.learners.neural.model import Base
from whether.learners.neural.outputs import OutputLayout
from whether.propensity import Propensity

LARGEST_LAYER = 1_000_000
PLAIN = ("propensity", "result", "base", "parameters", "mean", "scale")  # parts of a fit that are saved as they are
WRONG_VIEW = "networks do not see what they should"
OWN_MODULE = (
    "A network of your own module= cannot be saved: whoever opens the file has not got its code. Use layers of your "
    "choice, hidden=(...), or keep module.state_dict() yourself."
)


def _pack(fit: NeuralFit) -> State:
    architecture = fit.architecture
    if not isinstance(architecture, Perceptrons):
        raise ModelFileError(OWN_MODULE)
    layers = architecture.layers[0] if architecture.layers else []
    return {name: getattr(fit, name) for name in PLAIN} | {
        "has_outcome": fit.layout.has_outcome,
        "columns": fit.layout.columns,
        "known": [int(predictor) for predictor in fit.layout.known],
        "hidden": [int(width) for _, width in layers[:-1]],
        "views": list(architecture.views),
    }


def _restore(state: State) -> NeuralFit:
    propensity, base, parameters = state["propensity"], state["base"], state["parameters"]
    is_whole = isinstance(propensity, Propensity) and isinstance(base, Base) and isinstance(state["result"], FitResult)
    require(is_whole and type(state["has_outcome"]) is bool, "a part of the neural model is missing")
    layout = _restore_layout(state, propensity)
    check_array(parameters, 2, parameters.size)
    n_networks, n_parameters = parameters.shape
    architecture = _restore_architecture(layout, state["hidden"], state["views"], n_networks)
    is_full = n_networks > 0 and n_parameters == architecture.size + len(layout.trained) + 1
    require(is_full, "a network has too many parameters, or too few")
    check_array(base.constants, 1, layout.n_predictors)
    return NeuralFit(layout=layout, architecture=architecture, **{name: state[name] for name in PLAIN})


def _restore_layout(state: State, propensity: Propensity) -> OutputLayout:
    mean, scale, columns, known = state["mean"], state["scale"], state["columns"], state["known"]
    check_array(mean, 1, mean.size)
    check_array(scale, 1, mean.size)
    require((scale > 0).all(), "a scale is not positive")
    _check_places(columns, mean.size)
    are_there = all(type(predictor) is int and 0 <= predictor < len(propensity.predictors) for predictor in known)
    require(are_there, "a predictor is missing")
    return OutputLayout(propensity, state["has_outcome"], mean.size, columns, tuple(known))


def _check_places(columns: np.ndarray, n_features: int) -> None:
    check_array(columns, columns.ndim, columns.size, whole=True)
    require(((columns >= 0) & (columns < n_features)).all(), "columns do not fit")


def _restore_architecture(layout: OutputLayout, hidden: list[int], views: list[View], n_networks: int) -> Perceptrons:
    are_widths = all(type(width) is int and 0 < width <= LARGEST_LAYER for width in hidden)
    require(are_widths, "a network has impossible layers")
    architecture = Perceptrons(layout, hidden)
    require(len(views) == len(architecture.views), WRONG_VIEW)
    for view in views:
        _check_view(view, layout.n_features, n_networks)
    ends = [layers[-1][1] for layers in architecture.layers]
    # What a network sees may be less than all features, and decides the size of its first layer.
    architecture.views = views
    architecture.layers = [list(pairwise([view.width, *hidden, n])) for view, n in zip(views, ends, strict=True)]
    architecture.sizes = [
        size for layers in architecture.layers for n_in, n_out in layers for size in (n_in * n_out, n_out)
    ]
    return architecture


def _check_view(view: View, n_features: int, n_networks: int) -> None:
    require(isinstance(view, View), WRONG_VIEW)
    if view.columns is None or view.used is None:
        require(view.width == n_features and view.columns is view.used, WRONG_VIEW)
        return
    rows = view.columns.shape[0]
    require(rows in (1, n_networks) and view.columns.shape == (rows, view.width), WRONG_VIEW)
    _check_places(view.columns, n_features)
    check_array(view.used, 3, rows * view.width)


def _check_base(base: Base) -> None:
    if base.columns is not None:
        check_array(base.columns, 1, base.columns.size, whole=True)


def _pack_learner(learner: NeuralLearner) -> State:
    if learner.module is not None:
        raise ModelFileError(OWN_MODULE)
    return dict(learner.get_params(deep=False))


NEURAL_KINDS = {
    "Base": record(Base, _check_base),
    "NeuralFit": Kind(NeuralFit, _pack, _restore),
    "NeuralLearner": Kind(NeuralLearner, _pack_learner, settings(NeuralLearner).from_state),
    "View": record(View),
}
