"""Kaplan and Meier's curve as it may be shown: at round times, with enough events between them, or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.survival import SurvivalCurve
from whether.telling.disclosure import Disclosure

Array = NDArray[np.float64]

# A median below this share of the largest value squeezes a linear axis into a corner.
SKEWED = 0.05
N_STEPS = 120
# A curve that fewer people carry says nothing, whoever may see it.
FEWEST_AT_RISK = 11


@dataclass(frozen=True, eq=False)
class ThinCurve:
    """Kaplan and Meier's curve at times that are nobody's own."""

    times: Array
    # Levels are rounded so that a step of the last digit is a person or more: a finer one tells who left in between.
    survival: Array
    lower: Array
    upper: Array
    at_risk: NDArray[np.int64]  # people still under observation after each time
    # Where that number may be shown: since the time before enough people had left without the event, or none.
    counted: NDArray[np.bool_]
    is_log: bool  # whether the times are spread evenly on a logarithmic scale
    places: int  # decimal places of the levels in percent
    begins_late: bool  # whether people come under observation after time zero


def thin(curve: SurvivalCurve, disclosure: Disclosure, entry: Array | None = None) -> ThinCurve | None:
    """Read a curve at round times only; it ends where too few people are left to carry it.

    ``entry`` is when people came under observation, where that was not at time zero.
    """
    fewest = max(disclosure.fewest, FEWEST_AT_RISK)
    carried = curve.times[curve.at_risk >= fewest]
    if carried.size == 0:
        return None
    event_times = np.repeat(curve.times, curve.events.astype(int))
    is_log = is_skewed(event_times)
    grid = _log_grid(carried, event_times) if is_log else _even_grid(carried)
    begins_late = bool(curve.at_risk[0] < curve.at_risk.max())
    grid = grid[grid >= carried[0]] if begins_late else grid
    # People who are under observation just after each grid time, and events up to it.
    position = np.searchsorted(curve.times, grid, side="right")
    left = np.append(curve.at_risk, 0.0)[position]
    if entry is not None:  # who comes before anything else happens is counted at the next time, too
        left = left - _enter_between(entry, grid, np.append(curve.times, np.inf)[position])
    events = np.concatenate([[0.0], np.cumsum(curve.events)])[position]
    grid, left, events = grid[left >= fewest], left[left >= fewest], events[left >= fewest]
    last = _ends(disclosure.merge(np.diff(events, prepend=0.0).astype(np.int64)[:, None]))
    if last.size == 0:
        return None
    # The rest of the people, who are known by what the others leave of the total, counts like any other part.
    seen = np.diff(events[last], prepend=0.0, append=curve.events.sum())
    came = np.zeros(seen.size) if entry is None else _come(entry, grid[last])
    first = curve.at_risk[0] if entry is None else 0.0
    gone = -np.diff(left[last], prepend=first, append=0.0) - seen + came
    counted = np.zeros(last.size + 1, dtype=bool)
    counted[_ends(disclosure.merge(np.column_stack([seen, gone, came]).astype(np.int64)))] = True
    times, at_risk = grid[last], left[last].astype(np.int64)
    places = 0 if disclosure.is_on and curve.at_risk[0] < 1000 else 1
    levels = _levels(curve, times)
    if disclosure.is_on:
        levels = levels.round(places + 2)
    return ThinCurve(times, levels[0], levels[1], levels[2], at_risk, counted[:-1], is_log, places, begins_late)


def _enter_between(entry: Array, times: Array, later: Array) -> NDArray[np.intp]:
    """Number of people who came under observation after each of the times and before the later ones."""
    entered = np.sort(entry)
    return np.searchsorted(entered, later, side="left") - np.searchsorted(entered, times, side="right")


def _come(entry: Array, times: Array) -> Array:
    """Number of people who came under observation up to the first time, between the others, and after the last."""
    before = np.searchsorted(np.sort(entry), times, side="right")
    return np.diff(before.astype(float), prepend=0.0, append=float(entry.size))


def _levels(curve: SurvivalCurve, times: Array) -> Array:
    """The curve and its limits at some times."""
    step = np.searchsorted(curve.times, times, side="right")
    return np.stack([curve.at(times), *(np.append(1.0, limit)[step] for limit in curve.interval())])


def is_skewed(values: Array) -> bool:
    """Whether most of the values would be squeezed into a corner of a linear axis."""
    return bool(np.median(values) < SKEWED * np.max(values))


def _ends(runs: list[slice]) -> NDArray[np.intp]:
    return np.array([run.stop - 1 for run in runs], dtype=np.intp)


def _log_grid(times: Array, event_times: Array) -> Array:
    """Times of two digits, evenly spread on a logarithmic scale: fine enough for an axis of several powers of ten."""
    first = max(float(np.quantile(event_times, 0.02)), 1e-4 * float(times[-1]))
    return np.unique([float(f"{value:.2g}") for value in np.geomspace(first, float(times[-1]), N_STEPS)])


def _even_grid(times: Array) -> Array:
    """Multiples of a round number."""
    step = float(times[-1]) / N_STEPS
    power = 10 ** np.floor(np.log10(step))
    step = float(next(power * size for size in (1, 2, 2.5, 5, 10) if power * size >= step))
    return np.asarray(np.arange(1, N_STEPS + 1) * step)
