"""Which models can be saved, and what is said of the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whether.files.model.archive import ModelFileError
from whether.learners import EMFit, HindsightFit


def check_can_be_saved(model: Any, known: Mapping[str, type]) -> None:
    """Refuse what is no fitted classifier of ours, or holds one of somebody else's."""
    if type(model) not in known.values():
        raise ModelFileError(f"A {type(model).__name__} cannot be saved: {_what_can_be_saved(model)}")
    if not hasattr(model, "model_"):
        raise ModelFileError("The model has not been fitted, so there is nothing to save.")
    outcome = model.model_.outcome if isinstance(model.model_, HindsightFit) else model.model_
    if isinstance(outcome, EMFit):
        raise ModelFileError(
            "A model whose outcome part is a scikit-learn classifier cannot be saved: such classifiers can only be "
            "pickled, and opening a pickle can run anything. Use learner='linear', 'boosted' or 'neural'."
        )


def _what_can_be_saved(model: Any) -> str:
    """Say why a model of somebody else's class is refused, and what of it can be saved."""
    for inside in ("best_estimator_", "estimator_"):
        if hasattr(model, inside):
            return f"save its {inside}, the classifier that was fitted."
    return "it is none of whether's own classifiers, nor a pipeline that ends in one."
