"""Chart of labels by length of follow-up, beside the curve of events."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.evaluate.calibration import share_limits
from whether.palette import BLUE, DARK_RED
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, log_axis, percent_axis
from whether.telling.figures.groups import Rows, merge_groups, split_evenly
from whether.telling.reading import CohortReading
from whether.telling.thin_curve import is_skewed
from whether.telling.words import number, percent, percent_range

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

# Groups of people with similar follow-up.
N_GROUPS = 10
_COMPARISONS = {
    "contradicted": "Points and dashed line disagree more than chance allows: the recorded times are not trusted.",
    "not contradicted": "Points and dashed line agree: nothing contradicts the recorded times.",
    "not checked": "Whether the points agree with the dashed line could not be tested.",
}


class Shares(NamedTuple):
    """Shares with a recorded event, from the shortest to the longest follow-up."""

    center: tuple[float, ...]
    size: tuple[int, ...]
    share: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


def labels_by_follow_up(reading: CohortReading) -> Chart | None:
    """Share with a recorded event by length of follow-up, beside what the recorded times say."""
    known = reading.cohort.follow_up
    groups = [] if known is None else _follow_up_groups(reading, known)
    if known is None or len(groups) < 2:
        return None
    shares = [_share(known[rows], reading.cohort.labeled[rows]) for rows in groups]
    found = Shares._make(zip(*shares, strict=True))
    first, last = (reading.length(found.center[i]) for i in (0, -1))
    low, high = (percent(found.share[i]) for i in (0, -1))
    trust, has_curve = reading.evidence.trust, reading.thin_curve is not None
    comparison = _COMPARISONS[trust.reading] if trust and has_curve else "There are no event times to compare with."
    rows = [
        (number(x, 2), f"{n:,}", percent(y, 1), percent_range(a, b, 1)) for x, n, y, a, b in zip(*found, strict=True)
    ]
    return Chart(
        "labels",
        "Recorded events by length of follow-up",
        f"Points of the share of people with a recorded event, for {len(groups)} groups from the shortest to the "
        f"longest follow-up. It goes from {low} at about {first} to {high} at about {last}. {comparison}",
        f"Each point is a group of people with similar follow-up, event or not. Among those followed for about "
        f"{first}, {low} have a recorded event; among those followed for about {last}, {high}. {comparison}",
        partial(_draw_shares, reading, found),
        Table((f"mean follow-up ({reading.unit})", "people", "with a recorded event", "95 % interval"), rows),
        height=(340, 320),
    )


def _draw_shares(reading: CohortReading, found: Shares, figure: FigureBase, narrow: bool) -> list[Mark]:
    center, share = np.array(found.center), np.array(found.share)
    skewed = is_skewed(center) or center[-1] > 15 * center[0]
    thin = reading.thin_curve
    ax = figure.subplots()
    if thin is not None:
        ax.plot(thin.times, 1 - thin.survival, color=BLUE, linestyle="--", label="had it by then, from times")
    error = np.abs(np.stack([share - found.lower, found.upper - share]))
    label = "event was recorded (95 % interval)"
    ax.errorbar(center, share, error, fmt="o", color=DARK_RED, markersize=6, capsize=3, label=label)
    if skewed:
        log_axis(ax)
    ax.set_xlim(center[0] / 1.6 if skewed else 0, center[-1] * (1.6 if skewed else 1.12))
    ax.set(xlabel=f"length of follow-up ({reading.unit})", ylabel="share of people (%)")
    ax.set_ylim(0, min(1.03, 1.1 * max(found.upper)))
    percent_axis(ax.yaxis)
    legend_above(ax, narrow)
    return [
        Mark(ax, x, y, f"followed for about {reading.length(x)}: {percent(y, 1)} of {n:,} people have a recorded event")
        for x, n, y, *_ in zip(*found, strict=True)
    ]  # fmt: skip


def _follow_up_groups(reading: CohortReading, known: Array) -> list[Rows]:
    """People from the shortest to the longest follow-up, in groups that may be shown."""
    parts = split_evenly(known, min(N_GROUPS, max(1, reading.n // 30)))
    return merge_groups(parts, (reading.cohort.labeled, ~reading.cohort.labeled), reading.disclosure)


def _share(follow_up: Array, labeled: NDArray[np.bool_]) -> tuple[float, int, float, float, float]:
    """Mean follow-up of a group (a median is one person's own), its size, and its share with the event, with limits."""
    n_events, n = int(np.count_nonzero(labeled)), labeled.size
    return float(np.exp(np.log(follow_up).mean())), n, n_events / n, *share_limits(n_events, n)
