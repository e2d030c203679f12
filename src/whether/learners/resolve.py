"""What ``learner=`` may be, and the learner it stands for."""

from __future__ import annotations

import copy
import importlib.util
from typing import Any

from sklearn.base import is_classifier

from whether.learners.auto import AutoLearner
from whether.learners.base import Learner
from whether.learners.boosted import BoostedLearner
from whether.learners.em import EMLearner
from whether.learners.linear import LinearLearner
from whether.learners.neural import NeuralLearner

NAMES = ("linear", "boosted", "neural", "auto")


def resolve_learner(learner: Any, linear: LinearLearner) -> Any:
    """Return the learner that a classifier's ``learner`` parameter stands for."""
    if isinstance(learner, str):
        return _named(learner, linear)
    if isinstance(learner, AutoLearner):
        inner = {name: resolve_learner(candidate, linear) for name, candidate in learner.learners.items()}
        return AutoLearner(inner, n_folds=learner.n_folds)
    if isinstance(learner, Learner):
        if getattr(learner, "linear", linear) is None:
            learner = copy.copy(learner)
            learner.linear = linear
        return learner
    if hasattr(learner, "predict_proba") and is_classifier(learner):
        return EMLearner(learner, linear=linear)
    raise ValueError(
        f"learner must be one of {', '.join(map(repr, NAMES))}, a learner object or a scikit-learn classifier, "
        f"got {learner!r}."
    )


def _named(name: str, linear: LinearLearner) -> Any:
    if name == "linear":
        return linear
    if name == "boosted":
        return BoostedLearner(linear=linear)
    if name == "neural":
        return NeuralLearner(linear=linear)
    if name == "auto":
        learners: dict[str, Any] = {"linear": linear, "boosted": BoostedLearner(linear=linear)}
        if importlib.util.find_spec("torch") is not None:
            learners["neural"] = NeuralLearner(linear=linear)
        return AutoLearner(learners)
    raise ValueError(f"learner must be one of {', '.join(map(repr, NAMES))}, got {name!r}.")
