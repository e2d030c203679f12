"""pulearn: positive-unlabeled learning with one chance to be seen for all."""

from __future__ import annotations

from whether.study.peers.adapter import Array, Labels, PeerClassifier, standardize


class ElkanNoto(PeerClassifier):
    """Elkan and Noto's correction of a logistic regression, with a fifth held out to estimate the constant."""

    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> ElkanNoto:
        """Fit to the labels."""
        from pulearn import ElkanotoPuClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        base = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        model = ElkanotoPuClassifier(estimator=base, hold_out_ratio=0.2, random_state=self.random_state)
        self.model_ = model.fit(X, y)
        return self

    def _ever(self, X: Array) -> Array:
        return self.model_.predict_proba(X)[:, 1]

    def predict_label_proba(self, X: Array, follow_up: Array) -> Array:
        """Return what its classifier of the labels says."""
        return self.model_.estimator.predict_proba(X)[:, 1]


class NonNegative(PeerClassifier):
    """Non-negative risk estimation with a linear model; the class prior is that of its own EM estimator."""

    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> NonNegative:
        """Estimate the prior, then fit."""
        from pulearn import NNPUClassifier, ScarEMPriorEstimator

        self.center_, self.spread_ = standardize(X)
        scaled = (X - self.center_) / self.spread_
        prior = float(ScarEMPriorEstimator().estimate(scaled, y).pi)
        self.label_share_ = min(float(y.mean()) / prior, 1.0)
        self.model_ = NNPUClassifier(prior=prior, random_state=self.random_state).fit(scaled, y)
        return self

    def _ever(self, X: Array) -> Array:
        return self.model_.predict_proba((X - self.center_) / self.spread_)[:, 1]

    def predict_label_proba(self, X: Array, follow_up: Array) -> Array:
        """Return risk times the constant that prior and share of labels imply."""
        return self._ever(X) * self.label_share_
