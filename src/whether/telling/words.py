"""Names and numbers as they are printed: harmless, short, and with what they count."""

from __future__ import annotations

import math
import numbers
import re
import textwrap
import unicodedata
from dataclasses import dataclass
from typing import Any

from whether.evaluate import Interval

# Characters that turn the direction of writing round, and so what a reader believes to see.
_TURNING = {*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x061C, 0xFEFF}


NO_UNIT = "units of time"
# Why a number is held back, as it goes after "is".
FEW_OF_A_KIND = "not told: too few people have, or do not have, a recorded event"


def clean(text: Any) -> str:
    """Return text without characters that are invisible, turn the line or are not allowed in a page."""
    return "".join(_clean_character(character) for character in str(text))


def _clean_character(character: str) -> str:
    if character in "\n\t\r":
        return " "
    if ord(character) in _TURNING or unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn"):
        return "�"
    return character


@dataclass(frozen=True)
class Name:
    """A name that somebody gave to a column or file: short where it is printed, whole in its title."""

    full: str
    short: str

    def __str__(self) -> str:
        return self.short


def name(text: Any, most: int = 40) -> Name:
    """Shorten a name in its middle, where names differ least."""
    full = " ".join(clean(text).split()) or "(no name)"
    if len(full) <= most:
        return Name(full, full)
    head = (most - 1) * 2 // 3
    return Name(full[:1000], f"{full[:head]}…{full[len(full) - (most - 1 - head) :]}")


def number(value: float, digits: int = 2) -> str:
    """Return a number with as many significant digits as asked for, without an exponent where that can be read."""
    if not math.isfinite(value):
        return "not known"
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if places > 6 or abs(value) >= 1e7:
        return f"{value:.{digits}g}"
    return f"{value:,.{max(places, 0)}f}"


def unit_text(unit: str) -> str:
    """Return a unit of time as it is printed, said or not."""
    return name(unit, 20).short if unit else NO_UNIT


def one_unit(unit: str) -> str:
    """Return a unit of time as it goes after "per".

    >>> one_unit("years"), one_unit("d"), one_unit("")
    ('year', 'd', 'unit of time')
    """
    if unit_text(unit) == NO_UNIT:
        return "unit of time"
    return unit[:-1] if unit.endswith("s") and len(unit) > 2 else unit


def length(time: float, unit: str, digits: int = 2) -> str:
    """Return a length of time with its unit."""
    return f"{number(time, digits)} {unit_text(unit)}"


def percent(share: float, places: int = 0) -> str:
    """Return a share in percent."""
    return f"{100 * share:.{places}f} %" if is_known(share) else "not known"


def places_of(*shares: float) -> int:
    """Return with how many places shares are told in percent, the same wherever they are: with one where all are small.

    >>> places_of(0.12, 0.03), places_of(0.04, 0.03)
    (0, 1)
    """
    return 0 if max(shares) >= 0.095 else 1


def points(difference: float) -> str:
    """Return the size of a difference between shares in percentage points, with a digit where it is small.

    What is not zero does not look like it.

    >>> points(-0.094), points(0.0131), points(-0.0002)
    ('9', '1.3', '0.02')
    """
    size = abs(100 * difference)
    return f"{size:.{0 if size >= 1.95 else 1}f}" if size >= 0.05 else number(size, 1)


def signed_points(difference: float) -> str:
    """Return the same with its sign."""
    return f"{'+' if difference > 0 else '−' if difference < 0 else ''}{points(difference)}"


def percent_range(lower: float, upper: float, places: int = 0) -> str:
    """Return limits in percent; empty where they are not known."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return ""
    return f"{100 * lower:.{places}f} to {100 * upper:.{places}f} %"


def is_known(value: Any) -> bool:
    """Whether there is a number."""
    return isinstance(value, numbers.Real) and math.isfinite(value)


def percent_interval(found: Interval, places: int = 0) -> str:
    """Return a share in percent with its limits, where they are known."""
    limits = percent_range(found.lower, found.upper, places)
    return f"{percent(found.estimate, places)}{f' ({limits})' if limits else ''}"


def count_range(lower: float, upper: float) -> str:
    """Return limits of a number of people; empty where they are not known."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return ""
    return f"{lower:,.0f} to {upper:,.0f}"


def count_interval(found: Interval) -> str:
    """Return a number of people with its limits, where they are known."""
    limits = count_range(found.lower, found.upper)
    return f"{found.estimate:,.0f}{f' ({limits})' if limits else ''}"


def signed_interval(found: Interval) -> str:
    """Return a signed number with its limits, where it has any.

    >>> signed_interval(Interval(-0.178, math.nan, math.nan, math.nan))
    '−0.178'
    """
    value, lower, upper = (signed(end, 3) for end in (found.estimate, found.lower, found.upper))
    return f"{value} ({lower} to {upper})" if is_known(found.lower) else value


def _no_minus_zero(value: float, places: int) -> float:
    """Return a number that is not printed as zero with a minus."""
    return 0.0 if abs(value) < 0.5 * 10**-places else value


def p_text(p_value: float) -> str:
    """Return a p-value as it is printed."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def ratio_text(ratio: float) -> str:
    """Return a ratio as it is printed, to be read beside others.

    >>> ratio_text(1.0), ratio_text(0.1), ratio_text(0.0036), ratio_text(1e-5)
    ('1.00', '0.10', '0.0036', '< 0.001')
    """
    return "< 0.001" if ratio < 0.001 else f"{ratio:.2f}" if ratio >= 0.0995 else number(ratio)


def effect_text(ratio: float) -> str:
    """Return an odds, time or hazard ratio as it is printed: beyond a thousandfold its digits say nothing.

    >>> effect_text(7.35e-07), effect_text(1.234), effect_text(2183.0)
    ('< 0.001', '1.23', '> 1,000')
    """
    return "< 0.001" if ratio < 0.001 else "> 1,000" if ratio > 1000 else number(ratio, 3)


def wrap(sentence: str, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """Break a sentence into lines, but not before a per cent sign nor at a hyphen; later lines are indented further."""
    joined = sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    further = (indent + "  " if indent else "") if hanging is None else hanging
    lines = textwrap.wrap(joined, width, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def signed(value: float, places: int = 2) -> str:
    """Return a number with its sign, a proper minus included."""
    return f"{_no_minus_zero(value, places):+.{places}f}".replace("-", "−") if math.isfinite(value) else "not known"


def signed_range(value: float, lower: float, upper: float, places: int = 2) -> str:
    """Return a signed number with its limits."""
    return f"{signed(value, places)} ({signed(lower, places)} to {signed(upper, places)})"


def rows_sentence(n_persons: int) -> str:
    """Say that rows are counted, of which a person may have several."""
    return (
        f"The table has {n_persons:,} people, some with several rows. Counts are of rows; intervals and checks allow "
        "for rows of the same person."
    )


def as_rows(text: str) -> str:
    """Say rows where people are counted, for tables in which a person may have several.

    >>> as_rows("About 33 of the 409 people ...")
    'About 33 of the 409 rows ...'
    >>> as_rows("People who were followed count per person.")
    'Rows that were followed count per row.'
    """
    for who, what in (
        ("people who", "rows that"),
        ("People who", "Rows that"),
        ("with no recorded event who", "with no recorded event that"),
        ("per person", "per row"),
        ("a person’s", "a row’s"),
        ("people", "rows"),
        ("People", "Rows"),
        ("Each person’s", "Each row’s"),
        ("each person’s", "each row’s"),
    ):
        text = re.sub(rf"\b{who}\b", what, text)
    return text
