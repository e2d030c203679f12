"""Kinds of networks that compete: how free the time part is, what they add to, and which features they see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.neural.outputs import OutputLayout
from whether.learners.neural.training import TrainingPlan

# Penalties on the mean square of delta, in units of one person's log-likelihood. The first keeps the time part close to
# the outcome's index, the second lets it go almost anywhere.
DEPARTURE_PENALTIES = {"index": 100.0, "free": 1.0}
# The same on what a network adds to the outcome logit of a linear model.
OUTCOME_PENALTY = 30.0
# A less simple kind is taken where its held-out likelihood is better by so many standard errors of the difference.
STANDARD_ERRORS = 1.0


class Kind(NamedTuple):
    """Networks that are compared with others.

    Attributes
    ----------
    freedom : str
        How free the time part is.
    from_linear : bool
        Whether they add to the linear model.
    screened : bool
        Whether they see only features that matter by themselves.
    """

    freedom: str
    from_linear: bool
    screened: bool

    @property
    def name(self) -> str:
        """Name in the list of starts."""
        return self.freedom + "-linear" * self.from_linear + "-screened" * self.screened


def kinds_of_networks(layout: OutputLayout, has_linear: bool, many: bool) -> list[list[Kind]]:
    """Kinds that can differ, the simplest first, in groups that see as many features."""
    # A time part that is not tied to the index is free anyway.
    freedoms = list(DEPARTURE_PENALTIES) if layout.indexed else ["index"]
    kinds = [Kind(freedom, has_linear, many) for freedom in freedoms]
    # With a linear model to start from, one kind without it is enough to tell whether it helps.
    kinds += [Kind("index", False, many)] * has_linear
    return [kinds, [Kind("index", has_linear, False)]] if many else [kinds]


def plan_networks(kinds: list[Kind], held_out: Rows, layout: OutputLayout) -> TrainingPlan:
    """One network of every kind for every held-out fold; base 0 is constant, the others leave out a fold each."""
    kind = np.repeat(np.arange(len(kinds)), held_out.size)
    number = np.tile(np.arange(held_out.size), len(kinds))
    from_linear = np.array([one.from_linear for one in kinds])[kind]
    departure = np.array([DEPARTURE_PENALTIES[one.freedom] for one in kinds])[kind] / layout.propensity.slope_unit**2
    outcome = np.where(from_linear, OUTCOME_PENALTY, 0.0)
    return TrainingPlan(
        kind, held_out[number], np.where(from_linear, 1 + number, 0), outcome, departure * layout.indexed
    )


def rank(values: list[Array]) -> list[int]:
    """Numbers of the kinds with the chosen one first, the others from the best on.

    Chosen is the first, which is the simplest, that is not behind the best by more than chance.
    """
    ranked = sorted(range(len(values)), key=lambda number: -float(values[number].sum()))
    behind = [values[ranked[0]] - one for one in values]
    error = [STANDARD_ERRORS * np.sqrt(gap.size) * gap.std() for gap in behind]
    chosen = next(number for number, gap in enumerate(behind) if gap.sum() <= error[number])
    return [chosen, *(number for number in ranked if number != chosen)]
