"""Notices when scikit-learn compares risks with the labels, as if a label were the outcome.

A classifier cannot know what becomes of its predictions. It can see who asks: code of `sklearn.metrics` and
`sklearn.calibration` asks a classifier for nothing but to set the answer against ``y``. So the callers are walked up to
the first one that is neither ours nor scikit-learn's, by the names of public packages only.
"""

from __future__ import annotations

import sys
import warnings
from typing import ClassVar

from whether.validate import LabelsAsTruthWarning

JUDGES = ("sklearn.metrics", "sklearn.calibration")
BETWEEN = ("whether", "sklearn", "joblib")  # they hand on what somebody else has asked for
OURS = "whether.evaluate"  # scores that allow for events not seen


class LabelComparison:
    """The part of a classifier that notices when its risks are compared with labels.

    Attributes
    ----------
    compared_with_labels_ : bool
        Whether this object has been asked for risks by a tool that takes labels for outcomes.
    """

    compared_with_labels_: bool = False
    _labels_are_outcomes: ClassVar[bool] = False

    def _notice_comparison(self) -> None:
        """Warn where a tool of scikit-learn takes labels for outcomes, at the line that called the tool."""
        judge, level = ("", 0) if self._labels_are_outcomes else _find_judge()
        if judge:
            self.compared_with_labels_ = True
            warnings.warn(_sentence(judge, type(self).__name__), LabelsAsTruthWarning, stacklevel=level)


def _find_judge() -> tuple[str, int]:
    """Name of the package that asks, or nothing, and how many calls up the first foreign line is."""
    judge, level, frame = "", 1, sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if not _belongs(name, BETWEEN) or (_belongs(name, (OURS,)) and not judge):
            break
        judge = judge or next((package for package in JUDGES if _belongs(name, (package,))), "")
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    return judge, level


def _belongs(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _sentence(judge: str, name: str) -> str:
    what = "calibrates the risks to" if judge == "sklearn.calibration" else "scores the risks against"
    return (
        f"{judge} {what} the labels, as if everybody without a recorded event would never have it. {name} estimates "
        "who ever has it: a model of the labels alone would look better here. Score with whether.evaluate "
        "(ipcw_auc_scorer and others) or wh.backtest, and do not calibrate to labels. Where y is the outcome itself, "
        "known since, ignore whether.LabelsAsTruthWarning."
    )
