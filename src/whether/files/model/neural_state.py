"""Neural models as plain data: what the networks add to, what they see, their shape and the matrix of parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from whether.files.model.archive import ModelFileError, require
from whether.files.model.boosted_state import settings
from whether.files.model.codec import Kind, State, record
from whether.files.model.linear_state import check_array
from whether.learners import NeuralFit, NeuralLearner
from whether.learners.neural.architectures import Perceptrons, View
from whether.learners.neural.neural_fit import Base
from whether.learners.neural.outputs import OutputLayout

LARGEST_LAYER, MOST_LAYERS, MOST_NETWORKS = 1_000_000, 100, 1000
WRONG_VIEW = "networks do not see what they should"
OWN_MODULE = (
    "A network of your own module= cannot be saved: whoever opens the file has not got its code. Use layers of your "
    "choice, hidden=(...), or keep module.state_dict() yourself."
)


def _pack(fit: NeuralFit) -> State:
    if not isinstance(fit.architecture, Perceptrons):
        raise ModelFileError(OWN_MODULE)
    layers = fit.architecture.layers[0] if fit.architecture.layers else []
    shape = {"hidden": [int(width) for _, width in layers[:-1]], "views": list(fit.architecture.views)}
    return {**_FIT.to_state(fit), "architecture": shape}


def _restore(state: State) -> NeuralFit:
    layout, parameters, shape = state["layout"], state["parameters"], state["architecture"]
    # The size is checked first, for networks are made of it.
    is_sized = isinstance(layout, OutputLayout) and layout.n_features == state["mean"].size
    require(is_sized, "a part of the neural model is missing")
    check_array(parameters, 2, parameters.size)
    architecture = _restore_architecture(layout, shape["hidden"], shape["views"], len(parameters))
    made: NeuralFit = _FIT.from_state({**state, "architecture": architecture})
    return made


def _check_fit(fit: NeuralFit) -> None:
    layout, (n_networks, n_parameters) = fit.layout, fit.parameters.shape
    is_full = n_networks > 0 and n_parameters == fit.architecture.size + len(layout.trained) + 1
    require(is_full, "a network has too many parameters, or too few")
    check_array(fit.base.constants, 1, layout.n_predictors)
    for values in (fit.mean, fit.scale):
        check_array(values, 1, layout.n_features)
    require((fit.scale > 0).all(), "a scale is not positive")


def _check_layout(layout: OutputLayout) -> None:
    _check_places(layout.columns, layout.n_features)
    n_predictors = len(layout.propensity.predictors)
    require(all(0 <= predictor < n_predictors for predictor in layout.known), "a predictor is missing")


def _check_places(columns: np.ndarray, n_features: int) -> None:
    check_array(columns, columns.ndim, columns.size, whole=True)
    require(((columns >= 0) & (columns < n_features)).all(), "columns do not fit")


def _restore_architecture(layout: OutputLayout, hidden: list[int], views: list[View], n_networks: int) -> Perceptrons:
    are_widths = all(type(width) is int and 0 < width <= LARGEST_LAYER for width in hidden)
    require(are_widths and len(hidden) <= MOST_LAYERS, "a network has impossible layers")
    require(n_networks <= MOST_NETWORKS, "there are more networks than any model has")
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


_FIT = record(NeuralFit, _check_fit)

NEURAL_KINDS = {
    "Base": record(Base, _check_base),
    "NeuralFit": Kind(NeuralFit, _pack, _restore),
    "NeuralLearner": Kind(NeuralLearner, _pack_learner, settings(NeuralLearner).from_state),
    "OutputLayout": record(OutputLayout, _check_layout),
    "View": record(View),
}
