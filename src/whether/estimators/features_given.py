"""How a classifier reads the features that it is given: data frames, arrays and sparse matrices."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import validate_data

from whether.arrays import Features, Rows
from whether.estimators.categories import find_categories, read_table
from whether.learners import Learner
from whether.validate import check_features, check_sparse, refuse_sparse, resolve_columns, tidy_sparse


class ReadsFeatures:
    """The part of a classifier that checks features and knows their names."""

    learner: Any
    n_features_in_: int
    categories_: dict[str, Any]

    def _allows_missing(self) -> bool:
        return self.learner == "boosted" or (isinstance(self.learner, Learner) and self.learner.allows_missing)

    _reads_sparse: ClassVar[bool] = True  # whether its linear model takes sparse features as they are

    def _takes_sparse(self) -> bool:
        return self._reads_sparse and isinstance(self.learner, str) and self.learner == "linear"

    def _check_X(self, X: Any, *, reset: bool) -> Features:
        if reset:
            self.categories_ = find_categories(X) if self._allows_missing() else {}
        if not self._takes_sparse():
            refuse_sparse(X, f"{type(self).__name__}(learner={self.learner!r})")
        X, types = read_table(X, self.categories_), [np.float64, np.float32]
        least = 0 if self.learner == "linear" else 1
        kept = {"accept_sparse": "csr", "ensure_all_finite": False, "ensure_min_features": least}
        features = validate_data(self, X, reset=reset, dtype=types, **kept)
        if not isinstance(features, np.ndarray):
            features = tidy_sparse(features)
            check_sparse(features, self._names())
            return features
        check_features(features, self._names(), allow_missing=self._allows_missing())
        return features

    def _names(self) -> list[str]:
        named = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if named is None else [str(name) for name in named]

    def _columns(self, parameter: str) -> Rows:
        """Positions of the features that a parameter names."""
        named = getattr(self, "feature_names_in_", None) is not None
        return resolve_columns(getattr(self, parameter), self._names() if named else self.n_features_in_, parameter)
