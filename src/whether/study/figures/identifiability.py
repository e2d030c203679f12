"""Which model holds what is known of the outcome: that of the risk, or that of the propensity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whether.methods import AFTMC_F, AFTMC_R, SARPU_F, SARPU_R
from whether.palette import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY
from whether.study.figures.style import WIDTHS, new_figure
from whether.study.plan import STUDIES, find_any_world
from whether.study.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = tuple(method.name for method in (SARPU_F, SARPU_R, AFTMC_F, AFTMC_R))
LEARNERS = ("neural", "linear")

# A colour for what a scenario varies, a marker for the scenario.
_MARKS = {
    "baseline": (BLACK, "o"),
    "low-censorship": (ORANGE, "v"),
    "high-censorship": (ORANGE, "^"),
    "low-susceptibility": (ORANGE, "<"),
    "high-susceptibility": (ORANGE, ">"),
    "small-sample": (ORANGE, "p"),
    "partially-dependent": (SKY, "s"),
    "feature-independent": (SKY, "D"),
    "varied-censoring": (GREEN, "P"),
    "centered-censoring": (GREEN, "X"),
    "positive-correlation": (RED, "+"),
    "negative-correlation": (BLUE, "x"),
    "dependent-censoring": (PINK, "*"),
}


def draw_identifiability(rows: Sequence[Row], width: float) -> Figure | None:
    """Draw the AUC of the propensity against the outcome over that of the risk, a panel per method.

    Every replicate is a mark: where two solutions compete, their mean is neither. One column has room for one learner.
    """
    some = [row for row in rows if row.study == "simulation" and row.method in SHOWN]
    learners = [learner for learner in LEARNERS if any(row.learner == learner for row in some)]
    if not learners:
        return None
    per_row = len(SHOWN) if width > WIDTHS["column"] else 2
    pairs = [(method, learner) for learner in learners for method in SHOWN]
    if per_row < len(SHOWN):
        pairs = pairs[: len(SHOWN)]
    n_lines = len(pairs) // per_row
    side = width / per_row
    figure = new_figure(width, n_lines * side * 0.95 + (1.0 if per_row > 2 else 1.25))
    panels = figure.subplots(n_lines, per_row, sharex=True, sharey=True, squeeze=False).ravel()
    for panel, (method, learner) in zip(panels, pairs, strict=True):
        _draw_panel(panel, [row for row in some if (row.method, row.learner) == (method, learner)])
        panel.set_title(f"{method}, {learner}")
    figure.supxlabel("AUC of the risk p(x)", fontsize=7)
    figure.supylabel("AUC of the propensity e(x)", fontsize=7)
    figure.legend(
        *_legend({row.world for row in some}),
        loc="outside upper center",
        ncols=4 if per_row > 2 else 2,
        frameon=False,
        handletextpad=0.2,
    )
    return figure


def _draw_panel(panel: Any, rows: Sequence[Row]) -> None:
    panel.axhline(0.5, color="0.8", linewidth=0.6, zorder=0)
    panel.axvline(0.5, color="0.8", linewidth=0.6, zorder=0)
    for row in rows:
        panel.plot(row.scores["auc"], row.scores["propensity_outcome_auc"], alpha=0.6, **_look(row.world))
    panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])


def _look(world: str) -> dict[str, Any]:
    color, marker = _MARKS[world]
    # Hollow, because many replicates end at the same place.
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": 4.5,
        "markeredgewidth": 0.7,
        "markerfacecolor": "none",
        "color": color,
    }


def _legend(worlds: set[str]) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    shown = [world for world in STUDIES["simulation"].worlds if world in worlds]
    return [Line2D([], [], **_look(world)) for world in shown], [find_any_world(world).title for world in shown]
