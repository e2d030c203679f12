"""Charts of what features do: odds and time ratios, or how much the risk leans on each feature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.material import LIFETIME, NET
from whether.inference import Coefficient, Summary
from whether.learners import LinearFit
from whether.methods import LR
from whether.palette import BLUE, DARK_RED, GREY
from whether.propensity.two_sided import DEATH
from whether.telling.figures.drawing import Chart, Mark, Table, name_features, percent_axis
from whether.telling.reading import Reading
from whether.telling.words import Name, effect_text, name, number

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

# Features in a chart, and in a table, at most.
MOST_DRAWN, MOST_LISTED = 15, 60
# People on whom shuffling is tried.
SHUFFLED_ROWS = 2_000
# Ratios beyond these limits are drawn at the edge.
WIDEST = 50.0
BEYOND = " An arrowhead is where an interval goes on beyond the axis."


@dataclass(frozen=True)
class Effect:
    """A ratio per step of a feature: from 0 to 1 where it has two values, else one standard deviation."""

    feature: Name
    step: str
    ratio: float
    lower: float
    upper: float
    p_value: float


def coefficient_table(reading: Reading) -> Summary | None:
    """Coefficients of a linear model; None where the learner has none."""
    model = reading.analysis.model
    return model.summary() if isinstance(model.model_, LinearFit) else None


def ratio_charts(reading: Reading, summary: Summary) -> list[Chart]:
    """Odds ratios of the outcome, and time or odds ratios of the propensity where it depends on features."""
    charts = []
    for part in dict.fromkeys(row.part for row in summary.coefficients if row.ratio_kind):
        rows = [row for row in summary.coefficients if row.part == part and row.ratio_kind]
        # A feature that a few people have would tell who they are.
        named = [row for row in rows if reading.disclosure.allows_feature(row.term)]
        if named:
            charts.append(_ratio_chart(reading, named, n_hidden=len(rows) - len(named)))
    return charts


def _effect(reading: Reading, row: Coefficient) -> Effect:
    step, size = _step_of(reading, row.term)
    with np.errstate(over="ignore"):
        ratio, *limits = np.exp(size * np.array([row.estimate, row.lower, row.upper])).tolist()
    return Effect(name(reading.called(row.term)), step, ratio, min(limits), max(limits), row.p_value)


def _step_of(reading: Reading, feature: str) -> tuple[str, float]:
    level, values = reading.levels.get(feature), reading.cohort.features[:, reading.cohort.names.index(feature)]
    if level is not None:
        return f"against {name(level.reference or 'the reference', 30).short}", 1.0
    if set(np.unique(values)) <= {0.0, 1.0}:
        return "yes against no", 1.0
    spread = float(np.std(values))
    return f"{number(spread)} more (one SD)", spread


def _ratio_chart(reading: Reading, rows: list[Coefficient], n_hidden: int) -> Chart:
    kind, is_outcome = rows[0].ratio_kind, rows[0].part == "outcome"
    # The clearest first.
    effects = sorted((_effect(reading, row) for row in rows), key=lambda one: np.nan_to_num(one.p_value, nan=1.0))
    key, title, meaning = _OF_DEATHS if rows[0].part.startswith(DEATH) else _meaning(reading, kind, is_outcome)
    drawn = effects[:MOST_DRAWN][::-1]
    text = f"{effects[0].feature.full}, {kind} {_ratio(effects[0])}, {effects[0].step}"
    more = f" The {len(drawn)} clearest of {len(effects)} features are drawn." if len(drawn) < len(effects) else ""
    left_out = f" Features that fewer than {reading.disclosure.fewest} people have are left out." if n_hidden else ""
    return Chart(
        key,
        title,
        f"Points with intervals of the {kind} of {len(drawn)} features, with a dashed line at 1, no effect. The "
        f"clearest is {text}.",
        f"{meaning} A level of a category is compared with the one in the table, other features with two values yes "
        f"against no; for all others the step is one standard deviation (SD), given in the table. The clearest: "
        f"{text}. Other features are held equal.",
        partial(_draw_ratios, drawn, kind, is_outcome),
        Table(
            ("feature", "step", f"{kind} (95 % interval)", "p"),
            [(effect.feature, effect.step, _ratio(effect), _p(effect.p_value)) for effect in effects[:MOST_LISTED]],
            note=f"The first {MOST_LISTED} of {len(effects)} features." if len(effects) > MOST_LISTED else "",
        ),
        height=(90 + 27 * len(drawn), 90 + 27 * len(drawn)),
        pointing="y",
        note=(more + left_out + (BEYOND if any(_is_beyond(effect) for effect in drawn) else "")).strip(),
    )


_LIKELY = {
    "": "the event is more likely ever to happen",
    LIFETIME: "the event is more likely to come before death",
    NET: "the event is more likely ever to come, in a world without other deaths",
}
_OF_DEATHS = (
    "ratios-deaths",
    "What goes with a later death",
    "Right of the line, people who will never have the event die later; left of it, sooner.",
)


def _meaning(reading: Reading, kind: str, is_outcome: bool) -> tuple[str, str, str]:
    """Key and title of a chart of ratios, and what it means to lie right of the line."""
    if is_outcome:
        # A model that takes every event for seen has the risk of a recorded event.
        learns_labels = reading.analysis.recommendation.method == LR.name
        what = "a recorded event is more likely" if learns_labels else _LIKELY[reading.question]
        return "ratios-outcome", "What goes with a higher risk", f"Right of the line, {what}; left of it, less likely."
    if kind == "time ratio":
        meaning = "Right of the line, the event comes later to those to whom it happens; left of it, sooner."
        return "ratios-times", "What goes with a later event", meaning
    if kind == "hazard ratio":
        meaning = "Right of the line, the event comes sooner to those to whom it happens; left of it, later."
        return "ratios-times", "What goes with an earlier event", meaning
    meaning = "Right of the line, a positive person is more likely to be seen; left of it, less likely."
    return "ratios-seen", "What goes with being seen", meaning


def _draw_ratios(effects: list[Effect], kind: str, is_outcome: bool, figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    color, marker = (BLUE, "o") if is_outcome else (DARK_RED, "s")
    marks = []
    for y, effect in enumerate(effects):
        value, lower, upper = np.clip([effect.ratio, effect.lower, effect.upper], 1 / WIDEST, WIDEST).tolist()
        known = math.isfinite(effect.lower) and math.isfinite(effect.upper)
        limits = [[value - lower], [upper - value]] if known else None
        ax.errorbar([value], [y], xerr=limits, fmt=marker, color=color, markersize=6, capsize=3, linewidth=1.4)
        for end, arrow in ((lower, "<"), (upper, ">")) if known else ():
            if end not in (effect.lower, effect.upper):  # the interval goes on beyond the axis
                ax.plot([end], [y], marker=arrow, color=color, markersize=8, linestyle="")
        marks.append(Mark(ax, value, y, f"{effect.feature.full} ({effect.step}): {kind} {_ratio(effect)}"))
    ax.axvline(1, color=GREY, linewidth=1.2, linestyle="--")
    name_features(ax, [effect.feature.full for effect in effects], narrow)
    _ratio_axis(ax, effects)
    ax.set_xlabel(f"{kind} (95 % interval)")
    return marks


def _is_beyond(effect: Effect) -> bool:
    return effect.lower < 1 / WIDEST or effect.upper > WIDEST


def _ratio_axis(ax: Any, effects: list[Effect]) -> None:
    """A logarithmic axis with ticks that people know."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    ends = [e for effect in effects for e in (effect.ratio, effect.lower, effect.upper) if math.isfinite(e)]
    low, high = np.clip(min(ends, default=1.0), 1 / WIDEST, 0.95), np.clip(max(ends, default=1.0), 1.05, WIDEST)
    ax.set_xscale("log")
    ax.set_xlim(low / 1.2, high * 1.2)
    ticks = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
    if high / low < 4:
        ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3]
    ax.xaxis.set_major_locator(FixedLocator(_spaced([tick for tick in ticks if low / 1.2 <= tick <= high * 1.2])))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _spaced(ticks: list[float], most: int = 6) -> list[float]:
    """Not more ticks than fit, 1 always among them."""
    if len(ticks) <= most:
        return ticks
    step = math.ceil(len(ticks) / most)
    return ticks[ticks.index(1) % step :: step]


def _ratio(effect: Effect) -> str:
    if not math.isfinite(effect.lower):
        return f"{effect_text(effect.ratio)} (no interval)"
    return f"{effect_text(effect.ratio)} ({effect_text(effect.lower)} to {effect_text(effect.upper)})"


def _p(value: float) -> str:
    if not math.isfinite(value):
        return "not known"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def importance_chart(reading: Reading, rng: np.random.Generator) -> Chart | None:
    """How far a person's risk moves when a feature is somebody else's; for learners without coefficients."""
    named = [i for i, feature in enumerate(reading.cohort.names) if reading.disclosure.allows_feature(feature)]
    if not named:
        return None
    moves = _shuffle(reading, reading.rows[:: max(1, reading.rows.size // SHUFFLED_ROWS)], named, rng)
    names = [name(reading.called(reading.cohort.names[i])) for i in named]
    ranked = sorted(zip(moves, names, strict=True), key=lambda one: -one[0])
    drawn = ranked[:MOST_DRAWN][::-1]
    move, first = ranked[0]
    return Chart(
        "importances",
        "What the risk leans on",
        f"Bars of how far the risk moves when a feature is shuffled. The longest is {first.full}, {100 * move:.1f} "
        "percentage points.",
        "For each feature: how far a person’s risk moves on average when the feature is replaced by that of somebody "
        "else and everything else is kept. A long bar says that the model leans on the feature, not that it is a "
        "cause; in which direction is drawn below.",
        partial(_draw_importances, drawn),
        Table(
            ("feature", "mean change of risk (percentage points)"),
            [(feature, f"{100 * move:.1f}") for move, feature in ranked[:MOST_LISTED]],
        ),
        height=(90 + 27 * len(drawn), 90 + 27 * len(drawn)),
        pointing="y",
    )


def _draw_importances(drawn: list[tuple[float, Name]], figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    ax.barh(range(len(drawn)), [move for move, _ in drawn], height=0.6, color=BLUE)
    name_features(ax, [feature.full for _, feature in drawn], narrow)
    ax.set_xlabel("change of risk (percentage points)")
    percent_axis(ax.xaxis)
    return [
        Mark(ax, move, y, f"{feature.full}: {100 * move:.1f} percentage points")
        for y, (move, feature) in enumerate(drawn)
    ]


def _shuffle(reading: Reading, rows: NDArray[np.intp], columns: list[int], rng: np.random.Generator) -> list[float]:
    values = np.array(reading.cohort.features[rows])
    before = reading.analysis.model.predict_proba(reading.as_table(values))[:, 1]
    moves = []
    for column in columns:
        shuffled = values.copy()
        shuffled[:, column] = rng.permutation(values[:, column])
        changed = reading.analysis.model.predict_proba(reading.as_table(shuffled))[:, 1]
        moves.append(float(np.mean(np.abs(changed - before))))
    return moves
