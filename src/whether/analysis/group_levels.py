"""The answer for each level of a column: people, recorded events, mean risk and expected further events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from whether.analysis.memberships import Codes, Flags, Membership
from whether.analysis.windows import GroupWindow, Window
from whether.evaluate import Interval
from whether.facts import Expected, People, RestsOn

# Mean risk, and number of the unlabeled who are expected to be positive, of some people.
Measure = Callable[[Codes], tuple[Interval, Interval]]


@dataclass(frozen=True)
class GroupLevel:
    """The people of one level of a column, and what is expected of them.

    Attributes
    ----------
    column, level : str
        Levels of few people are pooled: "other" is several of them, "missing" those of whom nothing is known.
    n_people, n_events : int
        People, and those of them whose event was seen.
    mean_risk : Interval
        Mean of their risks.
    unseen : Interval
        Number of their unlabeled who are expected to be positive. Over the levels of a column it adds up to the number
        for everybody.
    n_closed : int
        Those of them who died without the event or are known never to have it.
    windows : tuple of GroupWindow
        How many of them are expected to have the event within lengths of time.
    """

    column: str
    level: str
    n_people: Annotated[int, People("people")]
    n_events: Annotated[int, People("n_people")]
    mean_risk: Annotated[Interval, RestsOn(("n_people", "n_events"))]
    unseen: Annotated[Interval, RestsOn(("n_people", "n_events")), Expected("n_events", "n_people", ("n_closed",))]
    n_closed: Annotated[int, People("n_people")] = field(repr=False)
    windows: tuple[GroupWindow, ...] = ()


def measure_groups(
    memberships: Sequence[Membership],
    labeled: Flags,
    open_people: Flags,
    measure: Measure,
    count_windows: Callable[[Codes], Sequence[Window]],
) -> tuple[GroupLevel, ...]:
    """Measure each level of each column; ``open_people`` may still have the event."""
    found = []
    for membership in memberships:
        for position, level in enumerate(membership.levels):
            rows = membership.rows(position)
            n_events, n_open = (int(np.count_nonzero(who[rows])) for who in (labeled, open_people))
            n_closed = rows.size - n_events - n_open
            windows = tuple(GroupWindow(one.length, one.expected, one.beyond) for one in count_windows(rows))
            found.append(GroupLevel(membership.column, level, rows.size, n_events, *measure(rows), n_closed, windows))
    return tuple(found)
