"""Other models of the same people: how far the answer moves where the data do not say which of them is right.

How many are positive rests on what comes after the longest follow-up, and there models part that fit alike before it:
a lighter or heavier tail of the event times, a mixture or hidden causes. Each is fitted, and weighs by how well it
predicts people who were left out. No model of real people is exactly right, and with enough of them every one but the
best would be ruled out, on grounds that have nothing to do with the tail. So the likelihood counts as if it came from
at most a few hundred people: the coarsened posterior of Miller and Dunson (JASA 2019).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from whether.advise.variants import fit_to
from whether.analysis.still_to_come import predict_still
from whether.analysis.uncertainty import log_odds
from whether.analysis.windows import predict_windows
from whether.cohort import Cohort
from whether.estimators import (
    CensoredClassifier,
    FollowUpCureClassifier,
    MixtureCureClassifier,
    PromotionTimeClassifier,
)
from whether.estimators.held_out import held_out_log_likelihood
from whether.estimators.time_model import TimeModelClassifier
from whether.family import Family
from whether.learners.linear.linear_fit import Moves, Standardization
from whether.learners.parallel import in_processes
from whether.learners.progress import progress

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# From light to heavy.
TAILS = ("lightgamma", "weibull", "lognormal", "loglogistic", "frechet")
# People as whom everybody counts at most. With 400 the intervals of the mean risk hold what became known later in seven
# of ten cohorts put back in time, with 200 in nine; with 100 in no more, but they are wider than need be in worlds in
# which one of the models is true (`benchmarks`: level).
MOST_INFORMATION = 200.0
# The same where the curve of events levels off within follow-up. The tail was seen then, and likelihood may tell tails
# apart; with 200 the intervals hold the truth in all cohorts of such worlds, for which they are wider than need be.
MOST_INFORMATION_OF_TAIL = 500.0
# People to whom the alternatives are fitted at most.
MOST_PEOPLE = 20_000
# Parameters that no model may do without if one has them.
KNOWN_FROM_ELSEWHERE = ("prevalence", "prevalence_error")


@dataclass(frozen=True, eq=False)
class Alternatives:
    """What other models say of everybody, and how much each weighs."""

    weights: Array  # one per model, summing to one
    risks: Array  # a row for each model, a column for each person
    still: Array  # 0 for the labeled
    reference_risks: Array  # of the model from which they part, fitted to the same people
    reference_still: Array
    windows: NDArray[np.float32]  # a table for each model, with a row for each length of time
    reference_windows: NDArray[np.float32]

    def reach_of_mean_risk(self, rows: Rows) -> tuple[float, float]:
        """How far the log odds of the mean risk of some people reach down and up."""
        return self._reach(self.risks[:, rows].mean(axis=1), self.reference_risks[rows].mean())

    def reach_of_unseen(self, rows: Rows) -> tuple[float, float]:
        """How far the log odds of the share of positives among some unlabeled people reach down and up."""
        return self._reach(self.still[:, rows].mean(axis=1), self.reference_still[rows].mean())

    def reach_of_window(self, number: int, rows: Rows) -> tuple[float, float]:
        """How far the log odds of the share of some people with the event within a length of time reach."""
        return self._reach(self.windows[:, number, rows].mean(axis=1), self.reference_windows[number, rows].mean())

    def moves_from(self, standardization: Standardization, family: Family, features: Array) -> Moves:
        """How the outcome's predictor moves to those of the others, as a line in standardised features."""
        table = np.column_stack([np.ones(features.shape[0]), standardization.apply(features)])
        ends = [family.from_log_odds(log_odds(risks)) for risks in (*self.risks, self.reference_risks)]
        moved = np.stack(ends[:-1], axis=1) - ends[-1][:, None]
        found = np.linalg.lstsq(table, moved, rcond=None)[0].T
        return Moves(standardization, np.asarray(np.sqrt(2 * self.weights)[:, None] * found))

    def _reach(self, shares: Array, reference: Array) -> Any:
        """Root mean square of the steps to either side, as if each side were half of all models."""
        steps = log_odds(shares) - log_odds(reference)
        down, up = np.minimum(steps, 0.0), np.maximum(steps, 0.0)
        return tuple(np.sqrt(2 * np.tensordot(self.weights, side**2, axes=1)) for side in (down, up))


def fit_alternatives(
    model: CensoredClassifier,
    X: Any,
    cohort: Cohort,
    *,
    levels_off: bool = False,
    lengths: tuple[float, ...] = (),
) -> Alternatives | None:
    """Fit models that part from this one where follow-up ends; None where there can be none.

    ``levels_off`` says that the curve of events does so before that, ``lengths`` for how long windows are.
    """
    if not isinstance(model, TimeModelClassifier) or not np.isfinite(cohort.features).all():
        return None  # gaps are for trees alone
    part = cohort.thin(MOST_PEOPLE)
    reference = model if model.learner == "linear" and part.n == cohort.n else _fit(_straight(model), part)
    fitted, scores = [], []
    rivals = list(_rivals(model, reference))
    with progress(len(rivals), "Alternatives") as bar:
        for found in in_processes(partial(_judge, part), rivals, part.features.size):
            if found is not None:  # a tail that cannot be fitted says nothing
                fitted.append(found[0])
                scores.append(found[1])
            bar.advance()
    everybody = [(each, X if each is model else cohort.features) for each in (*fitted, reference)]
    risks = np.array([each.predict_proba(table)[:, 1] for each, table in everybody])
    still = np.nan_to_num([predict_still(each, table, cohort) for each, table in everybody])
    # In single precision: only their means are of interest, and of a million people they are the largest arrays.
    windows = np.array([predict_windows(each, table, cohort, lengths) for each, table in everybody], dtype=np.float32)
    weights = _weigh(np.array(scores), part.n, MOST_INFORMATION_OF_TAIL if levels_off else MOST_INFORMATION)
    return Alternatives(weights, risks[:-1], still[:-1], risks[-1], still[-1], windows[:-1], windows[-1])


def _straight(model: CensoredClassifier) -> CensoredClassifier:
    """Return the linear version of a model."""
    straight: CensoredClassifier = clone(model).set_params(learner="linear")
    return straight


def _rivals(model: TimeModelClassifier, reference: Any) -> Iterator[CensoredClassifier]:
    """Models of every tail, of either family."""
    from_follow_up = model.model_.propensity.needs_follow_up
    mixture = FollowUpCureClassifier() if from_follow_up else MixtureCureClassifier()
    if isinstance(model, type(mixture)):
        # Which penalty is best hardly depends on the tail, and to look for it again would take most of the time.
        mixture = _straight(model).set_params(shrinkage=reference.shrinkage_)
    causes = PromotionTimeClassifier("follow_up" if from_follow_up else "time")
    known = {name: value for name, value in model.get_params(deep=False).items() if name in KNOWN_FROM_ELSEWHERE}
    for rival in (mixture, causes):
        rival.set_params(**known)
    for tail in TAILS:
        for family in (mixture, causes):
            yield clone(family).set_params(distribution=tail, random_state=0)


def _fit(model: CensoredClassifier, cohort: Cohort) -> CensoredClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what may mislead about a rival shows in how far it reaches
        fitted: CensoredClassifier = fit_to(cohort, model)
    return fitted


def _judge(cohort: Cohort, rival: CensoredClassifier) -> tuple[CensoredClassifier, float] | None:
    """A rival fitted, and how well it predicts people left out; None where it cannot be fitted."""
    try:
        return _fit(rival, cohort), held_out_log_likelihood(rival, cohort)
    except (ValueError, np.linalg.LinAlgError):
        return None


def _weigh(scores: Array, n: int, most: float) -> Array:
    """Weights from mean held-out log-likelihoods of n people, of whom at most so many count."""
    weights = np.exp((scores - scores.max()) * n * most / (n + most))
    return np.asarray(weights / weights.sum())
