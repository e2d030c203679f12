"""Ctrl-C and a polite end: one sentence and no traceback, at whatever moment they come.

What the program is made of takes a second to load, and a module that is stopped while it loads may raise anything. So
nothing here needs a module of ours, and before there is work the process ends at once.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

STOPPED, CODE = "Stopped. Nothing was written.", 130


@dataclass
class _State:
    phase: str = "before"  # the work, "during" it, or "after"
    asked: bool = False  # to stop


_state = _State()


def listen() -> None:
    """End with a sentence when asked to; whoever started the program with signals ignored wants them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def was_asked() -> bool:
    """Whether the program was asked to stop: whatever is raised then comes from that."""
    return _state.asked


@contextmanager
def working() -> Iterator[None]:
    """During work, remains are cleaned up before the end; after it, what was done stays done."""
    _state.phase, _state.asked = "during", False
    try:
        yield
    finally:
        _state.phase = "after"


def _stop(number: int, frame: Any) -> None:
    if _state.phase == "after":
        return
    _state.asked = True
    if _state.phase == "during":
        raise KeyboardInterrupt
    os.write(2, f"whether: {STOPPED}\n".encode())
    os._exit(CODE)
