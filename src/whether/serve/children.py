"""Processes that do the work, so that it can be stopped, and so that nothing that happens in it reaches the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from typing import Any

COMMAND = (sys.executable, "-m", "whether.serve.child")
LONGEST = 64 * 1024**2  # bytes of an answer
MOST = 2  # pieces of work at a time

Told = dict[str, Any]


class ChildError(Exception):
    """A process that ended without an answer; the message says what may have happened."""


class Children:
    """Processes, one of which is always loaded and waits for work."""

    def __init__(self) -> None:
        self._spare: asyncio.Task[Process] | None = None
        self._places = asyncio.Semaphore(MOST)

    def prepare(self) -> None:
        """Have a process ready for the next piece of work: loading takes longer than many a piece."""
        is_gone = self._spare is not None and self._spare.done() and self._spare.result().returncode is not None
        if self._spare is None or is_gone:
            self._spare = asyncio.create_task(_start())

    async def do(self, order: Told, tell: Callable[[list[Told]], None], *, is_small: bool = False) -> Told:
        """Have a piece of work done; if the task is cancelled, its process is killed.

        Parameters
        ----------
        order : dict
            See `whether.serve.child`.
        tell
            Called with progress: rows with ``title``, ``done`` and ``total``.
        is_small : bool
            Whether so little memory is used that the process can do the next piece, too.
        """
        # Looking at a small table does not wait for analyses.
        async with contextlib.nullcontext() if is_small else self._places:
            self.prepare()
            assert self._spare is not None
            spare, self._spare = self._spare, None
            is_fresh = True
            try:
                process = await asyncio.shield(spare)
                is_fresh = False
                result = await _converse(process, order, tell)
                is_fresh = is_small
                return result
            finally:
                await asyncio.shield(self._take_back(spare, is_fresh))

    async def _take_back(self, spare: asyncio.Task[Process], is_fresh: bool) -> None:
        """Have a process wait for more work, or end it and get another ready."""
        if is_fresh and self._spare is None:
            self._spare = spare
            return
        await _end(await spare)
        self.prepare()

    async def close(self) -> None:
        """End the process that waits."""
        if self._spare is not None:
            spare, self._spare = self._spare, None
            await _end(await spare)


async def _start() -> Process:
    # A session of its own: Ctrl-C in the terminal does not reach it, and all that it starts can be killed with it.
    return await asyncio.create_subprocess_exec(
        *COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST, start_new_session=True
    )


async def _converse(process: Process, order: Told, tell: Callable[[list[Told]], None]) -> Told:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(ConnectionError):  # it is gone already: there will be no answer
        process.stdin.write(json.dumps(order).encode() + b"\n")
        await process.stdin.drain()
    async for line in process.stdout:
        message = json.loads(line)
        if "result" in message:
            return dict(message["result"])
        tell(message["progress"])
    await process.wait()
    raise ChildError(
        "The analysis stopped unexpectedly; perhaps the computer has too little memory for this table. Your table is "
        "still there: try it with fewer columns, or on a larger computer."
    )


async def _end(process: Process) -> None:
    """Kill a process, with those that it started, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()
