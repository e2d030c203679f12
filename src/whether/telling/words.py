"""Names and numbers as they are printed: harmless, short, and with what they count."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import Any

# Characters that turn the direction of writing round, and so what a reader believes to see.
_TURNING = {*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x061C, 0xFEFF}


def clean(text: Any) -> str:
    """Return text without characters that are invisible, turn the line or are not allowed in a page.

    Parameters
    ----------
    text : str or anything that prints
    """
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
    """Shorten a name in its middle, where names differ least.

    Parameters
    ----------
    text : str
    most : int
        Largest number of characters.
    """
    full = " ".join(clean(text).split()) or "(no name)"
    if len(full) <= most:
        return Name(full, full)
    head = (most - 1) * 2 // 3
    return Name(full[:1000], f"{full[:head]}…{full[len(full) - (most - 1 - head) :]}")


def number(value: float, digits: int = 2) -> str:
    """Return a number with as many significant digits as asked for, without an exponent where that can be read.

    Parameters
    ----------
    value : float
    digits : int
    """
    if not math.isfinite(value):
        return "not known"
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if places > 6 or abs(value) >= 1e7:
        return f"{value:.{digits}g}"
    return f"{value:,.{max(places, 0)}f}"


def percent(share: float, places: int = 0) -> str:
    """Return a share in percent.

    Parameters
    ----------
    share : float
    places : int
    """
    return f"{100 * share:.{places}f} %" if math.isfinite(share) else "not known"


def percent_range(lower: float, upper: float, places: int = 0) -> str:
    """Return limits in percent; empty where they are not known.

    Parameters
    ----------
    lower, upper : float
    places : int
    """
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return ""
    return f"{100 * lower:.{places}f} to {100 * upper:.{places}f} %"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    Parameters
    ----------
    count : int
    one : str
        The noun of one thing.
    many : str, optional
        That of several, where it is not the first with an s.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def signed(value: float, places: int = 2) -> str:
    """Return a number with its sign, a proper minus included.

    Parameters
    ----------
    value : float
    places : int
    """
    return f"{value:+.{places}f}".replace("-", "−") if math.isfinite(value) else "not known"


def signed_range(value: float, lower: float, upper: float, places: int = 2) -> str:
    """Return a signed number with its limits.

    Parameters
    ----------
    value, lower, upper : float
    places : int
    """
    return f"{signed(value, places)} ({signed(lower, places)} to {signed(upper, places)})"
