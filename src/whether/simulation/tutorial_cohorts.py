"""The cohorts of the tutorials: the real tables where they are, and simulated stand-ins elsewhere.

A stand-in has the columns, the size and the kind of the real table: how common the event is, which features drive it,
in which direction, and how follow-up ended. Its people are made up, so whoever builds the documentation without the
tables sees a whole analysis, and is told that it is not of the real cohort.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from whether.simulation.real_tables import MissingDataError, load_table
from whether.simulation.streams import FloatArray
from whether.validate import ArgumentError

if TYPE_CHECKING:
    import pandas as pd


def tutorial_cohort(name: str) -> pd.DataFrame:
    """Return the table of a tutorial; ``attrs["source"]`` says whether it is the real one or a stand-in.

    Parameters
    ----------
    name : {"nwts", "rotterdam"}

    Returns
    -------
    DataFrame
        ``event``, ``time`` in years, ``entry_year``, and features.

    Examples
    --------
    >>> from whether.simulation import tutorial_cohort
    >>> children = tutorial_cohort("nwts")
    >>> len(children)
    3915
    """
    if name not in STAND_INS:
        raise ArgumentError(f"There is no tutorial with {name!r}; there are {', '.join(STAND_INS)}.")
    try:
        table, source = load_table(name).copy(), f"The real table, {name}."
    except MissingDataError:
        table = STAND_INS[name](np.random.default_rng(0))
        source = f"A simulated stand-in: the table {name} was not found. Its people are made up."
    table.attrs["source"] = source
    return table


def _simulate_kidney_tumours(rng: np.random.Generator) -> pd.DataFrame:
    """Children with a tumour that recurs early or not at all, watched for up to two decades."""
    import pandas as pd

    n = 3915
    stage = rng.choice([1, 2, 3, 4], n, p=[0.38, 0.27, 0.24, 0.11])
    histology = (rng.random(n) < 0.11).astype(int)
    age = np.round(rng.gamma(1.9, 1.9, n), 2)
    weight = np.clip(rng.lognormal(6.2, 0.65, n), 10, 4400).round()
    diameter = np.clip(rng.normal(11.2, 3.8, n), 1, 33).round()
    logit = -2.2 + 0.33 * (stage - 1) + 1.7 * histology + 0.02 * (age - 3.5)
    when = np.exp(-0.05 - 0.13 * (stage - 1) - 0.4 * histology + 0.75 * rng.standard_normal(n))
    entry = rng.integers(1979, 1996, n) + 0.5
    watched = np.minimum(2002.0 - entry, 0.5 + rng.exponential(30.0, n)) + rng.random(n)
    features = {"stage": stage, "histol": histology, "age": age, "specwgt": weight, "tumdiam": diameter}
    return pd.DataFrame({"entry_year": entry, **features, **_seen(rng, logit, when, watched)})


def _simulate_breast_cancer(rng: np.random.Generator) -> pd.DataFrame:
    """Women after surgery, with recurrences that go on for longer than anybody was followed."""
    import pandas as pd

    n = 2982
    age = np.clip(rng.normal(55, 13, n), 24, 90).round()
    size = rng.choice(["<=20", "20-50", ">50"], n, p=[0.46, 0.43, 0.11])
    grade = rng.choice([2, 3], n, p=[0.27, 0.73])
    nodes = np.minimum(rng.negative_binomial(0.4, 0.13, n), 34)
    receptors = rng.standard_normal(n)
    pgr = np.clip(np.exp(3.6 + 1.9 * receptors), 0, 5000).round()
    er = np.clip(np.exp(4.0 + 1.4 * receptors + rng.standard_normal(n)), 0, 3200).round()
    hormones, chemotherapy = (rng.random(n) < 0.11).astype(int), (rng.random(n) < 0.19).astype(int)
    large = (size != "<=20").astype(float)
    logit = 0.75 + 0.5 * np.log1p(nodes) + 0.4 * large + 0.3 * (grade - 2) - 0.5 * (hormones + chemotherapy)
    later = 0.12 * (np.log1p(pgr) - 3.6) - 0.25 * np.log1p(nodes) - 0.25 * (grade - 2) - 0.2 * large
    when = np.exp(1.85 + later + 0.25 * (hormones + chemotherapy) + 1.05 * rng.standard_normal(n))
    entry = np.clip(rng.normal(1988.7, 3.0, n), 1978, 1993).round() + 0.5
    watched = np.minimum(1998.0 - entry, 1.0 + rng.exponential(11.0, n)) + rng.random(n)
    treated = {"hormon": hormones, "chemo": chemotherapy}
    features = {"age": age, "size": size, "grade": grade, "nodes": nodes, "pgr": pgr, "er": er, **treated}
    return pd.DataFrame({"entry_year": entry, **features, **_seen(rng, logit, when, watched)})


def _seen(rng: np.random.Generator, logit: FloatArray, when: FloatArray, watched: FloatArray) -> dict[str, FloatArray]:
    """What is recorded of people who have the event with these log odds, then, and are watched for so long."""
    seen = (rng.random(logit.size) < 1 / (1 + np.exp(-logit))) & (when <= watched)
    return {"event": seen.astype(int), "time": np.where(seen, when, watched).round(4) + 0.001}


STAND_INS: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    "nwts": _simulate_kidney_tumours,
    "rotterdam": _simulate_breast_cancer,
}
