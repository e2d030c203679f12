"""Show how far a run has come: a bar on a terminal, a line now and then elsewhere. Both go to stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from whether.learners.progress import format_duration

# Seconds between lines where there is no terminal.
_INTERVAL = 15.0


class Display:
    """A bar of rich where there is one, else a line at the start, every so often, and at the end."""

    def __init__(self, total: int, stored: int, bar: Any = None) -> None:
        self._total, self._done, self._bar, self._last = total, stored, bar, time.monotonic()
        if bar is None:
            _say(f"{total} cells, {stored} of them stored already")
        else:
            self._task = bar.add_task("cells", total=total, completed=stored, note="")

    def advance(self, seconds_left: float | None, failed: int, error: str) -> None:
        """Say that one more cell is done, with what is left and what went wrong."""
        self._done += 1
        failures = f", {failed} failed" if failed else ""
        left = (
            f", {format_duration(seconds_left)} left" if seconds_left is not None and self._done < self._total else ""
        )
        if self._bar is not None:
            if error:
                self._bar.console.print(f"failed: {error[:300]}", style="red", highlight=False, markup=False)
            self._bar.update(self._task, completed=self._done, note=f"{left}{failures}".lstrip(", "))
            return
        if error:
            _say(f"failed: {error[:300]}")
        if time.monotonic() - self._last >= _INTERVAL or self._done == self._total:
            self._last = time.monotonic()
            _say(f"{self._done} of {self._total} cells{failures}{left}")


@contextmanager
def open_display(total: int, stored: int) -> Iterator[Display]:
    """Open a bar if somebody is watching, else plain lines, for cells some of which are stored already."""
    if not sys.stderr.isatty():
        yield Display(total, stored)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[note]}"))
    # This very file, because stderr is put aside while a cell runs in this process.
    with Progress(*columns, console=Console(file=sys.stderr)) as progress:
        yield Display(total, stored, progress)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
