"""What was done to a table, in sentences, and the error that says why it cannot be read.

Notes end up in model files and reports, so they tell no count that could point at single people.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

# Smaller groups of people are not counted out, and have no feature of their own.
SMALLEST_GROUP = 11


class TableError(ValueError):
    """A table that cannot be used as it is; the message says why and what to do."""


@dataclass(frozen=True)
class Note:
    """One sentence about a table; a warning if the reader may have to act."""

    text: str
    is_warning: bool = False


@dataclass
class Notes:
    """What was done to a table, in the order in which it was done."""

    items: list[Note] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add a sentence."""
        self.items.append(Note(text))

    def warn(self, text: str) -> None:
        """Add a sentence on which the reader may have to act."""
        self.items.append(Note(text, is_warning=True))


def count_people(count: int) -> str:
    """Return a number of people in words that point at nobody: small ones are not told."""
    return f"{count:,}" if count == 0 or count >= SMALLEST_GROUP else f"fewer than {SMALLEST_GROUP}"


def name_columns(names: Iterable[str], most: int = 8) -> str:
    """List names, quoted so that no character in them can do harm on a screen."""
    listed = list(names)
    return ", ".join(repr(name) for name in listed[:most]) + (f" and {len(listed) - most} more" * (len(listed) > most))


def suggest(name: str, names: Iterable[str]) -> str:
    """Ask for the name that was probably meant, if one is close."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.7)
    return f" Did you mean {close[0]!r}?" if close else ""
