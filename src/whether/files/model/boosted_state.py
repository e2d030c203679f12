"""Boosted models as plain data."""

from __future__ import annotations

from typing import Any

from whether.files.model.archive import ModelFileError
from whether.files.model.codec import Kind, State, record
from whether.files.model.linear_state import check_array
from whether.files.model.trees import pack_trees, unpack_trees
from whether.learners import AutoLearner, BoostedFit, BoostedLearner, FitResult, LinearFit
from whether.learners.boosted.boosted_fit import Offset


def settings(cls: Any) -> Kind:
    """Kind of a learner: its parameters."""
    return Kind(cls, lambda value: value.get_params(deep=False), lambda state: cls(**state))


def _pack(fit: BoostedFit) -> State:
    return {
        "offset": fit.offset,
        "outcome": pack_trees(fit.outcome),
        "timing": pack_trees(fit.timing),
        "timing_columns": fit.timing_columns,
        "levels": fit.levels,
        "importances": fit.importances,
        "result": fit.result,
    }


def _restore(state: State) -> BoostedFit:
    if not isinstance(state["offset"], Offset) or not isinstance(state["result"], FitResult):
        raise ModelFileError("a part of the boosted model is missing")
    check_array(state["timing_columns"], 1, state["timing_columns"].size, whole=True)
    check_array(state["levels"], 1, len(state["offset"].fit.propensity.predictors))
    return BoostedFit(
        offset=state["offset"],
        outcome=unpack_trees(state["outcome"]),
        timing=unpack_trees(state["timing"]),
        timing_columns=state["timing_columns"],
        levels=state["levels"],
        importances=state["importances"],
        result=state["result"],
    )


def _restore_offset(state: State) -> Offset:
    offset: Offset = _OFFSET.from_state(state)
    if not isinstance(offset.fit, LinearFit):
        raise ModelFileError("a linear model is missing")
    check_array(offset.columns, 1, offset.columns.size, whole=True)
    check_array(offset.fill, 1, offset.columns.size)
    return offset


_OFFSET = record(Offset)

BOOSTED_KINDS = {
    "AutoLearner": settings(AutoLearner),
    "BoostedFit": Kind(BoostedFit, _pack, _restore),
    "BoostedLearner": settings(BoostedLearner),
    "Offset": Kind(Offset, _OFFSET.to_state, _restore_offset),
}
