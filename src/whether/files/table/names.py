"""Names of columns in messages: shortened, listed, and the one that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def shorten(text: str, most: int = 60) -> str:
    """Return the beginning of a text that would fill the screen."""
    return text if len(text) <= most else f"{text[:most]}..."


def name_columns(names: Iterable[str], most: int = 8) -> str:
    """List names, quoted so that no character in them can do harm on a screen."""
    listed = list(names)
    shown = ", ".join(repr(shorten(name)) for name in listed[:most])
    return shown + f" and {len(listed) - most} more" * (len(listed) > most)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant, if one is close, in whichever case it is written."""
    by_letters = {other.strip().casefold(): other for other in names}
    close = difflib.get_close_matches(shorten(name).strip().casefold(), list(by_letters), n=1, cutoff=0.7)
    return by_letters[close[0]] if close else None


def suggest(name: str, names: Iterable[str]) -> str:
    """Ask for the name that was probably meant, if one is close."""
    close = nearest(name, names)
    return "" if close is None else f" Did you mean {close!r}?"
