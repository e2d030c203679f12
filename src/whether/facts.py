"""What facts tell of people, declared beside them, and the calls with which a fact is told.

A fact is a frozen dataclass. A field that counts people, rests on such a count, or is one person's own value is
``Annotated`` with one of the classes below; everything else is about a model or a computation. The rule in
`whether.telling.disclosure` reads these declarations and nothing else. Fields with ``repr=False`` are never told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias, get_type_hints

# Smallest number of people that is told: a count of 1 to 10, and whatever gives one back, is held back.
FEWEST = 11
# Width of a line of text.
WIDTH = 112

# Counts of named groups, each with the number it is a part of.
Groups: TypeAlias = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class People:
    """A count of people that is a part of another count."""

    of: str
    tells_none: bool = False  # whether none may be told of a few: it says nothing of anybody


@dataclass(frozen=True)
class RestsOn:
    """A number from which the counts of some groups could be had."""

    groups: tuple[str, ...]
    tells_none: bool = False  # whether none may be told: the groups cannot be had from that


@dataclass(frozen=True)
class Expected:
    """An expected number of people who may still have it: with the mean risk it gives the number of events back.

    It reaches at most to all who may, which are the others less those of whom it is known that they never will.
    """

    events: str = "events"
    people: str = "people"
    closed: tuple[str, ...] = ("dead", "never")


@dataclass(frozen=True)
class Personal:
    """A value that may be one person's own: told with so many digits."""

    digits: int


@dataclass(frozen=True)
class OfFeature:
    """The name of a feature: what is said of it is not told where it marks a few people."""


def fewest_rows(rows_each: Sequence[int], fewest: int = FEWEST) -> int:
    """Smallest number of rows that cannot be of few people; ``rows_each`` are those of each person, the most first.

    >>> fewest_rows(()), fewest_rows([3, 3, 2, 1, 1], 4)
    (11, 9)
    """
    return sum(rows_each[: fewest - 1]) + 1 if rows_each and fewest > 1 else fewest


@cache
def declared(fact: Any) -> Mapping[str, tuple[Any, ...]]:
    """Return what the fields of a fact tell of people, by name, in the order of the declarations."""
    hints = get_type_hints(fact, include_extras=True)
    kinds = (People, RestsOn, Expected, Personal, OfFeature)
    return {
        name: tuple(kind for kind in getattr(hint, "__metadata__", ()) if isinstance(kind, kinds))
        for name, hint in hints.items()
    }


def _teller() -> Any:
    """Whoever tells facts, found by name when one is told: no module below knows how, and none is imported for it."""
    return import_module("whether.telling")


class Drawn:
    """A fact that can be drawn."""

    def plot(self, *, suppress_below: int = FEWEST) -> Any:
        """Draw what was found, as the report does; needs matplotlib.

        Parameters
        ----------
        suppress_below : int
            Smallest number of people that is shown; 0 shows everything.

        Returns
        -------
        matplotlib Figure
        """
        return _teller().draw(self, suppress_below)


class Worded:
    """A fact that can be printed and stored."""

    def to_text(self, width: int = WIDTH, *, suppress_below: int = FEWEST) -> str:
        """Return what was found, in words.

        Parameters
        ----------
        width : int
            Of a line.
        suppress_below : int
            Smallest number of people that is told; 0 tells everything, for the eyes of who may see single persons.
        """
        return str(_teller().to_text(self, width, suppress_below))

    def to_dict(self, *, suppress_below: int = FEWEST) -> dict[str, Any]:
        """Return what was found as plain Python objects that JSON can have; what is held back is None.

        Parameters
        ----------
        suppress_below : int
            Smallest number of people that is shown.
        """
        return dict(_teller().to_dict(self, suppress_below))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


class Told(Worded, Drawn):
    """A fact that can be printed, stored and drawn."""
