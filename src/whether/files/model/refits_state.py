"""Refits under random weights as plain data, checked when they are made again."""

from whether.estimators.refits import Refits
from whether.files.model.archive import require
from whether.files.model.codec import record
from whether.files.model.linear_state import check_array
from whether.learners.linear.linear_fit import Moves, Standardization
from whether.learners.task import FittedModel

MOST_REFITS, MOST_MOVES = 100, 1_000


def _check_refits(refits: Refits) -> None:
    are_fits = all(isinstance(model, FittedModel) for model in refits.models)
    require(are_fits and 2 <= len(refits.models) <= MOST_REFITS, "it has too few or too many refits")


def _check_moves(moves: Moves) -> None:
    require(isinstance(moves.standardization, Standardization), "a scale is missing")
    columns, mean, scale = moves.standardization
    check_array(columns, 1, columns.size, whole=True)
    for values in (mean, scale):
        check_array(values, 1, columns.size)
    require((scale > 0).all(), "a scale is not positive")
    require(moves.steps.ndim == 2 and moves.steps.shape[0] <= MOST_MOVES, "it has too many other models")
    check_array(moves.steps, 2, moves.steps.shape[0] * (1 + columns.size))


REFIT_KINDS = {"Moves": record(Moves, _check_moves), "Refits": record(Refits, _check_refits)}
