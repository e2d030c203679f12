"""Simulated cohorts whose true risks and labeling propensities are known.

One generating process covers every world: features, an outcome that happens or
does not, a time at which it would happen, a follow-up that may end before, and
a record of the event time that may be wrong. A `World` states the parts, and
`simulate` draws a cohort from it together with the truth behind the labels.

`worlds` holds the records, `cohort` draws from them, `propensity` computes the
true labeling propensity, `calibrate` solves for the constants that give a world
its stated rates, and `signals`, `distributions` and `streams` are the pieces
those are made of.
"""

from whether.simulation.cohort import SimulatedCohort, simulate
from whether.simulation.worlds import PAPER_WORLDS, PRINTED_WORLDS, STRESS_WORLDS, WORLDS, World

__all__ = [
    "PAPER_WORLDS",
    "PRINTED_WORLDS",
    "STRESS_WORLDS",
    "WORLDS",
    "SimulatedCohort",
    "World",
    "simulate",
]
