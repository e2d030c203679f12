"""Calibration curves of the stress worlds: predicted risk beside the observed share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whether.methods import AFTMC_F, FUMC_F, LR, METHODS, SARPU_R
from whether.study.figures.style import WIDTHS, new_figure
from whether.study.plan import STUDIES, find_any_world
from whether.study.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = tuple(method.name for method in (LR, SARPU_R, AFTMC_F, FUMC_F))
# What one column has room for.
COLUMN_WORLDS = (
    "short-follow-up",
    "heavy-tails",
    "informative-censoring",
    "late-reporting",
    "noisy-times",
    "batch-reporting",
)
# Where a method was run with several learners, the first of these is shown.
_LEARNERS = ("auto", "boosted", "linear", "neural")


def draw_calibration(rows: Sequence[Row], width: float) -> Figure | None:
    """Draw a panel per stress world with a curve per restriction; one column has room for some worlds only."""
    some = [row for row in rows if row.study == "stress" and row.method in SHOWN]
    narrow = width <= WIDTHS["column"]
    shown = COLUMN_WORLDS if narrow else STUDIES["stress"].worlds
    worlds = [world for world in shown if any(row.world == world for row in some)]
    if not worlds:
        return None
    learners = {method: _choose_learner(some, method) for method in SHOWN}
    per_row = min(2 if narrow else 4, len(worlds))
    n_lines = -(-len(worlds) // per_row)
    side = width / per_row
    figure = new_figure(width, n_lines * side * 1.1 + (0.75 if narrow else 0.5))
    panels = figure.subplots(n_lines, per_row, squeeze=False).ravel()
    for panel, world in zip(panels, worlds, strict=False):
        _draw_world(panel, world, [row for row in some if row.world == world], learners)
    for panel in panels[len(worlds) :]:
        panel.set_visible(False)
    figure.supxlabel("predicted risk", fontsize=7)
    figure.supylabel("observed share of positives", fontsize=7)
    handles, labels = panels[0].get_legend_handles_labels()
    columns = 1 if narrow else len(SHOWN)
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False, handlelength=3)
    return figure


def _choose_learner(rows: Sequence[Row], method: str) -> str:
    used = {row.learner for row in rows if row.method == method}
    return next((learner for learner in _LEARNERS if learner in used), "")


def _draw_world(panel: Any, world: str, rows: Sequence[Row], learners: dict[str, str]) -> None:
    panel.plot([0, 1], [0, 1], color="0.75", linewidth=0.6, zorder=1)
    largest = 0.0
    for method, learner in learners.items():
        points = _average([row for row in rows if row.method == method and row.learner == learner])
        if points is not None:
            look, largest = METHODS[method].look, max(largest, *map(np.max, points))
            panel.plot(
                *points,
                color=look.color,
                linestyle=look.line,
                marker=look.marker,
                markersize=2.5,
                markevery=3,
                linewidth=0.9,
                label=f"{look.title}, {learner}",
                zorder=2,
            )
    end = 1.0 if largest > 0.5 else 0.2 * np.ceil(largest / 0.2)  # where the event is rare nobody has a large risk
    ticks = [0, end / 2, end]
    panel.set(xlim=(0, end), ylim=(0, end), aspect="equal", xticks=ticks, yticks=ticks)
    panel.set_title(find_any_world(world).title.replace(", ", ",\n"))


def _average(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray] | None:
    """Average the curves of replicates group by group; ties leave a replicate fewer groups, and it is left out."""
    curves = [row.details["curves"]["fresh"] for row in rows]
    if not curves:
        return None
    most = max(len(curve["predicted"]) for curve in curves)
    full = [curve for curve in curves if len(curve["predicted"]) == most]
    predicted, observed = (np.mean([curve[axis] for curve in full], axis=0) for axis in ("predicted", "observed"))
    return predicted, observed
