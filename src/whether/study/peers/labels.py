"""Classifiers of the labels: what most people do."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from whether.study.peers.adapter import Array, Labels, PeerClassifier


class _LabelPeer(PeerClassifier):
    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> _LabelPeer:
        """Fit the classifier to the labels as if they were the outcome."""
        self.model_ = self._make().fit(X, y)
        return self

    @abstractmethod
    def _make(self) -> Any:
        """Return the package's model, not fitted."""

    def _ever(self, X: Array) -> Array:
        return self.model_.predict_proba(X)[:, 1]

    def predict_label_proba(self, X: Array, follow_up: Array) -> Array:
        """Return the probability of a label, however long people are followed."""
        return self._ever(X)


class Logistic(_LabelPeer):
    """scikit-learn's logistic regression with its own ridge penalty, on scaled features."""

    def _make(self) -> Any:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


class Trees(_LabelPeer):
    """LightGBM as it comes."""

    def _make(self) -> Any:
        from lightgbm import LGBMClassifier

        return LGBMClassifier(random_state=self.random_state, n_jobs=1, verbose=-1)
