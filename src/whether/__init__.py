"""The probability that an event ever happens to a person, from data that stop too early.

Every classifier maximises one likelihood of the labels and differs from the others only in what it assumes of the
labeling propensity, the probability that a positive was seen. See `whether.methods.METHODS` for the catalogue.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whether.advise import WhetherClassifier, backtest, examine, recommend, sensitivity
    from whether.analysis.whole_answer import analyze
    from whether.estimators import (
        AFTClassifier,
        Cohort,
        CoxCureClassifier,
        DiscreteTimeCureClassifier,
        ElkanNotoClassifier,
        FollowUpCureClassifier,
        HindsightClassifier,
        LabelClassifier,
        MixtureCureClassifier,
        PromotionTimeClassifier,
        ProportionalPUClassifier,
        SARPUClassifier,
        UnbiasedPUClassifier,
        label_frequency,
        likelihood_ratio_test,
    )
    from whether.files.model import load_model, save_model
    from whether.files.rows import ArrayRows, DaskRows, ParquetRows, predict_parquet
    from whether.files.table import check_table, read_cohort, read_conversion_log
    from whether.learners import BoostedLearner, EMLearner, NeuralLearner
    from whether.methods import METHODS
    from whether.simulation import simulate
    from whether.validate import (
        ArgumentError,
        DataError,
        FollowUpWarning,
        IdentifiabilityWarning,
        LabelsAsTruthWarning,
        MissingTimeError,
    )

__version__: str  # as it was installed, from the tags of the repository

__all__ = [
    "METHODS",
    "AFTClassifier",
    "ArgumentError",
    "ArrayRows",
    "BoostedLearner",
    "Cohort",
    "CoxCureClassifier",
    "DaskRows",
    "DataError",
    "DiscreteTimeCureClassifier",
    "EMLearner",
    "ElkanNotoClassifier",
    "FollowUpCureClassifier",
    "FollowUpWarning",
    "HindsightClassifier",
    "IdentifiabilityWarning",
    "LabelClassifier",
    "LabelsAsTruthWarning",
    "MissingTimeError",
    "MixtureCureClassifier",
    "NeuralLearner",
    "ParquetRows",
    "PromotionTimeClassifier",
    "ProportionalPUClassifier",
    "SARPUClassifier",
    "UnbiasedPUClassifier",
    "WhetherClassifier",
    "analyze",
    "backtest",
    "check_table",
    "examine",
    "label_frequency",
    "likelihood_ratio_test",
    "load_model",
    "predict_parquet",
    "read_cohort",
    "read_conversion_log",
    "recommend",
    "save_model",
    "sensitivity",
    "simulate",
]

# Where each public name lives. They are imported when first used: scikit-learn and SciPy alone take a second to load.
_HOMES = {
    "BoostedLearner": "whether.learners",
    "EMLearner": "whether.learners",
    "ArgumentError": "whether.validate",
    "DataError": "whether.validate",
    "METHODS": "whether.methods",
    "NeuralLearner": "whether.learners",
    "FollowUpWarning": "whether.validate",
    "IdentifiabilityWarning": "whether.validate",
    "LabelsAsTruthWarning": "whether.validate",
    "MissingTimeError": "whether.validate",
    "WhetherClassifier": "whether.advise",
    "analyze": "whether.analysis",
    "backtest": "whether.advise",
    "examine": "whether.advise",
    "load_model": "whether.files.model",
    **dict.fromkeys(("ArrayRows", "DaskRows", "ParquetRows", "predict_parquet"), "whether.files.rows"),
    "check_table": "whether.files.table",
    "read_cohort": "whether.files.table",
    "read_conversion_log": "whether.files.table",
    "recommend": "whether.advise",
    "save_model": "whether.files.model",
    "sensitivity": "whether.advise",
    "simulate": "whether.simulation",
}

# Parts whose names are public too; ``import whether`` is enough to reach them.
_PARTS = (
    "advise", "analysis", "distributions", "estimators", "evaluate", "family", "inference", "learners", "likelihood",
    "kernel_survival", "methods", "files", "propensity", "simulation", "study", "survival", "telling", "validate",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("whether")
    if name in _PARTS:
        return importlib.import_module(f"whether.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'whether' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES.get(name, "whether.estimators")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PARTS})
