"""The learner that chooses among learners by cross-validated likelihood, a valid criterion within a restriction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from whether.cohort import Cohort
from whether.learners.base import Learner
from whether.learners.folds import deal_folds
from whether.learners.linear.learner import LinearLearner
from whether.learners.progress import progress
from whether.learners.rows import RowProblem
from whether.propensity import Propensity

Array = NDArray[np.float64]

# A simpler learner is given up before all folds are done only where it is so many standard errors behind.
FAR_BEHIND = 2.0


@dataclass(frozen=True)
class Selection:
    """How a learner was chosen.

    Attributes
    ----------
    learners : tuple of str
        From the simplest on.
    log_likelihood : ndarray
        Held-out log-likelihood per person; of a learner that was left out early, the best one's less its lead.
    standard_error : ndarray
        Standard error of the difference from the best, with what different people to learn from would change in it.
    n_people : tuple of int
        Number of people on whom each learner was judged.
    chosen : str
        The simplest within one standard error of the best.
    """

    learners: tuple[str, ...]
    log_likelihood: Array
    standard_error: Array
    n_people: tuple[int, ...]
    chosen: str

    def may_win(self, name: str) -> bool:
        """Whether a learner may still be chosen when more people are held out.

        A simpler one than the chosen needs only to come near to the best again, the others would have to catch up and
        overtake.
        """
        row = self.learners.index(name)
        errors = FAR_BEHIND if row < self.learners.index(self.chosen) else 1.0
        return bool(_close(self.log_likelihood.max() - self.log_likelihood, errors * self.standard_error)[row])

    def __str__(self) -> str:
        lines = [f"{'learner':10s} {'held-out log-likelihood':>24s} {'behind the best by':>20s} {'people':>19s}"]
        behind = self.log_likelihood.max() - self.log_likelihood
        rows = zip(self.learners, self.log_likelihood, behind, self.standard_error, self.n_people, strict=True)
        for name, value, lead, error, people in rows:
            mark = " *" if name == self.chosen else ""
            lines.append(f"{name:10s} {value:24.5f} {lead:20.5f} (se {error:.5f}) {people:7,d}{mark}")
        return "\n".join([*lines, "* the simplest within one standard error of the best"])


class AutoLearner(Learner, BaseEstimator):
    """Chooses the learner by cross-validated likelihood; the simpler one wins within a standard error.

    The standard error of a difference is Nadeau and Bengio's: fits to overlapping folds err together, and the plain
    one, of people as if each had a fit of their own, is too small by a third. After each fold, learners that lie more
    than a standard error behind the best are left out of the next, those simpler than the best if it is two.

    Parameters
    ----------
    learners : dict of str to Learner
        Candidates, the simplest first.
    n_folds : int, default=3
    """

    def __init__(self, learners: dict[str, Learner], *, n_folds: int = 3) -> None:
        self.learners = learners
        self.n_folds = n_folds

    def fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        *,
        columns: NDArray[np.intp],
        rng: np.random.Generator,
        has_outcome: bool = True,
        known: dict[int, float] | None = None,
    ) -> Any:
        """Cross-validate the learners and fit the chosen one to all rows; see `Learner.fit`."""
        settings: dict[str, Any] = {"columns": columns, "rng": rng, "has_outcome": has_outcome, "known": known}
        judged = {name: _at_its_best(learner, cohort, candidates, settings) for name, learner in self.learners.items()}
        fold = deal_folds(cohort.labeled, candidates[0].observe(cohort), cohort.features, self.n_folds)
        values = {name: np.full(cohort.n, np.nan) for name in self.learners}
        running = list(self.learners)
        with progress(self.n_folds, "Folds to compare learners") as bar:
            for number in range(self.n_folds):
                outside = np.flatnonzero(fold == number)
                for name in running:
                    values[name][outside] = _held_out(judged[name], cohort, candidates, outside, settings)
                selection = _select(cohort, values, self.n_folds)
                running = [name for name in running if selection.may_win(name)]
                bar.advance()
                if len(running) == 1:
                    break
        model = self.learners[selection.chosen].fit(cohort, candidates, **settings)
        object.__setattr__(model, "selection", selection)
        return model


def _at_its_best(
    learner: Learner, cohort: Cohort, candidates: Sequence[Propensity], settings: dict[str, Any]
) -> Learner:
    """Return the learner as it is compared: the linear one with the penalty of the highest held-out likelihood.

    The penalty that it is fitted with in the end is tighter, as far as two standard errors allow, and others would win
    by no more than that.
    """
    if not isinstance(learner, LinearLearner) or learner.shrinkage != "cv":
        return learner
    model = learner.fit(cohort, candidates, **settings)
    settled = model.settled(learner)
    return settled if model.path is None else replace(settled, shrinkage=model.path.best)


def _held_out(
    learner: Learner,
    cohort: Cohort,
    candidates: Sequence[Propensity],
    outside: NDArray[np.intp],
    settings: dict[str, Any],
) -> Array:
    """Weighted log-likelihood of each person outside under the model fitted to the others."""
    inside, part = np.setdiff1d(np.arange(cohort.n), outside), cohort.take(outside)
    model = learner.fit(cohort.take(inside), candidates, **settings)
    problem = RowProblem(part, model.propensity)
    return np.asarray(problem.weight * problem.evaluate(*model.predict(part.features)).value)


def _select(cohort: Cohort, values: dict[str, Array], n_folds: int) -> Selection:
    """Compare learners on the people held out so far; each with the best on those whom both have predicted.

    The variance of a mean over J of k folds is taken as 1 + J / (k - 1) times that of independent people: 1 / J +
    n2 / n1 instead of 1 / J, with n2 people held out of a fit to n1.
    """
    weight = np.ones(cohort.n) if cohort.weight is None else cohort.weight
    mean = {name: value[~np.isnan(value)].sum() / weight[~np.isnan(value)].sum() for name, value in values.items()}
    seen = {name: int(np.count_nonzero(~np.isnan(value))) for name, value in values.items()}
    best = max(values, key=lambda name: (seen[name], mean[name]))
    behind, error = np.zeros(len(values)), np.zeros(len(values))
    for row, value in enumerate(values.values()):
        lead = (values[best] - value)[~np.isnan(value)]
        people = weight[~np.isnan(value)].sum()
        inflation = 1 + lead.size / cohort.n * n_folds / (n_folds - 1)
        behind[row], error[row] = lead.sum() / people, np.sqrt(inflation * lead.size) * lead.std() / people
    chosen = tuple(values)[int(np.argmax(_close(behind, error)))]
    return Selection(tuple(values), mean[best] - behind, error, tuple(seen.values()), chosen)


def _close(behind: Array, error: Array) -> NDArray[np.bool_]:
    # Boosting without a single tree is the linear model, but for the last digits.
    return np.asarray(behind <= error + 1e-9)
