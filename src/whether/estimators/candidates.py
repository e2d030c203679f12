"""Candidates for the times of a cure model: distributions of events and, where deaths are told apart, of deaths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whether.cohort import Cohort
from whether.distributions import AUTO_DISTRIBUTIONS, DISTRIBUTIONS
from whether.learners import MOST_SAMPLED, LinearLearner, Task
from whether.open_residuals import OPEN
from whether.propensity import Propensity, SurvivalTimePropensity, TwoSidedPropensity
from whether.validate import ArgumentError, check_planned_follow_up

# With fewer seen deaths per feature, features tell the deaths apart by chance, and whoever is unlike the dead becomes a
# positive. Where times of death do not follow the features at all, though, the outcome has to say who died, and again
# whoever is unlike the dead becomes a positive. So slopes of few deaths are held back, by a penalty worth 50 persons.
DEATHS_PER_FEATURE, RIDGE_OF_FEW = 5, 50.0
# People on whom the distribution of deaths is chosen at most.
MOST_DEATHS = 5_000


def cure_candidates(
    kind: type[SurvivalTimePropensity], distributions: tuple[str, str], cohort: Cohort, penalty: str | None
) -> Sequence[Propensity]:
    """Propensities of a cure model; with the times of death of negatives where deaths are told apart.

    The distributions are those of events and of deaths.
    """
    candidates = survival_candidates(kind, distributions[0], cohort, penalty)
    if cohort.competing is None:
        return candidates
    if kind.needs_follow_up and cohort.time is not None:
        check_planned_follow_up(cohort)
    # When negatives die is asked of everybody without the event: a distribution is chosen as if all of them were.
    never = None if cohort.known_negative is None else ~cohort.known_negative
    rows = np.flatnonzero(~cohort.labeled if never is None else never & ~cohort.labeled)
    mortal = replace(cohort.take(rows), labeled=cohort.competing[rows], competing=None, known_negative=None)
    deaths = survival_candidates(kind, distributions[1], mortal, penalty)
    n_features = cohort.features.shape[1]
    is_few = penalty is not None and np.count_nonzero(cohort.competing) < DEATHS_PER_FEATURE * n_features
    task = Task(mortal.thin(MOST_DEATHS), deaths, np.arange(n_features), has_outcome=False)
    learner = LinearLearner(n_starts=1, ridge=RIDGE_OF_FEW) if is_few else LinearLearner(n_starts=1)
    chosen = learner.fit(_filled(task)).propensity
    assert isinstance(chosen, SurvivalTimePropensity)
    return [TwoSidedPropensity(candidate, chosen, RIDGE_OF_FEW if is_few else 0.0) for candidate in candidates]


def _filled(task: Task) -> Task:
    """Missing features, which some learners take, are filled with the mean where a linear model is to be fitted."""
    features = task.cohort.features
    if not isinstance(features, np.ndarray) or not np.isnan(features).any():
        return task
    filled = np.where(np.isnan(features), np.nan_to_num(np.nanmean(features, axis=0)), features)
    return replace(task, cohort=replace(task.cohort, features=filled))


def survival_candidates(
    kind: type[SurvivalTimePropensity], distribution: str, cohort: Cohort, penalty: str | None
) -> list[SurvivalTimePropensity]:
    """Propensities with the residual distribution that a parameter names, in the units of the recorded times."""
    if distribution == OPEN:
        raise ArgumentError(f"distribution={OPEN!r} needs event times and a cured part: use MixtureCureClassifier.")
    names = AUTO_DISTRIBUTIONS if distribution == "auto" else (distribution,)
    cohort = cohort.thin(MOST_SAMPLED).without_known_negatives()
    recorded = np.log(cohort.required("time" if kind.needs_time else "follow_up"))
    center = float(np.average(recorded, weights=cohort.weight))
    spread = float(np.sqrt(np.average((recorded - center) ** 2, weights=cohort.weight)))
    # All times equal: any spread will do, there is nothing to standardise.
    weight = 0.0 if penalty is None else 1.0
    return [kind(DISTRIBUTIONS[name], center, spread or 1.0, penalty_weight=weight) for name in names]
