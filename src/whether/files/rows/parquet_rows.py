"""Parquet files as a source of rows: row group by row group, here or on the workers of a Dask cluster."""

from __future__ import annotations

import glob
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from whether.blocks import KEPT_BYTES, Blocks, LocalBlocks
from whether.cohort import Cohort, join
from whether.files.rows.dask_rows import DaskBlocks
from whether.files.rows.table_blocks import MOST_LOOKED_AT, Reader, look_at
from whether.files.table.findings import TableError
from whether.files.table.names import name_columns
from whether.files.table.several import stack
from whether.learners import RowSource
from whether.learners.parallel import in_processes, n_processes
from whether.learners.population import count_rows

# Rows that are worked on at a time; a larger row group is read in pieces of this size. Twenty features of so many rows
# are small enough for the memory of one piece to be used for the next, without asking the system for it again.
PIECE_ROWS = 65_536


@dataclass(frozen=True)
class Piece:
    """A row group of a file."""

    path: str
    group: int
    first: int  # row of the whole table, counted from 0, at which it begins
    rows: int

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the file."""
        return _columns_of(self.path)

    @property
    def n_tables(self) -> int:
        """Number of pieces in which it is read."""
        return -(-self.rows // PIECE_ROWS)

    def tables(self, columns: Sequence[str]) -> Iterator[tuple[pa.Table, str]]:
        """Read it, in pieces if it is large, each with where it is."""
        with pq.ParquetFile(self.path) as file:
            start = 0
            for batch in file.iter_batches(PIECE_ROWS, row_groups=[self.group], columns=list(columns)):
                where = f"{Path(self.path).name}, row group {self.group}, rows from {start}"
                yield pa.Table.from_batches([batch]), where
                start += batch.num_rows


class ParquetRows(RowSource):
    """Rows of Parquet files, one row group after the other.

    Columns are looked at on evenly spaced rows, at most 200,000, as `read_cohort` looks at a table: text becomes
    categories, gaps are filled with the median, leaks are left out, and ``findings`` says what was done. Then every
    part of the files is read by these rules.

    Parameters
    ----------
    paths : path-like or sequence of them
        Files, folders of files, or patterns such as ``"cohort/*.parquet"``; all with the same columns.
    event : str, optional
        Column that says whether the event was seen.
    weight : str, optional
        Column that says how many people a row stands for.
    client : dask.distributed.Client, optional
        Cluster on whose workers the rows are held and worked on; the files must be readable there under these paths.
    question : {"lifetime", "net"}, optional
        Beside ``competing``: whether the event comes before that, the default, or as if that were an end of follow-up.
    **known
        Everything else that `read_cohort` takes about columns: ``time``, ``follow_up``, ``features``, ...

    Attributes
    ----------
    names : tuple of str
        Of the features.
    n_rows : int
    findings : tuple of Finding
        What was done with each column.
    sample : TableCohort
        The rows that were looked at.
    """

    def __init__(
        self,
        paths: Any,
        event: str | None = None,
        *,
        weight: str | None = None,
        client: Any = None,
        question: str | None = None,
        **known: Any,
    ) -> None:
        self.pieces = find_pieces(paths)
        self.n_rows = self.pieces[-1].first + self.pieces[-1].rows
        used = [weight] if weight is not None else []
        self.sample = look_at(self._evenly_spaced(), event, {**known, "drop": [*(known.get("drop") or ()), *used]})
        self.encoder, self._client = self.sample.encoder, client
        self._reader = Reader(self.sample.roles, self.encoder.without_limits(), weight, question == "net")
        self.names, self.findings = self.encoder.features, self.sample.findings

    def _evenly_spaced(self) -> pa.Table:
        """Evenly spaced rows, with all columns."""
        columns, step = self.pieces[0].columns, -(-self.n_rows // MOST_LOOKED_AT)
        parts = []
        for piece in self.pieces:
            first = piece.first
            for table, _ in piece.tables(columns):
                parts.append(table.take(pa.array(np.arange(-first % step, table.num_rows, step))))
                first += table.num_rows
        return stack(parts)

    def blocks(self) -> Blocks[Cohort]:
        """Return the people, in blocks."""
        return self._blocks(self._reader)

    def counts(self) -> list[tuple[int, int]]:
        """Number of rows and of labeled ones in each block: labels and weights are read for it, and times checked."""
        return list(self._blocks(self._reader.without_features()).each(count_rows))

    def _blocks(self, reader: Reader) -> Blocks[Cohort]:
        if self._client is None:
            n_numbers = self.n_rows * len(reader.encoder.features)
            # Blocks that stay in memory once they were read, and those that are small, are worked on here.
            is_large = 8 * n_numbers > 2 * KEPT_BYTES and n_processes(n_numbers) > 1
            spread = partial(in_processes, n_numbers=n_numbers) if is_large else None
            return LocalBlocks(self.pieces, partial(read_tables, reader), spread, [one.n_tables for one in self.pieces])
        # Workers may run in another folder.
        pieces = [replace(piece, path=str(Path(piece.path).absolute())) for piece in self.pieces]
        return DaskBlocks.of(self._client, pieces).map(partial(read_piece, reader))


def read_tables(reader: Reader, piece: Piece) -> Iterator[Cohort]:
    """Read the people of one row group, in pieces if it is large."""
    for table, where in piece.tables(reader.columns):
        yield reader.read(table, where)


def read_piece(reader: Reader, piece: Piece) -> Cohort:
    """Read the people of one row group."""
    try:
        return join(list(read_tables(reader, piece)))
    except OSError as error:
        raise TableError(
            f"A worker on {socket.gethostname()!r} cannot read {piece.path!r} ({str(error).splitlines()[0]}). All "
            "workers need the files under the same paths."
        ) from None


def find_pieces(paths: Any) -> list[Piece]:
    """Row groups of all files that were named, in the order of the files' names."""
    files = _find_files(paths)
    pieces: list[Piece] = []
    first, columns = 0, _columns_of(files[0])
    for path in files:
        differing = set(columns) ^ set(_columns_of(path))
        if differing:
            raise TableError(
                f"{path!r} has other columns than {files[0]!r}: {name_columns(sorted(differing))} in one of them only."
            )
        about = pq.read_metadata(path)
        for group in range(about.num_row_groups):
            rows = about.row_group(group).num_rows
            if rows:
                pieces.append(Piece(path, group, first, rows))
                first += rows
    if not pieces:
        raise TableError(f"{files[0]!r} has columns but no rows.")
    return pieces


def _find_files(paths: Any) -> list[str]:
    named = [paths] if isinstance(paths, (str, Path)) else list(paths)
    found: list[str] = []
    for name in map(str, named):
        if Path(name).is_dir():
            some = sorted(str(path) for path in Path(name).glob("*.parquet"))
        else:
            some = [name] if Path(name).is_file() else sorted(glob.glob(name))
        if not some:
            raise TableError(f"There is no Parquet file at {name!r}.")
        found += some
    if not found:
        raise TableError("No file was named.")
    return list(dict.fromkeys(found))


def _columns_of(path: str) -> list[str]:
    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowInvalid, OSError) as error:
        said = str(error).splitlines()[0]
        raise TableError(f"{path!r} cannot be read as Parquet, the only kind that is read in blocks: {said}") from None
