"""Public cohorts of the package SurvSet as worlds of a study, put back in time by one rule.

The package holds event, time and features whose names say their kind, and no dates: entry is staggered at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from whether.evaluate import impose_staggered_endpoint
from whether.study.errors import RunError
from whether.study.real_cohorts import TRAINING_SHARE, SplitCohort, encode_features, share_with_event

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

MOST_ROWS = 2500
KNOWN_SHARE = 0.5  # of the people have a known outcome at the horizon,
FOLLOWED_SHARE = 0.2  # and are followed event-free to it, at least.
HIDDEN_SHARE = 0.4  # of the events by the horizon, at least.
RARE_SHARE = 0.02  # Categories of fewer people are put together.
_STREAM = 2028


@dataclass(frozen=True)
class SurvSetWorld:
    """A cohort of SurvSet; `later` are columns that nobody has at time zero, or that date the entry."""

    name: str
    n: int
    later: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name for tables."""
        return self.name

    @property
    def size(self) -> float:
        """In units of the simulated baseline."""
        return min(self.n, MOST_ROWS) / 4000


SURVSET_WORLDS: dict[str, SurvSetWorld] = {
    world.name: world
    for world in (
        # How they do two months later; orders not to resuscitate, most of which were given later.
        SurvSetWorld("support2", 9105, ("fac_sfdm2", "fac_dnr")),
        SurvSetWorld("grace", 1000, ("num_los", "fac_revasc")),
        SurvSetWorld("TRACE", 1878),
        SurvSetWorld("Dialysis", 6805, ("num_begin",)),
        SurvSetWorld("actg", 1151),
        SurvSetWorld("uis", 628),
        SurvSetWorld("follic", 541),
        SurvSetWorld("hdfail", 52422),
        # The chapter is the cause of death.
        SurvSetWorld("flchain", 7874, ("fac_chapter", "num_sample_yr", "fac_sample_yr")),
        SurvSetWorld("prostateSurvival", 14294),
        SurvSetWorld("dataDIVAT1", 5943, ("num_year_tx", "fac_year_tx")),
        SurvSetWorld("dataDIVAT3", 4267, ("num_year_tx", "fac_year_tx")),
        SurvSetWorld("UnempDur", 3241),
        SurvSetWorld("rhc", 5735),
        SurvSetWorld("Aids2", 2839),
        # What came up while the child was in hospital.
        SurvSetWorld(
            "vlbw",
            617,
            ("num_birth", "num_lol", "fac_pvh", "fac_ivh", "fac_ipe", "fac_vent", "fac_pneumo", "fac_pda", "fac_cld"),
        ),
        SurvSetWorld("whas500", 461, ("num_los", "num_week", "fac_year")),
        SurvSetWorld("LeukSurv", 1043),
    )
}


def has_survset() -> bool:
    """Whether the package is installed."""
    return find_spec("SurvSet") is not None


@lru_cache(maxsize=2)
def load_cohort(name: str) -> pd.DataFrame:
    """Return event, time above zero and the features that are known at time zero.

    The first kind of event counts; another, which is death, ends follow-up. A column that is there as a number and as a
    category is taken as a number.
    """
    if not has_survset():
        raise RunError("The cohorts are those of the package SurvSet: pip install 'whether[peers]'.")
    from SurvSet.data import SurvLoader

    table = SurvLoader().load_dataset(ds_name=name)["df"]
    if "time2" in table:
        raise RunError(f"{name} has features that change over time, which the study cannot use.")
    numbers = {column.removeprefix("num_") for column in table if column.startswith("num_")}
    twice = [column for column in table if column.startswith("fac_") and column.removeprefix("fac_") in numbers]
    table = table.drop(columns=["pid", *SURVSET_WORLDS[name].later, *twice], errors="ignore")
    time = table["time"].to_numpy(float)
    return table.assign(event=table["event"] == 1, time=np.where(time > 0, time, time[time > 0].min() / 2))


def choose_horizon(event: NDArray[np.bool_], time: Array) -> float:
    """Return the last time at which enough outcomes are known and enough people are still followed event-free.

    An outcome is known at a time if the event came by then, or the person was followed event-free to it.
    """
    lost, ends = np.sort(time[~event]), np.sort(time)
    allowed = int((1 - KNOWN_SHARE) * time.size)
    known_to = lost[allowed] if allowed < lost.size else ends[-1]
    return float(min(known_to, ends[int((1 - FOLLOWED_SHARE) * time.size)]))


def choose_stagger(event: NDArray[np.bool_], time: Array, horizon: float) -> float:
    """Return the length of entry, at most the horizon, that hides the wanted share of the events by the horizon."""
    events = time[event & (time <= horizon)]

    def excess(stagger: float) -> float:
        return float(np.minimum(events / stagger, 1.0).mean() - HIDDEN_SHARE)

    if excess(horizon) >= 0:
        return horizon
    return float(brentq(excess, events.min() / 2, horizon))


def split_survset(world: SurvSetWorld, seed: int) -> SplitCohort:
    """Thin a large cohort, end it at its horizon, impose the earlier endpoint and split it."""
    table = load_cohort(world.name)
    horizon = choose_horizon(table["event"].to_numpy(), table["time"].to_numpy())
    stagger = choose_stagger(table["event"].to_numpy(), table["time"].to_numpy(), horizon)
    rng = np.random.default_rng([seed, _STREAM])
    if len(table) > MOST_ROWS:
        table = table.iloc[np.sort(rng.choice(len(table), MOST_ROWS, replace=False))]
    event, time = table["event"].to_numpy() & (table["time"].to_numpy() <= horizon), table["time"].to_numpy()
    time = np.minimum(time, horizon)
    then = impose_staggered_endpoint(event, time, stagger=stagger, horizon=horizon, rng=rng)
    training = rng.random(len(table)) < TRAINING_SHARE
    seen, learned = (share_with_event(event, time, rows & then.entered, horizon) for rows in (~training, training))
    X = _drop_repeats(_encode(table, training), training & then.scorable)
    return SplitCohort(X, then, training, seen, learned, horizon)


def _encode(table: pd.DataFrame, training: NDArray[np.bool_]) -> Array:
    """Return the features as numbers, rare categories together; an empty cell of a category is one of its own."""
    kinds = [column for column in table if column.startswith("fac_")]
    features = table.drop(columns=["event", "time"])
    for column in kinds:
        words = features[column].astype(str)
        share = words[training].value_counts(normalize=True)
        features[column] = words.where(words.map(share).fillna(0.0) >= RARE_SHARE, "other")
    return encode_features(features, {"features": list(features), "categorical": kinds}, training)


def _drop_repeats(X: Array, rows: NDArray[np.bool_]) -> Array:
    """Leave out columns that say the same of these people as one before them."""
    _, first = np.unique(X[rows], axis=1, return_index=True)
    return X[:, np.sort(first)]
