"""The risk beside what the data show without a model: the level of the curve of events, group by group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.watched import event_curve
from whether.cohort import Cohort
from whether.evaluate.calibration import share_limits
from whether.palette import BLUE, DARK_RED, GREY
from whether.telling.evidence_words import outcome_of
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, percent_axis
from whether.telling.figures.groups import Rows
from whether.telling.figures.validity import group_members, shared_horizon
from whether.telling.reading import Reading
from whether.telling.thin_curve import ThinCurve
from whether.telling.words import percent, percent_range

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Share of the people who have to be under observation where the curves are read, and groups below which they are read
# earlier, where more people are left.
LEAST_SHARE = 0.05
ENOUGH_GROUPS = 3
_LEVELS = {
    "levels off": "The curve of events levels off within follow-up: where crosses reach the line nearly all has come.",
    "unclear": "Whether the curve of events levels off is unclear. What is still to come is missing from the points, "
    "which may lie below the line for that alone.",
    "goes on": "Events go on to the end of follow-up: points are lower bounds, and should lie below the line.",
    "unknown": "",
}


@dataclass(frozen=True)
class Level:
    """A group of people: its mean risk, what the model expects by a time, and what the curve shows by then."""

    risk: float
    expected: float
    shown: float
    lower: float
    upper: float
    n: int


def agreement_chart(reading: Reading) -> Chart | None:
    """Mean risk beside the level of the curve of events, in groups by risk; None where that cannot be shown."""
    thin, cohort = reading.thin_curve, reading.evidence.view.cohort
    if thin is None or not (reading.model_has_clock and reading.situation.times_usable):
        return None
    first = shared_horizon(reading, thin)
    for horizon in (_last_horizon(reading, thin), first):
        levels = [_level(reading, group, horizon) for group in _groups(reading, cohort, first, horizon)]
        if len(levels) >= ENOUGH_GROUPS or horizon == first:
            break
    return _chart(reading, levels, horizon) if len(levels) > 1 else None


def _last_horizon(reading: Reading, thin: ThinCurve) -> float:
    reached = np.flatnonzero(thin.at_risk >= LEAST_SHARE * reading.n)
    return float(thin.times[reached[-1] if reached.size else 0])


def _groups(reading: Reading, cohort: Cohort, first: float, horizon: float) -> list[Rows]:
    """People by risk, as in the histogram, with nobody or enough of each kind at either time, and of known negatives.

    The first time is that of the chart of calibration: the events between the two could be had by subtraction.
    """
    rows = reading.rows
    labeled, time = cohort.labeled[rows], cohort.required("time")[rows]
    closed = reading.cohort.seen_negative
    ends = [-np.inf, first, *([horizon] if horizon > first else [])]
    spans = [(time > a) & (time <= b) for a, b in pairwise(ends)]
    kinds = [span & who for span in spans for who in (labeled, ~labeled)]
    kinds += [time > ends[-1], *([] if closed is None else [closed[rows]])]
    return group_members(reading, reading.analysis.risks[rows], tuple(kinds))


def _level(reading: Reading, group: Rows, horizon: float) -> Level:
    rows = reading.rows[group]
    people = reading.cohort.take(rows)
    curve = event_curve(people)
    last = int(np.searchsorted(curve.times, horizon, side="right")) - 1
    lower, upper = (float(limit[last]) if last >= 0 else 1.0 for limit in curve.interval())
    if curve.at(horizon) == 1.0:
        # The curve's own variance is zero there, but nobody of so many followed had the event.
        here = people.required("time") >= horizon
        n = int(np.count_nonzero(here if people.entry_time is None else here & (people.entry_time < horizon)))
        n = n if reading.disclosure.allows(n) else 0
        lower = 1 - share_limits(0, n, method="exact")[1]
    model: Any = reading.analysis.model
    free = model.predict_survival(reading.table(rows), [horizon])[:, 0]
    risk = float(reading.analysis.risks[rows].mean())
    return Level(risk, float(1 - free.mean()), float(1 - curve.at(horizon)), 1 - upper, 1 - lower, rows.size)


def _chart(reading: Reading, levels: list[Level], horizon: float) -> Chart:
    inside = sum(level.lower <= level.expected <= level.upper for level in levels)
    until = reading.length(horizon)
    verdict = f"In {inside} of {len(levels)} groups what the model expects by {until} lies within the interval."
    found = reading.evidence.agreement
    return Chart(
        "agreement",
        "Does the curve without a model agree?",
        f"Points of the share with the event by {until}, by the curve of events alone, against the mean risk by the "
        f"model, for {len(levels)} groups from low to high risk, with a dashed line where both are equal. {verdict}",
        "People are grouped by their risk. Each point sets the mean risk of a group against the share that the curve "
        f"of events of these people alone, without any model, shows by {until}; crosses are what the model expects by "
        f"then, and from there up to the line is what it expects later. {_LEVELS[reading.evidence.plateau]} {verdict}"
        f"{'' if found is None else _tested(found.test)}",
        partial(_draw, levels),
        Table(
            ("people in the group", "mean risk", f"expected by {until}", "by the curve alone", "95 % interval"),
            [
                (f"{one.n:,}", percent(one.risk, 1), percent(one.expected, 1), percent(one.shown, 1),
                 percent_range(one.lower, one.upper, 1))
                for one in levels
            ],
        ),
        height=(400, 330),
    )  # fmt: skip


def _tested(test: HypothesisTest) -> str:
    return f" That the risks of a linear model of event times agree with the curves {outcome_of(test)}."


def _draw(levels: list[Level], figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    risk, expected, shown, lower, upper = (
        np.array([getattr(level, name) for level in levels]) for name in ("risk", "expected", "shown", "lower", "upper")
    )
    end = min(1.03, 1.15 * float(max(upper.max(), risk.max())))
    ax.plot([0, end], [0, end], color=GREY, linewidth=1.2, linestyle="--", label="equal")
    error = np.maximum(np.stack([shown - lower, upper - shown]), 0)
    label = "curve alone (95 % interval)"
    ax.errorbar(risk, shown, error, fmt="o", color=BLUE, markersize=6, capsize=3, label=label)
    ax.plot(risk, expected, "x", color=DARK_RED, markersize=7, markeredgewidth=1.8, label="model, by then")
    ax.set(xlim=(0, end), ylim=(0, end), xlabel="mean risk by the model (%)", ylabel="share with the event by then (%)")
    percent_axis(ax.xaxis)
    percent_axis(ax.yaxis)
    legend_above(ax, narrow)
    return [
        Mark(
            ax, one.risk, one.shown,
            f"{one.n:,} people: mean risk {percent(one.risk, 1)}, by the curve alone {percent(one.shown, 1)} "
            f"({percent_range(one.lower, one.upper, 1)}), expected by then {percent(one.expected, 1)}",
        )
        for one in levels
    ]  # fmt: skip
