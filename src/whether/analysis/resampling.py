"""What refits under random weights say of everybody: how sure the sums over people are of models without errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.analysis.still_to_come import predict_still
from whether.analysis.uncertainty import Spread
from whether.analysis.windows import predict_windows
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.estimators.refits import Refits

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RefitSums:
    """What refits say of everybody."""

    risks: Array  # a row for each refit, a column for each person
    still: Array  # 0 for the labeled
    windows: NDArray[np.float32]  # a table for each refit, with a row for each length of time

    @staticmethod
    def of(refits: Refits, model: CensoredClassifier, X: Any, cohort: Cohort, lengths: tuple[float, ...]) -> RefitSums:
        """Predict for everybody by each refit."""
        others = refits.stand_ins(model)
        risks = np.array([other.predict_proba(X)[:, 1] for other in others])
        still = np.nan_to_num([predict_still(other, X, cohort) for other in others])
        windows = np.array([predict_windows(other, X, cohort, lengths) for other in others], dtype=np.float32)
        return RefitSums(risks, still, windows)

    def spread(self, rows: Rows, counted: Rows) -> Spread:
        """Standard errors of the sums over some people, and over those of them who may still have the event."""
        mean_risks, unseen = self.risks[:, rows].mean(axis=1), self.still[:, counted].sum(axis=1)
        return Spread(float(np.std(mean_risks, ddof=1)), float(np.std(unseen, ddof=1)))

    def window_errors(self, counted: Rows) -> list[float]:
        """Standard errors of how many of some people have the event within each length of time."""
        return [float(error) for error in np.std(self.windows[:, :, counted].sum(axis=2), axis=0, ddof=1)]
