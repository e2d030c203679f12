"""The learner that chooses among learners by cross-validated likelihood, a valid criterion within a restriction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from whether.cohort import Cohort
from whether.learners.base import Learner
from whether.learners.folds import deal_folds
from whether.learners.rows import RowProblem
from whether.propensity import Propensity

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Selection:
    """How a learner was chosen.

    Attributes
    ----------
    learners : tuple of str
        From the simplest on.
    log_likelihood : ndarray
        Held-out log-likelihood per person.
    standard_error : ndarray
        Standard error of the difference from the best.
    chosen : str
        The simplest within one standard error of the best.
    """

    learners: tuple[str, ...]
    log_likelihood: Array
    standard_error: Array
    chosen: str

    def __str__(self) -> str:
        lines = [f"{'learner':10s} {'held-out log-likelihood':>24s} {'behind the best by':>20s}"]
        behind = self.log_likelihood.max() - self.log_likelihood
        for row in zip(self.learners, self.log_likelihood, behind, self.standard_error, strict=True):
            mark = " *" if row[0] == self.chosen else ""
            lines.append(f"{row[0]:10s} {row[1]:24.5f} {row[2]:12.5f} (se {row[3]:.5f}){mark}")
        return "\n".join([*lines, "* the simplest within one standard error of the best"])


class AutoLearner(Learner, BaseEstimator):
    """Chooses the learner by cross-validated likelihood; the simpler one wins within a standard error.

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
        """Cross-validate every learner and fit the chosen one to all rows; see `Learner.fit`."""
        settings: dict[str, Any] = {"columns": columns, "rng": rng, "has_outcome": has_outcome, "known": known}
        values = np.array([self._held_out(learner, cohort, candidates, settings) for learner in self.learners.values()])
        total = values.sum(axis=1)
        error = np.sqrt(cohort.n) * (values - values[np.argmax(total)]).std(axis=1)
        names = tuple(self.learners)
        chosen = names[int(np.argmax(total >= total.max() - error))]
        model = self.learners[chosen].fit(cohort, candidates, **settings)
        weight = cohort.n if cohort.weight is None else float(cohort.weight.sum())
        object.__setattr__(model, "selection", Selection(names, total / weight, error / weight, chosen))
        return model

    def _held_out(
        self, learner: Learner, cohort: Cohort, candidates: Sequence[Propensity], settings: dict[str, Any]
    ) -> Array:
        """Weighted log-likelihood of each person under the model fitted without its fold."""
        fold = deal_folds(cohort.labeled, candidates[0].observe(cohort), cohort.features, self.n_folds)
        values = np.empty(cohort.n)
        for number in range(self.n_folds):
            inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            model = learner.fit(cohort.take(inside), candidates, **settings)
            part = cohort.take(outside)
            problem = RowProblem(part, model.propensity)
            values[outside] = problem.weight * problem.evaluate(*model.predict(part.features)).value
        return values
