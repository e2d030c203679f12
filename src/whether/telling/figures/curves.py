"""Charts of time: the curve of events, and labels by length of follow-up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.material import LIFETIME, NET
from whether.evaluate.calibration import share_limits
from whether.palette import BLUE, DARK_RED, GREY
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, log_axis, percent_axis
from whether.telling.figures.groups import Rows, merge_groups, split_evenly
from whether.telling.reading import CohortReading
from whether.telling.thin_curve import ThinCurve, is_skewed
from whether.telling.words import number, percent, percent_range

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

# Groups of people with similar follow-up.
N_GROUPS = 10
MOST_LISTED = 40
_READINGS = {
    "levels off": "The curve levels off: nearly everybody to whom the event happens has had it by the end.",
    "unclear": "Whether the curve levels off is unclear.",
    "goes on": "The curve still falls where it ends: more events may come after follow-up.",
    "unknown": "Whether the curve levels off could not be told.",
}
# Where some died first: what they count as.
_DEAD = {
    "": "",
    LIFETIME: " Whoever died without the event counts as without it from then on.",
    NET: " Whoever died without the event counts as long as they lived, as if followed no longer.",
}
_COMPARISONS = {
    "contradicted": "Points and dashed line disagree more than chance allows: the recorded times are not trusted.",
    "not contradicted": "Points and dashed line agree: nothing contradicts the recorded times.",
    "not checked": "Whether the points agree with the dashed line could not be tested.",
}


def event_curve(reading: CohortReading) -> Chart | None:
    """Kaplan and Meier's curve with its band, and the level at which it ends."""
    thin = reading.thin_curve
    if thin is None:
        return None
    end, level = reading.length(float(thin.times[-1])), percent(thin.survival[-1])
    band = percent_range(thin.lower[-1], thin.upper[-1])
    left = f", with {thin.at_risk[-1]:,} people still under observation" if thin.counted[-1] else ""
    verdict, since = _verdict(reading), "" if reading.enters_late else " after entry"
    held_back = (
        f"The curve is drawn at round times with at least {reading.disclosure.fewest} events, or none, between "
        "them, and ends where fewer people are left."
    )
    if thin.begins_late:
        held_back += " It begins where enough people have come under observation."
    return Chart(
        "events",
        "When the event comes",
        f"A falling curve of the share of people without the event against time. At {end} {level} are "
        f"without it (95 % interval {band}){left}. {verdict}",
        f"{verdict} At {end}{since} {level} of the people are still without the event (95 % interval {band}). "
        f"People who were followed for less time count for as long as they were followed.{_DEAD[reading.question]}",
        partial(_draw_curve, reading, thin),
        Table(
            (f"time ({reading.unit})", "without the event", "95 % interval", "people still under observation"),
            _curve_rows(thin),
        ),
        note=held_back if reading.disclosure.is_on else "",
        pointing="x",
    )


def _draw_curve(reading: CohortReading, thin: ThinCurve, figure: FigureBase, narrow: bool) -> list[Mark]:
    # Everybody is event-free at the start, which a logarithmic axis does not have, nor late entry.
    start = ((), ()) if thin.is_log or thin.begins_late else ((0.0,), (1.0,))
    times = np.append(start[0], thin.times)
    survival, lower, upper = (np.append(start[1], values) for values in (thin.survival, thin.lower, thin.upper))
    ax = figure.subplots()
    ax.fill_between(times, lower, upper, color=BLUE, alpha=0.18, linewidth=0, label="95 % band")
    ax.plot(times, survival, color=BLUE, label="no event so far")
    label = f"level at the end, {percent(survival[-1])}"
    ax.axhline(survival[-1], color=GREY, linewidth=1.2, linestyle="--", label=label)
    if thin.is_log:
        log_axis(ax)
    label = "time" if reading.enters_late else "time since entry"
    ax.set(xlabel=f"{label} ({reading.unit})", ylabel="people without the event (%)", ylim=(0, 1.03))
    percent_axis(ax.yaxis)
    legend_above(ax, narrow)
    places = thin.places
    return [
        Mark(ax, t, s, f"{reading.length(t)}: {percent(s, places)} without the event ({percent_range(a, b, places)})")
        for t, s, a, b in zip(times.tolist(), survival.tolist(), lower, upper, strict=True)
    ]


def _curve_rows(thin: ThinCurve) -> list[tuple[str, ...]]:
    """Not too many points of the curve, evenly spread, with the last."""
    picked = np.unique(np.linspace(0, thin.times.size - 1, MOST_LISTED).round().astype(int))
    return [
        (
            f"{thin.times[i]:.4g}",
            percent(thin.survival[i], thin.places),
            percent_range(thin.lower[i], thin.upper[i], thin.places),
            f"{thin.at_risk[i]:,}" if thin.counted[i] else "not told",
        )
        for i in picked
    ]


def _verdict(reading: CohortReading) -> str:
    found = _READINGS[reading.situation.reading]
    if reading.situation.times_usable:
        return found
    return (
        "The recorded times are not trusted (see below), so this curve is here for comparison only. By labels and "
        f"follow-up alone: {found[0].lower()}{found[1:]}"
    )


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
