"""Nearly unpenalised linear fits for tests, with each person's influence on them.

The classifiers shrink, which is right for prediction and wrong for tests: a shrunken fit differs from the truth by
design. Here the penalty on slopes is worth a hundredth of a person, and none ties the time part to the outcome. That on
the scale and location of event times stays, one person's worth, but for likelihood ratios; see `loosen`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from whether.cohort import Cohort
from whether.distributions import AUTO_DISTRIBUTIONS, DISTRIBUTIONS, softplus_expit
from whether.learners import FittedPeople, LinearFit, LinearLearner, Task
from whether.propensity import EventTimePropensity, FollowUpPropensity, LogisticPropensity, Propensity
from whether.propensity.survival_time import SurvivalTimePropensity

Array = NDArray[np.float64]
Columns = NDArray[np.intp]

RIDGE = 0.01
# Events per tested feature below which chi-squared tests are not run on all features.
EVENTS_PER_FEATURE = 10
# Events below which nothing is fitted for a test at all.
FEWEST_EVENTS = 30
# Features that enter the indices at most.
MOST_CHOSEN = 30

NO_COLUMNS: Columns = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class ProbeFit:
    """A fit together with its people."""

    fit: LinearFit
    people: FittedPeople  # Labeled people first.

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood at the optimum, without penalties."""
        return self.fit.result.log_likelihood

    @property
    def distribution(self) -> str:
        """Name of the residual distribution of log time, if there is one."""
        return self.fit.propensity.name

    @property
    def predictors(self) -> tuple[Array, Array]:
        """Outcome logit and propensity predictors of each person."""
        return self.people.predictors

    @property
    def risks(self) -> Array:
        """Probability that the event ever happens to each person."""
        return softplus_expit(self.predictors[0])[1]

    @property
    def noise(self) -> float:
        """Scale of the residuals of log time, in spreads of the recorded log times."""
        propensity = self.fit.propensity
        assert isinstance(propensity, SurvivalTimePropensity)
        return float(np.exp(self.predictors[1][1, 0])) if propensity.distribution.has_scale else 1 / propensity.spread

    @property
    def tells_risks_apart(self) -> bool:
        """Whether it is clear at all that risks depend on features: Wald's test of the outcome's slopes, at 5 %."""
        place = self.fit.predictor.layout.outcome
        slopes, influence = self.fit.coefficients[place], self.people.influence[:, place]
        statistic = float(slopes @ np.linalg.lstsq(influence.T @ influence, slopes, rcond=1e-10)[0])
        return float(chi2.sf(max(statistic, 0.0), slopes.size)) < 0.05 if slopes.size else False

    def mean_risk(self) -> tuple[float, Array]:
        """Mean risk of the cohort and each person's influence on it through the coefficients."""
        risk = self.risks
        return float(risk.mean()), self.people.influence_through_outcome(risk * (1 - risk) / risk.size)

    def unseen_share(self, longest: float) -> float:
        """Share of the expected positives whose event is predicted to come after the longest follow-up."""
        risk, (_, v), propensity = self.risks, self.predictors, self.fit.propensity
        assert isinstance(propensity, SurvivalTimePropensity)
        end = propensity.locate(np.full(risk.size, longest))
        later = np.exp(propensity.log_missed(v, end).value)
        return float(risk @ later / max(risk.sum(), 1e-12))


def all_columns(cohort: Cohort) -> Columns:
    """Positions of all features."""
    return np.arange(cohort.features.shape[1])


def fit_probe(
    cohort: Cohort, candidates: Sequence[Propensity], columns: Columns, *, n_starts: int = 2, ridge: float = RIDGE
) -> ProbeFit:
    """Fit the most likely of the candidates, which may depend on the features in `columns`."""
    task = Task(cohort, candidates, columns)
    fit = LinearLearner(ridge=ridge, shrinkage=0.0, n_starts=n_starts).fit(task)
    return ProbeFit(fit, FittedPeople(fit, task))


def widen_probe(
    narrow: ProbeFit, cohort: Cohort, propensity: Propensity, columns: Columns, *, n_starts: int = 2
) -> ProbeFit:
    """Fit a model that contains another, from starts of its own and from the other's optimum; keep the better.

    From its own starts alone it may end on a lower summit than the other, and the likelihood ratio be negative. The
    people are the same; the features and columns of the narrower model come first.
    """
    own = fit_probe(cohort, [propensity], columns, n_starts=n_starts, ridge=narrow.fit.ridge)
    task = Task(cohort, [propensity], columns)
    other = LinearLearner(ridge=narrow.fit.ridge, shrinkage=0.0).fit_from(task, narrow.fit)
    if own.fit.result.objective <= other.result.objective:
        return own
    return ProbeFit(other, FittedPeople(other, task))


def in_units_of(times: Array, kind: type[SurvivalTimePropensity], names: Sequence[str]) -> list[SurvivalTimePropensity]:
    """Propensities with these residual distributions, in units of center and spread of the log times."""
    logs = np.log(times)
    return [kind(DISTRIBUTIONS[name], float(logs.mean()), float(logs.std()) or 1.0) for name in names]


def event_time_candidates(cohort: Cohort, names: Sequence[str] = AUTO_DISTRIBUTIONS) -> list[SurvivalTimePropensity]:
    """Event-time propensities with these residual distributions."""
    return in_units_of(cohort.required("time"), EventTimePropensity, names)


def follow_up_candidates(cohort: Cohort, names: Sequence[str] = AUTO_DISTRIBUTIONS) -> list[SurvivalTimePropensity]:
    """Follow-up propensities with these residual distributions."""
    return in_units_of(cohort.required("follow_up"), FollowUpPropensity, names)


class EventTimeFits:
    """The event-time model with all features, which several questions ask for: fitted once to the whole cohort."""

    def __init__(self, cohort: Cohort) -> None:
        self._cohort = cohort
        self._whole: ProbeFit | None = None

    def of(self, cohort: Cohort) -> ProbeFit:
        """Return the fit to the whole cohort, or to another design of it."""
        if cohort is self._cohort and self._whole is not None:
            return self._whole
        fit = fit_probe(cohort, event_time_candidates(cohort), all_columns(cohort))
        if cohort is self._cohort:
            self._whole = fit
        return fit


def loosen(candidates: Sequence[SurvivalTimePropensity]) -> list[SurvivalTimePropensity]:
    """Return the candidates with hardly a penalty on scale and location, for likelihood ratios."""
    return [
        type(candidate)(candidate.distribution, candidate.center, candidate.spread, penalty_weight=RIDGE)
        for candidate in candidates
    ]


def logistic_candidates(sloped: bool) -> list[Propensity]:
    """The propensity of labels alone: logistic, or constant."""
    return [LogisticPropensity(sloped=sloped)]


@dataclass(frozen=True, eq=False)
class ProbeDesign:
    """The people and features on which chi-squared tests are run."""

    cohort: Cohort | None  # None where there are too few events for any.
    columns: Columns  # Features whose part in the propensity is tested.
    note: str = ""  # What was done, or why nothing; empty where all people and features are in it.


def design_probe(
    cohort: Cohort, candidates: Sequence[Propensity], *, events_per_feature: int = EVENTS_PER_FEATURE
) -> ProbeDesign:
    """Choose the people and features for likelihood-ratio tests.

    With enough events per feature these are all. With fewer, one half of the people choose two indices, one for the
    outcome and one for the propensity, and the tests are run on the other half with these two as features: the choice
    cannot have been made to fit those people, so that the tests keep their level.
    """
    events = int(np.count_nonzero(cohort.labeled))
    scarce = min(events, cohort.n - events)
    if scarce < FEWEST_EVENTS:
        return ProbeDesign(None, NO_COLUMNS, "too few events")
    if scarce >= events_per_feature * cohort.features.shape[1]:
        return ProbeDesign(cohort, all_columns(cohort))
    if scarce < 2 * FEWEST_EVENTS:
        return ProbeDesign(None, NO_COLUMNS, "too few events for so many features")
    order = np.argsort(~cohort.labeled, kind="stable")
    choosing, testing = (cohort.take(np.sort(order[first::2])) for first in (0, 1))
    columns = promising_columns(choosing)
    part = choosing.select(columns)
    fit = LinearLearner(ridge=10.0, shrinkage=1.0, n_starts=2).fit(Task(part, candidates[:1], all_columns(part)))
    eta, v = fit.predict(testing.features[:, columns])
    indices = np.column_stack([np.asarray(eta), v[0]])
    reduced = replace(testing, features=indices, names=("outcome", "propensity"))
    return ProbeDesign(reduced, np.array([1]), "on half of the people, along two directions found in the other half")


def promising_columns(cohort: Cohort, most: int = MOST_CHOSEN) -> Columns:
    """Features that go with the label, or with the time of the event, one by one; at most 30, or so many."""
    x = (cohort.features - cohort.features.mean(axis=0)) / np.maximum(cohort.features.std(axis=0), 1e-12)
    strength = np.abs(cohort.labeled @ x) / np.sqrt(float(cohort.labeled.sum()))
    if cohort.time is not None:
        logs = np.log(cohort.time[cohort.labeled])
        spread = max(float(logs.std() * np.sqrt(logs.size)), 1e-12)
        strength = np.maximum(strength, np.abs((logs - logs.mean()) @ x[cohort.labeled]) / spread)
    return np.sort(np.argsort(-strength, kind="stable")[:most])
