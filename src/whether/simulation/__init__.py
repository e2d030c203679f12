"""Simulated cohorts whose true risks and labeling propensities are known.

One generating process covers every world: features, an outcome that happens or does not, a time at which it would
happen, a follow-up that may end before, and a record of the event time that may be wrong. A record states the parts,
and `simulate` draws a cohort from it together with the truth behind the labels.

`worlds` holds the records that are simulated throughout, `record_worlds` those in which more is known of people, such
as deaths, visits or late entry, which `recorded` draws, `diabetes` those over a real table, `autism` the stand-in for
a private cohort; `catalogue` finds a world by its name. `truth` computes the true labeling propensity, `calibrate`
solves for the constants that give a world its stated rates, `conversions` draws a log of clicks and conversions,
`real_tables` reads the real tables, `tutorial_cohorts` has those of the tutorials or stand-ins, and `signals`,
`noise` and `streams` are the pieces those are made of.
"""

from whether.simulation.autism import AUTISM_WORLDS, AutismCohort, simulate_autism
from whether.simulation.autism_children import AutismWorld
from whether.simulation.catalogue import find_world, simulate
from whether.simulation.conversions import SimulatedLog, simulate_conversion_log
from whether.simulation.diabetes import DIABETES_WORLDS, DiabetesWorld
from whether.simulation.record_worlds import RECORD_WORLDS, Clusters, Deaths, RecordWorld
from whether.simulation.simulated import SimulatedCohort
from whether.simulation.tutorial_cohorts import tutorial_cohort
from whether.simulation.worlds import (
    PAPER_WORLDS,
    PRINTED_WORLDS,
    PROMOTION_WORLDS,
    SHAPE_WORLDS,
    STRESS_WORLDS,
    WORLDS,
    World,
)

__all__ = [
    "AUTISM_WORLDS",
    "DIABETES_WORLDS",
    "PAPER_WORLDS",
    "PRINTED_WORLDS",
    "PROMOTION_WORLDS",
    "RECORD_WORLDS",
    "SHAPE_WORLDS",
    "STRESS_WORLDS",
    "WORLDS",
    "AutismCohort",
    "AutismWorld",
    "Clusters",
    "Deaths",
    "DiabetesWorld",
    "RecordWorld",
    "SimulatedCohort",
    "SimulatedLog",
    "World",
    "find_world",
    "simulate",
    "simulate_autism",
    "simulate_conversion_log",
    "tutorial_cohort",
]
