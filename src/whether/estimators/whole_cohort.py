"""All that is known of people in one object, which is taken along: through cross-validation, and to any method."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing

from whether.validate import DataError, check_cohort


@dataclass(frozen=True, eq=False, repr=False)
class Cohort:
    """Features, labels and everything else that is known of people, checked once.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        Features.
    y : array-like of 0 and 1
        Whether the event was seen.
    time, time_lower, entry_time, follow_up, known_negative, competing, sample_weight, groups : array-like, optional
        See `CensoredClassifier.fit`.

    Attributes
    ----------
    known : dict of str to array-like
        What was given besides features and labels, by the names that ``fit`` takes.

    Examples
    --------
    >>> import whether as wh
    >>> drawn = wh.simulate("late-entry", n=1000, seed=0)
    >>> cohort = wh.Cohort(drawn.X, drawn.y, time=drawn.time, entry_time=drawn.entry_time)
    >>> cohort
    Cohort of 1,000 people: entry_time, time
    >>> model = cohort.fit(wh.MixtureCureClassifier("lognormal"))
    >>> cohort[:500].fit(wh.MixtureCureClassifier("lognormal")).converged_
    True
    """

    X: Any
    y: ArrayLike
    time: ArrayLike | None = None
    time_lower: ArrayLike | None = None
    entry_time: ArrayLike | None = None
    follow_up: ArrayLike | None = None
    known_negative: ArrayLike | None = None
    competing: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    groups: ArrayLike | None = None

    def __post_init__(self) -> None:
        n = len(self)
        if self.X.shape[0] != n if hasattr(self.X, "shape") else len(self.X) != n:
            raise DataError(f"X and y are of different people: y has {n} entries.")
        check_cohort(np.empty((n, 0)), np.asarray(self.y), names=(), **self.known)

    def __len__(self) -> int:
        return int(np.shape(self.y)[0])

    def __repr__(self) -> str:
        return f"Cohort of {len(self):,} people: {', '.join(sorted(self.known)) or 'labels alone'}"

    def _given(self) -> Iterator[tuple[str, Any]]:
        for field in fields(self)[2:]:
            if (value := getattr(self, field.name)) is not None:
                yield field.name, value

    @property
    def known(self) -> dict[str, Any]:
        """What was given besides features and labels."""
        return dict(self._given())

    def __getitem__(self, rows: Any) -> Cohort:
        """Return the cohort of some rows: a slice, positions, or one boolean per person."""
        positions = np.arange(len(self))[rows]
        taken = {name: _safe_indexing(value, positions) for name, value in self._given()}
        return replace(self, X=_safe_indexing(self.X, positions), y=_safe_indexing(self.y, positions), **taken)

    def fit(self, model: Any) -> Any:
        """Fit a classifier to everything that is known; it refuses what it cannot read."""
        return model.fit(self.X, self.y, **self.known)

    def request(self, model: Any) -> Any:
        """Return the classifier, which from now on asks scikit-learn's metadata routing for all that is known.

        Pass ``params=cohort.known`` to ``cross_validate`` and its kin; routing has to be enabled in scikit-learn.
        """
        scored = inspect.signature(model.score).parameters
        model.set_fit_request(**dict.fromkeys(self.known, True))
        of_score = {name: True for name in self.known if name in scored}
        return model.set_score_request(**of_score) if of_score else model
