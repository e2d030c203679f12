"""How far the time part may leave the shared index: a path of penalties and its cross-validation.

The path is fitted warm in both directions, from near the pure index towards freedom and back, because the two ends may
lie in different basins; at each penalty the better solution is kept. Folds start from the solution on all rows, so
that they compare penalties and not basins.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from whether.arrays import Array, Flags
from whether.learners.linear.index import IndexedObjective
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import SEVERAL_PARAMETERS, Guide, Optimum
from whether.learners.linear.shrinkage_path import ShrinkagePath
from whether.learners.rows import deal_folds, sum_by_group
from whether.propensity import Propensity

# Minimises from given variables, with a tolerance, and with what is known from an end nearby.
Solve: TypeAlias = "Callable[[IndexedObjective, Array, float, End | None], Optimum]"

# From a time part that is almost one index with the outcome to one that may go almost anywhere: the prior standard
# deviation of a departure is 1/sqrt(penalty) spreads of log time per standard deviation of a feature. A pure index
# (infinite) is not among them: on real cohorts 300 was at least as good. Simulated worlds with strong separate effects
# and few events need the looser ones.
PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
N_FOLDS = 5
# The tightest penalty within so many standard errors of the best is taken. How many people are positive is estimated
# best at the penalty with the highest held-out likelihood: the tightest within two standard errors left the number of
# unseen positives 10 % too low in linear worlds with eight correlated features. The ranking of people in real cohorts
# with short follow-up gains a little from a tighter one. Half a standard error costs neither (`benchmarks`: level).
STANDARD_ERRORS = 0.5
# Standard deviations by which the squared departures may exceed what a penalty lets expect.
MOST_DEVIATIONS = 3.0
# Precision of the fits along the path: penalties often differ by less than a log-likelihood unit.
TOLERANCE = 1e-2
# And of those without a fold, whose distance from the optimum moves the likelihood of people left out to first order.
TOLERANCE_OF_FOLDS = 1e-3
# With hundreds of parameters no looser penalty is tried after a clearly worse one, or the second worse one in a row.
CLEAR_ERRORS, FALLS = 2.0, 2
# From one penalty to the next no more steps are needed as long as the solution stays in its basin.
FEW_STEPS = 3


class End(NamedTuple):
    """Where a fit ended that was started somewhere, which has a name."""

    name: str
    indexed: IndexedObjective
    optimum: Optimum

    @property
    def coefficients(self) -> Array:
        """Coefficients reached."""
        return self.indexed.to_coefficients(self.optimum.parameters)

    @property
    def value(self) -> float:
        """Objective reached."""
        return self.optimum.evaluation.value

    def guide_to(self, indexed: IndexedObjective) -> Guide | None:
        """What is known here of the curvature of the likelihood on other rows: by their number; None if nothing."""
        known, own = self.optimum.guide, self.indexed.objective
        fits = own.criterion is indexed.objective.criterion and self.indexed.size == indexed.size
        return known.of_share(indexed.objective.n / own.n) if known is not None and fits else None

    def hessian_of(self, indexed: IndexedObjective, start: Array) -> Array:
        """About what the Hessian is elsewhere, with other penalties, or on other rows: by their number."""
        own, nothing = self.indexed, np.zeros((indexed.objective.layout.size, indexed.objective.layout.size))
        of_likelihood = self.optimum.evaluation.hessian - own.curved(self.optimum.parameters, nothing)
        return of_likelihood * (indexed.objective.n / own.objective.n) + indexed.curved(start, nothing)

    def is_same(self, other: "End") -> bool:
        """Whether another end of the same problem is this one, as far as fits along the path are precise."""
        is_near = np.allclose(self.optimum.parameters, other.optimum.parameters, rtol=0.05, atol=0.05)
        return is_near and abs(self.value - other.value) < TOLERANCE


def choose_shrinkage(
    objective: LinearObjective, index_start: End, free_start: End, solve: Solve, fixed: tuple[int, ...]
) -> tuple[ShrinkagePath, End]:
    """Choose the penalty; return the path and the end at the chosen penalty.

    From ``index_start`` it goes down from the tightest penalty, from ``free_start`` up from the loosest.
    """
    penalties = candidate_penalties(objective.propensity)
    problems = [IndexedObjective(objective, penalty, fixed) for penalty in penalties]
    points = _both_ways(problems, index_start, free_start, solve)
    hopeful = _hopeful(objective, points)
    held_out = np.full((len(points), objective.n), np.nan)
    held_out[hopeful] = held_out_values(objective, [points[i] for i in hopeful], solve)
    total = held_out.sum(axis=1)
    best = int(np.nanargmax(total))
    error = _error_of_sum(held_out - held_out[best], objective)
    chosen = int(np.argmax(total >= total[best] - STANDARD_ERRORS * error))  # the first, that is the largest penalty
    weight = objective.n if objective.weight is None else float(objective.weight.sum())
    path = ShrinkagePath(
        penalties=np.array(penalties),
        log_likelihood=total / weight,
        standard_error=error / weight,
        kappa=np.array([point.optimum.parameters[-1] for point in points]),
        chosen=penalties[chosen],
        best=penalties[best],
    )
    return path, points[chosen]


def candidate_penalties(propensity: Propensity) -> tuple[float, ...]:
    """Penalties to choose from, in the units of the propensity's slopes, from the tightest to the loosest."""
    return tuple(penalty / propensity.slope_unit**2 for penalty in PENALTIES)


def usual_penalty(propensity: Propensity) -> float:
    """Return the penalty at which starts and distributions are compared before one is chosen."""
    return candidate_penalties(propensity)[1]


def _both_ways(problems: list[IndexedObjective], index_start: End, free_start: End, solve: Solve) -> list[End]:
    """Fit from the tightest penalty to the loosest, and back; at each penalty the better solution.

    The way back is not gone where it starts from the end of a smooth way there: it would pass the same points.
    """
    down = _follow(problems, index_start, solve)
    up = _follow(problems[-1:], free_start, solve)
    is_smooth = all(point.optimum.n_steps <= FEW_STEPS for point in down[1:])
    if not (is_smooth and down[-1].is_same(up[0])):
        up += _follow(problems[-2::-1], up[0], solve)
    up += down[-1 - len(up) :: -1]
    return [min(pair, key=lambda point: point.value) for pair in zip(down, up[::-1], strict=True)]


def _follow(problems: list[IndexedObjective], start: End, solve: Solve) -> list[End]:
    """Fit one problem after the other, each from where the one before ended."""
    points: list[End] = []
    for indexed in problems:
        variables = indexed.from_coefficients(start.coefficients)
        start = End("path", indexed, solve(indexed, variables, TOLERANCE, start))
        points.append(start)
    return points


def _hopeful(objective: LinearObjective, points: list[End]) -> list[int]:
    """Penalties that cross-validation may choose.

    By chance alone the loosest fit gains half a log-likelihood unit per departure that it is free to make (Wilks). A
    penalty that costs three standard errors more than that on all rows is wrong, whatever held-out people say: where
    times have hardly any noise a few of them outweigh all others, and two standard errors of their difference are wide.
    So is one whose departures are larger than it allows by far: the squares of so many standard normal numbers add up
    to their number, give or take its root. There the data insist on the slopes of the time part, and the penalty bends
    the slopes of the outcome towards them instead.
    """
    values = np.array([objective.row_values(point.coefficients) for point in points])
    behind = values[-1] - values
    error = _error_of_sum(behind, objective)
    free = objective.layout.n_shared
    is_near = behind.sum(axis=1) <= 0.5 * free + 3 * error
    departures = np.array([point.indexed.squared_departure(point.optimum.parameters) for point in points])
    is_possible = departures <= free + MOST_DEVIATIONS * np.sqrt(2 * free)
    is_possible[-1] = True  # something has to be taken
    return [int(i) for i in np.flatnonzero(is_near & is_possible)]


def _error_of_sum(values: Array, objective: LinearObjective) -> Array:
    """Standard error of sums over people, one per row, of values times weights; a weight counts as repeated people."""
    weight = np.ones(objective.n) if objective.weight is None else objective.weight
    if objective.groups is not None:  # a group is one observation, whatever its rows weigh
        values = sum_by_group(values.T, objective.groups).T
        weight = np.ones(values.shape[1])
    squares = np.divide(values**2, weight, out=np.zeros_like(values), where=weight > 0)
    variance = squares.sum(axis=1) - values.sum(axis=1) ** 2 / weight.sum()
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def held_out_values(objective: LinearObjective, points: list[End], solve: Solve) -> Array:
    """Log-likelihood of each person under the model fitted without its fold, one row per penalty."""
    labeled = np.arange(objective.n) < objective.n_labeled
    known = labeled, objective.observed.ranks(), objective.features.totals()[:, None]
    fold = deal_folds(*known, N_FOLDS, objective.weight, objective.groups)
    values = np.full((len(points), objective.n), np.nan)
    folds = [_Fold(objective, fold == number, solve) for number in range(N_FOLDS)]
    for row, point in enumerate(points):
        for part in folds:
            values[row, part.outside] = part.held_out_values(point)
        if _is_past(values[: row + 1], objective):
            break
    return values


class _Fold:
    """People who are left out of fits, penalty by penalty."""

    def __init__(self, objective: LinearObjective, is_left_out: Flags, solve: Solve) -> None:
        self.outside, self.solve = np.flatnonzero(is_left_out), solve
        self.training = objective.subset(np.flatnonzero(~is_left_out))
        self.held_out = objective.subset(self.outside)
        self.last: tuple[End, End] | None = None

    def held_out_values(self, point: End) -> Array:
        """Log-likelihood of those left out, by the model fitted to the others from the end on all rows."""
        indexed = IndexedObjective(self.training, point.indexed.shrinkage, tuple(point.indexed.fixed))
        start, near = point.optimum.parameters, point
        is_dear = indexed.size > SEVERAL_PARAMETERS or self.training.cost_of_rows > 1
        if is_dear and self.last is not None:
            # What the fold moved at the penalty before, it moves about as far at this one.
            whole, near = self.last
            start = start + near.optimum.parameters - whole.optimum.parameters
        near = End("fold", indexed, self.solve(indexed, start, TOLERANCE_OF_FOLDS, near))
        self.last = point, near
        return self.held_out.row_values(near.coefficients)


def _is_past(held_out: Array, objective: LinearObjective) -> bool:
    """Whether penalties that are looser still need not be tried where a fit is dear, in a model of many parameters."""
    if objective.layout.size <= SEVERAL_PARAMETERS or held_out.shape[0] < 2:
        return False
    total = held_out.sum(axis=1)
    best = int(np.argmax(total))
    error = float(_error_of_sum(held_out[-1:] - held_out[best], objective)[0])
    falls_again = total.size > FALLS and bool(np.all(np.diff(total[-FALLS - 1 :]) < 0))
    return falls_again or bool(total[-1] < total[best] - CLEAR_ERRORS * error)
