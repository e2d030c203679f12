"""Restrictions on the propensity at a glance: how far each falls behind the oracle, world by world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whether.methods import AFTMC_F, ENPU, FUMC_F, LR, SARPU_R
from whether.study.figures.style import WIDTHS, new_figure
from whether.study.lineup import ORACLE_PAIR, Entry
from whether.study.plan import STUDIES, Study, find_any_world
from whether.study.score_tables import Scores, summarize
from whether.study.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# One method per restriction, all with the linear learner: only the restriction differs.
SHOWN = (LR, ENPU, SARPU_R, AFTMC_F, FUMC_F)
_STUDIES = {"simulation": "simulated", "diabetes": "diabetes survey"}


def draw_restrictions(rows: Sequence[Row], width: float) -> Figure | None:
    """Draw AUC minus the oracle's, a line per world and a mark per restriction."""
    panels = []
    for name in _STUDIES:
        scores = summarize([row for row in rows if row.study == name], "auc")
        worlds = [world for world in STUDIES[name].worlds if (world, ORACLE_PAIR) in scores]
        if worlds:
            panels.append((STUDIES[name], worlds, scores))
    if not panels:
        return None
    lines = [len(worlds) for _, worlds, _ in panels]
    narrow = width <= WIDTHS["column"]
    figure = new_figure(width, 0.18 * sum(lines) + 0.35 * len(lines) + (0.75 if narrow else 0.55))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=lines)[:, 0]
    for axis, (study, worlds, scores) in zip(axes, panels, strict=True):
        _draw_worlds(axis, study, worlds, scores)
    axes[-1].locator_params(axis="x", nbins=4 if narrow else 8)
    axes[-1].set_xlabel("AUC minus the oracle's")
    handles, labels = axes[0].get_legend_handles_labels()
    columns = 2 if narrow else len(SHOWN)
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False, handletextpad=0.3)
    return figure


def _draw_worlds(axis: Any, study: Study, worlds: Sequence[str], scores: Scores) -> None:
    axis.axvline(0, color="0.5", linewidth=0.6, zorder=1)
    for line in range(len(worlds)):
        axis.axhline(line, color="0.92", linewidth=0.5, zorder=0)
    for rank, method in enumerate(SHOWN):
        # Beside each other, because the best of them end at the same place.
        aside = 0.14 * (rank - (len(SHOWN) - 1) / 2)
        pair, look = Entry(method.name).pair, method.look
        places = [
            (scores[world, pair].mean - scores[world, ORACLE_PAIR].mean, line + aside)
            for line, world in enumerate(worlds)
            if (world, pair) in scores
        ]
        axis.plot(
            *zip(*places, strict=True) if places else ([], []),
            linestyle="none",
            marker=look.marker,
            color=look.color,
            label=look.title,
            markersize=3.5,
            zorder=2,
        )
    axis.set_yticks(range(len(worlds)), [find_any_world(world).title for world in worlds])
    axis.set_ylim(len(worlds) - 0.5, -0.5)
    axis.set_title(_STUDIES[study.name], loc="left")
    axis.tick_params(axis="y", length=0)
