"""Chart of the direction in which each feature moves the risk, for learners without coefficients.

Accumulated local effects (Apley and Zhu, 2020): between two neighbouring values of a feature, how far the risk of those
who lie there moves from the one to the other, summed up from the left. Nobody is given a value far from their own, so
that features that go together do not make people up who do not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whether.palette import BLUE, GREY
from whether.telling.figures.drawing import Chart, Mark, Table, percent_axis
from whether.telling.reading import Reading
from whether.telling.words import Name, name, signed_points

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

# Panels, features in the table, and steps along a feature, at most.
MOST_DRAWN, MOST_LISTED, MOST_STEPS = 6, 60, 9
# People from whom effects are taken, and those who have to lie in a step.
MOST_PEOPLE, FEWEST_IN_STEP = 4_000, 20
# Share of the people below the first and above the last value: beyond it a few people say nothing.
TAIL = 0.05
# A risk that moves by less than this hardly moves; one that turns by less than this share of its range does not turn.
HARDLY, TURNS = 0.005, 0.15


@dataclass(frozen=True)
class LocalEffect:
    """Change of the risk along a feature; 0 is the mean over everybody."""

    feature: Name
    ends: tuple[str, ...]  # what a feature with two values goes from and to; empty for a number
    at: Array  # round values of the feature, ascending
    change: Array

    @property
    def size(self) -> float:
        """How far the risk moves along the feature."""
        return float(np.ptp(self.change))

    @property
    def direction(self) -> str:
        """Which way the risk goes as the feature goes up."""
        if self.size < HARDLY:
            return "hardly moves"
        steps = np.diff(self.change)
        up, down = steps[steps > 0].sum(), -steps[steps < 0].sum()
        if min(up, down) <= TURNS * self.size:
            return "rises" if up > down else "falls"
        top, bottom = int(np.argmax(self.change)), int(np.argmin(self.change))
        if 0 < top < self.change.size - 1:
            return "rises, then falls" if not 0 < bottom < self.change.size - 1 else "goes up and down"
        return "falls, then rises"

    def value(self, i: int) -> str:
        """One of the values in words."""
        return self.ends[i] if self.ends else _value(self.at[i])


def effect_chart(reading: Reading) -> Chart | None:
    """In which direction the features move the risk; None where no feature may be named."""
    effects = sorted(local_effects(reading), key=lambda one: -one.size)
    if not effects:
        return None
    drawn = effects[:MOST_DRAWN]
    said = "; ".join(f"with {one.feature.short} it {one.direction}" for one in drawn[:3])
    rows = -(-len(drawn) // 3), -(-len(drawn) // 2)
    return Chart(
        "directions",
        "In which direction",
        f"{len(drawn)} panels of how the risk goes with a feature, everything else as it is. {said}.",
        "How the risk moves along each feature, in percentage points from the mean, taken from people who are near "
        f"each value and with everything else as it is (accumulated local effects). The strongest: {said}. This is "
        "what the model has learned, not what would happen if a feature were changed.",
        partial(_draw, drawn),
        Table(
            ("feature", "risk", "from", "to", "change at the lower end", "change at the upper end"),
            [
                (
                    one.feature,
                    one.direction,
                    one.value(0),
                    one.value(-1),
                    _points(one.change[0]),
                    _points(one.change[-1]),
                )
                for one in effects[:MOST_LISTED]
            ],
            text=(1, 2, 3),
            note="Changes in percentage points from the mean.",
        ),
        height=(60 + 165 * rows[0], 60 + 150 * rows[1]),
        note=f"The {MOST_DRAWN} strongest of {len(effects)} features are drawn." if len(effects) > MOST_DRAWN else "",
    )


def _value(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")  # a year has no comma


def _points(change: float) -> str:
    return signed_points(change) if abs(change) >= 0.0005 else "0"


def local_effects(reading: Reading) -> list[LocalEffect]:
    """Effects of all features that may be named."""
    rows = reading.rows[:: max(1, reading.rows.size // MOST_PEOPLE)]
    values, names = np.array(reading.cohort.features[rows]), reading.cohort.names
    found = []
    for column in (i for i, feature in enumerate(names) if reading.disclosure.allows_feature(feature)):
        own = values[:, column]
        own = own[np.isfinite(own)]
        if own.size == 0 or own.min() == own.max():
            continue
        is_flag = set(np.unique(own)) <= {0.0, 1.0}
        effect = (_of_flag if is_flag else _of_number)(reading, values, column)
        if effect is not None:
            ends = _ends(reading, names[column]) if is_flag else ()
            found.append(LocalEffect(name(reading.called(names[column])), ends, *effect))
    return found


def _ends(reading: Reading, feature: str) -> tuple[str, str]:
    level = reading.levels.get(feature)
    return ("no", "yes") if level is None else (level.reference or "reference", level.value)


def _of_flag(reading: Reading, values: Array, column: int) -> tuple[Array, Array]:
    """From no to yes; of a level of a category, from the reference to that level."""
    names = reading.cohort.names
    category, equals, _ = names[column].partition("=")
    others = [i for i, other in enumerate(names) if equals and other.startswith(f"{category}=")] or [column]
    without = values.copy()
    without[:, others] = 0.0
    having = without.copy()
    having[:, column] = 1.0
    move = float((_risk(reading, having) - _risk(reading, without)).mean())
    share = float(np.nanmean(values[:, column]))
    return np.array([0.0, 1.0]), np.array([-share * move, (1 - share) * move])


def _of_number(reading: Reading, values: Array, column: int) -> tuple[Array, Array] | None:
    own = values[:, column]
    edges = _edges(own[np.isfinite(own)])
    inside = np.flatnonzero((own >= edges[0]) & (own <= edges[-1])) if edges.size > 1 else np.empty(0, dtype=np.intp)
    if inside.size == 0:
        return None
    step = np.clip(np.searchsorted(edges, own[inside], side="left") - 1, 0, edges.size - 2)
    lower, upper = values[inside].copy(), values[inside].copy()
    lower[:, column], upper[:, column] = edges[step], edges[step + 1]
    moved = _risk(reading, upper) - _risk(reading, lower)
    sizes = np.bincount(step, minlength=edges.size - 1)
    mean = np.bincount(step, weights=moved, minlength=edges.size - 1) / sizes
    change = np.append(0.0, np.cumsum(mean))
    middle = (change[1:] + change[:-1]) / 2
    return edges, change - float(np.average(middle, weights=sizes))


def _edges(own: Array) -> Array:
    """Round values with enough people between any two that are neighbours."""
    ends = np.quantile(own, [TAIL, 1 - TAIL])
    spread = float(ends[1] - ends[0]) or float(np.ptp(own))
    unit = 10.0 ** np.floor(np.log10(spread / MOST_STEPS))
    places = np.unique(np.round(np.quantile(own, np.linspace(TAIL, 1 - TAIL, MOST_STEPS + 1)) / unit))
    kept = [places[0] * unit]
    for place in places[1:] * unit:
        if np.count_nonzero((own > kept[-1]) & (own <= place)) >= FEWEST_IN_STEP:
            kept.append(place)
    return np.array(kept)


def _risk(reading: Reading, values: Array) -> Array:
    return np.asarray(reading.analysis.model.predict_proba(reading.as_table(values))[:, 1])


def _draw(effects: Sequence[LocalEffect], figure: FigureBase, narrow: bool) -> list[Mark]:
    columns = min(len(effects), 2 if narrow else 3)
    axes = figure.subplots(-(-len(effects) // columns), columns, sharey=True, squeeze=False)
    marks = []
    for effect, ax in zip(effects, axes.flat, strict=False):
        ax.axhline(0, color=GREY, linewidth=1.0, linestyle="--")
        ax.plot(effect.at, effect.change, color=BLUE, marker="o", markersize=4)
        ax.set_title(name(effect.feature.full, 16 if narrow else 26).short)
        _ticks(ax, effect, narrow)
        percent_axis(ax.yaxis)
        marks += [
            Mark(ax, float(x), float(y), f"{effect.feature.full}, {effect.value(i)}: {_points(y)} percentage points")
            for i, (x, y) in enumerate(zip(effect.at, effect.change, strict=True))
        ]
    for ax in axes.flat[len(effects) :]:
        ax.set_visible(False)
    figure.supylabel("change of risk (percentage points)", fontsize=12.5)
    return marks


def _ticks(ax: Any, effect: LocalEffect, narrow: bool) -> None:
    """Both values, or a few round numbers that are not drawn over each other."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if effect.ends:
        ax.set_xticks([0, 1], [name(end, 8 if narrow else 12).short for end in effect.ends])
        ax.set_xlim(-0.4, 1.4)
        return
    ax.xaxis.set_major_locator(MaxNLocator(3))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _value(value)))
