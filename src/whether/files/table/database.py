"""Answers of SQLite and DuckDB files to a query, as tables. The files are opened for reading only."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from whether.files.table.findings import TableError
from whether.files.table.names import name_columns, shorten

ROWS_AT_A_TIME = 50_000


def read_sqlite(path: Path, query: str | None) -> pa.Table:
    """Answer of a SQLite file to a query."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            if query is None:
                rows = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
                raise _no_query(path, "SQLite", [name for (name,) in rows])
            connection.set_authorizer(_allow_reading)  # else VACUUM INTO and ATTACH write files, even from here
            return _fetch(connection.execute(query))
    # sqlite3.Warning is what Python raises for two statements at once.
    except (sqlite3.Error, sqlite3.Warning) as error:
        if "not authorized" in str(error) or "authorization denied" in str(error):
            raise TableError(f"A query only reads: a SELECT is needed, got {shorten(str(query))!r}.") from error
        raise TableError(f"SQLite cannot answer the query to {str(path)!r}: {error}.") from error


def _allow_reading(action: int, *_: str | None) -> int:
    reads = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in reads else sqlite3.SQLITE_DENY


def _fetch(cursor: sqlite3.Cursor) -> pa.Table:
    if cursor.description is None:
        raise TableError("The query returns no table; a SELECT is needed.")
    names = [str(column[0]) for column in cursor.description]
    parts: list[list[pa.Array]] = [[] for _ in names]
    while rows := cursor.fetchmany(ROWS_AT_A_TIME):
        for part, values in zip(parts, zip(*rows, strict=True), strict=True):
            part.append(_to_array(values))
    return pa.Table.from_arrays([_join(part) for part in parts], names=names)


def _to_array(values: Sequence[Any]) -> pa.Array:
    """Array of one kind; SQLite lets every cell have its own, and then all are taken as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int}:
        return pa.array(values, type=pa.int64())
    if kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], type=pa.float64())
    if bytes in kinds:
        return pa.array([None if value is None else b"" for value in values], type=pa.binary())
    return pa.array([None if value is None else str(value) for value in values], type=pa.string())


def _join(parts: list[pa.Array]) -> pa.ChunkedArray:
    kinds = {part.type for part in parts if part.null_count < len(part)}
    kind = next((one for one in (pa.binary(), pa.string(), pa.float64(), pa.int64()) if one in kinds), pa.null())
    if kind in (pa.binary(), pa.null()):  # pictures and the like are left empty
        return pa.chunked_array([pa.nulls(len(part), kind) for part in parts], type=kind)
    return pa.chunked_array([part.cast(kind) for part in parts], type=kind)


def read_duckdb(path: Path, query: str | None) -> pa.Table:
    """Answer of a DuckDB file to a query."""
    try:
        import duckdb
    except ImportError as error:
        raise TableError("Reading a DuckDB file needs the package duckdb: pip install 'whether[duckdb]'.") from error
    try:
        # A query may read this file and nothing else.
        with duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"}) as connection:
            if query is None:
                raise _no_query(path, "DuckDB", [row[0] for row in connection.execute("SHOW TABLES").fetchall()])
            statements = connection.extract_statements(query)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise TableError(f"A query only reads: one SELECT is needed, got {shorten(query)!r}.")
            return connection.sql(query).to_arrow_table()
    except duckdb.Error as error:
        reason = " ".join(str(error).split())
        raise TableError(f"DuckDB cannot answer the query to {str(path)!r}: {reason[:300]}") from error


def _no_query(path: Path, kind: str, tables: list[str]) -> TableError:
    found = f"it has {name_columns(tables)}" if tables else "it has no tables"
    return TableError(
        f"{str(path)!r} is a {kind} file ({found}): say which rows with a query, such as SELECT * FROM t."
    )
