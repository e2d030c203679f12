"""Spread cells over workers and yield their outcomes as they come in.

Locally that is joblib with processes. On a cluster it is joblib on Dask, or Ray. Only the cells travel, a few words
each; workers make or load the data themselves.
"""

from __future__ import annotations

import asyncio
import importlib
import io
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, redirect_stderr
from functools import cache, partial
from typing import Any

from whether.study.cell import CellResult, execute
from whether.study.errors import RunError, StudyError
from whether.study.plan import Cell


def run_local(cells: Sequence[Cell], jobs: int, address: str | None, data: str | None) -> Iterator[CellResult]:
    """Run cells in processes of this machine, or in this process if `jobs` is 1."""
    import joblib

    if address is not None:
        raise StudyError("An address is of use with --backend dask or ray only.")
    if jobs == 1:
        yield from (_execute_here(cell, data) for cell in cells)
        return
    with joblib.parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
        yield from _through_joblib(partial(_execute_in_worker, os.getpid()), cells, data)


def _execute_in_worker(parent: int, cell: Cell, data: str | None) -> CellResult:
    _end_with(parent)
    return execute(cell, data)


@cache
def _end_with(parent: int) -> None:
    """End this worker when the process that started it is gone: after a kill nobody waits for what it computes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    if os.name == "posix":  # elsewhere a process keeps the number of its parent
        threading.Thread(target=watch, daemon=True).start()


def _execute_here(cell: Cell, data: str | None) -> CellResult:
    # A long fit draws a bar of its own on a terminal, and there is one for the whole run already.
    with redirect_stderr(io.StringIO()):
        return execute(cell, data)


def run_dask(cells: Sequence[Cell], jobs: int, address: str | None, data: str | None) -> Iterator[CellResult]:
    """Run cells on a Dask cluster: the one at the address, or one of `jobs` processes on this machine."""
    import joblib

    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise RunError("The Dask backend needs the package distributed: pip install 'whether[dask]'.") from error
    with ExitStack() as stack:
        cluster: Any = address
        if address is None:
            cluster = stack.enter_context(
                LocalCluster(n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None)
            )
        try:
            client = stack.enter_context(Client(cluster, timeout="20s"))
        except (OSError, asyncio.TimeoutError) as error:
            raise RunError(f"No Dask scheduler answers at {address}: {error}.") from error
        n_workers = sum(client.nthreads().values())
        if not n_workers:
            raise RunError(f"The Dask cluster at {address} has no workers.")
        stack.enter_context(joblib.parallel_config(backend="dask", n_jobs=n_workers))
        yield from _through_joblib(execute, cells, data)


def run_ray(cells: Sequence[Cell], jobs: int, address: str | None, data: str | None) -> Iterator[CellResult]:
    """Run cells on a Ray cluster: the one at the address, or one of `jobs` processes on this machine.

    Ray's own calls are used, because joblib's Ray backend hands results over only when all are done.
    """
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise RunError("The Ray backend needs the package ray: pip install 'whether[ray]'.") from error
    where = {"num_cpus": jobs, "include_dashboard": False} if address is None else {"address": address}
    try:
        ray.init(**where, log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise RunError(f"No Ray cluster answers at {address}: {error}.") from error
    try:
        remote = ray.remote(num_cpus=1)(execute)
        pending = [remote.remote(cell, data) for cell in cells]
        while pending:
            done, pending = ray.wait(pending, num_returns=1)
            yield from ray.get(done)
    finally:
        ray.shutdown()


def _through_joblib(
    run: Callable[[Cell, str | None], CellResult], cells: Sequence[Cell], data: str | None
) -> Iterator[CellResult]:
    """Yield outcomes as they come in, from whichever backend joblib is set to."""
    import joblib
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    # Single cells, not batches: a batch that is killed loses all of its cells.
    parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="3 * n_jobs")
    outcomes = parallel(joblib.delayed(run)(cell, data) for cell in cells)
    with closing(outcomes) as stream:
        try:
            yield from stream
        except TerminatedWorkerError as error:
            raise RunError(
                "A worker process was killed, for lack of memory perhaps: what was finished is stored, and the same "
                "command with fewer --jobs goes on from there."
            ) from error


# A backend takes the cells, the number of workers on this machine, the address of a cluster if there is one, and the
# folder of the tables, which is the same on every worker.
Backend = Callable[[Sequence[Cell], int, "str | None", "str | None"], Iterator[CellResult]]

BACKENDS: dict[str, Backend] = {"local": run_local, "dask": run_dask, "ray": run_ray}


def find_backend(name: str) -> Backend:
    """Return the function that runs cells on a backend."""
    if name not in BACKENDS:
        raise StudyError(f"No backend is called {name!r}; there are {', '.join(BACKENDS)}.")
    return BACKENDS[name]
