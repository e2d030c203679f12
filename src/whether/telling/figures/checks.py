"""Charts of how well the model holds up: calibration on these people, and scores at an earlier date."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.advise.track_record import WEIGHTED, Backtest
from whether.evaluate.calibration import CalibrationCurve, calibration_curve, censored_calibration_curve
from whether.methods import METHODS
from whether.telling.figures.drawing import BLUE, GREY, INK, ORANGE, Chart, Mark, Table, legend_above, percent_axis
from whether.telling.page.reading import Reading, ThinCurve
from whether.telling.words import clean, number, percent, percent_range, signed_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

N_GROUPS = 10
# Share of the people who have to be under observation at the time at which prediction and observation are compared.
ENOUGH_SHARE = 0.1
# Rows of a backtest that are no method, in words.
_ROWS = {"known now": "known now*", "advised": "as advised then"}


class Groups(NamedTuple):
    """People from the lowest to the highest prediction, with what was observed of them."""

    predicted: Array
    observed: Array
    lower: Array
    upper: Array
    size: NDArray[np.intp]


def calibration(reading: Reading) -> Chart | None:
    """Predicted beside observed share with the event, in groups of people.

    Parameters
    ----------
    reading : Reading
    """
    thin = reading.thin_curve
    if reading.model_has_clock and reading.situation.times_usable and thin is not None:
        horizon = _horizon(reading, thin)
        groups = _by_times(reading, horizon)
        what = f"have the event within {reading.length(horizon)}"
    else:
        groups = _by_labels(reading)
        what = "have a recorded event"
    if groups is None:
        return None

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        end = min(1.03, 1.15 * float(max(groups.upper.max(), groups.predicted.max())))
        ax.plot([0, end], [0, end], color=GREY, linewidth=1.2, linestyle="--", label="perfect agreement")
        error = np.stack([groups.observed - groups.lower, groups.upper - groups.observed])
        ax.errorbar(
            groups.predicted, groups.observed, np.maximum(error, 0), fmt="o", color=BLUE, markersize=6, capsize=3,
            label="group of people (95 % interval)",
        )  # fmt: skip
        ax.set(xlim=(0, end), ylim=(0, end), xlabel="predicted (%)", ylabel="observed (%)")
        percent_axis(ax.xaxis)
        percent_axis(ax.yaxis)
        legend_above(ax, narrow)
        return [
            Mark(
                ax, float(p), float(o),
                f"{reading.disclosure.count(n)} people: predicted {percent(p, 1)}, observed {percent(o, 1)} "
                f"({percent_range(a, b, 1)})",
            )
            for p, o, a, b, n in zip(*groups, strict=True)
        ]  # fmt: skip

    inside = int(np.count_nonzero((groups.lower <= groups.predicted) & (groups.predicted <= groups.upper)))
    verdict = f"In {inside} of {groups.size.size} groups the prediction lies within the interval of what was observed."
    return Chart(
        "calibration",
        "Does the model describe these people?",
        f"Points of observed against predicted share of people who {what}, for {groups.size.size} groups from the "
        f"lowest to the highest prediction, with a dashed line where both are equal. {verdict}",
        f"People are grouped by how many of them the model expects to {what}; each point compares that with how many "
        f"did. Points on the dashed line agree. {verdict} These are the people that the model was fitted to"
        + (": the check at an earlier date, below, is the stricter one." if reading.analysis.backtest else "."),
        draw,
        Table(
            ("people in the group", f"predicted to {what}", "observed", "95 % interval"),
            [
                (reading.disclosure.count(n), percent(p, 1), percent(o, 1), percent_range(a, b, 1))
                for p, o, a, b, n in zip(*groups, strict=True)
            ],
        ),
        height=(400, 330),
    )


def _horizon(reading: Reading, thin: ThinCurve) -> float:
    """The latest time to which enough people were followed for groups of them to be compared."""
    carried = np.flatnonzero(thin.at_risk >= ENOUGH_SHARE * reading.n)
    return float(thin.times[carried[-1] if carried.size else 0])


def _by_times(reading: Reading, horizon: float) -> Groups | None:
    """Predicted and Kaplan and Meier's share with the event by the horizon."""
    rows = reading.rows
    labeled, time = reading.cohort.labeled[rows], reading.cohort.required("time")[rows]
    model: Any = reading.analysis.model
    predicted = 1 - model.predict_survival(reading.table(rows), [horizon])[:, 0]
    return _gather(
        censored_calibration_curve(labeled[group], predicted[group], time=time[group], horizon=horizon, n_groups=1)
        for group in _members(reading, predicted, labeled)
    )


def _by_labels(reading: Reading) -> Groups | None:
    """Predicted and observed share with a recorded event; needs no times."""
    labeled = reading.cohort.labeled[reading.rows]
    predicted = reading.analysis.risks[reading.rows] * reading.propensity
    return _gather(
        calibration_curve(labeled[group], predicted[group], n_groups=1)
        for group in _members(reading, predicted, labeled)
    )


def _members(reading: Reading, predicted: Array, labeled: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """People from the lowest to the highest prediction, in groups that may be shown."""
    parts = np.array_split(np.argsort(predicted, kind="stable"), min(N_GROUPS, max(1, labeled.size // 20)))
    counts = np.array([[labeled[part].sum(), (~labeled[part]).sum()] for part in parts])
    return [np.concatenate(parts[run]) for run in reading.disclosure.merge(counts)]


def _gather(curves: Iterable[CalibrationCurve]) -> Groups | None:
    """Put groups together; one alone has nothing to be compared with."""
    found = list(curves)
    if len(found) < 2:
        return None
    parts = ("predicted", "observed", "lower", "upper", "count")
    return Groups(*(np.concatenate([getattr(curve, part) for curve in found]) for part in parts))


def backtest_chart(reading: Reading) -> Chart | None:
    """AUC of each method at an earlier date, and how far its mean risk is off; None without a backtest.

    Parameters
    ----------
    reading : Reading
    """
    record = reading.analysis.backtest
    if record is None:
        return None
    names = [name for name in record.scores if math.isfinite(record.interval(name).estimate)]
    names.sort(key=lambda name: record.interval(name).estimate)
    ranks = [record.interval(name) for name in names]
    errors = [record.interval(name, "mean_risk_error") for name in names]
    labels = [_ROWS.get(name, name) for name in names]

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        axes = figure.subplots(2, 1, sharex=False) if narrow else figure.subplots(1, 2, sharey=True)
        marks = []
        panels = (
            ("ranks people (AUC, 0.5 is chance)", ranks, 1),
            ("mean risk minus share by now (% points)", errors, 100),
        )
        for ax, (title, intervals, scale) in zip(axes, panels, strict=True):
            for y, (name, found) in enumerate(zip(names, intervals, strict=True)):
                marks.append(_row(ax, y, name, found, scale))
            ax.axvline(0.5 if scale == 1 else 0, color=GREY, linewidth=1, linestyle="--")
            ax.set_yticks(range(len(names)), labels)
            ax.set_ylim(-0.7, len(names) - 0.3)
            ax.set_xlabel(title)
            ax.grid(axis="y", visible=False)
        return marks

    n_splits = len(next(iter(record.scores.values()))["auc"])
    rows = [(_ROWS.get(name, name), *_cells(record, name)) for name in reversed(names)]
    best = record.best()
    return Chart(
        "backtest",
        "Would it have worked at an earlier date?",
        f"Two rows of points with intervals, one row per method: the AUC and the error of the mean risk. The best AUC "
        f"is that of {best}, {record.interval(best).estimate:.2f}.",
        f"The data were put back to an earlier date, at which {percent(record.hidden_share)} of today's events had not "
        f"come yet. Each method was fitted to what was known then and scored with what is known now, {n_splits} times. "
        "Left: how well it ranks people, further right is better. Right: how far its mean risk is from the share who "
        f"have had the event by now; 0 is right once all events have come. {record.answer()}{_scored(record)}",
        draw,
        Table(
            ("method", "AUC (95 % interval)", "AUC minus LR", "mean risk minus share (% points)", "Brier score"), rows
        ),
        height=(90 + 26 * len(names), 150 + 2 * 24 * len(names)),
        pointing="y",
        note=f"* trained on what is known now: what these features allow at best. Filled circles: methods that need "
        f"event times. Squares: methods that do not. {_plan(reading, record)}",
    )


def _scored(record: Backtest) -> str:
    """How the earlier date was chosen for want of one, and how people count."""
    cut = " There were no dates to go back to, so follow-up was cut at random." if record.staggered else ""
    return f"{cut} {WEIGHTED}" if record.weighted else cut


def _row(ax: Any, y: int, name: str, found: Any, scale: float) -> Mark:
    times = name in METHODS and "time" in METHODS[name].needs
    look = {"fmt": "o", "color": BLUE} if times else {"fmt": "s", "color": ORANGE, "markerfacecolor": "white"}
    if name not in METHODS:
        look = {"fmt": "D", "color": INK}
    value, lower, upper = (scale * part for part in (found.estimate, found.lower, found.upper))
    limits = [[value - lower], [upper - value]] if math.isfinite(lower) else None
    ax.errorbar([value], [y], xerr=limits, capsize=3, markersize=6, linewidth=1.4, **look)
    unit = "AUC " if scale == 1 else "mean risk minus share "
    text = str(found) if scale == 1 else f"{signed_range(value, lower, upper, 1)} % points"
    return Mark(ax, value, y, f"{_ROWS.get(name, name)}: {unit}{text}")


def _cells(record: Backtest, name: str) -> tuple[str, ...]:
    rank, error = record.interval(name), record.interval(name, "mean_risk_error")
    gap = record.difference(name) if "LR" in record.scores and name != "LR" else None
    return (
        str(rank),
        signed_range(gap.estimate, gap.lower, gap.upper, 3) if gap is not None else "",
        signed_range(100 * error.estimate, 100 * error.lower, 100 * error.upper, 1),
        f"{record.interval(name, 'brier').estimate:.3f}",
    )


def _plan(reading: Reading, record: Backtest) -> str:
    shown = reading.disclosure.count
    # Times in the plan come from single persons: two digits are enough to know what was done.
    plan = re.sub(r"\d+\.\d+", lambda found: number(float(found[0]), 2), clean(record.plan))
    return f"{plan} On average {shown(record.n_training)} people were trained on and {shown(record.n_test)} scored."
