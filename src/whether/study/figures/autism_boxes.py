"""Box plots of the autism study: AUC and average precision over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whether.study.figures.style import HATCHES, WIDTHS, new_figure
from whether.study.lineup import COMPARABLE, Entry
from whether.study.plan import STUDIES
from whether.study.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METRICS = (("auc", "AUC"), ("average_precision", "average precision"))
_TARGETS = (("evaluable", "followed past age nine"), ("truth", "all test children, true outcome"))


def draw_autism(rows: Sequence[Row], width: float, world: str) -> Figure | None:
    """Draw a panel per metric and target with a box per method; one column has room for the AUC only."""
    some = [row for row in rows if row.world == world]
    stored = {(row.method, row.learner) for row in some}
    entries = [entry for entry in STUDIES["autism"].entries if (entry.name, entry.learner) in stored]
    entries.sort(key=lambda entry: (list(COMPARABLE).index(entry.name), list(HATCHES).index(entry.learner)))
    if not entries:
        return None
    metrics = _METRICS if width > WIDTHS["column"] else _METRICS[:1]
    across = len(metrics)
    panels = [(metric, target) for target in _TARGETS for metric in metrics]
    down = len(panels) // across
    figure = new_figure(width, down * (0.13 * len(entries) + 0.55) + 0.25)
    axes = figure.subplots(down, across, squeeze=False)
    for axis, (metric, target) in zip(axes.ravel(), panels, strict=True):
        _draw_boxes(axis, entries, some, f"{target[0]}.{metric[0]}")
        axis.set_title(target[1], loc="left")
        axis.set_xlabel(metric[1])
        if axis not in axes[:, 0]:
            axis.set_yticklabels([])
    return figure


def _draw_boxes(axis: Any, entries: Sequence[Entry], rows: Sequence[Row], metric: str) -> None:
    for line, entry in enumerate(entries):
        values = [
            row.scores[metric]
            for row in rows
            if (row.method, row.learner) == (entry.name, entry.learner) and metric in row.scores
        ]
        look = entry.method.look
        axis.boxplot(
            [values],
            positions=[line],
            orientation="horizontal",
            widths=0.65,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": look.color, "alpha": 0.45, "hatch": HATCHES[entry.learner], "linewidth": 0.5},
            medianprops={"color": "black", "linewidth": 1.0},
            whiskerprops={"linewidth": 0.5},
            capprops={"linewidth": 0.5},
        )
        axis.plot(values, [line] * len(values), "o", color="black", markersize=1.2, zorder=3)
    axis.set_yticks(range(len(entries)), [f"{entry.name} {entry.learner}" for entry in entries])
    axis.set_ylim(len(entries) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="0.9", linewidth=0.5)
    axis.set_axisbelow(True)
