"""How many have the event within some time: a point with its interval for each length, and levels in the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from whether.analysis import Window
from whether.palette import BLUE
from whether.telling.disclosure import is_told
from whether.telling.figures.drawing import Chart, Mark, Table, name_rows
from whether.telling.group_words import told_columns
from whether.telling.reading import Reading
from whether.telling.window_words import ENDINGS, LAST_SEEN, beyond_sentences, span_text, window_cells, window_header
from whether.telling.words import Name, count_interval, count_range, name

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase


def when_chart(reading: Reading) -> Chart | None:
    """Expected numbers within lengths of time; None where there are none, or they may not be told."""
    told, windows = reading.told, reading.told.windows
    is_range = told.kind != "estimate"
    may = reading.tells_events if is_range else True
    if not windows or not may or not is_told(*(window.expected for window in windows)):
        return None
    unit, limits = told.origin.unit, "range" if is_range else f"{100 * windows[0].expected.level:g} % interval"
    cells = window_cells(windows, is_range=is_range)
    said = "; ".join(f"{cell} within {span_text(one.length, unit)}" for cell, one in zip(cells, windows, strict=True))
    rows: list[tuple[str | Name, ...]] = [("everybody", *cells)]
    for column, levels in told_columns(told.by_group).items():
        rows += [(name(f"{column}: {one.level}", 60), *window_cells(one.windows, is_range=is_range)) for one in levels]
    return Chart(
        "when",
        "How many, and how soon",
        f"A {limits} of an expected number for each of {len(windows)} lengths of time: {said}.",
        f"How many {reading.words.headline.who} are expected to have it within some time{ENDINGS[told.question]}, "
        f"counted {LAST_SEEN}. Each person’s chance allows for how long they have been without the event already.",
        partial(_draw, windows[::-1], unit, limits),
        Table(("people", *window_header(windows, unit)), rows, caption=f"How many are expected to have it ({limits})"),
        height=(90 + 32 * len(windows), 100 + 32 * len(windows)),
        note=" ".join(beyond_sentences(told)),
        pointing="y",
        shows_table=True,
    )


def _draw(windows: Sequence[Window], unit: str, limits: str, figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    marks = []
    is_range = limits == "range"
    for y, window in enumerate(windows):
        found = window.expected
        if math.isfinite(found.lower):
            ax.plot([found.lower, found.upper], [y, y], color=BLUE, linewidth=1.8, marker="|" if is_range else "")
        if not is_range:
            ax.plot([found.estimate], [y], color=BLUE, marker="o", markersize=7, linestyle="")
        told = count_range(found.lower, found.upper) if is_range else count_interval(found)
        middle = (found.lower + found.upper) / 2 if is_range else found.estimate
        marks.append(Mark(ax, middle, y, f"within {span_text(window.length, unit)}: {told} people"))
    name_rows(ax, [f"within {span_text(window.length, unit)}" for window in windows])
    ax.set(xlim=(0, None), xlabel=f"people expected{'' if narrow else ' to have it'} ({limits})")
    return marks
