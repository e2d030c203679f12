"""The levels of a column in words: a line for each, as it may be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whether.analysis import GroupLevel
from whether.evaluate import Interval
from whether.telling.disclosure import is_told
from whether.telling.record_words import level_words
from whether.telling.words import count_interval, count_range, name, percent_interval, percent_range, places_of

UNTOLD = "not told, since some levels have too few people with, or without, a recorded event."
RANGES = "A range holds for its own level: the ranges of levels need not add up to that of the whole cohort."


class GroupRow(NamedTuple):
    """A level in words: its name, and cells under `group_header`."""

    level: str
    cells: tuple[str, ...]


def group_header(kind: str) -> tuple[str, ...]:
    """Heads of the cells of a level, under an answer of a kind."""
    return "people", "recorded events", level_words(kind), "still expected"


def told_columns(levels: Sequence[GroupLevel]) -> dict[str, list[GroupLevel]]:
    """Levels by column, as they may be told; none where one is held back: the others and the total would give it back.

    One level alone is everybody.
    """
    columns: dict[str, list[GroupLevel]] = {}
    for one in levels:
        columns.setdefault(one.column, []).append(one)
    return {
        column: found if len(found) > 1 and all(_is_whole(one) for one in found) else []
        for column, found in columns.items()
    }


def _is_whole(level: GroupLevel) -> bool:
    return is_told(level.n_people, level.n_events, level.mean_risk, level.unseen)


def group_rows(levels: Sequence[GroupLevel], *, is_range: bool) -> list[GroupRow]:
    """Cells of each level; of a range the limits only."""
    places = places_of(*(one.mean_risk.estimate for one in levels))
    rows = []
    for one in levels:
        risk, share = one.mean_risk, percent_interval(one.mean_risk, places)
        share = percent_range(risk.lower, risk.upper, places) if is_range else share
        cells = (f"{one.n_people:,}", f"{one.n_events:,}", share, _count(one.unseen, is_range))
        rows.append(GroupRow(name(one.level, 40).short, cells))
    return rows


def _count(found: Interval, is_range: bool) -> str:
    return count_range(found.lower, found.upper) if is_range else count_interval(found)


def group_lines(columns: dict[str, list[GroupLevel]], kind: str) -> list[str]:
    """Tables of all columns, each under its title."""
    lines: list[str] = []
    is_range = kind != "estimate"
    for column, levels in columns.items():
        if not levels:
            lines += ["", f"By {name(column).short}: {UNTOLD}"]
            continue
        rows = [GroupRow(f"By {name(column).short}", group_header(kind)), *group_rows(levels, is_range=is_range)]
        lines += ["", *aligned_lines(rows)]
    return [*lines, RANGES] if is_range and any(columns.values()) else lines


def aligned_lines(rows: Sequence[GroupRow]) -> list[str]:
    """Rows as lines of text, cells under each other."""
    first = max(len(row.level) for row in rows)
    widths = [max(map(len, cells)) for cells in zip(*(row.cells for row in rows), strict=True)]
    padded = ([f"{cell:>{width}s}" for cell, width in zip(row.cells, widths, strict=True)] for row in rows)
    return ["  ".join([f"{row.level:{first}s}", *cells]) for row, cells in zip(rows, padded, strict=True)]
