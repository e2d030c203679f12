"""What facts tell of people, declared beside them, and the calls with which a fact is told.

A fact is a frozen dataclass. A field that counts people, rests on such a count, or is one person's own value says so
with one of the functions below; everything else is about a model or a computation. The rule in
`whether.telling.disclosure` reads these declarations and nothing else. Fields with ``repr=False`` are never told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

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


@dataclass(frozen=True)
class RestsOn:
    """A number from which the counts of some groups could be had."""

    groups: tuple[str, ...]


@dataclass(frozen=True)
class Expected:
    """An expected number of unlabeled people: with the mean risk it gives the number of events back."""


@dataclass(frozen=True)
class Personal:
    """A value that may be one person's own: told with so many digits."""

    digits: int


@dataclass(frozen=True)
class OfFeature:
    """The name of a feature: what is said of it is not told where it marks a few people."""


def people(of: str = "people", **options: Any) -> Any:
    """Declare a field that counts people, of the group named."""
    return field(metadata={"tells": People(of)}, **options)


def rests_on(*groups: str, **options: Any) -> Any:
    """Declare a field from which the counts of these groups, fields of the same fact or of the cohort, could be had."""
    return field(metadata={"tells": RestsOn(groups)}, **options)


def expected(**options: Any) -> Any:
    """Declare an expected number of people without a recorded event."""
    return field(metadata={"tells": Expected()}, **options)


def personal(digits: int = 2, **options: Any) -> Any:
    """Declare a field that may be one person's own value."""
    return field(metadata={"tells": Personal(digits)}, **options)


def of_feature(**options: Any) -> Any:
    """Declare a field that names a feature."""
    return field(metadata={"tells": OfFeature()}, **options)


class Told:
    """A fact that can be printed, stored and drawn.

    How is the business of `whether.telling`, which stands above all facts: it is asked for when something is told, and
    these are the only lines that reach up.
    """

    def to_text(self, width: int = WIDTH, *, suppress_below: int = FEWEST) -> str:
        """Return what was found, in words.

        Parameters
        ----------
        width : int
            Of a line.
        suppress_below : int
            Smallest number of people that is told; 0 tells everything, for the eyes of who may see single persons.
        """
        from whether.telling import to_text

        return to_text(self, width, suppress_below)

    def to_dict(self, *, suppress_below: int = FEWEST) -> dict[str, Any]:
        """Return what was found as plain Python objects that JSON can have; what is held back is None.

        Parameters
        ----------
        suppress_below : int
            Smallest number of people that is told.
        """
        from whether.telling import to_dict

        return to_dict(self, suppress_below)

    def plot(self, *, suppress_below: int = FEWEST) -> Any:
        """Draw what was found, as the report does; needs matplotlib.

        Parameters
        ----------
        suppress_below : int
            Smallest number of people that is shown.

        Returns
        -------
        matplotlib Figure
        """
        from whether.telling import draw

        return draw(self, suppress_below)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__
