"""Which model holds what is known of the outcome: that of the risk, or that of the propensity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whether.study.figures.style import BLACK, BLUE, GREEN, ORANGE, PINK, RED, SKY, WIDTHS, new_figure
from whether.study.plan import STUDIES
from whether.study.results import Row
from whether.study.table import Scores, summarize, title_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("SARPU-F", "SARPU-R", "AFTMC-F", "AFTMC-R")
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

    Parameters
    ----------
    rows : sequence of Row
        Finished cells.
    width : float
        In inches.
    """
    some = [row for row in rows if row.study == "simulation" and row.method in METHODS]
    learners = [learner for learner in LEARNERS if any(row.learner == learner for row in some)]
    if not learners:
        return None
    risk, propensity = summarize(some, "auc"), summarize(some, "propensity_outcome_auc")
    per_row = len(METHODS) if width > WIDTHS["column"] else 2
    n_lines = len(learners) * len(METHODS) // per_row
    side = width / per_row
    figure = new_figure(width, n_lines * side * 0.95 + (1.0 if per_row > 2 else 1.25))
    panels = figure.subplots(n_lines, per_row, sharex=True, sharey=True, squeeze=False).ravel()
    pairs = [(method, learner) for learner in learners for method in METHODS]
    for panel, (method, learner) in zip(panels, pairs, strict=True):
        _draw_panel(panel, method, learner, risk, propensity)
    figure.supxlabel("AUC of the risk p(x)", fontsize=7)
    figure.supylabel("AUC of the propensity e(x)", fontsize=7)
    handles, labels = panels[0].get_legend_handles_labels()
    columns = 4 if per_row > 2 else 2
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False, handletextpad=0.2)
    return figure


def _draw_panel(panel: Any, method: str, learner: str, risk: Scores, propensity: Scores) -> None:
    panel.axhline(0.5, color="0.8", linewidth=0.6, zorder=0)
    panel.axvline(0.5, color="0.8", linewidth=0.6, zorder=0)
    for world in STUDIES["simulation"].worlds:
        key = world, f"{method}/{learner}"
        if key in risk and key in propensity:
            color, marker = _MARKS[world]
            # Hollow, because many scenarios end at the same place.
            panel.plot(
                risk[key].mean,
                propensity[key].mean,
                linestyle="none",
                marker=marker,
                markersize=5,
                markeredgewidth=0.8,
                markerfacecolor="none",
                color=color,
                label=title_of(world),
            )
    panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    panel.set_title(f"{method}, {learner}")
