"""The outcome part as scikit-learn's tools ask for it: coefficients, importances, contributions of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from whether.arrays import Array
from whether.learners import BoostedFit, HindsightFit, LinearFit, outcome_contributions
from whether.validate import ArgumentError, refuse_sparse


class OutcomePart:
    """The part of a classifier that tells how the outcome follows the features.

    What a model does not have is an AttributeError, so that ``hasattr`` tells it as scikit-learn expects.
    """

    model_: Any
    learner: Any
    n_features_in_: int

    @property
    def coef_(self) -> Array:
        """Slopes of the outcome part on the features as they are, shape (1, d); of linear models.

        They are what ``summary`` prints for the outcome, and 0 for features that the outcome part does without.
        """
        return self._outcome_line("coef_")[1][None, :]

    @property
    def intercept_(self) -> Array:
        """Intercept of the outcome part, shape (1,); of linear models."""
        return np.array([self._outcome_line("intercept_")[0]])

    @property
    def feature_importances_(self) -> Array:
        """How far each feature moves the outcome's predictor on average, shape (d,); of boosted models.

        It is the mean absolute contribution (see ``predict_contributions``) among people of the training cohort. The
        linear model under the trees counts, which the gain of the trees knows nothing of.
        """
        fit = self._outcome_fit("feature_importances_")
        if not isinstance(fit, BoostedFit) or fit.reliance is None:
            raise AttributeError(self._lack("feature_importances_", "boosted"))
        return fit.reliance

    @property
    def importances_by_part_(self) -> dict[str, Array]:
        """Total gain of the trees from each feature, for the outcome and for the propensity apart."""
        fit = self._outcome_fit("importances_by_part_")
        if not isinstance(fit, BoostedFit):
            raise AttributeError(self._lack("importances_by_part_", "boosted"))
        return fit.importances

    def predict_contributions(self, X: Any) -> Array:
        """What each feature adds to a person's outcome predictor, and what all people share (SHAP values).

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)

        Returns
        -------
        ndarray of shape (n, d + 1)
            One column per feature, and the base as the last. A row sums to the outcome's predictor: the log odds that
            ``decision_function`` gives; of `PromotionTimeClassifier` the log of the mean number of causes, and of
            `ProportionalPUClassifier` the log odds of a label, on which that model is linear.

        Notes
        -----
        Linear parts are slope times distance from the training mean. Trees are attributed by LightGBM's
        ``pred_contrib``: exact Shapley values that weigh the branches by how many people took them.
        """
        check_is_fitted(self)
        fit = self._outcome_fit("predict_contributions")
        has_trees = isinstance(fit, BoostedFit) and fit.outcome is not None
        if not (has_trees or (isinstance(fit, LinearFit) and fit.has_outcome)):
            raise ArgumentError(self._lack("predict_contributions", "linear or boosted"))
        refuse_sparse(X, "predict_contributions")
        return outcome_contributions(fit, self._check_X(X, reset=False))  # type: ignore[attr-defined]

    def _outcome_fit(self, name: str) -> Any:
        """Model that holds the outcome part."""
        if not hasattr(self, "model_"):
            raise AttributeError(f"{name} is known after fit.")
        return self.model_.outcome if isinstance(self.model_, HindsightFit) else self.model_

    def _outcome_line(self, name: str) -> tuple[float, Array]:
        fit = self._outcome_fit(name)
        if not isinstance(fit, LinearFit) or not fit.has_outcome:
            raise AttributeError(self._lack(name, "linear"))
        return fit.predictor.outcome_line(self.n_features_in_)

    def _lack(self, name: str, kinds: str) -> str:
        """Say that the outcome part is of another kind, or not there."""
        return f"{name} needs a {kinds} outcome part, which {type(self).__name__}(learner={self.learner!r}) has not."
