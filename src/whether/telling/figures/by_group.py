"""Charts of the answer by group: the mean risk of each level of a column, with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from whether.analysis import GroupLevel
from whether.palette import BLUE, GREY
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, name_features, percent_axis
from whether.telling.group_words import RANGES, group_header, group_rows, told_columns
from whether.telling.reading import Reading
from whether.telling.record_words import HAVE_WORDS, RISK_WORDS, level_words
from whether.telling.words import name, percent, percent_interval, percent_range, places_of

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase


def group_charts(reading: Reading) -> list[tuple[Chart | None, str]]:
    """A chart for each column by which people are told apart, or None, with the column."""
    columns = told_columns(reading.told.by_group)
    return [
        (_chart(reading, number, column, levels) if levels else None, column)
        for number, (column, levels) in enumerate(columns.items())
    ]


def _chart(reading: Reading, number: int, column: str, levels: Sequence[GroupLevel]) -> Chart:
    is_range = reading.analysis.kind != "estimate"
    limits = "range" if is_range else f"{100 * levels[0].mean_risk.level:g} % interval"
    rows = group_rows(levels, is_range=is_range)
    lowest, highest = (pick(levels, key=lambda one: one.mean_risk.estimate) for pick in (min, max))
    ends = RANGES if is_range else f"The mean risk goes from {_say(lowest, levels)} to {_say(highest, levels)}."
    everybody = None if is_range else reading.analysis.mean_risk.estimate
    header, level = group_header(reading.analysis.kind), level_words(reading.analysis.kind)
    return Chart(
        f"by-{number}",
        f"By {name(column).short}",
        f"A {limits} of the {level} for each of {len(levels)} levels. {ends}".strip(),
        f"{'' if number else _about(reading)}{ends}".strip(),
        partial(_draw, list(levels)[::-1], everybody, (level, limits)),
        Table(
            (name(column).short, *header[:2], *(f"{head} ({limits})" for head in header[2:])),
            [(name(one.level), *row.cells) for one, row in zip(levels, rows, strict=True)],
        ),
        height=(90 + 30 * len(levels), 100 + 30 * len(levels)),
        pointing="y",
    )


def _about(reading: Reading) -> str:
    asked = reading.question
    is_record = reading.analysis.kind == "ranking"
    level = f"share of people who {HAVE_WORDS[asked]}" if is_record else f"mean risk that the event {RISK_WORDS[asked]}"
    return (
        f"The {level}, and how many more people are expected to have "
        "it, for each level of a column. Levels of few people are pooled, so that the people of all levels are the "
        "whole cohort. Rounded numbers may not add up to the total. "
    )


def _say(level: GroupLevel, levels: Sequence[GroupLevel]) -> str:
    places = places_of(*(one.mean_risk.estimate for one in levels))
    return f"{percent(level.mean_risk.estimate, places)} ({name(level.level).short})"


def _draw(
    levels: list[GroupLevel], everybody: float | None, words: tuple[str, str], figure: FigureBase, narrow: bool
) -> list[Mark]:
    """Points on intervals beside the mean risk of everybody; ranges, without that, have no points."""
    ax = figure.subplots()
    marks, (what, limits) = [], words
    is_range = everybody is None
    if everybody is not None:
        label = f"whole cohort, {percent(everybody, places_of(everybody))}"
        ax.axvline(everybody, color=GREY, linewidth=1.4, linestyle="--", label=label)
    for y, one in enumerate(levels):
        risk = one.mean_risk
        if math.isfinite(risk.lower):
            ends = "|" if is_range else ""
            ax.plot([risk.lower, risk.upper], [y, y], color=BLUE, linewidth=2.2 if is_range else 1.6, marker=ends)
        if not is_range:
            ax.plot([risk.estimate], [y], color=BLUE, marker="o", markersize=7, linestyle="")
        told = percent_range(risk.lower, risk.upper) if is_range else percent_interval(risk)
        middle = (risk.lower + risk.upper) / 2 if is_range else risk.estimate
        marks.append(Mark(ax, middle, y, f"{name(one.level).short}: {what} {told}"))
    name_features(ax, [one.level for one in levels], narrow)
    ax.set(xlim=(0, 1), xlabel=f"{what} (%, {limits})")
    percent_axis(ax.xaxis)
    if everybody is not None:
        legend_above(ax, narrow)
    return marks
