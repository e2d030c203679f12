"""Find a world by its name and draw a cohort from it."""

from difflib import get_close_matches
from operator import index

import numpy as np

from whether.simulation.autism import AUTISM_WORLDS, simulate_eligible_children
from whether.simulation.autism_children import AutismWorld
from whether.simulation.diabetes import DIABETES_WORLDS, DiabetesWorld, simulate_diabetes
from whether.simulation.record_worlds import RECORD_WORLDS, RecordWorld
from whether.simulation.recorded import simulate_recorded
from whether.simulation.simulated import SimulatedCohort, simulate_world
from whether.simulation.worlds import WORLDS, World
from whether.validate import ArgumentError

AnyWorld = World | RecordWorld | DiabetesWorld | AutismWorld


def simulate(world: str | AnyWorld, n: int | None = None, seed: int | np.random.SeedSequence = 0) -> SimulatedCohort:
    """Draw a cohort from a world.

    Two worlds of a kind drawn with one seed share every draw they do not
    change, and a smaller simulated cohort is the beginning of a larger one.

    Parameters
    ----------
    world : str or World
        Name of a world in `WORLDS`, `RECORD_WORLDS` (with deaths, late entry, visits, known negatives or clusters),
        `DIABETES_WORLDS` (real people with simulated times, for which the table has to be at hand) or `AUTISM_WORLDS`
        (children seen after 24 months by the early endpoint, as known then); or such a world.
    n : int, optional
        Number of people. Default: the world's own.
    seed : int or numpy.random.SeedSequence
        Root of the random streams. A sequence is not advanced.

    Returns
    -------
    SimulatedCohort
        Observations and truth.

    Raises
    ------
    ValueError
        If no world has that name, or `n` is less than 2.

    Examples
    --------
    >>> from whether.simulation import simulate
    >>> cohort = simulate("baseline", n=100, seed=1)
    >>> cohort.X.shape
    (100, 4)
    >>> bool((cohort.y <= cohort.positive).all())
    True
    """
    found = find_world(world) if isinstance(world, str) else world
    size = index(found.n if n is None else n)
    if size < 2:
        raise ArgumentError(f"n must be at least 2, got {size}.")
    if isinstance(found, RecordWorld):
        return simulate_recorded(found, size, seed)
    if isinstance(found, DiabetesWorld):
        return simulate_diabetes(found, size, seed)
    if isinstance(found, AutismWorld):
        return simulate_eligible_children(found, size, seed)
    return simulate_world(found, size, seed)


def find_world(name: str) -> AnyWorld:
    """Return the world of that name; where there is none, the error names those whose names are close."""
    worlds: dict[str, AnyWorld] = {**WORLDS, **RECORD_WORLDS, **DIABETES_WORLDS, **AUTISM_WORLDS}
    if name not in worlds:
        close = get_close_matches(name, worlds, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(worlds)}."
        raise ArgumentError(f"No world is called {name!r}; {hint}")
    return worlds[name]
