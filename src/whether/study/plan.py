"""The studies as data, and the cells that make one up.

A cell is one method with one learner, fitted once to one replicate of one world. It says everything that its result
depends on, so the result can be stored under its key and need not be computed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches

from whether.methods import AFT, AFTMC_F, ENPU, FUMC_F, LR, SARPU_F, UPU
from whether.simulation import AUTISM_WORLDS, DIABETES_WORLDS, PAPER_WORLDS, PRINTED_WORLDS, STRESS_WORLDS, find_world
from whether.simulation.catalogue import AnyWorld
from whether.study.errors import StudyError
from whether.study.lineup import (
    AUTISM_ENTRIES,
    COHORT_ENTRIES,
    FIELD_ENTRIES,
    KNOWN_TRUTH_ENTRIES,
    ORACLE,
    STRESS_ENTRIES,
    Entry,
)
from whether.study.peers import PEERS
from whether.study.real_cohorts import COHORT_WORLDS, CohortWorld
from whether.study.survset_cohorts import SURVSET_WORLDS, SurvSetWorld


@dataclass(frozen=True)
class Options:
    """Sizes and choices that change results."""

    n: int | None = None  # Number of people of a cohort before it is split; None for the world's own.
    n_fresh: int = 20_000  # Number of new people on whom simulated worlds are scored.
    # Keep children of the autism stand-in who had not been seen after 24 months by the early endpoint.
    all_rows: bool = False


@dataclass(frozen=True)
class WorldGroup:
    """Worlds over which methods are ranked."""

    title: str
    worlds: tuple[str, ...]


@dataclass(frozen=True)
class Study:
    """Worlds and methods that are compared."""

    name: str
    title: str  # What it is, in one line.
    worlds: tuple[str, ...]
    entries: tuple[Entry, ...]
    quick_worlds: tuple[str, ...]  # Worlds of a quick run.
    quick: Options = Options(n=1000, n_fresh=4000)  # Sizes of a quick run.
    full: Options = Options()  # Sizes of any other run.
    replicates: int = 10
    metrics: tuple[str, ...] = ("auc",)  # What its table shows unless told otherwise.
    quick_methods: tuple[str, ...] = ()  # Methods of a quick run, which has the linear learner only; all if empty.
    groups: tuple[WorldGroup, ...] = ()  # Where methods are ranked.


@dataclass(frozen=True)
class Cell:
    """One fit of one method to one replicate of one world; the seed is the number of the replicate."""

    study: str
    world: str
    entry: Entry
    seed: int
    options: Options = Options()

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What the result is stored under."""
        return self.study, self.world, self.entry.name, self.entry.learner, self.seed

    @property
    def plan(self) -> str:
        """All that the result depends on, as JSON."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def cost(self) -> float:
        """How long it takes compared with others, roughly."""
        world = find_any_world(self.world)
        if isinstance(world, CohortWorld | SurvSetWorld):
            return self.entry.cost * world.size
        return self.entry.cost * world.n / 4000 * (1 + world.n_features / 20)  # in units of the simulated baseline


# Two of the paper's, one with follow-up that depends on the features, and five that no method was made for.
FIELD_WORLDS = (
    "baseline",
    "partially-dependent",
    "dependent-censoring",
    "nonlinear-risk",
    "short-follow-up",
    "two-humps",
    "heavy-tails",
    "batch-reporting",
)

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        Study(
            "simulation",
            "the paper's thirteen simulated scenarios",
            PAPER_WORLDS,
            KNOWN_TRUTH_ENTRIES,
            quick_worlds=("baseline", "partially-dependent", "dependent-censoring"),
        ),
        Study(
            "printed",
            "the two correlated scenarios with event times exactly as the paper prints them",
            PRINTED_WORLDS,
            KNOWN_TRUTH_ENTRIES,
            quick_worlds=PRINTED_WORLDS,
        ),
        Study(
            "stress",
            "worlds beyond the paper that separate methods: curved, wide, rare, short follow-up, wrong times",
            STRESS_WORLDS,
            STRESS_ENTRIES,
            metrics=("auc", "mean_risk_error", "calibration_error"),
            quick_worlds=("nonlinear-risk", "short-follow-up", "batch-reporting"),
        ),
        Study(
            "diabetes",
            "the paper's seven scenarios over the diabetes survey; needs the table",
            tuple(DIABETES_WORLDS),
            KNOWN_TRUTH_ENTRIES,
            quick_worlds=("diabetes-baseline",),
            quick=Options(n=2000),
        ),
        Study(
            "autism",
            "a stand-in for the paper's autism cohort, in two readings of its counts",
            tuple(AUTISM_WORLDS),
            AUTISM_ENTRIES,
            replicates=5,
            metrics=("auc", "average_precision", "truth.auc", "truth.average_precision"),
            quick_worlds=("autism-split",),
            quick=Options(n=12_000),
            # Models of 262 columns with times take minutes each.
            quick_methods=tuple(method.name for method in (ORACLE, LR, ENPU, UPU, SARPU_F, AFT)),
        ),
        Study(
            "cohorts",
            "real cohorts with an earlier endpoint imposed; needs the tables",
            tuple(COHORT_WORLDS),
            COHORT_ENTRIES,
            replicates=5,
            metrics=("auc", "population.mean_risk_error"),
            quick_worlds=("hodgkin-staggered",),
            quick=Options(),
        ),
        Study(
            "field",
            "our methods beside other packages, in simulated worlds and on the public cohorts of SurvSet",
            (*FIELD_WORLDS, *SURVSET_WORLDS),
            FIELD_ENTRIES,
            replicates=3,
            metrics=("auc", "population.level_error", "interval.held", "labels.log_loss", "fit.seconds"),
            quick_worlds=("partially-dependent", "short-follow-up", "uis"),
            quick=Options(n=400, n_fresh=1000),
            full=Options(n=2500, n_fresh=4000),
            quick_methods=(*(method.name for method in (ORACLE, LR, ENPU, SARPU_F, FUMC_F, AFTMC_F)), *PEERS),
            groups=(
                WorldGroup("public cohorts", tuple(SURVSET_WORLDS)),
                WorldGroup("simulated worlds", FIELD_WORLDS),
            ),
        ),
    )
}


def find_study(name: str) -> Study:
    """Return the study of that name."""
    if name not in STUDIES:
        raise StudyError(f"No study is called {name!r}{_hint(name, STUDIES)}")
    return STUDIES[name]


def find_any_world(name: str) -> AnyWorld | CohortWorld | SurvSetWorld:
    """Return the simulated world or the real cohort of that name."""
    return COHORT_WORLDS.get(name) or SURVSET_WORLDS.get(name) or find_world(name)


def plan_cells(
    study: Study,
    *,
    replicates: int | None = None,
    worlds: Sequence[str] = (),
    methods: Sequence[str] = (),
    quick: bool = False,
    all_rows: bool = False,
) -> list[Cell]:
    """Return the cells of a study, or of some worlds and methods, replicate by replicate and the long ones first.

    A run that is stopped has then done the same replicates of every world and method, and no long cell is left to the
    end, when other workers have nothing to do.
    """
    count = (2 if quick else study.replicates) if replicates is None else replicates
    if count < 1:
        raise StudyError(f"The number of replicates must be at least 1, got {count}.")
    chosen_worlds = choose_worlds(study, worlds) if worlds else (study.quick_worlds if quick else study.worlds)
    chosen = choose_entries(study, methods or (study.quick_methods if quick else ()))
    if quick and not methods:
        chosen = tuple(entry for entry in chosen if entry.is_quick)
    options = replace(study.quick if quick else study.full, all_rows=all_rows)
    cells = [
        Cell(study.name, world, entry, seed, options)
        for seed in range(count)
        for world in chosen_worlds
        for entry in chosen
    ]
    return sorted(cells, key=lambda cell: (cell.seed, -cell.cost))


def choose_worlds(study: Study, names: Sequence[str]) -> tuple[str, ...]:
    """Return those of a study's worlds that were named, in the study's order."""
    for name in names:
        if name not in study.worlds:
            raise StudyError(f"The study {study.name!r} has no world {name!r}{_hint(name, study.worlds)}")
    return tuple(world for world in study.worlds if world in names)


def choose_entries(study: Study, names: Sequence[str]) -> tuple[Entry, ...]:
    """Return those of a study's entries that were named, in the study's order; all if none was."""
    if not names:
        return study.entries
    found: set[Entry] = set()
    for name in names:
        # The paper's DTNN is a method here under another name; its other names are those of methods.
        matching = {entry for entry in study.entries if name in (entry.name, entry.pair)}
        matching = matching or {entry for entry in study.entries if name == entry.paper}
        if not matching:
            known = sorted({word for entry in study.entries for word in (entry.name, entry.pair)})
            raise StudyError(f"The study {study.name!r} has no method {name!r}{_hint(name, known)}")
        found |= matching
    return tuple(entry for entry in study.entries if entry in found)


def _hint(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else f"; there are {', '.join(known)}."
