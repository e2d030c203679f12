"""Chart of when the event comes: the curve without a model, the model's own on top of it, and who is left."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.material import LIFETIME, NET
from whether.palette import BLUE, DARK_RED, GREY
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, log_axis, percent_axis
from whether.telling.reading import CohortReading
from whether.telling.thin_curve import ThinCurve
from whether.telling.words import percent, percent_range, points

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

MOST_LISTED = 40
# Of the times, which are round ones.
DIGITS = 4
# Width of a digit under the axis as a share of it, on wide and on narrow screens.
PER_DIGIT = (0.0125, 0.028)
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


def event_curve(reading: CohortReading) -> Chart | None:
    """The curve of events with its band, what the model makes of it, and how many people are left."""
    thin = reading.thin_curve
    if thin is None:
        return None
    fitted, name = reading.fitted_curve, _name(reading)
    # Rounded further than the curve is, they might be those of another time, or lie above an earlier level.
    end, level = f"{_time(thin.times[-1], ',')} {reading.unit}", percent(thin.survival[-1], thin.places)
    band = percent_range(thin.lower[-1], thin.upper[-1], thin.places)
    left = f", with {thin.at_risk[-1]:,} people still under observation" if thin.counted[-1] else ""
    verdict, since = _verdict(reading), "" if reading.enters_late else " after entry"
    return Chart(
        "events",
        "When the event comes",
        f"A falling curve of the share of people without the event against time ({name}). At {end} {level} are "
        f"without it (95 % interval {band}){left}. {verdict}{_distance(thin, fitted)}",
        f"{verdict} At {end}{since} {level} of the people are still without the event (95 % interval {band}; {name}). "
        f"People who were followed for less time count for as long as they were followed.{_DEAD[reading.question]}"
        f"{_visits(reading)}{_distance(thin, fitted)}",
        partial(_draw, reading, thin, fitted),
        _table(reading, thin, fitted),
        height=(430, 400),
        note=_held_back(reading, thin),
        pointing="x",
    )


def _time(time: float, separator: str = "") -> str:
    """A time of the curve, which is a round one, without an exponent.

    >>> _time(8.4), _time(24.75), _time(12_000), _time(12_000, ",")
    ('8.4', '24.75', '12000', '12,000')
    """
    return f"{float(f'{time:.{DIGITS}g}'):{separator}.12g}"


def _name(reading: CohortReading) -> str:
    """Who the curve is called after."""
    return "Kaplan-Meier" if reading.cohort.seen_negative is None else "Aalen-Johansen"


def _visits(reading: CohortReading) -> str:
    if reading.cohort.time_lower is None:
        return ""
    return " Events that came between two visits are drawn at the later one, so this curve falls late."


def _distance(thin: ThinCurve, fitted: Array | None) -> str:
    """How far the model's curve is from the one without a model."""
    if fitted is None:
        return ""
    gap = fitted - thin.survival
    worst = int(np.argmax(np.abs(gap)))
    if abs(gap[worst]) < 0.005:
        return " The model’s curve lies on this one."
    side = "above" if gap[worst] > 0 else "below"
    is_inside = bool(np.all((thin.lower <= fitted) & (fitted <= thin.upper)))
    where = "within the band all along" if is_inside else "outside the band in places"
    size = f"{points(gap[worst])} percentage point{'' if points(gap[worst]) == '1' else 's'}"
    return f" The model’s curve lies {where}, at most {size} {side} this curve."


def _held_back(reading: CohortReading, thin: ThinCurve) -> str:
    if not reading.disclosure.is_on:
        return ""
    said = (
        f"The curve is drawn at round times with at least {reading.disclosure.fewest} events, or none, between "
        "them, and ends where fewer people are left. People are counted at times between which enough left."
    )
    return f"{said} It begins where enough people have come under observation." if thin.begins_late else said


def _draw(
    reading: CohortReading, thin: ThinCurve, fitted: Array | None, figure: FigureBase, narrow: bool
) -> list[Mark]:
    # Everybody is event-free at the start, which a logarithmic axis does not have, nor late entry.
    start = ((), ()) if thin.is_log or thin.begins_late else ((0.0,), (1.0,))
    times = np.append(start[0], thin.times)
    survival, lower, upper = (np.append(start[1], values) for values in (thin.survival, thin.lower, thin.upper))
    ax, below = _axes(figure, bool(thin.counted.any()))
    ax.fill_between(times, lower, upper, color=BLUE, alpha=0.18, linewidth=0, label="95 % band")
    ax.plot(times, survival, color=BLUE, label=f"no event so far ({_name(reading)})")
    if fitted is not None:
        model = np.append(start[1], fitted)
        ax.plot(times, model, color=DARK_RED, linestyle=(0, (5, 2)), linewidth=1.6, label="by the model")
    ax.axhline(
        survival[-1],
        color=GREY,
        linewidth=1.2,
        linestyle=":",
        label=f"level at the end, {percent(survival[-1], thin.places)}",
    )
    if thin.is_log:
        log_axis(ax)
    label = "time" if reading.enters_late else "time since entry"
    ax.set(xlabel=f"{label} ({reading.unit})", ylabel="people without the event (%)", ylim=(0, 1.03))
    percent_axis(ax.yaxis)
    legend_above(ax, narrow)
    if below is not None:
        _write_counts(ax, below, _counts_below(ax, reading, thin, narrow))
    return _marks(ax, reading, thin, times, (survival, lower, upper), None if fitted is None else model)


def _axes(figure: FigureBase, has_counts: bool) -> tuple[Any, Any]:
    """Axes of the curve and, below, room for numbers of people."""
    if not has_counts:
        return figure.subplots(), None
    ax, below = figure.subplots(2, 1, height_ratios=(11, 1))
    return ax, below


def _write_counts(ax: Any, below: Any, counts: list[tuple[float, int]]) -> None:
    below.set_axis_off()
    below.set_title("people still under observation")
    below.set_xscale(ax.get_xscale())
    below.set_xlim(ax.get_xlim())
    for time, count in counts:
        below.text(time, 0.5, f"{count:,}", horizontalalignment="center", verticalalignment="center")


def _counts_below(ax: Any, reading: CohortReading, thin: ThinCurve, narrow: bool) -> list[tuple[float, int]]:
    """Times at which people may be counted: the last, and the nearest to each tick, as far as their numbers fit."""
    times, people = thin.times[thin.counted], thin.at_risk[thin.counted]
    if not (thin.is_log or thin.begins_late):
        times, people = np.append(0.0, times), np.append(reading.n, people)
    scale: Any = np.log if thin.is_log else np.asarray
    low, high = scale(np.array(ax.get_xlim()))
    place = (scale(times) - low) / (high - low)
    ticks = (scale(np.array([tick for tick in ax.get_xticks() if times[0] <= tick <= times[-1]])) - low) / (high - low)
    off = np.abs(place[:, None] - ticks).min(axis=1, initial=1.0)
    wanted = {times.size - 1, *(int(np.argmin(np.abs(place - tick))) for tick in ticks)}
    kept: list[int] = []
    for i in sorted(wanted, key=lambda one: (one != times.size - 1, off[one])):
        width = {j: PER_DIGIT[narrow] * (len(f"{people[i]:,}") + len(f"{people[j]:,}") + 2) / 2 for j in kept}
        if all(abs(place[i] - place[j]) >= width[j] for j in kept):
            kept.append(i)
    return [(float(times[i]), int(people[i])) for i in sorted(kept)]


def _marks(
    ax: Any, reading: CohortReading, thin: ThinCurve, times: Array, curve: tuple[Array, ...], model: Array | None
) -> list[Mark]:
    marks = []
    for i, (t, s, a, b) in enumerate(zip(times.tolist(), *(part.tolist() for part in curve), strict=True)):
        level = f"{percent(s, thin.places)} without the event ({percent_range(a, b, thin.places)})"
        by_model = "" if model is None else f", by the model {percent(model[i], thin.places)}"
        marks.append(Mark(ax, t, s, f"{_time(t, ',')} {reading.unit}: {level}{by_model}"))
    return marks


def _table(reading: CohortReading, thin: ThinCurve, fitted: Array | None) -> Table:
    """Not too many points of the curve, evenly spread, with the last; where people may be counted, if they may."""
    header = [f"time ({reading.unit})", "without the event", "95 % interval"]
    columns = [
        list(map(_time, thin.times)),
        [percent(level, thin.places) for level in thin.survival],
        [percent_range(a, b, thin.places) for a, b in zip(thin.lower, thin.upper, strict=True)],
    ]
    if fitted is not None:
        header.append("by the model")
        columns.append([percent(level, thin.places) for level in fitted])
    told = np.arange(thin.times.size)
    if thin.counted.any():
        header.append("people still under observation")
        columns.append([f"{count:,}" for count in thin.at_risk])
        told = np.flatnonzero(thin.counted)
    picked = told[np.unique(np.linspace(0, told.size - 1, MOST_LISTED).round().astype(int))]
    return Table(tuple(header), [tuple(column[i] for column in columns) for i in picked])


def _verdict(reading: CohortReading) -> str:
    found = _READINGS[reading.situation.reading]
    if reading.situation.times_usable:
        return found
    return (
        "The recorded times are not trusted (see below), so this curve is here for comparison only. By recorded events "
        f"and follow-up alone: {found[0].lower()}{found[1:]}"
    )
