"""What a fitted classifier says of its fit: convergence, likelihood, coefficients and their covariance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from whether.cohort import Cohort
from whether.estimators.coefficient_table import describe_coefficients, summarize
from whether.estimators.warn import warn_of_outliers
from whether.inference import Summary
from whether.learners import FitResult, LinearFit, Population, Selection
from whether.validate import ArgumentError, find_outlying


class FitReport:
    """The part of a classifier that reports how it was fitted."""

    model_: Any
    learner: Any
    n_people_: float
    n_events_: float
    n_groups_: int | None = None
    n_known_negatives_: float = 0.0
    n_deaths_: float = 0.0
    outlying_features_: tuple[str, ...] = ()  # in which one value leaves nothing of the differences between the others

    def _count(self, cohort: Cohort, population: Population | None) -> None:
        """Keep how many people, events, known negatives and groups there were."""
        if population is not None:
            self.n_people_, self.n_events_ = population.people, population.events
            self.n_known_negatives_, self.n_deaths_ = population.known_negatives, population.deaths
            self.n_groups_ = None
            return
        weights, never = cohort.weights, cohort.known_negative
        self.n_people_, self.n_events_ = float(weights.sum()), float(weights[cohort.labeled].sum())
        self.n_known_negatives_ = 0.0 if never is None else float(weights[never].sum())
        self.n_deaths_ = 0.0 if cohort.competing is None else float(weights[cohort.competing].sum())
        self.outlying_features_ = tuple(find_outlying(cohort.features, cohort.names))
        warn_of_outliers(self.outlying_features_)
        self.n_groups_ = None if cohort.groups is None else int(np.unique(cohort.groups).size)

    @property
    def fit_result_(self) -> FitResult:
        """How the optimum was reached, from how many starts, and how far apart they ended."""
        return self.model_.result

    @property
    def selection_(self) -> Selection | None:
        """How ``learner="auto"`` chose; None for the others."""
        return self.model_.result.selection

    @property
    def converged_(self) -> bool:
        """Whether the optimum was reached."""
        return self.model_.result.converged

    @property
    def n_iter_(self) -> int:
        """Number of steps."""
        return max(self.model_.result.n_steps, 1)

    @property
    def loglik_(self) -> float:
        """Log-likelihood at the estimates, without penalties; of event times per unit of time as it was given."""
        return self.model_.result.log_likelihood

    @property
    def n_parameters_(self) -> int:
        """Number of parameters that were estimated, of a linear model."""
        return self.model_.result.n_parameters

    @property
    def aic_(self) -> float:
        """Akaike's information criterion, of maximum likelihood fits."""
        return self._information_criterion("aic_", 2.0)

    @property
    def bic_(self) -> float:
        """Bayesian information criterion, of maximum likelihood fits; it counts people, with their weights."""
        return self._information_criterion("bic_", float(np.log(self.n_people_)))

    def _information_criterion(self, name: str, price: float) -> float:
        if not self.is_maximum_likelihood_:
            raise AttributeError(f"{name} is a property of maximum likelihood, which penalty=None asks for.")
        return price * self.n_parameters_ - 2 * self.loglik_

    @property
    def is_maximum_likelihood_(self) -> bool:
        """Whether nothing but the likelihood was maximised, by a linear model."""
        return isinstance(self.model_, LinearFit) and self.model_.is_maximum_likelihood

    @property
    def at_boundary_(self) -> bool:
        """Whether the likelihood still rises where coefficients run to infinity, such as to a cured fraction of 0."""
        return self.is_maximum_likelihood_ and self.model_.covariance.flat is not None

    def vcov(self) -> Any:
        """Return the covariance of the coefficients as a pandas DataFrame, on the scale that ``summary`` prints.

        Rows and columns are labeled by part and term. They hold NaN where the data do not determine the coefficients.
        """
        import pandas

        fit = self._linear_fit("vcov()")
        terms, matrix, _ = describe_coefficients(fit, self._names())  # type: ignore[attr-defined]
        inner = fit.covariance.matrix
        values = np.full((len(terms), len(terms)), np.nan) if inner is None else matrix @ inner @ matrix.T
        labels = pandas.MultiIndex.from_tuples([(term.part, term.name) for term in terms], names=["part", "term"])
        return pandas.DataFrame(values, index=labels, columns=labels)

    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients with standard errors, z, p, confidence intervals and odds, rate, time or hazard ratios.

        Parameters
        ----------
        level : float, default=0.95
            Confidence level.
        """
        fit = self._linear_fit("summary()")
        if not 0 < level < 1:
            raise ArgumentError(f"level must lie between 0 and 1, got {level!r}.")
        return summarize(self, fit, level)  # type: ignore[arg-type]

    def _linear_fit(self, what: str) -> LinearFit:
        check_is_fitted(self)
        if not isinstance(self.model_, LinearFit):
            raise ArgumentError(
                f"{what} is about coefficients, and a model with learner={self.learner!r} has none. "
                "Fit with learner='linear' for it, or look at feature_importances_ of a boosted model."
            )
        return self.model_
