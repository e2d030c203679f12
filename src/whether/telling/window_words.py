"""How many have the event within some time, in words: sentences for everybody, and a row for each level of a column."""

from __future__ import annotations

from collections.abc import Sequence

from whether.advise.evidence.material import LIFETIME, NET
from whether.analysis import Analysis, GroupLevel, Window
from whether.analysis.windows import UNITS_IN_A_YEAR
from whether.telling.disclosure import is_told
from whether.telling.group_words import GroupRow, aligned_lines
from whether.telling.words import count_interval, count_range, is_known, name, one_unit, percent, unit_text

NO_WHEN = "This method has no model of event times, so it does not say when the event comes."
# What ends a sentence about an expected number, by what is asked of people who may die first.
ENDINGS = {"": "", LIFETIME: ", before they die", NET: ", in a world without other deaths"}
LAST_SEEN = "from when each person was last seen"
# Share of a number that comes after the longest follow-up from which on that is said.
VISIBLE_BEYOND = 0.05


def span_text(length: float, unit: str) -> str:
    """Return a length of time in words, and in years where it is some.

    >>> span_text(1.0, "years"), span_text(60.0, "months"), span_text(20.0, "")
    ('1 year', '5 years (60 months)', '20 units of time')
    """
    year = UNITS_IN_A_YEAR.get(unit.strip().lower().rstrip("."), 0.0)
    own = _many(length, unit_text(unit))
    if year <= 1:
        return own
    years = round(2 * length / year) / 2
    return f"{_many(years, 'years')} ({own})" if abs(years * year - length) < 1 else own


def _many(length: float, unit: str) -> str:
    return f"{length:,.10g} {one_unit(unit) if length == 1 else unit}"


def window_sentences(told: Analysis, who: str, *, tells_limits: bool) -> list[str]:
    """How many are expected to have the event within each length of time, and how much of that nobody has observed.

    ``who`` are the people who may still have it; limits are told beside the numbers where that is allowed.
    """
    windows, unit = told.windows, told.origin.unit
    if not windows:
        return [NO_WHEN]
    if not is_told(*(window.expected for window in windows)):
        return []
    is_range = told.kind != "estimate"
    if is_range and not tells_limits:
        return []
    counts = [_count(window, is_range, tells_limits) for window in windows]
    spans = [span_text(window.length, unit) for window in windows]
    parts = [f"{count} within {span}" for count, span in zip(counts, spans, strict=True)]
    first = f"{'' if is_range else 'about '}{counts[0]} of {who} are expected to have it within {spans[0]}"
    return [f"Counted {LAST_SEEN}, {_listed([first, *parts[1:]])}{ENDINGS[told.question]}.", *beyond_sentences(told)]


def _count(window: Window, is_range: bool, tells_limits: bool) -> str:
    found = window.expected
    if is_range:
        return count_range(found.lower, found.upper)
    if not (tells_limits and is_known(found.lower)):
        return f"{found.estimate:,.0f}"
    return f"{found.estimate:,.0f} ({100 * found.level:g} % interval {count_range(found.lower, found.upper)})"


def beyond_sentences(told: Analysis) -> list[str]:
    """How much of the numbers comes later than anybody was followed; nothing where that is little."""
    late = [window for window in told.windows if window.beyond >= VISIBLE_BEYOND]
    if not late:
        return []
    parts = [f"{percent(one.beyond)} of those within {span_text(one.length, told.origin.unit)}" for one in late]
    return [
        f"Of the events still expected, {_listed(parts)} would come later than anybody was followed: there the model "
        "extrapolates."
    ]


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def window_header(windows: Sequence[Window], unit: str) -> tuple[str, ...]:
    """Heads of columns of expected numbers."""
    return tuple(f"within {span_text(window.length, unit)}" for window in windows)


def window_cells(windows: Sequence[Window], *, is_range: bool) -> tuple[str, ...]:
    """Expected numbers with their limits; of a range the limits only."""
    found = (window.expected for window in windows)
    return tuple(count_range(one.lower, one.upper) if is_range else count_interval(one) for one in found)


def window_lines(columns: dict[str, list[GroupLevel]], unit: str, *, is_range: bool) -> list[str]:
    """Tables of expected numbers for the levels of all columns, each under its title."""
    lines: list[str] = []
    for column, levels in columns.items():
        if levels and levels[0].windows:
            head = GroupRow(f"By {name(column).short}, expected", window_header(levels[0].windows, unit))
            rows = [GroupRow(name(one.level).short, window_cells(one.windows, is_range=is_range)) for one in levels]
            lines += ["", *aligned_lines([head, *rows])]
    return lines
