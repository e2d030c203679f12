"""Run the cells that are not stored yet, store each as it comes in, and say how long the rest will take."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whether.study.backends import find_backend
from whether.study.cell import CellResult
from whether.study.display import open_display
from whether.study.errors import RunError, StudyError
from whether.study.plan import Cell
from whether.study.store import ResultStore, Row, sole_writer


@dataclass(frozen=True)
class RunSummary:
    """What a run did: how many cells had been stored before, and how many were run now with what success."""

    stored: int
    done: int
    failed: int


def run_cells(
    cells: Sequence[Cell],
    path: Path,
    *,
    jobs: int | None = None,
    backend: str = "local",
    address: str | None = None,
    data: str | None = None,
    retry_failed: bool = False,
) -> RunSummary:
    """Run the cells of a study that are not stored yet, on all cores of this machine unless told otherwise.

    `address` is that of a cluster, for Dask or Ray, and `data` the folder of the tables, where workers do not know it.
    """
    run = find_backend(backend)
    workers = _count_workers(jobs)
    if not path.absolute().parent.is_dir():
        raise RunError(f"There is no folder {path.absolute().parent} to write {path.name} to.")
    with sole_writer(path), ResultStore(path) as store:
        left = store.remaining(cells, retry_failed=retry_failed)
        forecast = Forecast(left, store.rows(), workers)
        n_stored, failed = len(cells) - len(left), 0
        with open_display(len(cells), n_stored) as display:
            # Sequences that are run must not be empty: a cluster would be started for nothing.
            for result in run(left, workers, address, data) if left else ():
                store.add(result)
                failed += result.failed
                forecast.advance(result)
                display.advance(forecast.seconds_left(), failed, result.error)
    return RunSummary(n_stored, len(left) - failed, failed)


def _count_workers(jobs: int | None) -> int:
    if jobs is None:
        return os.cpu_count() or 1
    if jobs < 1:
        raise StudyError(f"The number of jobs must be at least 1, got {jobs}.")
    return jobs


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
