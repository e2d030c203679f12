"""Rows on the workers of a Dask cluster: data stay where they are, and only sums travel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from whether.blocks import Block, Blocks, Other, Team
from whether.cohort import Cohort
from whether.files.rows.dask_team import LostWorkerError, work_together
from whether.files.rows.table_blocks import MOST_LOOKED_AT, Reader, look_at
from whether.learners import RowSource
from whether.validate import ArgumentError

Item = TypeVar("Item")

# How often a part is tried again whose worker was lost.
RETRIES = 3


class DaskBlocks(Blocks[Block]):
    """Blocks that are held by workers; those of a lost worker are made anew elsewhere."""

    def __init__(self, client: Any, futures: Sequence[Any]) -> None:
        self._client, self._futures = client, list(futures)

    @classmethod
    def of(cls, client: Any, items: Sequence[Item]) -> DaskBlocks[Item]:
        """Blocks of which each is one of these things."""
        return DaskBlocks(client, client.map(_itself, list(items), pure=False, retries=RETRIES))

    def map(self, function: Callable[[Block], Other]) -> DaskBlocks[Other]:
        """Return the blocks that a function makes of these, on the workers that hold them."""
        return DaskBlocks(self._client, self._client.map(function, self._futures, pure=False, retries=RETRIES))

    def each(self, function: Callable[..., Other], beside: Sequence[Any] | None = None) -> Iterator[Other]:
        """What a function makes of each block; all of them at once."""
        given = [self._futures] if beside is None else [self._futures, list(beside)]
        parts = self._client.map(partial(_in_one_thread, function), *given, pure=False, retries=RETRIES)
        for part in parts:
            yield part.result()

    def at_once(self, function: Callable[[list[Block], Team], Other]) -> list[Other]:
        """What a function makes of all blocks of each worker, on all of them at the same time."""
        for _ in range(RETRIES):
            try:
                return work_together(self._client, self._futures, function)
            except LostWorkerError:
                continue
        return work_together(self._client, self._futures, function)


def _itself(item: Item) -> Item:
    return item


def _in_one_thread(function: Callable[..., Other], *arguments: Any) -> Other:
    """Work on a block in one thread: a worker works on as many blocks at a time as it has threads."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return function(*arguments)


class DaskRows(RowSource):
    """Rows of a Dask data frame, on the workers that hold its partitions.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    event : str, optional
        Column that says whether the event was seen.
    weight : str, optional
        Column that says how many people a row stands for.
    client : dask.distributed.Client, optional
        The cluster; by default the client that is current.
    **known
        Everything else that `read_cohort` takes about columns: ``time``, ``follow_up``, ``features``, ...

    Attributes
    ----------
    names : tuple of str
        Of the features.
    findings : tuple of Finding
        What was done with each column.
    """

    def __init__(
        self, frame: Any, event: str | None = None, *, weight: str | None = None, client: Any = None, **known: Any
    ) -> None:
        if not hasattr(frame, "to_delayed"):
            raise ArgumentError(f"DaskRows takes a Dask data frame, got {type(frame).__name__}.")
        if client is None:
            from distributed import get_client

            client = get_client()
        self._parts: DaskBlocks[pa.Table] = DaskBlocks(client, client.compute(frame.to_delayed())).map(_to_arrow)
        sizes = list(self._parts.each(_n_rows))
        firsts, step = np.cumsum([0, *sizes])[:-1], -(-sum(sizes) // MOST_LOOKED_AT)
        sample = self._parts.total(partial(_every, step), beside=firsts.tolist(), add=_stack)
        used = [weight] if weight is not None else []
        looked_at = look_at(sample, event, {**known, "drop": [*(known.get("drop") or ()), *used]})
        reader = Reader(looked_at.roles, looked_at.encoder.without_limits(), weight)
        self._people = self._parts.map(partial(_read_part, reader))
        self.names, self.findings, self.encoder = looked_at.encoder.features, looked_at.findings, looked_at.encoder

    def blocks(self) -> Blocks[Cohort]:
        """Return the people, in blocks."""
        return self._people


def _to_arrow(frame: Any) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def _n_rows(part: pa.Table) -> int:
    return int(part.num_rows)


def _every(step: int, part: pa.Table, first: int) -> pa.Table:
    return part.take(pa.array(np.arange(-first % step, part.num_rows, step)))


def _stack(one: pa.Table, other: pa.Table) -> pa.Table:
    return pa.concat_tables([one, other])


def _read_part(reader: Reader, part: pa.Table) -> Cohort:
    return reader.read(part.select(reader.columns), "A partition")
