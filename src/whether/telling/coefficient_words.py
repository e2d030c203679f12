"""The coefficients of a fitted linear model as a table of text: effects with intervals, and what their ratios mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

from whether.inference import Coefficient
from whether.telling.words import name

HEADER = ("part", "term", "coefficient", "interval", "p", "ratio", "interval")
MOST = 60  # rows that are printed
HELD_BACK = "Coefficients are not shown: with so few people on one side, the number of events would follow from them."


def coefficient_lines(rows: Sequence[Coefficient] | None, level: float = 0.95) -> list[str]:
    """One line for each coefficient, under a title; nothing of a model without, and a sentence where none is told."""
    if not rows:
        return [] if rows is None else [HELD_BACK]
    shown = rows[:MOST]
    table = [HEADER, *(coefficient_cells(row) for row in shown)]
    widths = [max(len(cells[place]) for cells in table) for place in range(len(HEADER))]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in table
    ]
    title = f"Coefficients, with {100 * level:g} % intervals; a ratio is per one unit more of the feature:"
    more = [f"  and {len(rows) - MOST:,} more; --json has all of them"] if len(rows) > MOST else []
    return [title, *lines, *more]


def coefficient_cells(row: Coefficient) -> tuple[str, ...]:
    """Text of a coefficient, under `HEADER`."""
    ratio, between = "", ""
    if row.ratio_kind:
        ratio, between = f"{row.ratio_kind} {_figure(row.ratio)}", _between(row.ratio_lower, row.ratio_upper)
    p = "" if math.isnan(row.p_value) else "<0.001" if row.p_value < 0.001 else f"{row.p_value:.3f}"
    return row.part, name(row.term).short, _figure(row.estimate), _between(row.lower, row.upper), p, ratio, between


def _between(lower: float, upper: float) -> str:
    return "not known" if math.isnan(lower) else f"{_figure(lower)} to {_figure(upper)}"


def _figure(value: float) -> str:
    if math.isnan(value):
        return "not known"
    return f"{value:.3f}" if 0.001 <= abs(value) < 1e4 or value == 0 else f"{value:.2g}"
