"""scikit-survival: Cox's model and boosted trees."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from whether.study.peers.adapter import Array, Labels, SurvivalPeer


class _StepPeer(SurvivalPeer):
    """A model whose survival curves are step functions."""

    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> _StepPeer:
        """Fit to events and times."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sksurv.util import Surv

        self.end_ = float(time.max())
        self.model_ = make_pipeline(StandardScaler(), self._make())
        self.model_.fit(X, Surv.from_arrays(y.astype(bool), time))
        return self

    @abstractmethod
    def _make(self) -> Any:
        """Return the package's model, not fitted."""

    def _survival(self, X: Array, times: Array) -> Array:
        curves = [
            self.model_.predict_survival_function(rows, return_array=True)
            for rows in np.array_split(X, -(-X.shape[0] // 1000))
        ]
        steps = self.model_[-1].unique_times_
        place = np.searchsorted(steps, times, side="right") - 1
        found = np.concatenate([curve[:, np.maximum(place, 0)] for curve in curves])
        return np.where(place < 0, 1.0, found)


class Cox(_StepPeer):
    """Cox's proportional hazards with a slight ridge penalty, without which equal columns stop it."""

    def _make(self) -> Any:
        from sksurv.linear_model import CoxPHSurvivalAnalysis

        return CoxPHSurvivalAnalysis(alpha=0.1)


class Boosting(_StepPeer):
    """Gradient-boosted trees on the partial likelihood, as they come."""

    def _make(self) -> Any:
        from sksurv.ensemble import GradientBoostingSurvivalAnalysis

        return GradientBoostingSurvivalAnalysis(random_state=self.random_state)
