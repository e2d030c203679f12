"""The classifier whose propensity is a logistic function of some of the features."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from whether.cohort import Cohort
from whether.estimators.label_only import LabelOnlyClassifier
from whether.estimators.warn import stack_level
from whether.learners import Task
from whether.propensity import LogisticPropensity
from whether.validate import IdentifiabilityWarning


class SARPUClassifier(LabelOnlyClassifier):
    """The propensity is a logistic function of some of the features (SARPU): e = e(x_subset).

    Both parts are fitted by maximum likelihood (equation 3). If a feature of the outcome is left out of the propensity
    the two parts are identified and have valid standard errors (Diop, Diop and Dupuy 2011). With all features in both
    parts p and e can be exchanged; the fit then starts from the belief that who has the event explains the labels
    better than who is seen, and warns.

    Parameters
    ----------
    propensity_features : list of str or int, optional
        Features that drive labeling, by name or position. None means all of them; an empty list makes the propensity
        a constant that is estimated by maximum likelihood.
    learner, ridge, covariance, max_iter, n_starts, random_state, verbose
        See `CensoredClassifier`.

    References
    ----------
    Bekker, Robberechts and Davis, Beyond the selected completely at random assumption, ECML PKDD 2019.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=2000, seed=0)
    >>> model = wh.SARPUClassifier(propensity_features=[2, 3]).fit(cohort.X, cohort.y)
    >>> model.predict_propensity(cohort.X).shape
    (2000,)
    """

    def __init__(
        self,
        propensity_features: Sequence[str | int] | None = None,
        *,
        learner: Any = "linear",
        ridge: float | str = "auto",
        covariance: str = "observed",
        max_iter: int = 100,
        n_starts: int = 3,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.propensity_features, self.learner, self.ridge = propensity_features, learner, ridge
        self.covariance, self.max_iter, self.n_starts = covariance, max_iter, n_starts
        self.random_state, self.verbose = random_state, verbose

    def _task(self, cohort: Cohort) -> Task:
        columns = self._columns("propensity_features")
        self.exchangeable_ = columns.size == cohort.features.shape[1]
        return Task(cohort, [LogisticPropensity(sloped=columns.size > 0)], columns, rng=self._rng())

    def _warn_of_rivals(self) -> None:
        # Said below, with the reason, where all features are in both parts.
        if not self.exchangeable_:
            super()._warn_of_rivals()

    def _report(self) -> None:
        super()._report()
        if not self.exchangeable_:
            return
        result = self.fit_result_
        warnings.warn(
            "All features are in both parts, so outcome and propensity may be exchanged: the likelihood is the same. "
            f"{len(result.rivals())} of {len(result.starts)} starts reach it, with outcome logits that correlate from "
            f"{result.least_agreement:.2f} to 1; the one that explains labels by the outcome was kept. Name the "
            "features that drive labeling in propensity_features, or bring in times with FollowUpCureClassifier or "
            "MixtureCureClassifier.",
            IdentifiabilityWarning,
            stacklevel=stack_level(),
        )

    def _notes(self) -> list[str]:
        notes = super()._notes()
        if self.exchangeable_:
            notes.append("All features are in both parts: outcome and propensity may be exchanged.")
        return notes
