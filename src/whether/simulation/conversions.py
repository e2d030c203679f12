"""A log of clicks and conversions, as advertisers keep it: who converts, how late, and what is known at the click.

It resembles the public log of delayed conversions: two months of clicks that come and go with the hour, conversions
within thirty days of which a third come within the hour and the others with a heavy tail, numbers with gaps, and hashed
categories of which some have a handful of values and others hundreds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from whether.arrays import Array, Flags, Rows
from whether.simulation.streams import Streams

if TYPE_CHECKING:
    import pandas as pd

DAY = 86_400.0
N_DAYS, WINDOW = 60, 30
N_NUMBERS = 8
CARDINALITIES = (4, 9, 20, 40, 80, 150, 300, 600, 12)
# Share of the numbers that are not known, column by column.
GAPS = (0.0, 0.02, 0.1, 0.2, 0.05, 0.0, 0.3, 0.1)
# Share of conversions within the hour or so, and the shape of the tail of the others: the smaller, the heavier.
SHARE_AT_ONCE, TAIL = 0.35, 1.0


@dataclass(frozen=True, eq=False)
class SimulatedLog:
    """A simulated log, with the truth behind it.

    Attributes
    ----------
    table : DataFrame
        A row for each click: ``click`` and ``conversion`` in seconds, the latter empty where none came; ``number 1`` to
        ``number 8`` and ``category 1`` to ``category 9``.
    conversion_proba : ndarray
        Truth: the probability that a click like this one converts within thirty days.
    """

    table: pd.DataFrame
    conversion_proba: Array

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the log as text: tabs between the cells, and no header."""
        self.table.to_csv(path, sep="\t", header=False, index=False)


def simulate_conversion_log(n: int = 20_000, seed: int | np.random.SeedSequence = 0) -> SimulatedLog:
    """Draw a log of clicks.

    Parameters
    ----------
    n : int
        Number of clicks.
    seed : int or numpy.random.SeedSequence

    Examples
    --------
    >>> from whether.simulation import simulate_conversion_log
    >>> log = simulate_conversion_log(1000, seed=1)
    >>> log.table.shape
    (1000, 19)
    >>> bool(0.1 < log.table["conversion"].notna().mean() < 0.35)
    True
    """
    import pandas as pd

    streams = Streams(seed, n)
    numbers = np.column_stack([special.ndtri(streams.uniforms(f"number {k}")) for k in range(N_NUMBERS)])
    codes = [_categories(streams, column, size) for column, size in enumerate(CARDINALITIES)]
    logit = -1.75 + 0.6 * numbers[:, 0] - 0.4 * numbers[:, 1] + 0.3 * numbers[:, 2]
    logit += sum(_effect(code, column, 0.5) for column, code in enumerate(codes[:5]))
    proba = special.expit(logit)
    converted = streams.uniforms("conversion") < proba
    slowness = 0.5 * numbers[:, 3] + _effect(codes[1], 20, 0.4) - 0.3 * numbers[:, 0]
    click = _click_times(streams)
    delay = _delays(streams, slowness)
    table = pd.DataFrame({"click": np.round(click).astype(np.int64)})
    conversion = pd.Series(np.ceil(click + delay)).astype("Int64")
    table["conversion"] = conversion.where(converted)
    table = table.assign(**_number_columns(streams, numbers), **_category_columns(codes))
    order = np.argsort(table["click"], kind="stable")
    return SimulatedLog(table.iloc[order].reset_index(drop=True), proba[order])


def _categories(streams: Streams, column: int, size: int) -> Rows:
    """Codes of which the first are frequent and the last rare, as in logs."""
    share = 1 / np.arange(1, size + 1)
    return np.searchsorted(np.cumsum(share / share.sum()), streams.uniforms(f"category {column}")).clip(max=size - 1)


def _effect(code: Rows, column: int, spread: float) -> Array:
    """What a category adds: the same for the same category, in every log."""
    return np.asarray(spread * np.sin(12.9898 * code + 78.233 * (column + 1)) * np.sqrt(2))


def _click_times(streams: Streams) -> Array:
    """Seconds of clicks: any day alike, few at night."""
    day = np.floor(N_DAYS * streams.uniforms("day"))
    grid = np.linspace(0.0, 1.0, 1001)
    passed = grid - 0.6 * np.sin(2 * np.pi * grid) / (2 * np.pi)  # the density is lowest at midnight
    return np.asarray(DAY * (day + np.interp(streams.uniforms("hour"), passed, grid)))


def _delays(streams: Streams, slowness: Array) -> Array:
    """Seconds from click to conversion, at most the window: soon, or by a power law cut off there."""
    level = streams.uniforms("delay")
    soon = -0.04 * np.log1p(-0.999 * level)
    scale = 6.0 * np.exp(slowness)
    most = 1 - (1 + WINDOW / scale) ** -TAIL
    late = scale * ((1 - level * most) ** (-1 / TAIL) - 1)
    at_once: Flags = streams.uniforms("at once") < SHARE_AT_ONCE
    return np.asarray(DAY * np.minimum(np.where(at_once, soon, late), WINDOW))


def _number_columns(streams: Streams, numbers: Array) -> dict[str, pd.Series]:
    import pandas as pd

    columns = {}
    for k, gaps in enumerate(GAPS):
        counts = pd.Series(np.round(np.exp(2 + numbers[:, k])).astype(np.int64)).astype("Int64")
        columns[f"number {k + 1}"] = counts.where(streams.uniforms(f"gap {k}") >= gaps)
    return columns


def _category_columns(codes: list[Rows]) -> dict[str, list[str]]:
    """Hashed names: text that says nothing."""
    columns = {}
    for column, code in enumerate(codes):
        names = [f"{(2654435761 * (value + 1) + 97 * column) % 2**32:08x}" for value in range(CARDINALITIES[column])]
        columns[f"category {column + 1}"] = [names[value] for value in code]
    return columns
