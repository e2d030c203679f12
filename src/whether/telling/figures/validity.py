"""Charts of how well the model holds up: calibration on these people, and scores at an earlier date."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.advise import Backtest
from whether.evaluate import Interval
from whether.evaluate.calibration import CalibrationCurve, calibration_curve, censored_calibration_curve
from whether.methods import LR, METHODS
from whether.palette import BLUE, DARK_RED, GREY, INK
from whether.telling.check_words import WEIGHTED, count_text, plan_sentence, worth_sentence
from whether.telling.disclosure import Disclosure, is_told
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, name_rows, percent_axis
from whether.telling.figures.groups import Rows, join_bins, merge_groups, split_evenly
from whether.telling.reading import Reading
from whether.telling.risk_bins import bin_of, is_same_order
from whether.telling.thin_curve import ThinCurve
from whether.telling.words import percent, percent_range, signed_range

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

N_GROUPS = 10
# Share of the people who have to be under observation at the time at which prediction and observation are compared.
ENOUGH_SHARE = 0.1
# Rows of a backtest that are no method, in words.
_ROWS = {"known now": "known now*", "advised": "as advised then"}


def calibration(reading: Reading) -> Chart | None:
    """Predicted beside observed share with the event, in groups of the people that the model was fitted to."""
    thin = reading.thin_curve
    if reading.model_has_clock and reading.situation.times_usable and thin is not None:
        horizon = shared_horizon(reading, thin)
        curves, what = _by_times(reading, horizon), f"have the event within {reading.length(horizon)}"
    else:
        curves, what = _by_labels(reading), "have a recorded event"
    # One group alone has nothing to be compared with.
    if len(curves) < 2:
        return None
    parts = ("predicted", "observed", "lower", "upper", "count")
    curve = CalibrationCurve(*(np.concatenate([getattr(one, part) for one in curves]) for part in parts))
    stricter = ": the check at an earlier date, below, is the stricter one." if reading.analysis.backtest else "."
    return calibration_chart(curve, what, f" These are the people that the model was fitted to{stricter}")


def calibration_chart(curve: CalibrationCurve, what: str = "have the event", ending: str = "") -> Chart:
    """Predicted beside observed share of people who have something, in groups that may be shown."""
    n_groups = curve.count.size
    inside = int(np.count_nonzero((curve.lower <= curve.predicted) & (curve.predicted <= curve.upper)))
    verdict = f"In {inside} of {n_groups} groups the prediction lies within the interval of what was observed."
    return Chart(
        "calibration",
        "Does the model describe these people?",
        f"Points of observed against predicted share of people who {what}, for {n_groups} groups from the lowest to "
        f"the highest prediction, with a dashed line where both are equal. {verdict}",
        f"People are grouped by how many of them the model expects to {what}; each point compares that with how many "
        f"did. Points on the dashed line agree. {verdict}{ending}",
        partial(_draw_calibration, curve),
        Table(
            ("people in the group", f"predicted to {what}", "observed", "95 % interval"),
            [
                (f"{n:,}", percent(p, 1), percent(o, 1), percent_range(a, b, 1))
                for p, o, a, b, n in _groups_of(curve)
            ],
        ),
        height=(400, 330),
    )  # fmt: skip


def told_groups(curve: CalibrationCurve, disclosure: Disclosure) -> CalibrationCurve | None:
    """The groups of a curve that may be shown: with nobody or enough people of either kind; None if there are none."""
    events = np.round(curve.observed * curve.count)
    told = np.array([disclosure.allows(a, b) for a, b in zip(events, curve.count - events, strict=True)])
    if not told.any():
        return None
    parts = (curve.predicted, curve.observed, curve.lower, curve.upper, curve.count)
    return CalibrationCurve(*(part[told] for part in parts))


def _groups_of(curve: CalibrationCurve) -> list[tuple[float, float, float, float, int]]:
    return list(zip(curve.predicted, curve.observed, curve.lower, curve.upper, curve.count, strict=True))


def _draw_calibration(curve: CalibrationCurve, figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    end = min(1.03, 1.15 * float(max(curve.upper.max(), curve.predicted.max())))
    ax.plot([0, end], [0, end], color=GREY, linewidth=1.2, linestyle="--", label="perfect agreement")
    error = np.maximum(np.stack([curve.observed - curve.lower, curve.upper - curve.observed]), 0)
    label = "group of people (95 % interval)"
    ax.errorbar(curve.predicted, curve.observed, error, fmt="o", color=BLUE, markersize=6, capsize=3, label=label)
    ax.set(xlim=(0, end), ylim=(0, end), xlabel="predicted (%)", ylabel="observed (%)")
    percent_axis(ax.xaxis)
    percent_axis(ax.yaxis)
    legend_above(ax, narrow)
    return [
        Mark(
            ax, float(p), float(o),
            f"{n:,} people: predicted {percent(p, 1)}, observed {percent(o, 1)} ({percent_range(a, b, 1)})",
        )
        for p, o, a, b, n in _groups_of(curve)
    ]  # fmt: skip


def shared_horizon(reading: Reading, thin: ThinCurve) -> float:
    """The latest time to which enough people were followed for groups of them to be compared."""
    carried = np.flatnonzero(thin.at_risk >= ENOUGH_SHARE * reading.n)
    return float(thin.times[carried[-1] if carried.size else 0])


def _by_times(reading: Reading, horizon: float) -> list[CalibrationCurve]:
    """Predicted share with the event by the horizon, and that of a curve without a model."""
    rows = reading.rows
    seen = reading.cohort.take(rows)
    labeled, time = seen.labeled, seen.required("time")
    model: Any = reading.analysis.model
    predicted = 1 - model.predict_survival(reading.table(rows), [horizon])[:, 0]
    # The share gives the events by then, and how far it is off a plain share, those who left before.
    had, left = labeled & (time <= horizon), ~labeled & (time < horizon)
    return [
        censored_calibration_curve(
            labeled[group],
            predicted[group],
            time=time[group],
            horizon=horizon,
            n_groups=1,
            competing=None if seen.seen_negative is None else seen.seen_negative[group],
            entry_time=None if seen.entry_time is None else seen.entry_time[group],
        )
        for group in group_members(reading, predicted, (had, left, ~had & ~left))
    ]


def _by_labels(reading: Reading) -> list[CalibrationCurve]:
    """Predicted and observed share with a recorded event; needs no times."""
    labeled = reading.cohort.labeled[reading.rows]
    predicted = reading.analysis.risks[reading.rows] * reading.propensity
    return [
        calibration_curve(labeled[group], predicted[group], n_groups=1)
        for group in group_members(reading, predicted, (labeled, ~labeled))
    ]


def group_members(reading: Reading, predicted: Array, kinds: tuple[Flags, ...]) -> list[Rows]:
    """People from the lowest to the highest prediction, in groups that may be shown.

    Where the prediction has the order of the risks they are parted as in the histogram of these: those between an edge
    of it and another one could be counted.
    """
    n_groups = min(N_GROUPS, max(1, predicted.size // 20))
    bins, risks = reading.risk_bins, reading.analysis.risks[reading.rows]
    if bins is not None and is_same_order(predicted, risks):
        parts = join_bins(bin_of(risks, bins.coarse), n_groups)
    else:
        parts = split_evenly(predicted, n_groups)
    return merge_groups(parts, kinds, reading.disclosure)


def backtest_chart(record: Backtest, *, follow_up_depends: bool = False, unit: str = "") -> Chart | None:
    """AUC of each method at an earlier date, and how far its mean risk is off; None where that is not told.

    Weights are off where follow-up was found to depend on features, and then the chart says so.
    """
    if not is_told(record.scores):
        return None
    rows = [row for row in record.scores if math.isfinite(record.interval(row).estimate)]
    rows.sort(key=lambda row: record.interval(row).estimate)
    best = record.best()
    return Chart(
        "backtest",
        "Would it have worked at an earlier date?",
        f"Two rows of points with intervals, one row per method: the AUC and the error of the mean risk. The best AUC "
        f"is that of {best}, {record.interval(best).estimate:.2f}.",
        f"{_cut(record)} {_hidden(record)} of today’s events had not come yet. "
        f"Each method was fitted to what was known then and scored with what is known now, {record.n_splits} times. "
        "The first panel says how well it ranks people: further right is better. The second says how far its mean risk "
        f"is from the share who have had the event by now; 0 is right once all events have come. "
        f"{worth_sentence(record)}{_scored(record, follow_up_depends)}",
        partial(_draw_backtest, record, rows),
        Table(
            (
                "method",
                "AUC (95 % interval)",
                "AUC minus LR",
                "mean risk minus share (percentage points)",
                "Brier score",
            ),
            [(_ROWS.get(row, row).replace(" ", "\u00a0"), *_cells(record, row)) for row in reversed(rows)],
        ),
        height=(90 + 26 * len(rows), 150 + 2 * 24 * len(rows)),
        pointing="y",
        note=f"* trained on what is known now: what these features allow at best. Filled circles: methods that need "
        f"event times. Squares: methods that do not. {_plan(record, unit)}",
    )


def _draw_backtest(record: Backtest, rows: list[str], figure: FigureBase, narrow: bool) -> list[Mark]:
    ranks, errors = figure.subplots(2, 1) if narrow else figure.subplots(1, 2, sharey=True)
    marks = []
    for y, row in enumerate(rows):
        label, found = _ROWS.get(row, row), record.interval(row)
        _draw_interval(ranks, y, row, (found.estimate, found.lower, found.upper))
        marks.append(Mark(ranks, found.estimate, y, f"{label}: AUC {found}"))
    for y, row in enumerate(rows):
        label, off = _ROWS.get(row, row), _percent_points(record.interval(row, "mean_risk_error"))
        _draw_interval(errors, y, row, off)
        marks.append(
            Mark(errors, off[0], y, f"{label}: mean risk minus share {signed_range(*off, 1)} percentage points")
        )
    ranks.axvline(0.5, color=GREY, linewidth=1, linestyle="--")
    errors.axvline(0, color=GREY, linewidth=1, linestyle="--")
    ranks.set_xlabel("ranks people (AUC, 0.5 is chance)")
    errors.set_xlabel("mean risk minus share" + ("\n" if narrow else " ") + "(percentage points)")
    for ax in (ranks, errors):
        ax.locator_params(axis="x", nbins=5)
        name_rows(ax, [_ROWS.get(row, row) for row in rows])
    return marks


def _draw_interval(ax: Any, y: int, row: str, found: tuple[float, float, float]) -> None:
    method = METHODS.get(row)
    look: dict[str, Any] = {"fmt": "D", "color": INK}
    if method is not None and "time" in method.needs:
        look = {"fmt": "o", "color": BLUE}
    elif method is not None:
        look = {"fmt": "s", "color": DARK_RED, "markerfacecolor": "white"}
    value, lower, upper = found
    limits = [[value - lower], [upper - value]] if math.isfinite(lower) else None
    ax.errorbar([value], [y], xerr=limits, capsize=3, markersize=6, linewidth=1.4, **look)


def _percent_points(found: Interval) -> tuple[float, float, float]:
    return 100 * found.estimate, 100 * found.lower, 100 * found.upper


def _cells(record: Backtest, row: str) -> tuple[str, ...]:
    gap = record.difference(row) if LR.name in record.scores and row != LR.name else None
    return (
        str(record.interval(row)),
        signed_range(gap.estimate, gap.lower, gap.upper, 3) if gap is not None else "",
        signed_range(*_percent_points(record.interval(row, "mean_risk_error")), 1),
        f"{record.interval(row, 'brier').estimate:.3f}",
    )


def _scored(record: Backtest, follow_up_depends: bool) -> str:
    """How people count."""
    off = " Here follow-up was found to depend on features: the scores may be off." if follow_up_depends else ""
    return f" {WEIGHTED}{off}" if record.weighted else ""


def _cut(record: Backtest) -> str:
    """How the data were put back."""
    if record.endpoint is None:
        return "Follow-up was cut at random, as if the data had ended earlier, when"
    return "The data were put back to an earlier date, at which"


def _hidden(record: Backtest) -> str:
    return percent(record.hidden_share) if is_told(record.hidden_share) else "some"


def _plan(record: Backtest, unit: str) -> str:
    counts = f"{count_text(record.n_training)} people were trained on and {count_text(record.n_test)} scored"
    return f"{plan_sentence(record, unit)} On average {counts}."
