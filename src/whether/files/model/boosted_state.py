"""Boosted models as plain data: LightGBM's trees as arrays, checked before LightGBM sees them again.

LightGBM reads its text without asking whether children, features and categories exist, so a damaged text can end the
process. Here the text is taken apart when a model is saved; when it is opened, every number is checked and a text is
written anew. Ranges of the features, which LightGBM keeps and which are somebody's values, are not saved, nor is how
many people reached a leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.files.model.archive import require
from whether.files.model.codec import Kind, State, record
from whether.files.model.linear_state import check_array
from whether.learners import AutoLearner, BoostedFit, BoostedLearner
from whether.learners.boosted.boosted_fit import Offset

# What is kept of a tree, by what it has one of: inner nodes, leaves, or sets of categories.
PER_NODE: dict[str, Any] = {name: np.int64 for name in ("split_feature", "decision_type", "left_child", "right_child")}
PER_NODE["threshold"] = np.float64
PER_LEAF = {"leaf_value": np.float64}
CATEGORIES = {"cat_boundaries": np.int64, "cat_threshold": np.int64}
PER_TREE = {"num_leaves": np.int64, "num_cat": np.int64, "shrinkage": np.float64}
ALL = {**PER_NODE, **PER_LEAF, **CATEGORIES}
CATEGORICAL, LARGEST_DECISION = 1, 11  # of decision_type: the first bit, and the kinds of missing values above it
MOST_LEAVES = 10_000  # LightGBM follows a tree by recursion: a deeper one could exhaust its stack
MOST_FEATURES, MOST_TREES, MOST_NUMBERS = 100_000, 50_000, 5_000_000
HEADER = "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={last}\n"


def pack_trees(booster: Any) -> State | None:
    """Plain arrays of a booster's trees, one after the other; None for no booster."""
    if booster is None:
        return None
    blocks = booster.model_to_string(num_iteration=-1).split("\nend of trees")[0].split("\nTree=")[1:]
    trees = [dict(line.split("=", 1) for line in block.splitlines()[1:] if "=" in line) for block in blocks]
    is_linear = any(tree.get("is_linear", "0") != "0" for tree in trees)
    require(not is_linear, "Trees with linear leaves cannot be saved.")
    is_large = any(int(tree["num_leaves"]) > MOST_LEAVES for tree in trees)
    require(not is_large, f"Trees with more than {MOST_LEAVES:,} leaves cannot be saved.")
    state: State = {"n_features": booster.num_feature()}
    for name, kind in {**PER_TREE, **ALL}.items():
        numbers = [number for tree in trees for number in tree.get(name, "").split()]
        state[name] = np.array(numbers, dtype=kind)
    return state


def unpack_trees(state: State | None) -> Any:
    """Booster with the trees of plain arrays, which are checked."""
    if state is None:
        return None
    import lightgbm

    n_features, trees = state["n_features"], separate_trees(state)
    require(isinstance(n_features, int) and 1 <= n_features <= MOST_FEATURES, "trees have no features")
    for tree in trees:
        _check_tree(tree, n_features)
    names = " ".join(f"Column_{i}" for i in range(n_features))
    header = f"{HEADER.format(last=n_features - 1)}feature_names={names}\nfeature_infos={'none ' * n_features}".rstrip()
    text = "\n\n".join([header, *(_write_tree(number, tree) for number, tree in enumerate(trees)), "end of trees\n"])
    return lightgbm.Booster(model_str=text)


def separate_trees(state: State) -> list[dict[str, NDArray[Any]]]:
    """Cut the arrays into trees."""
    for name, kind in {**PER_TREE, **ALL}.items():
        values = state[name]
        is_list = isinstance(values, np.ndarray) and values.dtype == kind and values.ndim == 1
        require(is_list, "a part of the trees is missing")
        # A threshold is infinite where known values go one way and missing ones the other.
        is_known = np.isfinite(values) if name == "leaf_value" else ~np.isnan(values)
        require(is_known.all(), "trees have numbers that are not finite")
        require(values.size <= MOST_NUMBERS, "there are more trees than LightGBM could read")
    leaves, sets = state["num_leaves"], state["num_cat"]
    require(leaves.size <= MOST_TREES, "there are more trees than LightGBM could read")
    require(sets.size == state["shrinkage"].size == leaves.size and (sets >= 0).all(), "trees do not fit together")
    require(((leaves >= 1) & (leaves <= MOST_LEAVES)).all(), "trees do not fit together")
    boundaries = _cut(state["cat_boundaries"], np.where(sets > 0, sets + 1, 0))
    parts: dict[str, Any] = {name: _cut(state[name], leaves - 1) for name in PER_NODE}
    parts |= {name: _cut(state[name], leaves) for name in PER_LEAF}
    parts["cat_boundaries"] = boundaries
    lengths = np.array([max(int(part[-1]), 0) if part.size else 0 for part in boundaries], dtype=np.int64)
    parts["cat_threshold"] = _cut(state["cat_threshold"], lengths)
    parts |= {"num_cat": sets, "shrinkage": state["shrinkage"]}
    return [{name: part[number] for name, part in parts.items()} for number in range(leaves.size)]


def _cut(values: NDArray[Any], lengths: NDArray[np.int64]) -> list[NDArray[Any]]:
    require(lengths.sum() == values.size and (lengths <= values.size).all(), "trees do not fit together")
    return np.split(values, np.cumsum(lengths)[:-1]) if lengths.size else []


def _check_tree(tree: dict[str, Any], n_features: int) -> None:
    """Refuse anything that LightGBM could not walk through."""
    n_nodes = tree["split_feature"].size
    children = np.concatenate([tree["left_child"], tree["right_child"]])
    # Every node but the root, and every leaf, is the child of one node, which comes before it: that is a tree.
    expected = np.concatenate([np.arange(-n_nodes - 1, 0), np.arange(1, n_nodes)]) if n_nodes else children
    parents = np.tile(np.arange(n_nodes), 2)
    is_tree = np.array_equal(np.sort(children), expected) and ((children < 0) | (children > parents)).all()
    require(is_tree, "a tree has no order")
    require(_within(tree["split_feature"], n_features), "a tree asks for a feature that is not there")
    require(_within(tree["decision_type"], LARGEST_DECISION + 1), "a tree has an unknown kind of split")
    _check_categories(tree, tree["threshold"][(tree["decision_type"] & CATEGORICAL) == 1])


def _within(values: NDArray[Any], end: int) -> bool:
    """Whether all values lie between 0 and an end that is not reached."""
    return bool(((values >= 0) & (values < end)).all())


def _check_categories(tree: dict[str, Any], used: NDArray[np.float64]) -> None:
    """Refuse splits by sets of categories that are not there."""
    boundaries, bits = tree["cat_boundaries"], tree["cat_threshold"]
    are_there = np.array_equal(used, np.floor(used)) and _within(used, tree["num_cat"])
    require(are_there, "a tree asks for categories that are not there")
    is_ordered = not boundaries.size or (boundaries[0] == 0 and (np.diff(boundaries) > 0).all())
    require(is_ordered, "a tree has categories out of order")
    require(_within(bits, 2**32), "a tree has impossible categories")


def _write_tree(number: int, tree: dict[str, Any]) -> str:
    names = [*PER_NODE, *PER_LEAF, *(CATEGORIES if tree["num_cat"] else ())]
    lines = [f"Tree={number}", f"num_leaves={tree['leaf_value'].size}", f"num_cat={tree['num_cat']}"]
    lines += [f"{name}={' '.join(_write(value) for value in tree[name].tolist())}" for name in names]
    return "\n".join([*lines, "is_linear=0", f"shrinkage={_write(float(tree['shrinkage']))}"])


def _write(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.17g}"


def settings(cls: Any) -> Kind:
    """Kind of a learner: its parameters."""
    return Kind(cls, lambda value: value.get_params(deep=False), lambda state: cls(**state))


def _pack_learner(learner: BoostedLearner) -> State:
    state: State = learner.get_params(deep=False)
    return {**state, "monotone": None if learner.monotone is None else tuple(map(tuple, learner.monotone.items()))}


def _restore_learner(state: State) -> BoostedLearner:
    pairs = state["monotone"]
    return BoostedLearner(**{**state, "monotone": None if pairs is None else dict(pairs)})


def _check_offset(offset: Offset) -> None:
    check_array(offset.columns, 1, offset.columns.size, whole=True)
    check_array(offset.fill, 1, offset.columns.size)


def _check_fit(fit: BoostedFit) -> None:
    check_array(fit.timing_columns, 1, fit.timing_columns.size, whole=True)
    if fit.outcome is not None:
        check_array(fit.reliance, 1, fit.outcome.num_feature())


def _pack(fit: BoostedFit) -> State:
    return {**_FIT.to_state(fit), "outcome": pack_trees(fit.outcome), "timing": pack_trees(fit.timing)}


def _restore(state: State) -> BoostedFit:
    trees = {name: unpack_trees(state[name]) for name in ("outcome", "timing")}
    made: BoostedFit = _FIT.from_state({**state, **trees})
    return made


_FIT = record(BoostedFit, _check_fit)

BOOSTED_KINDS = {
    "AutoLearner": settings(AutoLearner),
    "BoostedFit": Kind(BoostedFit, _pack, _restore),
    "BoostedLearner": Kind(BoostedLearner, _pack_learner, _restore_learner),
    "Offset": record(Offset, _check_offset),
}
