"""How long a run will still take."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

from whether.study.cell import CellResult
from whether.study.plan import Cell
from whether.study.store import Row


class Forecast:
    """Seconds left, from the seconds that like cells took.

    A cell is expected to take as long as others of its method, learner and world; where there is none yet, as long as
    its rough cost says in units learned so far. What the whole run takes beyond its fits is learned on the way.
    """

    def __init__(self, cells: Sequence[Cell], stored: Sequence[Row], workers: int) -> None:
        self._left = {cell.key: cell for cell in cells}
        self._workers = workers
        self._seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for row in stored:
            if row.fit_seconds is not None:
                self._seconds[row.study, row.world, row.method, row.learner].append(row.fit_seconds)
        self._start = time.monotonic()
        self._worked = 0.0
        self._done_cost = 0.0

    def advance(self, result: CellResult) -> None:
        """Learn from a finished cell."""
        cell = self._left.pop(result.cell.key)
        self._done_cost += cell.cost
        if result.fit_seconds is not None:
            self._seconds[cell.key[:4]].append(result.fit_seconds)
            self._worked += result.fit_seconds

    def seconds_left(self) -> float | None:
        """Return the expected time to the end; None before anything is known."""
        if not self._done_cost:
            return None
        elapsed = time.monotonic() - self._start
        # Drawing data, scoring and waiting take their time too.
        overhead = max(1.0, elapsed * self._workers / self._worked) if self._worked else 1.0
        per_cost = self._worked / self._done_cost
        fits = sum(self._expect(cell, per_cost) for cell in self._left.values())
        return overhead * fits / self._workers

    def _expect(self, cell: Cell, per_cost: float) -> float:
        seen = self._seconds.get(cell.key[:4])
        return sum(seen) / len(seen) if seen else per_cost * cell.cost
