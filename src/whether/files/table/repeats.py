"""Whether a column repeats the time, in any unit and rounded: of most people, or of those with or without the event.

What is written down at each contact, such as the date of the last one, is the end of follow-up of people without the
event, and goes on past the event of the others. So does the time to the endpoint of a study, which is known at entry
and no leak: but that is as long for people with the event as for others, up to the event and from there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

ROUNDING = 0.02  # months are 28 to 31 days
NEARLY_ALL, BY_CHANCE = 0.9, 0.5
FEWEST = 20
CLOSE = 0.9  # correlation with the time of a difference of two columns that is looked at
STEPS = (1.0, 0.1, 0.01)
FAR, P_FAR = 0.15, 1e-4  # from what endpoints do (Kolmogorov and Smirnov)


def equals_mostly(values: Array, times: Array) -> bool:
    """Whether a column is the time, as it stands, of most people."""
    return bool(np.isclose(values, times, rtol=1e-9, atol=0).mean() > 0.5)


def repeats_partly(values: Array, times: Array, event: Flags) -> bool | None:
    """Whether a column is the time of people with the event or of those without; False if it may be an endpoint."""
    if _unit_of(values[event], times[event]) is not None:
        return True
    unit = _unit_of(values[~event], times[~event])
    return None if unit is None else _stops_otherwise(values / unit, times, event)


def find_ends(values: Array, starts: Array, times: Array, event: Flags) -> list[tuple[int, int, bool]]:
    """Pairs of columns, an end and a beginning, with the time between them, as `repeats_partly` has it."""
    if not values.shape[1] or not starts.shape[1] or np.count_nonzero(~event) < FEWEST:
        return []
    x, z, t = (_centre(table[~event]) for table in (values, starts, times[:, None]))
    spread = np.add.outer((x**2).sum(axis=0), (z**2).sum(axis=0)) - 2 * x.T @ z
    along = np.subtract.outer((x.T @ t)[:, 0], (z.T @ t)[:, 0])
    close = along >= CLOSE * np.sqrt(np.maximum(spread, 1e-300) * float((t**2).sum()))
    found = []
    for end, start in zip(*(index.tolist() for index in np.nonzero(close)), strict=True):
        certain = repeats_partly(values[:, end] - starts[:, start], times, event)
        found += [] if certain is None else [(end, start, certain)]
    return found


def _unit_of(values: Array, times: Array) -> float | None:
    """In which unit values are the times, up to rounding, of nearly all of some people; None if they are not."""
    known = ~np.isnan(values)
    if values.size < FEWEST or known.mean() < NEARLY_ALL:
        return None
    order = np.argsort(times[known], kind="stable")
    values, times = values[known][order], times[known][order]
    unit = float(np.median(values / times))
    if not np.isfinite(unit) or unit <= 0:
        return None
    slack = ROUNDING * unit * times + max(_step(values), unit * _step(times))
    fits, others = (np.abs(some - unit * times) <= slack for some in (values, np.roll(values, values.size // 2)))
    # Where most times are alike, or few are told apart, any column of that size would do.
    return unit if fits.mean() >= NEARLY_ALL and others.mean() <= BY_CHANCE else None


def _stops_otherwise(ends: Array, times: Array, event: Flags) -> bool:
    """Whether the ends of people with the event are other than those of the others from the event on."""
    from scipy.stats import CensoredData, ecdf, kstest

    rows = event & ~np.isnan(ends)
    if np.count_nonzero(rows) < FEWEST:
        return False
    followed = ecdf(CensoredData(times[~event], right=times[event])).sf
    last, first = (np.maximum(followed.evaluate(some[rows]), 1e-9) for some in (ends, times))
    found = kstest(np.minimum(last / first, 1), "uniform")
    return bool(found.statistic >= FAR and found.pvalue < P_FAR)


def _centre(table: Array) -> Array:
    known = ~np.isnan(table)
    middle = np.where(known, table, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, table - middle, 0.0)


def _step(values: Array) -> float:
    """To what numbers were rounded; nothing if it was finer than a hundredth."""
    for step in STEPS:
        if np.allclose(values, np.round(values / step) * step, rtol=0, atol=1e-6 * step):
            return step
    return 0.0
