"""The outcome part of a linear or boosted model in ONNX, so that risks can be had without Python.

Features enter as double-precision numbers, and so do thresholds: rounded ones would send people down other branches.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from whether.arrays import Flags
from whether.estimators import CensoredClassifier
from whether.family import MIXTURE, PROMOTION_TIME
from whether.files.model.archive import ModelFileError
from whether.files.model.boosted_state import CATEGORICAL, pack_trees, separate_trees
from whether.files.whole_files import atomic_path
from whether.learners import BoostedFit, HindsightFit, LinearFit

OPSET, TREE_OPSET, IR_VERSION = 17, 3, 8
DEFAULT_LEFT, MISSING_SHIFT, MISSING_IS_NAN = 2, 2, 2  # of decision_type, as LightGBM writes it


def save_onnx(model: CensoredClassifier, path: str | os.PathLike[str]) -> None:
    """Write the risk of a fitted linear or boosted classifier as an ONNX model.

    Its input ``features``, of shape (n, d), takes doubles in the order of the fit, with NaN for missing values where
    the classifier takes them; its output ``risk``, of shape (n,), is the probability that the event ever happens. Times
    and propensities are not part of it, nor is the encoder of a table.

    Parameters
    ----------
    model : CensoredClassifier
        With a linear or boosted outcome part, without categories.
    path : path-like

    Raises
    ------
    ModelFileError
        If the model has no such part, or the package onnx is missing.
    """
    try:
        import onnx
    except ImportError as error:
        raise ModelFileError("Writing ONNX needs the package onnx: pip install 'whether[onnx]'.") from error
    fitted = getattr(model, "model_", None)
    fit = fitted.outcome if isinstance(fitted, HindsightFit) else fitted
    if not isinstance(fit, (LinearFit, BoostedFit)) or not fit.linear_part.has_outcome:
        raise ModelFileError("Only a fitted classifier with a linear or boosted outcome part can be written as ONNX.")
    if model.family not in (MIXTURE, PROMOTION_TIME):
        raise ModelFileError(f"Risks of a {type(model).__name__} cannot be written as ONNX.")
    graph = _Graph(onnx)
    predictor = _write_line(graph, fit, model.n_features_in_)
    if isinstance(fit, BoostedFit):
        predictor = graph.add("Add", [predictor, _write_trees(graph, fit.outcome)])
    risk = _write_risk(graph, predictor, is_mixture=model.family == MIXTURE)
    graph.add("Reshape", [risk, graph.constant(np.array([-1]))], "risk")
    with atomic_path(path) as unfinished:
        unfinished.write_bytes(graph.finish(model.n_features_in_).SerializeToString())


class _Graph:
    """An ONNX graph in the making."""

    def __init__(self, onnx: Any) -> None:
        self.onnx, self.nodes, self.constants = onnx, [], []  # type: Any, list[Any], list[Any]

    def add(self, kind: str, inputs: list[str], output: str = "", domain: str = "", **attributes: Any) -> str:
        """Add an operation, and return the name of its output."""
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def constant(self, values: Any) -> str:
        """Add numbers, and return their name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def finish(self, n_features: int) -> Any:
        """Return the checked model."""
        helper, double = self.onnx.helper, self.onnx.TensorProto.DOUBLE
        enters = helper.make_tensor_value_info("features", double, ["people", n_features])
        leaves = helper.make_tensor_value_info("risk", double, ["people"])
        graph = helper.make_graph(self.nodes, "whether", [enters], [leaves], self.constants)
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", TREE_OPSET)]
        made = helper.make_model(graph, producer_name="whether", opset_imports=versions, ir_version=IR_VERSION)
        self.onnx.checker.check_model(made)
        return made


def _write_line(graph: _Graph, fit: LinearFit | BoostedFit, n_features: int) -> str:
    """Add the linear part, with means where the trees take missing values, and return its predictor, shape (n, 1)."""
    columns, features = np.arange(n_features), "features"
    if isinstance(fit, BoostedFit):
        columns, fill = fit.offset.columns, np.zeros(n_features)
        fill[columns] = fit.offset.fill
        is_missing = graph.add("IsNaN", [features])
        features = graph.add("Where", [is_missing, graph.constant(fill), features])
    intercept, some = fit.linear_part.predictor.outcome_line(columns.size)
    slopes = np.zeros((n_features, 1))
    slopes[columns, 0] = some
    product = graph.add("MatMul", [features, graph.constant(slopes)])
    return graph.add("Add", [product, graph.constant(np.array([intercept]))])


def _write_risk(graph: _Graph, predictor: str, *, is_mixture: bool) -> str:
    if is_mixture:
        return graph.add("Sigmoid", [predictor])
    never = graph.add("Exp", [graph.add("Neg", [graph.add("Exp", [predictor])])])
    return graph.add("Sub", [graph.constant(np.array([1.0])), never])


def _write_trees(graph: _Graph, booster: Any) -> str:
    """Add the trees of the outcome, and return their sum, shape (n, 1)."""
    state = pack_trees(booster)
    assert state is not None
    trees = separate_trees(state)
    # A tree that did not split is a number for everybody.
    level = float(sum(tree["leaf_value"][0] for tree in trees if not tree["split_feature"].size))
    nodes, leaves = _tree_attributes([tree for tree in trees if tree["split_feature"].size])
    if not nodes["nodes_treeids"]:
        return graph.constant(np.array([level]))
    tensor = graph.onnx.numpy_helper.from_array
    thresholds, weights = tensor(np.array(nodes.pop("values")), "values"), tensor(np.array(leaves.pop("w")), "weights")
    attributes = {**nodes, **leaves, "nodes_values_as_tensor": thresholds, "target_weights_as_tensor": weights}
    total = graph.add(
        "TreeEnsembleRegressor", ["features"], domain="ai.onnx.ml", n_targets=1, aggregate_function="SUM", **attributes
    )
    double = graph.add("Cast", [total], to=graph.onnx.TensorProto.DOUBLE)
    return graph.add("Add", [double, graph.constant(np.array([level]))])


def _tree_attributes(trees: list[dict[str, Any]]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Nodes and leaves of all trees, as ONNX names them; inner nodes are numbered first."""
    names = ("treeids", "nodeids", "featureids", "modes", "truenodeids", "falsenodeids", "missing_value_tracks_true")
    nodes: dict[str, list[Any]] = {**{f"nodes_{name}": [] for name in names}, "values": []}
    leaves: dict[str, list[Any]] = {"target_treeids": [], "target_nodeids": [], "target_ids": [], "w": []}
    for number, tree in enumerate(trees):
        n_inner, n_leaves = tree["split_feature"].size, tree["leaf_value"].size
        left, right = (
            np.where(ends < 0, n_inner - 1 - ends, ends) for ends in (tree["left_child"], tree["right_child"])
        )
        nothing = [0] * n_leaves
        rows = {
            "nodes_treeids": [number] * (n_inner + n_leaves),
            "nodes_nodeids": list(range(n_inner + n_leaves)),
            "nodes_featureids": tree["split_feature"].tolist() + nothing,
            "nodes_modes": ["BRANCH_LEQ"] * n_inner + ["LEAF"] * n_leaves,
            "nodes_truenodeids": left.tolist() + nothing,
            "nodes_falsenodeids": right.tolist() + nothing,
            "nodes_missing_value_tracks_true": _missing_goes_left(tree).astype(int).tolist() + nothing,
            "values": tree["threshold"].tolist() + [0.0] * n_leaves,
        }
        for name, values in rows.items():
            nodes[name] += values
        leaves["target_treeids"] += [number] * n_leaves
        leaves["target_nodeids"] += list(range(n_inner, n_inner + n_leaves))
        leaves["target_ids"] += nothing
        leaves["w"] += tree["leaf_value"].tolist()
    return nodes, leaves


def _missing_goes_left(tree: dict[str, Any]) -> Flags:
    """Where missing values go; a split that saw none takes them for 0."""
    kinds = tree["decision_type"]
    if (kinds & CATEGORICAL).any():
        raise ModelFileError("Trees that split categories cannot be written as ONNX. Encode them as numbers first.")
    return np.where(kinds >> MISSING_SHIFT == MISSING_IS_NAN, (kinds & DEFAULT_LEFT) > 0, tree["threshold"] >= 0)
