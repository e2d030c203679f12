"""Charts of time: the curve of events, and labels by length of follow-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from whether.telling.figures.drawing import BLUE, GREY, ORANGE, Chart, Mark, Table, legend_above, log_axis, percent_axis
from whether.telling.page.reading import Reading, is_skewed
from whether.telling.words import number, percent, percent_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

# Groups of people with similar follow-up.
N_GROUPS = 10
_READINGS = {
    "levels off": "The curve levels off: nearly everybody to whom the event happens has had it by the end.",
    "unclear": "Whether the curve levels off is unclear.",
    "goes on": "The curve still falls where it ends: events go on after follow-up.",
    "unknown": "Whether the curve levels off could not be told.",
}


def event_curve(reading: Reading) -> Chart | None:
    """Kaplan and Meier's curve with its band, and the level at which it ends.

    Parameters
    ----------
    reading : Reading
    """
    thin = reading.thin_curve
    if thin is None:
        return None
    # Everybody is event-free at the start.
    times, survival, lower, upper = (
        np.append(first, values)
        for first, values in ((0.0, thin.times), (1.0, thin.survival), (1.0, thin.lower), (1.0, thin.upper))
    )
    end = float(thin.times[-1])
    left = f", with {thin.at_risk[-1]:,} people still under observation" if thin.counted[-1] else ""
    plateau, band = percent(survival[-1]), percent_range(lower[-1], upper[-1])
    skewed = thin.is_log
    verdict = _verdict(reading)

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        shown = slice(1, None) if skewed else slice(None)
        ax.fill_between(
            times[shown], lower[shown], upper[shown], color=BLUE, alpha=0.18, linewidth=0, label="95 % band"
        )
        ax.plot(times[shown], survival[shown], color=BLUE, label="no event so far")
        label = f"level at the end, {plateau}"
        ax.axhline(survival[-1], color=GREY, linewidth=1.2, linestyle="--", label=label)
        if skewed:
            log_axis(ax)
        ax.set(xlabel=f"time since entry ({reading.unit})", ylabel="people without the event (%)", ylim=(0, 1.03))
        percent_axis(ax.yaxis)
        legend_above(ax, narrow)
        return [
            Mark(
                ax,
                float(t),
                float(s),
                f"{reading.length(t)}: {percent(s, 1)} without the event ({percent_range(a, b, 1)})",
            )
            for t, s, a, b in zip(times[shown], survival[shown], lower[shown], upper[shown], strict=True)
        ]

    rows = [
        (f"{t:.4g}", percent(s, 1), percent_range(a, b, 1), f"{m:,}" if told else "not told")
        for t, s, a, b, m, told in zip(
            thin.times, thin.survival, thin.lower, thin.upper, thin.at_risk, thin.counted, strict=True
        )
    ]
    held_back = (
        f"The curve is drawn at round times with at least {reading.disclosure.fewest} events, or none, between "
        "them, and ends where fewer people are left."
        if reading.disclosure.is_on
        else ""
    )
    return Chart(
        "events",
        "When the event comes",
        f"A falling curve of the share of people without the event against time since entry. At {reading.length(end)} "
        f"{plateau} are without it (95 % interval {band}){left}. {verdict}",
        f"{verdict} At {reading.length(end)} after entry {plateau} of the people are still without the event (95 % "
        f"interval {band}). People who were followed for less time count for as long as they were followed.",
        draw,
        Table(
            (f"time ({reading.unit})", "without the event", "95 % interval", "people still under observation"),
            _every(rows),
        ),
        note=held_back,
        pointing="x",
    )


def _verdict(reading: Reading) -> str:
    found = _READINGS[reading.situation.reading]
    if reading.situation.times_usable:
        return found
    return (
        "The recorded times are not trusted (see below), so this curve is here for comparison only. By labels and "
        f"follow-up alone: {found[0].lower()}{found[1:]}"
    )


def labels_by_follow_up(reading: Reading) -> Chart | None:
    """Share with a recorded event by length of follow-up, beside what the recorded times say.

    Parameters
    ----------
    reading : Reading
    """
    known = reading.cohort.follow_up
    if known is None:
        return None
    groups = _follow_up_groups(reading, known)
    if len(groups) < 2:
        return None
    labeled = reading.cohort.labeled
    # Means, because a median is one person's own value.
    center = np.array([np.exp(np.log(known[group]).mean()) for group in groups])
    size = np.array([group.size for group in groups])
    share = np.array([labeled[group].mean() for group in groups])
    lower, upper = _wilson(share, size)
    skewed = is_skewed(center) or center[-1] > 15 * center[0]
    thin = reading.thin_curve

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        if thin is not None:
            ax.plot(thin.times, 1 - thin.survival, color=BLUE, linestyle="--", label="had it by then, from times")
        error = np.stack([share - lower, upper - share])
        ax.errorbar(
            center,
            share,
            error,
            fmt="o",
            color=ORANGE,
            markersize=6,
            capsize=3,
            label="event was recorded (95 % interval)",
        )
        if skewed:
            log_axis(ax)
        ax.set_xlim(center[0] / 1.6 if skewed else 0, center[-1] * (1.6 if skewed else 1.12))
        ax.set(xlabel=f"length of follow-up ({reading.unit})", ylabel="share of people (%)")
        ax.set_ylim(0, min(1.03, 1.1 * float(upper.max())))
        percent_axis(ax.yaxis)
        legend_above(ax, narrow)
        return [
            Mark(
                ax, float(x), float(y),
                f"followed for about {reading.length(x)}: {percent(y, 1)} of {reading.disclosure.count(n)} people have "
                "a recorded event",
            )
            for x, y, n in zip(center, share, size, strict=True)
        ]  # fmt: skip

    rows = [
        (number(x, 2), reading.disclosure.count(n), percent(y, 1), percent_range(a, b, 1))
        for x, n, y, a, b in zip(center, size, share, lower, upper, strict=True)
    ]
    comparison = _comparison(reading)
    return Chart(
        "labels",
        "Recorded events by length of follow-up",
        f"Points of the share of people with a recorded event, for {len(groups)} groups from the shortest to the "
        f"longest follow-up. It goes from {percent(share[0])} at about {reading.length(center[0])} to "
        f"{percent(share[-1])} at about {reading.length(center[-1])}. {comparison}",
        f"Each point is a group of people with similar follow-up, event or not. Among those followed for about "
        f"{reading.length(center[0])}, {percent(share[0])} have a recorded event; among those followed for about "
        f"{reading.length(center[-1])}, {percent(share[-1])}. {comparison}",
        draw,
        Table((f"mean follow-up ({reading.unit})", "people", "with a recorded event", "95 % interval"), rows),
        height=(340, 320),
    )


def _comparison(reading: Reading) -> str:
    trust = reading.analysis.evidence.trust
    if trust is None or reading.thin_curve is None:
        return "There are no event times to compare with."
    return {
        "contradicted": "Points and dashed line disagree more than chance allows: the recorded times are not trusted.",
        "not contradicted": "Points and dashed line agree: nothing contradicts the recorded times.",
        "not checked": "Whether the points agree with the dashed line could not be tested.",
    }[trust.reading]


def _follow_up_groups(reading: Reading, known: Array) -> list[NDArray[np.intp]]:
    """People from the shortest to the longest follow-up, in groups that may be shown."""
    labeled = reading.cohort.labeled
    parts = np.array_split(np.argsort(known, kind="stable"), min(N_GROUPS, max(1, reading.n // 30)))
    counts = np.array([[labeled[part].sum(), (~labeled[part]).sum()] for part in parts])
    return [np.concatenate(parts[run]) for run in reading.disclosure.merge(counts)]


def _wilson(share: Array, size: Array) -> tuple[Array, Array]:
    z = float(norm.ppf(0.975))
    center = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    width = z * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2)) / (1 + z**2 / size)
    return np.minimum(center - width, share), np.maximum(center + width, share)


def _every(rows: list[Any], most: int = 40) -> list[Any]:
    """Rows of a table that is not too long: evenly spread, with the last."""
    if len(rows) <= most:
        return rows
    return [rows[i] for i in np.unique(np.linspace(0, len(rows) - 1, most).round().astype(int))]
