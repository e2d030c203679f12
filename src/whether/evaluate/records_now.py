"""What is known now of people who are put back to an earlier endpoint, besides outcome and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.validate import check_flags, check_records

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class RecordsNow:
    """Known negatives, deaths, intervals and late entry, checked."""

    certain: Flags  # known never to have the event
    died: Flags  # without the event
    lower: Array | None
    start: Array  # of observation, on the scale of time

    @classmethod
    def check(cls, seen: Flags, time: Array, negative: Any, competing: Any, lower: Any, start: Any) -> RecordsNow:
        """Check the records; what is not said is said of nobody."""
        none = np.zeros(time.size, dtype=bool)
        certain = none if negative is None else ~seen & check_flags(negative, time.size, "known_negative")
        known = check_records(seen, time, None, time_lower=lower, entry_time=start, competing=competing)
        died, entered = known["competing"], known["entry_time"]
        first = np.zeros(time.size) if entered is None else entered
        return cls(certain, none if died is None else died, known["time_lower"], first)
