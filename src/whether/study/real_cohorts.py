"""Real cohorts as worlds of a study: an earlier endpoint is imposed on each, by date or staggered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.evaluate import EarlierEndpoint, impose_calendar_endpoint, impose_staggered_endpoint
from whether.simulation.real_tables import describe_table, load_table
from whether.survival import kaplan_meier
from whether.validate import number_groups

if TYPE_CHECKING:
    import pandas as pd

TRAINING_SHARE = 0.7
_CALENDAR = "entry_year"
# Women who reached 48 have had their last child; ages are rounded.
_LAST_AGE_OF_CHILDBIRTH = 46.5


@dataclass(frozen=True)
class CohortWorld:
    """A real cohort with a way to end it early: at a date, or with entry staggered at random."""

    name: str
    table: str
    by_date: bool
    size: float  # in units of the simulated baseline

    @property
    def title(self) -> str:
        """Name for tables."""
        return f"{self.table}, {'by date' if self.by_date else 'staggered'}"


def _worlds() -> tuple[CohortWorld, ...]:
    sizes = {
        "rotterdam": 1.0,
        "nwts": 1.0,
        "melanoma_registry": 2.5,
        "colon_ncctg": 0.4,
        "hodgkin": 0.3,
        "colon_registry": 5.0,
        "fertility": 3.5,
    }
    dated = {"rotterdam": 0.4, "melanoma_registry": 0.6, "colon_registry": 0.5}
    return (
        *(CohortWorld(f"{table}-staggered", table, False, size) for table, size in sizes.items()),
        *(CohortWorld(f"{table}-calendar", table, True, size) for table, size in dated.items()),
    )


COHORT_WORLDS: dict[str, CohortWorld] = {world.name: world for world in _worlds()}


@dataclass(frozen=True, eq=False)
class SplitCohort:
    """A real cohort cut at an earlier endpoint and split into people to learn from and people to score."""

    # Features of everybody: categories as indicators, gaps filled with the median of the training people.
    X: NDArray[np.float64]
    then: EarlierEndpoint
    training: NDArray[np.bool_]  # Who belongs to the training part, whether or not they had entered.
    # Share with the event by the horizon among the test people who had entered, by the Kaplan-Meier estimate,
    eventual_share: float
    # and among the training people.
    learned_share: float
    horizon: float


def split_cohort(world: CohortWorld, seed: int) -> SplitCohort:
    """Impose the endpoint on a cohort and split it, people of one group together."""
    about, table = describe_table(world.table), load_table(world.table)
    rng = np.random.default_rng([seed, 2026])
    then = _impose(world, table, about, rng)
    training = _split(table, rng)
    event, time = table["event"].to_numpy(bool), table["time"].to_numpy(float)
    seen, learned = (
        share_with_event(event, time, rows & then.entered, about["horizon"]) for rows in (~training, training)
    )
    return SplitCohort(encode_features(table, about, training), then, training, seen, learned, about["horizon"])


def share_with_event(
    event: NDArray[np.bool_], time: NDArray[np.float64], rows: NDArray[np.bool_], horizon: float
) -> float:
    """Return the share of some people with the event by the horizon, by the Kaplan-Meier estimate."""
    return 1 - float(kaplan_meier(event[rows], time[rows]).at(horizon))


def _impose(
    world: CohortWorld, table: pd.DataFrame, about: dict[str, Any], rng: np.random.Generator
) -> EarlierEndpoint:
    event, time = table["event"].to_numpy(), table["time"].to_numpy(float)
    if world.by_date:
        return impose_calendar_endpoint(
            event,
            time,
            table[_CALENDAR].to_numpy(float),
            endpoint=about["endpoint"],
            horizon=about["horizon"],
            data_end=about["admin_end"],
        )
    known = table["age"].to_numpy() + time > _LAST_AGE_OF_CHILDBIRTH if world.table == "fertility" else None
    return impose_staggered_endpoint(
        event, time, stagger=about["stagger"], horizon=about["horizon"], rng=rng, known_negative=known
    )


def _split(table: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.bool_]:
    group = number_groups(table["group"], len(table)) if "group" in table else np.arange(len(table))
    return np.asarray((rng.random(group.max() + 1) < TRAINING_SHARE)[group])


def encode_features(table: pd.DataFrame, about: dict[str, Any], training: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the features as numbers; the date of entry is left out, which nobody has in advance."""
    import pandas as pd

    features = table[[column for column in about["features"] if column != _CALENDAR]]
    numeric = features.drop(columns=about["categorical"]).astype(float)
    numeric = numeric.fillna(numeric[training].median())
    kinds = about["categorical"]
    if not kinds:  # pandas makes no indicators of nothing
        return np.asarray(numeric.to_numpy(float))
    indicators = pd.get_dummies(features[kinds], drop_first=True).astype(float)
    return np.asarray(pd.concat([numeric, indicators], axis=1).to_numpy(float))
