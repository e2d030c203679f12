"""Run the cells that are not stored yet, and store each as it comes in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whether.study.backends import find_backend
from whether.study.display import open_display
from whether.study.errors import RunError, StudyError
from whether.study.forecast import Forecast
from whether.study.plan import Cell
from whether.study.store import ResultStore, sole_writer


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
    """Run the cells of a study that are not stored yet."""
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
