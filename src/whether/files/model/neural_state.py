"""Neural models as plain data: what the networks add to, what they see, their shape and the matrix of parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from whether.files.model.archive import ModelFileError
from whether.files.model.boosted_state import settings
from whether.files.model.codec import Kind, State, record
from whether.files.model.linear_state import check_array
from whether.learners import FitResult, LinearFit, NeuralFit, NeuralLearner
from whether.learners.neural.architectures import Perceptrons, View
from whether.learners.neural.neural_fit import Base
from whether.learners.neural.outputs import OutputLayout
from whether.propensity import Propensity

LARGEST_LAYER = 1_000_000
OWN_MODULE = (
    "A network of your own module= cannot be saved: whoever opens the file has not got its code. Use layers of your "
    "choice, hidden=(...), or keep module.state_dict() yourself."
)


def _pack(fit: NeuralFit) -> State:
    if not isinstance(fit.architecture, Perceptrons):
        raise ModelFileError(OWN_MODULE)
    layers = fit.architecture.layers[0] if fit.architecture.layers else []
    return {
        "propensity": fit.propensity,
        "result": fit.result,
        "base": fit.base,
        "has_outcome": fit.layout.has_outcome,
        "columns": fit.layout.columns,
        "known": [int(predictor) for predictor in fit.layout.known],
        "hidden": [int(width) for _, width in layers[:-1]],
        "views": list(fit.architecture.views),
        "parameters": fit.parameters,
        "mean": fit.mean,
        "scale": fit.scale,
    }


def _restore(state: State) -> NeuralFit:
    propensity, base, parameters = state["propensity"], state["base"], state["parameters"]
    if not isinstance(propensity, Propensity) or not isinstance(base, Base) or type(state["has_outcome"]) is not bool:
        raise ModelFileError("a part of the neural model is missing")
    if not isinstance(state["result"], FitResult):
        raise ModelFileError("a part of the neural model is missing")
    layout = _restore_layout(state, propensity)
    check_array(parameters, 2, parameters.size)
    architecture = _restore_architecture(layout, state["hidden"], state["views"], parameters.shape[0])
    if parameters.shape[0] < 1 or parameters.shape[1] != architecture.size + len(layout.trained) + 1:
        raise ModelFileError("a network has too many parameters, or too few")
    check_array(base.constants, 1, layout.n_predictors)
    kept = {name: state[name] for name in ("propensity", "result", "base", "parameters", "mean", "scale")}
    return NeuralFit(layout=layout, architecture=architecture, **kept)


def _restore_layout(state: State, propensity: Propensity) -> OutputLayout:
    mean, scale, columns, known = state["mean"], state["scale"], state["columns"], state["known"]
    check_array(mean, 1, mean.size)
    check_array(scale, 1, mean.size)
    if not (scale > 0).all():
        raise ModelFileError("a scale is not positive")
    _check_places(columns, mean.size)
    if not all(type(predictor) is int and 0 <= predictor < len(propensity.predictors) for predictor in known):
        raise ModelFileError("a predictor is missing")
    return OutputLayout(propensity, state["has_outcome"], mean.size, columns, tuple(known))


def _check_places(columns: np.ndarray, n_features: int) -> None:
    check_array(columns, columns.ndim, columns.size, whole=True)
    if columns.size and not 0 <= columns.min() <= columns.max() < n_features:
        raise ModelFileError("columns do not fit")


def _restore_architecture(layout: OutputLayout, hidden: list[int], views: list[View], n_networks: int) -> Perceptrons:
    if not all(type(width) is int and 0 < width <= LARGEST_LAYER for width in hidden):
        raise ModelFileError("a network has impossible layers")
    architecture = Perceptrons(layout, hidden)
    if len(views) != len(architecture.views):
        raise ModelFileError("networks do not see what they should")
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
    if not isinstance(view, View) or type(view.width) is not int:
        raise ModelFileError("networks do not see what they should")
    if view.columns is None or view.used is None:
        if view.width != n_features or view.columns is not view.used:
            raise ModelFileError("networks do not see what they should")
        return
    rows = view.columns.shape[0]
    if rows not in (1, n_networks) or view.columns.shape != (rows, view.width):
        raise ModelFileError("networks do not see what they should")
    _check_places(view.columns, n_features)
    check_array(view.used, 3, rows * view.width)


def _restore_base(state: State) -> Base:
    base: Base = _BASE.from_state(state)
    if not (base.linear is None or isinstance(base.linear, LinearFit)):
        raise ModelFileError("a linear model is missing")
    if base.columns is not None:
        check_array(base.columns, 1, base.columns.size, whole=True)
    return base


def _pack_learner(learner: NeuralLearner) -> State:
    if learner.module is not None:
        raise ModelFileError(OWN_MODULE)
    return dict(learner.get_params(deep=False))


_BASE = record(Base)

NEURAL_KINDS = {
    "Base": Kind(Base, _BASE.to_state, _restore_base),
    "NeuralFit": Kind(NeuralFit, _pack, _restore),
    "NeuralLearner": Kind(NeuralLearner, _pack_learner, settings(NeuralLearner).from_state),
    "View": record(View),
}
