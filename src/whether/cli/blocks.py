"""Tables that are read in blocks, here or by the workers of a cluster, with the sample of rows that was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from whether.cli.cohorts import column_roles
from whether.cli.options import CohortOptions
from whether.cli.problems import CommandError
from whether.files.rows import ParquetRows
from whether.files.rows.parquet_rows import find_pieces

# Seconds in which a scheduler has to answer, and to have a worker.
PATIENCE = 10


@contextmanager
def opened_rows(cohort: CohortOptions, address: str | None, in_blocks: bool) -> Iterator[ParquetRows | None]:
    """Rows of the Parquet files that were named, or None if they are to be read into memory.

    They are held by the workers of a cluster where its address is given.
    """
    if not in_blocks and address is None:
        yield None
        return
    if cohort.group is not None:
        raise CommandError("--group cannot be used with rows that come in blocks: those of a group may lie in several.")
    roles = column_roles(cohort, find_pieces(cohort.tables)[0].columns)
    with nullcontext() if address is None else _client_at(address) as client:
        yield ParquetRows(cohort.tables, question=cohort.question, client=client, **roles)


def _client_at(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise CommandError("--dask needs Dask: pip install 'whether[dask]'.") from None
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise CommandError(f"No Dask scheduler answers at {address!r}: {str(error).splitlines()[0]}.") from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise CommandError(
            f"The Dask scheduler at {address!r} has no workers. Start some: dask worker {address}"
        ) from None
    return client
