"""Show how far a run has come: a bar on a terminal, a line now and then elsewhere. Both go to stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from whether.learners.progress import format_duration

# Seconds between lines where there is no terminal.
_INTERVAL = 15.0


class Display(Protocol):
    """Somewhere to show progress."""

    def advance(self, seconds_left: float | None, failed: int, error: str) -> None:
        """Say that one more cell is done, with what is left and what went wrong."""


class _Lines:
    """A line at the start, every so often, and at the end."""

    def __init__(self, total: int, stored: int) -> None:
        self._total, self._stored, self._done = total, stored, stored
        self._last = time.monotonic()
        _say(f"{total} cells, {stored} of them stored already")

    def advance(self, seconds_left: float | None, failed: int, error: str) -> None:
        """Print a line if the last one is old, or something went wrong."""
        self._done += 1
        if error:
            _say(f"failed: {error[:300]}")
        now = time.monotonic()
        if now - self._last >= _INTERVAL or self._done == self._total:
            self._last = now
            _say(f"{self._done} of {self._total} cells{_failed(failed)}{_left(seconds_left, self._done, self._total)}")


class _Bar:
    """A bar of rich."""

    def __init__(self, progress: Any, total: int, stored: int) -> None:
        self._progress, self._task = progress, progress.add_task("cells", total=total, completed=stored, note="")
        self._total, self._done = total, stored

    def advance(self, seconds_left: float | None, failed: int, error: str) -> None:
        """Move the bar."""
        self._done += 1
        if error:
            self._progress.console.print(f"failed: {error[:300]}", style="red", highlight=False, markup=False)
        note = f"{_left(seconds_left, self._done, self._total)}{_failed(failed)}".lstrip(", ")
        self._progress.update(self._task, completed=self._done, note=note)


@contextmanager
def open_display(total: int, stored: int) -> Iterator[Display]:
    """Open a bar if somebody is watching, else plain lines, for cells some of which are stored already."""
    if not sys.stderr.isatty():
        yield _Lines(total, stored)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[note]}"))
    # This very file, because stderr is put aside while a cell runs in this process.
    with Progress(*columns, console=Console(file=sys.stderr)) as progress:
        yield _Bar(progress, total, stored)


def _left(seconds: float | None, done: int, total: int) -> str:
    return f", {format_duration(seconds)} left" if seconds is not None and done < total else ""


def _failed(count: int) -> str:
    return f", {count} failed" if count else ""


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
