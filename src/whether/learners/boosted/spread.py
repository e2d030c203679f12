"""Trees grown by all workers that hold people: each has its own rows, and all grow the same trees."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whether.arrays import Rows
from whether.blocks import Team
from whether.cohort import Cohort, join
from whether.learners.boosted.boosted_fit import Offset
from whether.learners.boosted.forest import Forest, LevelsAt
from whether.learners.boosted.loop import Growth
from whether.learners.population import Population
from whether.learners.rows import RowProblem, deal_folds
from whether.learners.task import Task
from whether.likelihood import labeled_first

if TYPE_CHECKING:
    from whether.learners.boosted.boosted_learner import BoostedLearner

N_FOLDS = 5


def deal(task: Task, problem: RowProblem) -> Rows:
    """Fold of each person."""
    cohort = task.cohort
    return deal_folds(cohort.labeled, problem.observed.ranks(), cohort.features, N_FOLDS, groups=cohort.groups)


def grow_spread(
    learner: BoostedLearner,
    task: Task,
    offset: Offset,
    seed: int,
    population: Population,
    n_rounds: int | None,
    levels_at: LevelsAt,
) -> Growth:
    """Grow trees where people are: for so many rounds, or until a fifth of the people, held out, say to stop."""
    grow = partial(_grow_part, learner, task.without_people(), offset, seed, n_rounds, levels_at)
    return next(growth for growth in population.blocks.at_once(grow) if growth is not None)


def _grow_part(
    learner: BoostedLearner,
    task: Task,
    offset: Offset,
    seed: int,
    n_rounds: int | None,
    levels_at: LevelsAt,
    blocks: list[Cohort],
    team: Team,
) -> Growth | None:
    """Grow trees as a member of a team; the first member returns them."""
    cohort = join(blocks)
    # The labeled first: their rows, and those of the others, then follow each other in memory.
    task = replace(task, cohort=cohort.take(labeled_first(cohort.labeled)[0]))
    problem, forest = RowProblem(task.cohort, task.criterion()), Forest(learner, task, seed, team)
    # Who has hardly anybody spares nobody.
    spares = n_rounds is None and cohort.n >= N_FOLDS
    held_out = deal(task, problem) == 0 if spares else np.zeros(cohort.n, dtype=bool)
    growth = forest.grow(offset, problem, held_out, learner.max_rounds if n_rounds is None else n_rounds, levels_at)
    forest.disconnect(growth)
    return growth.without_people() if team.rank == 0 else None
