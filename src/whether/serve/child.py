"""A process that works for the page: ``python -m whether.serve.child``.

It loads the program, waits for orders, lines of JSON on standard input, and answers with lines of JSON on standard
output: progress, and at last what came out. It ends when the server does, which holds the other end of its input.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from whether.cli import asking, reporting  # noqa: F401  loaded before there is work
from whether.cli.app import app
from whether.learners.progress import Steps, reporting_to
from whether.serve.looking import look

PAUSE = 0.1  # seconds between two reports of progress


def _run(order: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Run the program with a command line, and return its exit code and what it printed."""
    latest: SimpleQueue[list[dict[str, Any]]] = SimpleQueue()
    is_done = threading.Event()

    def hand_on(steps: list[Steps]) -> None:
        latest.put([{"title": row.title, "done": row.done, "total": row.total} for row in steps])

    def report() -> None:
        """Tell the last state of each moment: there may be thousands."""
        while not is_done.wait(PAUSE):
            rows = None
            while not latest.empty():
                rows = latest.get()
            if rows is not None:
                tell({"progress": rows})

    reporter = threading.Thread(target=report, daemon=True)
    reporter.start()
    program, *words = shlex.split(order["command"])
    out, err = io.StringIO(), io.StringIO()
    with reporting_to(hand_on), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = app(args=words, prog_name=program, standalone_mode=False)
    is_done.set()
    reporter.join()
    return {"code": int(code or 0), "out": out.getvalue(), "err": err.getvalue()}


def _look(order: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Look at a table; nothing is learned from it."""
    return look(order["table"], order["options"], order["settings"])


WORK = {"run": _run, "look": _look}


def _listen(orders: SimpleQueue[dict[str, Any]]) -> None:
    """Hand on orders as they come; when the server is gone, end this process, and those that it started."""
    for line in sys.stdin.buffer:
        orders.put(json.loads(line))
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _private_output() -> io.TextIOWrapper:
    """Standard output for answers alone: what libraries print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return answers


def main() -> None:
    """Do one piece of work after the other."""
    answers = _private_output()
    with contextlib.suppress(OSError):  # if memory runs out, this process goes first, and not the server
        Path("/proc/self/oom_score_adj").write_text("1000")
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=_listen, args=[orders], daemon=True).start()

    def tell(message: dict[str, Any]) -> None:
        print(json.dumps(message), file=answers, flush=True)

    while True:
        order = orders.get()
        os.chdir(order["folder"])
        tell({"result": WORK[order["kind"]](order, tell)})
        os.chdir("/")  # the folder may be removed


if __name__ == "__main__":
    main()
