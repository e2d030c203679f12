"""Charts of what features do: odds and time ratios, or how much the risk leans on each feature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.inference import Coefficient, Summary
from whether.learners import LinearFit
from whether.telling.figures.drawing import BLUE, GREY, ORANGE, Chart, Mark, Table, percent_axis
from whether.telling.page.reading import Reading
from whether.telling.words import Name, name, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

# Features in a chart, and in a table, at most.
MOST_DRAWN, MOST_LISTED = 15, 60
# People on whom shuffling is tried.
SHUFFLED_ROWS = 2_000
# Ratios beyond these limits are drawn at the edge.
WIDEST = 50.0


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
    """Coefficients of a linear model; None where the learner has none.

    Parameters
    ----------
    reading : Reading
    """
    model = reading.analysis.model
    return model.summary() if isinstance(model.model_, LinearFit) else None


def ratio_charts(reading: Reading, summary: Summary) -> list[Chart]:
    """Odds ratios of the outcome, and time or odds ratios of the propensity where it depends on features.

    Parameters
    ----------
    reading : Reading
    summary : Summary
    """
    charts = []
    for part in dict.fromkeys(row.part for row in summary.coefficients if row.ratio_kind):
        rows = [row for row in summary.coefficients if row.part == part and row.ratio_kind]
        effects, n_hidden = _effects(reading, rows)
        if effects:
            charts.append(_ratio_chart(reading, part, rows[0].ratio_kind, effects, n_hidden))
    return charts


def _effects(reading: Reading, rows: list[Coefficient]) -> tuple[list[Effect], int]:
    """Ratios of the features that may be named, the clearest first, and the number of those left out."""
    positions = {name: i for i, name in enumerate(reading.cohort.names)}
    effects = []
    n_hidden = 0
    for row in rows:
        values = reading.cohort.features[:, positions[row.term]]
        step, size = _step_of(values)
        # A feature that a few people have would tell who they are.
        if not may_be_named(reading, values):
            n_hidden += 1
            continue
        with np.errstate(over="ignore"):
            ratio, lower, upper = np.exp(size * np.array([row.estimate, row.lower, row.upper])).tolist()
        effects.append(Effect(name(row.term), step, ratio, min(lower, upper), max(lower, upper), row.p_value))
    clear = sorted(effects, key=lambda effect: effect.p_value if math.isfinite(effect.p_value) else 1.0)
    return clear, n_hidden


def may_be_named(reading: Reading, values: Array) -> bool:
    """Whether a feature is no mark of a few people.

    Parameters
    ----------
    reading : Reading
    values : ndarray
        The feature of everybody.
    """
    first = int(np.count_nonzero(values == values[0]))
    return not _has_two_values(values) or reading.disclosure.allows(first, values.size - first)


def _has_two_values(values: Array) -> bool:
    others = values[values != values[0]]
    return others.size == 0 or bool(np.all(others == others[0]))


def _step_of(values: Array) -> tuple[str, float]:
    if _has_two_values(values) and set(np.unique(values)) <= {0.0, 1.0}:
        return "yes against no", 1.0
    spread = float(np.std(values))
    return f"{number(spread)} more (one SD)", spread


def _ratio_chart(reading: Reading, part: str, kind: str, effects: list[Effect], n_hidden: int) -> Chart:
    is_outcome = part == "outcome"
    if is_outcome:
        key, title = "ratios-outcome", "What goes with a higher risk"
        what = (
            "a recorded event is more likely" if _learns_labels(reading) else "the event is more likely ever to happen"
        )
        meaning = f"Right of the line, {what}; left of it, less likely."
    elif kind == "time ratio":
        key, title = "ratios-times", "What goes with a later event"
        meaning = "Right of the line, the event comes later to those to whom it happens; left of it, sooner."
    else:
        key, title = "ratios-seen", "What goes with being seen"
        meaning = "Right of the line, a positive person is more likely to be seen; left of it, less likely."
    drawn = effects[:MOST_DRAWN][::-1]
    strongest = effects[0]
    text = f"{strongest.feature.full}, {kind} {_ratio(strongest)} ({strongest.step})"

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        marks = [_ratio_row(ax, y, kind, effect, is_outcome) for y, effect in enumerate(drawn)]
        ax.axvline(1, color=GREY, linewidth=1.2, linestyle="--")
        ax.set_yticks(range(len(drawn)), [name(effect.feature.full, 16 if narrow else 34).short for effect in drawn])
        ax.set_ylim(-0.7, len(drawn) - 0.3)
        _ratio_axis(ax, drawn)
        ax.set_xlabel(f"{kind} (95 % interval)")
        ax.grid(axis="y", visible=False)
        return marks

    more = f" The {len(drawn)} clearest of {len(effects)} features are drawn." if len(drawn) < len(effects) else ""
    left_out = f" Features that fewer than {reading.disclosure.fewest} people have are left out." if n_hidden else ""
    return Chart(
        key,
        title,
        f"Points with intervals of the {kind} of {len(drawn)} features, with a dashed line at 1, no effect. The "
        f"clearest is {text}.",
        f"{meaning} Features with two values are compared yes against no; for all others the step is one standard "
        f"deviation (SD), given in the table. The clearest: {text}. Other features are held equal.",
        draw,
        Table(
            ("feature", "step", f"{kind} (95 % interval)", "p"),
            [(effect.feature, effect.step, _ratio(effect), _p(effect.p_value)) for effect in effects[:MOST_LISTED]],
            note=f"The first {MOST_LISTED} of {len(effects)} features." if len(effects) > MOST_LISTED else "",
        ),
        height=(90 + 27 * len(drawn), 90 + 27 * len(drawn)),
        pointing="y",
        note=(more + left_out).strip(),
    )


def _learns_labels(reading: Reading) -> bool:
    """Whether the model takes every event for seen, so that its risk is that of a recorded event."""
    return reading.analysis.recommendation.method == "LR"


def _ratio_row(ax: Any, y: int, kind: str, effect: Effect, is_outcome: bool) -> Mark:
    value, lower, upper = (float(np.clip(v, 1 / WIDEST, WIDEST)) for v in (effect.ratio, effect.lower, effect.upper))
    known = math.isfinite(effect.lower) and math.isfinite(effect.upper)
    limits = [[value - lower], [upper - value]] if known else None
    color, marker = (BLUE, "o") if is_outcome else (ORANGE, "s")
    ax.errorbar([value], [y], xerr=limits, fmt=marker, color=color, markersize=6, capsize=3, linewidth=1.4)
    return Mark(ax, value, y, f"{effect.feature.full} ({effect.step}): {kind} {_ratio(effect)}")


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
        return f"{number(effect.ratio, 3)} (no interval)"
    return f"{number(effect.ratio, 3)} ({number(effect.lower, 3)} to {number(effect.upper, 3)})"


def _p(value: float) -> str:
    if not math.isfinite(value):
        return "not known"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def importance_chart(reading: Reading, rng: np.random.Generator) -> Chart | None:
    """How far a person's risk moves when a feature is replaced by somebody else's; for learners without coefficients.

    Parameters
    ----------
    reading : Reading
    rng : numpy.random.Generator
    """
    named = [
        (i, column) for i, column in enumerate(reading.cohort.names)
        if may_be_named(reading, reading.cohort.features[:, i])
    ]  # fmt: skip
    rows = reading.rows[:: max(1, reading.rows.size // SHUFFLED_ROWS)]
    moves = _shuffle(reading, rows, [i for i, _ in named], rng)
    ranked = sorted(zip(moves, (name(column) for _, column in named), strict=True), key=lambda pair: -pair[0])
    if not ranked:
        return None
    drawn = ranked[:MOST_DRAWN][::-1]

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        ax.barh(range(len(drawn)), [move for move, _ in drawn], height=0.6, color=BLUE)
        ax.set_yticks(range(len(drawn)), [name(feature.full, 16 if narrow else 34).short for _, feature in drawn])
        ax.set_xlabel("change of risk (% points)")
        ax.grid(axis="y", visible=False)
        percent_axis(ax.xaxis)
        return [
            Mark(ax, move, y, f"{feature.full}: {100 * move:.1f} % points") for y, (move, feature) in enumerate(drawn)
        ]

    first = ranked[0]
    return Chart(
        "importances",
        "What the risk leans on",
        f"Bars of how far the risk moves when a feature is shuffled. The longest is {first[1].full}, "
        f"{100 * first[0]:.1f} % points.",
        "For each feature: how far a person's risk moves on average when the feature is replaced by that of somebody "
        "else and everything else is kept. A long bar says that the model leans on the feature, not in which "
        "direction, and not that it is a cause.",
        draw,
        Table(
            ("feature", "mean change of risk (% points)"),
            [(feature, f"{100 * move:.1f}") for move, feature in ranked[:MOST_LISTED]],
        ),
        height=(90 + 27 * len(drawn), 90 + 27 * len(drawn)),
        pointing="y",
    )


def _shuffle(reading: Reading, rows: NDArray[np.intp], columns: list[int], rng: np.random.Generator) -> list[float]:
    table = reading.table(rows)
    before = reading.analysis.model.predict_proba(table)[:, 1]
    values = np.array(reading.cohort.features[rows])
    moves = []
    for column in columns:
        shuffled = values.copy()
        shuffled[:, column] = rng.permutation(values[:, column])
        changed = shuffled if isinstance(table, np.ndarray) else table.__class__(shuffled, columns=table.columns)
        moves.append(float(np.mean(np.abs(reading.analysis.model.predict_proba(changed)[:, 1] - before))))
    return moves
