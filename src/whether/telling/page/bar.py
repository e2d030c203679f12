"""The cohort as one bar: who had the event, who is still expected to have it, who never will, and how sure that is.

Everything is a difference of numbers that are told, so the bar tells no more than they do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from whether.advise.evidence.material import LIFETIME, NET
from whether.analysis import GroupLevel
from whether.evaluate import Interval
from whether.telling.disclosure import is_told
from whether.telling.reading import Reading
from whether.telling.words import count_range, is_known, percent

_STILL = {
    "": "still expected to have it",
    LIFETIME: "still expected to have it before they die",
    NET: "still expected to have it, in a world without other deaths",
}
_UNKNOWN = "may have it or not: these data do not say"


@dataclass(frozen=True)
class Part:
    """A stretch of a bar: where it begins and how long it is, as shares of the whole, and what it stands for."""

    kind: str  # "seen", "still", "open", "never" or "died": how it is drawn
    start: float
    size: float
    count: str = ""
    label: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Bar:
    """Stretches that fill the bar, the interval of where the expected end, and all of it in a sentence."""

    parts: list[Part]
    interval: tuple[float, float] | None = None  # ends, as shares of the whole
    text: str = ""


def cohort_bar(reading: Reading) -> Bar | None:
    """The bar of the whole cohort; None where not all of its numbers may be told."""
    analysis, told, headline = reading.analysis, reading.told, reading.words.headline
    is_estimate = analysis.kind == "estimate"
    unseen = told.unseen
    # Of a range the ends count, and a ranking has none.
    allowed = headline.tells_events if is_estimate else headline.tells_ends or analysis.kind == "ranking"
    if not (allowed and headline.tells_events and (analysis.kind == "ranking" or is_told(unseen))):
        return None
    n_closed = reading.n - analysis.n_events - analysis.n_open
    died = told.evidence.counts.n_died if analysis.question else 0
    n_died = died if isinstance(died, int) else 0
    never = "expected never to have it"
    if analysis.question:
        never = f"{'alive and' if n_died else 'dead, or'} {never}"
    if is_estimate:
        middle = _estimated(unseen, analysis.n_open, n_closed - n_died, _STILL[analysis.question], never)
    elif analysis.kind == "range":
        is_net = analysis.question == NET
        more = "more would have it, in a world without other deaths" if is_net else "more will have it"
        middle = _ranged(unseen, analysis.n_open, n_closed - n_died, more, never)
    else:
        middle = _open(analysis.n_open, n_closed - n_died, never)
    rows = [("seen", analysis.n_events, f"{analysis.n_events:,}", "with a recorded event", ""), *middle]
    if n_died:
        rows.append(("died", n_died, f"{n_died:,}", "died without it", ""))
    parts = _stretch(rows, reading.n)
    ends = _ends(unseen, analysis.n_events, reading.n) if is_estimate else None
    said = "; ".join(" ".join(filter(None, (one.count, one.label, one.detail))) for one in parts)
    return Bar(parts, ends, f"A bar of all {reading.n:,} people: {said}.")


Row = tuple[str, float, str, str, str]


def _estimated(unseen: Interval, n_open: int, n_known: int, still: str, never: str) -> list[Row]:
    expected = round(unseen.estimate)
    rest = n_open - expected + n_known
    limits = count_range(unseen.lower, unseen.upper)
    others = count_range(n_open - unseen.upper + n_known, n_open - unseen.lower + n_known)
    level = f"{100 * unseen.level:g} % interval " if limits else ""
    return [
        ("still", expected, f"about {expected:,}", still, f"{level}{limits} people" if limits else ""),
        ("never", rest, f"about {rest:,}", never, f"{level}{others} people" if others else ""),
    ]


def _ranged(unseen: Interval, n_open: int, n_known: int, more: str, never: str) -> list[Row]:
    lower, upper = round(unseen.lower), round(unseen.upper)
    rest = n_open - upper + n_known
    return [
        ("still", lower, f"at least {lower:,}", more, ""),
        ("open", upper - lower, f"{upper - lower:,}", _UNKNOWN, ""),
        ("never", rest, f"at least {rest:,}", never, ""),
    ]


def _open(n_open: int, n_known: int, never: str) -> list[Row]:
    return [("open", n_open, f"{n_open:,}", _UNKNOWN, ""), ("never", n_known, f"{n_known:,}", never, "")]


def _stretch(rows: Iterable[Row], n: int) -> list[Part]:
    """Parts one after the other; what is nobody is left out, unless it is what was asked for and told as a number."""
    parts, start = [], 0.0
    for kind, size, count, label, detail in rows:
        if size <= 0 and (kind not in ("seen", "still") or count.startswith("at least")):
            continue
        share = f"{percent(size / n)} of all people"
        parts.append(Part(kind, start, size / n, count, label, f"{share}; {detail}" if detail else share))
        start += size / n
    return parts


def _ends(unseen: Interval, n_events: int, n: int) -> tuple[float, float] | None:
    if not (is_known(unseen.lower) and is_known(unseen.upper)):
        return None
    return (n_events + unseen.lower) / n, (n_events + unseen.upper) / n


def level_bar(level: GroupLevel, *, is_range: bool) -> Bar:
    """The bar of a level of a column, as it may be told: no more than its numbers, in the table, say."""
    n, seen, unseen = level.n_people, level.n_events, level.unseen
    low = round(unseen.lower) if is_range else round(unseen.estimate)
    high = round(unseen.upper) if is_range else low
    rows: list[Row] = [
        ("seen", seen, "", "", ""),
        ("still", low, "", "", ""),
        ("open", high - low, "", "", ""),
        ("never", n - seen - high, "", "", ""),
    ]
    return Bar(_stretch(rows, n), None if is_range else _ends(unseen, seen, n))
