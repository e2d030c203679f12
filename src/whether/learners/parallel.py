"""Sharing work out: blocks of rows to threads, and whole fits, of which there are many, to processes.

NumPy and BLAS release the interpreter's lock while they compute; what surrounds them in a fit does not.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any, TypeVar

from joblib import Parallel, cpu_count, delayed
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

# Fewer blocks than this are done before the threads have started.
FEW_BLOCKS = 8
MOST_THREADS = 4
# Numbers in a table of features (people times features) from which on fits take longer than a process to start.
MANY_NUMBERS = 25_000
# Seconds after which a process that works for another one looks again whether that lives.
BETWEEN_LOOKS = 1.0
# OpenMP's threads do not come along when a process forks, and a child that asks for them waits for ever.
_is_forked = False


def _remember_fork() -> None:
    global _is_forked
    _is_forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_remember_fork)


def n_threads() -> int:
    """Threads to use: the cores there are, or fewer if OMP_NUM_THREADS says so (as in joblib's workers)."""
    if _is_forked:
        return 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    most = int(allowed) if allowed.isdigit() else MOST_THREADS
    return max(1, min(int(cpu_count()), MOST_THREADS, most))


def share_out(work: Callable[[list[Item]], Result], items: list[Item]) -> list[Result]:
    """Apply ``work`` to consecutive parts of ``items``, one part per thread, and return the results in order."""
    threads = n_threads() if len(items) >= FEW_BLOCKS else 1
    if threads == 1:
        return [work(items)]
    size = -(-len(items) // threads)
    parts = [items[start : start + size] for start in range(0, len(items), size)]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(work, parts))


def n_processes(n_numbers: int) -> int:
    """Processes for fits that do not wait for each other, to tables with so many numbers."""
    return min(int(cpu_count()), MOST_THREADS) if n_numbers >= MANY_NUMBERS and not _is_forked else 1


def in_processes(work: Callable[[Item], Result], items: Iterable[Item], n_numbers: int) -> Iterator[Result]:
    """Apply ``work`` to items, each a fit to tables with so many numbers; results come one by one, in order.

    What is drawn at random has to be drawn before: results do not depend on where they were computed.
    """
    jobs = Parallel(n_jobs=n_processes(n_numbers), return_as="generator")
    results: Iterator[Result] = jobs(delayed(for_caller(work))(item) for item in items)
    return results


def for_caller(work: Callable[..., Result]) -> Callable[..., Result]:
    """Return the same work, done in a process that ends when this one is killed: joblib's stay for five minutes."""
    return partial(_work_for, os.getpid(), work)


def _work_for(caller: int, work: Callable[..., Result], *arguments: Any) -> Result:
    if os.getppid() == caller:  # and not a worker of a cluster, or this process itself
        _end_with(caller)
    return work(*arguments)


@cache
def _end_with(caller: int) -> None:
    """Have this process end when the one that started it has ended."""

    def watch() -> None:
        while os.getppid() == caller:
            time.sleep(BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def one_blas_thread() -> AbstractContextManager[object]:
    """Keep BLAS to one thread while rows are worked through.

    Blocks are too small for a BLAS to gain by threads of its own: they wait for each other, on a busy machine for most
    of the time, and they would fight with ours.
    """
    limit: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
