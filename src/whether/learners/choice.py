"""Which learner: what ``learner=`` stands for, and the choice by likelihood, which is valid within a restriction."""

import copy
import importlib.util
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from whether.arrays import Array, Rows
from whether.cohort import Cohort
from whether.learners.boosted import BoostedLearner
from whether.learners.em import EMLearner
from whether.learners.fit_result import Selection, close_to_best
from whether.learners.linear import LinearLearner
from whether.learners.neural import NeuralLearner
from whether.learners.progress import progress
from whether.learners.rows import RowProblem, deal_folds, sum_by_group, usable_folds
from whether.learners.task import Learner, Task
from whether.validate import ArgumentError

NAMES = ("linear", "boosted", "neural", "auto")
# Above so many people, which learner is best is found out on a part of them.
MANY_PEOPLE, PEOPLE_TO_CHOOSE = 50_000, 20_000


class AutoLearner(Learner, BaseEstimator):
    """Chooses the learner by cross-validated likelihood; the simpler one wins within a standard error.

    The standard error of a difference is Nadeau and Bengio's: fits to overlapping folds err together, and the plain
    one, of people as if each had a fit of their own, is too small by a third. After each fold, learners that lie more
    than a standard error behind the best are left out of the next, those simpler than the best if it is two. Of more
    than 50,000 people 20,000, drawn at random, decide; the chosen learner is fitted to all.

    Parameters
    ----------
    learners : dict of str to Learner
        Candidates, the simplest first.
    n_folds : int, default=3
    """

    def __init__(self, learners: dict[str, Learner], *, n_folds: int = 3) -> None:
        self.learners, self.n_folds = learners, n_folds

    def for_times(self) -> Learner:
        """Return the learner with candidates that are told nothing about the outcome alone."""
        return AutoLearner({name: each.for_times() for name, each in self.learners.items()}, n_folds=self.n_folds)

    def fit(self, task: Task) -> Any:
        """Cross-validate the learners and fit the chosen one to all rows."""
        learners = {name: learner for name, learner in self.learners.items() if learner.can_read(task)}
        selection = self._choose(learners, _part_to_choose_on(task))
        model = learners[selection.chosen].fit(task)
        return replace(model, result=replace(model.result, selection=selection))

    def _choose(self, learners: dict[str, Learner], task: Task) -> Selection:
        """Judge the learners fold by fold."""
        cohort = task.cohort
        judged = {name: _at_its_best(learner, task) for name, learner in learners.items()}
        ranks = task.propensity.observe(cohort).ranks()
        fold = deal_folds(cohort.labeled, ranks, cohort.features, self.n_folds, groups=cohort.groups)
        values = {name: np.full(cohort.n, np.nan) for name in learners}
        running = list(learners)
        with progress(self.n_folds, "Folds to compare learners") as bar:
            for number in usable_folds(fold, cohort.labeled):
                outside = np.flatnonzero(fold == number)
                for name in running:
                    values[name][outside] = _held_out(judged[name], task, outside)
                selection = _select(cohort, values, self.n_folds)
                running = [name for name in running if selection.may_win(name)]
                bar.advance()
                if len(running) == 1:
                    break
        return selection


def _part_to_choose_on(task: Task) -> Task:
    """All people, or as many as it takes to tell learners apart."""
    n = task.cohort.n
    return task if n <= MANY_PEOPLE else task.take(np.sort(task.rng.choice(n, size=PEOPLE_TO_CHOOSE, replace=False)))


def _at_its_best(learner: Learner, task: Task) -> Learner:
    """Return the learner as it is compared: the linear one with the penalty of the highest held-out likelihood.

    The penalty that it is fitted with in the end is tighter, as far as half a standard error allows, and others would
    win by no more than that.
    """
    if not isinstance(learner, LinearLearner) or learner.shrinkage != "cv":
        return learner
    model = learner.fit(task)
    settled = learner.settled(model)
    return settled if model.path is None else replace(settled, shrinkage=model.path.best)


def _held_out(learner: Learner, task: Task, outside: Rows) -> Array:
    """Weighted log-likelihood of each person outside under the model fitted to the others."""
    inside, part = np.setdiff1d(np.arange(task.cohort.n), outside), task.cohort.take(outside)
    model = learner.fit(task.take(inside))
    problem = RowProblem(part, task.criterion(model.propensity))
    return np.asarray(problem.weight * problem.evaluate(*model.predict(part.features)).value)


def _select(cohort: Cohort, values: dict[str, Array], n_folds: int) -> Selection:
    """Compare learners on the people held out so far; each with the best on those whom both have predicted.

    The variance of a mean over J of k folds is taken as 1 + J / (k - 1) times that of independent people: 1 / J +
    n2 / n1 instead of 1 / J, with n2 people held out of a fit to n1.
    """
    weight = cohort.weights
    mean = {name: value[~np.isnan(value)].sum() / weight[~np.isnan(value)].sum() for name, value in values.items()}
    seen = {name: int(np.count_nonzero(~np.isnan(value))) for name, value in values.items()}
    best = max(values, key=lambda name: (seen[name], mean[name]))
    behind, error = np.zeros(len(values)), np.zeros(len(values))
    for row, value in enumerate(values.values()):
        judged = ~np.isnan(value)
        people, inflation = weight[judged].sum(), 1 + judged.mean() * n_folds / (n_folds - 1)
        lead = sum_by_group((values[best] - value)[judged], None if cohort.groups is None else cohort.groups[judged])
        behind[row], error[row] = lead.sum() / people, np.sqrt(inflation * lead.size) * lead.std() / people
    chosen = tuple(values)[int(np.argmax(close_to_best(behind, error)))]
    return Selection(tuple(values), mean[best] - behind, error, tuple(seen.values()), chosen)


def resolve_learner(learner: Any, linear: LinearLearner) -> Any:
    """Return the learner that a classifier's ``learner`` parameter stands for."""
    if isinstance(learner, str) and learner in NAMES:
        return _named(learner, linear)
    if isinstance(learner, AutoLearner):
        inner = {name: resolve_learner(candidate, linear) for name, candidate in learner.learners.items()}
        return AutoLearner(inner, n_folds=learner.n_folds)
    if isinstance(learner, Learner):
        if getattr(learner, "linear", linear) is None:
            learner = copy.copy(learner)
            learner.linear = linear
        return learner
    if hasattr(learner, "predict_proba") and is_classifier(learner):
        return EMLearner(learner, linear=linear)
    raise ArgumentError(
        f"learner must be one of {', '.join(map(repr, NAMES))}, a learner object or a scikit-learn classifier, "
        f"got {learner!r}."
    )


def _named(name: str, linear: LinearLearner) -> Any:
    named: dict[str, Any] = {"linear": linear, "boosted": BoostedLearner(linear=linear)}
    if name == "neural" or importlib.util.find_spec("torch") is not None:
        named["neural"] = NeuralLearner(linear=linear)
    return AutoLearner(named) if name == "auto" else named[name]
