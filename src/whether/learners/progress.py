"""Progress of a fit, on stderr: a bar for whoever is watching, lines where ``verbose`` asks for them, else silence.

A classifier opens `reporting` round a fit with its ``verbose``. A learner does not know that setting: it says what it
works through,

    with progress(n_folds, "Folds") as bar:
        for fold in folds:
            ...
            bar.advance()

and the report that is open decides what becomes of it: nested steps are rows of one display, and so are those of a
program that opens a report round many fits. Without an open report, as in worker processes, nothing is shown. With
``verbose=0`` a bar appears if stderr is a terminal and the fit has been running for two seconds, and vanishes at the
end; with ``verbose=1`` or more at once on a terminal, else a line every two seconds, and a line when the fit is done.
Only the main process draws a bar: several at a time would overwrite each other.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# Seconds before a bar appears unasked, and between lines where there is no terminal.
PATIENCE = 2.0

_open_report: ContextVar[Report | None] = ContextVar("open report", default=None)


class Steps:
    """Something that is worked through step by step."""

    def __init__(self, report: Report | None, total: int | None, title: str) -> None:
        self.total, self.title, self.done = total, title, 0
        self.row: Any = None  # of the bar, once it is drawn
        self._report = report
        self._began = self._last = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        """Say that steps were done."""
        self.done += steps
        self._last = time.monotonic()
        if self._report is not None:
            self._report.refresh(self)

    def time_left(self) -> str:
        """How long the rest takes, if steps take as long as those that were done; empty where that is not known."""
        if self.total is None or not 0 < self.done < self.total:
            return ""
        rest = (self._last - self._began) / self.done * (self.total - self.done)
        return f"{format_duration(max(0.0, rest - (time.monotonic() - self._last)))} left"

    def __str__(self) -> str:
        return f"{self.title}: {self.done:,}" + ("" if self.total is None else f" of {self.total:,}")


class Report:
    """What one fit shows of itself."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.started = self.last_line = time.monotonic()
        self.steps: list[Steps] = []
        self._has_bar = _is_watched() and multiprocessing.current_process().name == "MainProcess"
        self._bar: Any = None

    def refresh(self, steps: Steps) -> None:
        """Show the state of steps, if it is time to."""
        if self._has_bar:
            self._draw()
            if self._bar is not None:
                self._bar.update(steps.row, completed=steps.done)
        elif self.verbose and time.monotonic() - self.last_line > PATIENCE:
            self.say("; ".join(f"{row}, {row.time_left()}".rstrip(", ") for row in self.steps))

    def say(self, text: str) -> None:
        """Print a line, where one was asked for."""
        self.last_line = time.monotonic()
        if self.verbose and sys.stderr is not None:
            print(f"[{self.last_line - self.started:6.1f} s] {text}", file=sys.stderr, flush=True)

    def begin(self, steps: Steps) -> None:
        """Add a row."""
        self.steps.append(steps)
        if self._bar is not None:
            steps.row = self._bar.add_task(steps.title, total=steps.total, steps=steps)
        elif self._has_bar:
            self._draw()

    def end(self, steps: Steps) -> None:
        """Take a row away."""
        self.steps.remove(steps)
        if self._bar is not None:
            self._bar.remove_task(steps.row)
        if not self.steps:
            self.say(str(steps))

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _draw(self) -> None:
        """Start the bar, unless it is there or it is too early for it."""
        if self._bar is not None or (not self.verbose and time.monotonic() - self.started < PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
        from rich.text import Text

        class TimeLeftColumn(ProgressColumn):
            def render(self, task: Any) -> Text:
                return Text(task.fields["steps"].time_left())

        count, clock = MofNCompleteColumn(), TimeElapsedColumn()
        columns = TextColumn("{task.description}"), BarColumn(), count, clock, TimeLeftColumn()
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        for steps in self.steps:
            steps.row = self._bar.add_task(steps.title, total=steps.total, completed=steps.done, steps=steps)
        self._bar.start()


@contextmanager
def reporting(verbose: int = 0) -> Iterator[Report]:
    """Open a report round a fit; within another report, use that one."""
    outer = _open_report.get()
    if outer is not None:
        yield outer
        return
    report = Report(int(verbose))
    token = _open_report.set(report)
    try:
        yield report
    finally:
        _open_report.reset(token)
        report.close()


class HandedOn(Report):
    """A report that hands on what it would show, whenever that changes."""

    def __init__(self, tell: Callable[[list[Steps]], None]) -> None:
        super().__init__(verbose=0)
        self._tell, self._has_bar = tell, False

    def refresh(self, steps: Steps) -> None:
        """Hand on the state of all steps."""
        self._tell(self.steps)

    def begin(self, steps: Steps) -> None:
        """Add a row."""
        super().begin(steps)
        self._tell(self.steps)


@contextmanager
def reporting_to(tell: Callable[[list[Steps]], None]) -> Iterator[None]:
    """Have progress handed to a function, the outermost steps first, instead of being drawn."""
    token = _open_report.set(HandedOn(tell))
    try:
        yield
    finally:
        _open_report.reset(token)


@contextmanager
def progress(total: int | None, title: str) -> Iterator[Steps]:
    """Report steps of a fit; call ``advance`` on what this returns after each."""
    report = _open_report.get()
    steps = Steps(report, total, title)
    if report is None:
        yield steps
        return
    report.begin(steps)
    try:
        yield steps
    finally:
        report.end(steps)


def format_duration(seconds: float) -> str:
    """Say a duration in words short enough for a line.

    Examples
    --------
    >>> format_duration(42), format_duration(150), format_duration(9000)
    ('42 s', '2.5 min', '2.5 h')
    """
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.2g} min" if seconds < 570 else f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _is_watched() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (AttributeError, ValueError):  # not quite a file, or a closed one
        return False
