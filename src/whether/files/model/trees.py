"""LightGBM's trees as plain arrays, checked before LightGBM sees them again.

LightGBM reads its text without asking whether children, features and categories exist, so a damaged text can end the
process. Here the text is taken apart when a model is saved; when it is opened, every number is checked and a text is
written anew. Ranges of the features, which LightGBM keeps and which are somebody's values, are not saved, nor is how
many people reached a leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.files.model.archive import ModelFileError
from whether.files.model.codec import State

# What is kept of a tree, by what it has one of: inner nodes, leaves, or sets of categories.
PER_NODE = {
    "split_feature": np.int64,
    "threshold": np.float64,
    "decision_type": np.int64,
    "left_child": np.int64,
    "right_child": np.int64,
}
PER_LEAF = {"leaf_value": np.float64}
CATEGORIES = {"cat_boundaries": np.int64, "cat_threshold": np.int64}
ALL = {**PER_NODE, **PER_LEAF, **CATEGORIES}
CATEGORICAL, LARGEST_DECISION = 1, 11  # of decision_type: the first bit, and the kinds of missing values above it
MOST_LEAVES = 10_000  # LightGBM follows a tree by recursion: a deeper one could exhaust its stack
HEADER = "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={last}\n"


def pack_trees(booster: Any) -> State | None:
    """Plain arrays of a booster's trees, one after the other; None for no booster."""
    if booster is None:
        return None
    blocks = booster.model_to_string(num_iteration=-1).split("\nend of trees")[0].split("\nTree=")[1:]
    trees = [dict(line.split("=", 1) for line in block.splitlines()[1:] if "=" in line) for block in blocks]
    if any(tree.get("is_linear", "0") != "0" for tree in trees):
        raise ModelFileError("Trees with linear leaves cannot be saved.")
    if any(int(tree["num_leaves"]) > MOST_LEAVES for tree in trees):
        raise ModelFileError(f"Trees with more than {MOST_LEAVES:,} leaves cannot be saved.")
    state: State = {
        "n_features": booster.num_feature(),
        "num_leaves": np.array([int(tree["num_leaves"]) for tree in trees], dtype=np.int64),
        "num_cat": np.array([int(tree["num_cat"]) for tree in trees], dtype=np.int64),
        "shrinkage": np.array([float(tree["shrinkage"]) for tree in trees]),
    }
    for name, kind in ALL.items():
        numbers = [number for tree in trees for number in tree.get(name, "").split()]
        state[name] = np.array(numbers, dtype=kind)
    return state


def unpack_trees(state: State | None) -> Any:
    """Booster with the trees of plain arrays, which are checked."""
    if state is None:
        return None
    import lightgbm

    n_features, trees = state["n_features"], _separate(state)
    if not isinstance(n_features, int) or not 1 <= n_features <= 1_000_000:
        raise ModelFileError("trees have no features")
    for tree in trees:
        _check_tree(tree, n_features)
    names = " ".join(f"Column_{i}" for i in range(n_features))
    header = (
        f"{HEADER.format(last=n_features - 1)}feature_names={names}\nfeature_infos={' '.join(['none'] * n_features)}"
    )
    text = "\n\n".join([header, *(_write_tree(number, tree) for number, tree in enumerate(trees)), "end of trees\n"])
    return lightgbm.Booster(model_str=text)


def _separate(state: State) -> list[dict[str, NDArray[Any]]]:
    """Cut the arrays into trees."""
    for name, kind in {**ALL, "num_leaves": np.int64, "num_cat": np.int64, "shrinkage": np.float64}.items():
        values = state[name]
        if not isinstance(values, np.ndarray) or values.dtype != kind or values.ndim != 1:
            raise ModelFileError("trees lack a part")
        # A threshold is infinite where known values go one way and missing ones the other.
        if np.isnan(values).any() or (name == "leaf_value" and np.isinf(values).any()):
            raise ModelFileError("trees have numbers that are not finite")
    leaves, sets = state["num_leaves"], state["num_cat"]
    if sets.size != leaves.size or state["shrinkage"].size != leaves.size or (sets < 0).any():
        raise ModelFileError("trees do not fit together")
    if (leaves < 1).any() or (leaves > MOST_LEAVES).any():
        raise ModelFileError("trees do not fit together")
    boundaries = _cut(state["cat_boundaries"], np.where(sets > 0, sets + 1, 0))
    parts = {name: _cut(state[name], leaves - 1) for name in PER_NODE}
    parts |= {name: _cut(state[name], leaves) for name in PER_LEAF}
    parts["cat_boundaries"] = boundaries
    lengths = np.array([max(int(part[-1]), 0) if part.size else 0 for part in boundaries], dtype=np.int64)
    parts["cat_threshold"] = _cut(state["cat_threshold"], lengths)
    single = {"num_cat": sets, "shrinkage": state["shrinkage"]}
    return [
        {name: part[number] for name, part in parts.items()} | {name: part[number] for name, part in single.items()}
        for number in range(leaves.size)
    ]


def _cut(values: NDArray[Any], lengths: NDArray[np.int64]) -> list[NDArray[Any]]:
    if lengths.sum() != values.size or (lengths > values.size).any():
        raise ModelFileError("trees do not fit together")
    return np.split(values, np.cumsum(lengths)[:-1]) if lengths.size else []


def _check_tree(tree: dict[str, Any], n_features: int) -> None:
    """Refuse anything that LightGBM could not walk through."""
    n_nodes = tree["split_feature"].size
    children = np.concatenate([tree["left_child"], tree["right_child"]])
    # Every node but the root, and every leaf, is the child of one node, which comes before it: that is a tree.
    expected = np.concatenate([np.arange(-n_nodes - 1, 0), np.arange(1, n_nodes)]) if n_nodes else children
    parents = np.tile(np.arange(n_nodes), 2)
    if not np.array_equal(np.sort(children), expected) or ((children >= 0) & (children <= parents)).any():
        raise ModelFileError("a tree has no order")
    if n_nodes and not 0 <= tree["split_feature"].min() <= tree["split_feature"].max() < n_features:
        raise ModelFileError("a tree asks for a feature that is not there")
    kinds = tree["decision_type"]
    if n_nodes and not 0 <= kinds.min() <= kinds.max() <= LARGEST_DECISION:
        raise ModelFileError("a tree has an unknown kind of split")
    _check_categories(tree, tree["threshold"][(kinds & CATEGORICAL) == 1])


def _check_categories(tree: dict[str, Any], used: NDArray[np.float64]) -> None:
    """Refuse splits by sets of categories that are not there."""
    boundaries, bits = tree["cat_boundaries"], tree["cat_threshold"]
    if used.size and not (np.array_equal(used, np.floor(used)) and 0 <= used.min() <= used.max() < tree["num_cat"]):
        raise ModelFileError("a tree asks for categories that are not there")
    if boundaries.size and (boundaries[0] != 0 or (np.diff(boundaries) <= 0).any()):
        raise ModelFileError("a tree has categories out of order")
    if bits.size and not 0 <= bits.min() <= bits.max() < 2**32:
        raise ModelFileError("a tree has impossible categories")


def _write_tree(number: int, tree: dict[str, Any]) -> str:
    names = [*PER_NODE, *PER_LEAF, *(CATEGORIES if tree["num_cat"] else ())]
    lines = [f"Tree={number}", f"num_leaves={tree['leaf_value'].size}", f"num_cat={tree['num_cat']}"]
    lines += [f"{name}={' '.join(_write(value) for value in tree[name].tolist())}" for name in names]
    return "\n".join([*lines, "is_linear=0", f"shrinkage={_write(float(tree['shrinkage']))}"])


def _write(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.17g}"
