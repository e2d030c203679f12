"""Critical-difference diagrams: methods on an axis of mean ranks, those that chance may have parted under one bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whether.palette import BLACK, BLUE
from whether.study.figures.style import WIDTHS, new_figure
from whether.study.lineup import Entry
from whether.study.overview import rank_group
from whether.study.peers import Peer
from whether.study.plan import STUDIES
from whether.study.ranking import Ranking
from whether.study.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# In inches: the axis, a line of text, and a bar below the axis.
_AXIS, _LINE, _BAR = 0.55, 0.145, 0.075
_METRICS = {"auc": "AUC", "population.level_error": "error of the level", "labels.log_loss": "labels of new people"}


def draw_ranks(rows: Sequence[Row], width: float, metric: str) -> Figure | None:
    """Draw the mean ranks of the field study on the public cohorts."""
    study = STUDIES["field"]
    group = study.groups[0]
    ranking = rank_group(study, [row for row in rows if row.study == study.name], group, metric)
    if ranking is None:
        return None
    bars = ranking.cliques
    names = (len(ranking.labels) + 1) // 2
    height = _AXIS + _BAR * len(bars) + _LINE * (names + 1.5)
    figure = new_figure(width, height + 0.3)
    axis = figure.subplots()
    _draw_axis(axis, ranking)
    for line, (first, last) in enumerate(bars):
        ends = ranking.mean_ranks[first] - 0.08, ranking.mean_ranks[last] + 0.08
        axis.plot(ends, [_BAR * (line + 1)] * 2, color="0.55", linewidth=2.2, solid_capstyle="butt", zorder=2)
    entries = {entry.label: entry for entry in study.entries}
    _draw_names(axis, ranking, entries, _BAR * (len(bars) + 1), narrow=width <= WIDTHS["column"])
    axis.set_ylim(height - _AXIS, -_AXIS)
    missed = ", ".join(label for label, _ in ranking.not_ranked)
    words = "blue: other packages" + (f"; failed too often to be ranked: {missed}" if missed else "")
    below = height - _AXIS - 0.4 * _LINE
    axis.text((1 + len(ranking.labels)) / 2, below, words, ha="center", color=BLUE, fontsize=6.5)
    axis.set_title(f"{_METRICS[metric]}, {ranking.n_worlds} {group.title}{_test(ranking.p_value)}", loc="left")
    return figure


def _test(p_value: float) -> str:
    if math.isnan(p_value):
        return ""
    return " (Friedman p < 0.001)" if p_value < 0.001 else f" (Friedman p = {p_value:.3f})"


def _draw_axis(axis: Any, ranking: Ranking) -> None:
    """Draw ranks from 1, the best, at the left, with the distance above them."""
    count = len(ranking.labels)
    axis.set_axis_off()
    room = 0.42 * (count - 1)  # for the names, on either side
    axis.set_xlim(1 - room, count + room)
    axis.plot([1, count], [0, 0], color=BLACK, linewidth=0.8)
    for rank in range(1, count + 1):
        named = rank == 1 or rank % 5 == 0 or (rank == count and rank % 5 > 2)
        axis.plot([rank, rank], [0, -0.06 if named else -0.035], color=BLACK, linewidth=0.6)
        if named:
            axis.text(rank, -0.08, str(rank), ha="center", va="bottom", fontsize=6.5)
    end = 1 + ranking.critical_distance
    axis.plot([1, end], [-0.32, -0.32], color=BLACK, linewidth=1.2)
    for x in (1.0, end):
        axis.plot([x, x], [-0.36, -0.28], color=BLACK, linewidth=0.8)
    words = f"critical distance {ranking.critical_distance:.1f}"
    axis.text(1 + ranking.critical_distance / 2, -0.38, words, ha="center", va="bottom", fontsize=6.5)


def _draw_names(axis: Any, ranking: Ranking, entries: dict[str, Entry], top: float, *, narrow: bool) -> None:
    """Write the better half at the left and the others at the right, with a line from each to its rank."""
    count = len(ranking.labels)
    left = (count + 1) // 2
    edges = 1 - 0.03 * count, count + 0.03 * count
    for place, (label, rank) in enumerate(zip(ranking.labels, ranking.mean_ranks, strict=True)):
        is_left = place < left
        line = place if is_left else count - 1 - place
        y, edge = top + _LINE * (line + 0.5), edges[0 if is_left else 1]
        color = BLUE if isinstance(entries[label].method, Peer) else BLACK
        axis.plot([rank, rank, edge], [0, y, y], color=color, linewidth=0.5, alpha=0.8, zorder=1)
        text = f"{label}  {rank:.1f}" if is_left else f"{rank:.1f}  {label}"
        side = -1 if is_left else 1
        size = 5.5 if narrow else 6.5
        anchor = "right" if is_left else "left"
        axis.text(edge + side * 0.01 * count, y, text, ha=anchor, va="center", color=color, fontsize=size)
