"""Workers of a Dask cluster as a team: each works on the blocks that it holds, all at the same time.

Sums over the team go through an actor, an object that lives on one of the workers and that all of them can call.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from whether.arrays import Array
from whether.blocks import Team

Other = TypeVar("Other")

# Seconds between two looks at whether all members are still there.
PATIENCE = 1.0
N_PORTS = 2


class LostWorkerError(RuntimeError):
    """A worker was lost while all worked together."""


class Meeting:
    """Where the members of a team add up arrays, one after the other."""

    def __init__(self, size: int) -> None:
        self._size, self._is_over = size, False
        self._brought: dict[int, dict[int, Array]] = {}
        self._complete: dict[int, asyncio.Event] = {}

    async def add(self, number: int, rank: int, values: Array) -> Array:
        """Bring the values of one member, wait for those of the others, and take the sum, in the order of ranks."""
        brought = self._brought.setdefault(number, {})
        complete = self._complete.setdefault(number, asyncio.Event())
        brought[rank] = values
        if len(brought) == self._size:
            complete.set()
            self._brought.pop(number), self._complete.pop(number)
        await complete.wait()
        if self._is_over:
            raise LostWorkerError("A member of the team was lost.")
        return np.asarray(sum(brought[member] for member in range(self._size)))

    async def end(self) -> None:
        """Let nobody wait any longer."""
        self._is_over = True
        for complete in self._complete.values():
            complete.set()


def work_together(client: Any, futures: Sequence[Any], function: Callable[[list[Any], Team], Other]) -> list[Other]:
    """Apply a function to the blocks of each worker, with the worker as a member of a team."""
    from distributed import wait

    wait(futures)
    held, by_worker = client.who_has(futures), dict[str, list[Any]]()
    for future in futures:
        if not held.get(future.key):
            raise LostWorkerError("A block was lost before the work began.")
        by_worker.setdefault(min(held[future.key]), []).append(future)
    addresses = sorted(by_worker)
    found = client.run(_free_ports, workers=addresses)
    about = tuple(str(urlsplit(address).hostname) for address in addresses), tuple(found[one] for one in addresses)
    meeting = client.submit(Meeting, len(addresses), actor=True, workers=addresses[:1], pure=False).result()
    parts = [
        client.submit(_as_member, function, by_worker[one], rank, about, meeting, workers=[one], pure=False)
        for rank, one in enumerate(addresses)
    ]
    try:
        _wait_for_all(client, parts, addresses)
    except LostWorkerError:
        client.cancel(parts, force=True)
        _end(meeting)
        raise
    return [part.result() for part in parts]


def _wait_for_all(client: Any, parts: Sequence[Any], addresses: Sequence[str]) -> None:
    """Wait until all parts are done; if a worker is lost, the others would wait for it in vain."""
    looked = time.monotonic()
    while not all(part.done() for part in parts):
        time.sleep(0.01)
        if time.monotonic() - looked > PATIENCE or any(part.status == "error" for part in parts):
            looked = time.monotonic()
            if not set(addresses) <= set(client.scheduler_info(n_workers=-1)["workers"]):
                raise LostWorkerError("A worker was lost.")
            for part in parts:
                if part.status == "error":
                    part.result()


def _end(meeting: Any) -> None:
    try:
        meeting.end().result(timeout=PATIENCE)
    except Exception:  # it was on the worker that is lost
        return


def _free_ports() -> tuple[int, ...]:
    sockets = [socket.socket() for _ in range(N_PORTS)]
    for one in sockets:
        one.bind(("", 0))
    ports = tuple(one.getsockname()[1] for one in sockets)
    for one in sockets:
        one.close()
    return ports


def _as_member(
    function: Callable[[list[Any], Team], Other], blocks: list[Any], rank: int, about: tuple[Any, Any], meeting: Any
) -> Other:
    numbers = itertools.count()
    return function(blocks, Team(rank, *about, lambda values: meeting.add(next(numbers), rank, values).result()))
