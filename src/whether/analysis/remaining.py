"""How many people still have the event to come, if a share of everybody has it at some time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from whether.advise import Evidence
from whether.advise.evidence.watched import event_curve
from whether.survival import kaplan_meier

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Remaining:
    """What turns a share of positives into a number of people who may still have the event."""

    labeled: Flags
    open_people: Flags  # without the event, and not known never to have it
    # Shares of everybody who had the event before this person was observed, and who could be; None without late entry.
    over_at_entry: Array | None
    left_at_entry: Array | None
    of_dead: Array  # each one's chance to have the event were nobody to die, 0 but for the dead
    of_open: Array  # each one's chance to have it still, 0 but for those who may

    @classmethod
    def of(cls, evidence: Evidence, still: Array) -> Remaining:
        """Read it from the evidence, and from each person's chance to have the event still, were nobody to die."""
        cohort = evidence.material.cohort
        chance, open_people = np.nan_to_num(still), evidence.material.open_people
        over = left = None
        if cohort.entry_time is not None and cohort.time is not None:
            over = 1 - event_curve(cohort).at(cohort.entry_time)
            gone = cohort.labeled if cohort.seen_negative is None else cohort.labeled | cohort.seen_negative
            left = kaplan_meier(gone, cohort.time, entry=cohort.entry_time).at(cohort.entry_time)
        closed = np.where(open_people, 0.0, chance)
        return cls(cohort.labeled, open_people, over, left, closed, np.where(open_people, chance, 0.0))

    def expect(self, share: float, rows: Rows) -> float:
        """Return how many of some people still have it to come, if this share of people like them has it ever.

        Nobody is in the table whose event, or death, came before entry. Where the dead might have had the event, in a
        world without other deaths, they take their part of the number.
        """
        positives = share * rows.size
        if self.over_at_entry is not None and self.left_at_entry is not None:
            over, left = self.over_at_entry[rows], self.left_at_entry[rows]
            positives = float(np.clip((share - over) / np.maximum(left, 1e-12), 0.0, 1.0).sum())
        further = positives - float(np.count_nonzero(self.labeled[rows]))
        if self.of_dead[rows].any():
            further = _part_of_open(further, self.of_open[rows], self.of_dead[rows])
        return float(np.clip(further, 0.0, np.count_nonzero(self.open_people[rows])))


def _part_of_open(further: float, of_open: Array, of_dead: Array) -> float:
    """Return how many of the open are among so many, had everybody's chance the same log odds more or less."""
    odds = logit(np.clip(np.concatenate([of_open[of_open > 0], of_dead[of_dead > 0]]), 1e-12, 1 - 1e-12))
    if not 0 < further < odds.size:
        return float(np.clip(further, 0.0, np.count_nonzero(of_open)))
    shift = brentq(lambda more: float(expit(odds + more).sum()) - further, -80.0, 80.0)
    return float(expit(odds[: np.count_nonzero(of_open)] + shift).sum())
