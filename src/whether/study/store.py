"""Results of cells in one SQLite file: a row per cell, written as it comes in.

The file is in write-ahead mode and every row is a transaction, so whoever kills the program loses the cells that were
running and nothing else, and a table can be made from the file while a run goes on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whether.study.cell import CellResult
from whether.study.errors import RunError
from whether.study.metrics import METRIC_TITLES
from whether.study.plan import Cell

SCORES = tuple(METRIC_TITLES)
_KEY = ("study", "world", "method", "learner", "seed")
_TEXTS = ("version", "plan", "parameters", "details", "error", "traceback")
_COLUMNS = (*_KEY, "status", *SCORES, "fit_seconds", *_TEXTS)


@dataclass(frozen=True)
class Row:
    """A stored cell."""

    study: str
    world: str
    method: str
    learner: str
    seed: int
    status: str  # "done" or "failed".
    scores: dict[str, float]  # Main scores; those against another target have its name and a dot before them.
    details: dict[str, Any]  # See `whether.study.cell.CellResult`.
    fit_seconds: float | None
    error: str
    traceback: str


class ResultStore(AbstractContextManager["ResultStore"]):
    """The file of results; it is closed at the end of a ``with``.

    To read, it must be there and nothing in it or beside it is changed; to write, it is made where there is none, and
    removed again by an error before the first result. A database of somebody else is refused before it is touched.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._is_new = not read_only and not path.exists()
        with _explained(path):
            if path.exists() and path.stat().st_size:
                with closing(_connect(path, read_only=True)) as connection:
                    self._check_tables(connection)
            self._connection = _connect(path, read_only=read_only)
            if not read_only:
                try:
                    self._begin()
                except BaseException:
                    self._close(fails=True)
                    raise

    def _begin(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._make_table()

    def _check_tables(self, connection: sqlite3.Connection) -> None:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if "cells" not in tables:
            raise RunError(
                f"{self.path} is a database, but not a file of results of a study; choose another file with --results."
            )
        found = {column[1] for column in connection.execute("PRAGMA table_info(cells)")}
        if other := sorted(found.symmetric_difference(_COLUMNS)):
            raise RunError(
                f"{self.path} was written by another version of the program (only one of them has the column "
                f"{other[0]}); choose another file with --results."
            )

    def _make_table(self) -> None:
        types = {"seed": "INTEGER", **dict.fromkeys((*SCORES, "fit_seconds"), "REAL")}
        columns = ", ".join(f"{name} {types.get(name, 'TEXT')}" for name in _COLUMNS)
        with self._connection:
            self._connection.execute(
                f"CREATE TABLE IF NOT EXISTS cells ({columns}, PRIMARY KEY ({', '.join(_KEY)})) WITHOUT ROWID"
            )

    def __exit__(self, *error: object) -> None:
        self._close(fails=error[0] is not None)

    def _close(self, *, fails: bool) -> None:
        with suppress(sqlite3.Error):  # a full disk has no room to tidy up; what is stored is read all the same
            self._connection.close()
        for ending in ("", "-wal", "-shm") if fails and self._is_new else ():
            _remove(self.path.with_name(self.path.name + ending))

    def add(self, result: CellResult) -> None:
        """Store what became of a cell, in place of an earlier failure."""
        unknown = set(result.scores) - set(SCORES)
        assert not unknown, f"scores without a column: {unknown}"
        values = dict(zip(_KEY, result.cell.key, strict=True))
        values |= {name: result.scores.get(name) for name in SCORES}
        values |= {
            "status": "failed" if result.failed else "done",
            "fit_seconds": result.fit_seconds,
            "version": result.version,
            "plan": result.cell.plan,
            "parameters": json.dumps(result.parameters, sort_keys=True),
            "details": json.dumps(result.details, sort_keys=True),
            "error": result.error,
            "traceback": result.traceback,
        }
        marks = ", ".join("?" for _ in _COLUMNS)
        with _explained(self.path), self._connection:
            self._connection.execute(
                f"INSERT OR REPLACE INTO cells ({', '.join(_COLUMNS)}) VALUES ({marks})",
                [values[name] for name in _COLUMNS],
            )
        self._is_new = False

    def remaining(self, cells: Iterable[Cell], *, retry_failed: bool = False) -> list[Cell]:
        """Return the cells that are still to be run, in the order given; none may be stored with other settings."""
        with _explained(self.path):
            rows = self._connection.execute(f"SELECT {', '.join(_KEY)}, status, plan FROM cells")
            stored = {tuple(row[:5]): (row[5], row[6]) for row in rows}
        left = []
        for cell in cells:
            status, plan = stored.get(cell.key, ("", ""))
            if status and plan != cell.plan:
                raise RunError(_describe_conflict(self.path, cell, plan))
            if not status or (status == "failed" and retry_failed):
                left.append(cell)
        return left

    def rows(self, study: str | None = None) -> list[Row]:
        """Return the stored cells, or those of one study, sorted by their keys."""
        wanted = (*_KEY, "status", *SCORES, "fit_seconds", "details", "error", "traceback")
        query = f"SELECT {', '.join(wanted)} FROM cells WHERE ? IS NULL OR study = ? ORDER BY {', '.join(_KEY)}"
        with _explained(self.path):
            found = self._connection.execute(query, (study, study))
            return [_read_row(dict(zip(wanted, values, strict=True))) for values in found]


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    if not read_only:
        return sqlite3.connect(path, timeout=30.0)
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30.0)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say in a sentence what is wrong with the file, or with the disk."""
    try:
        yield
    except RunError:  # says it already
        raise
    except sqlite3.OperationalError as error:
        raise RunError(f"{path} cannot be read or written: {error}. What was stored before is kept.") from error
    except (sqlite3.Error, ValueError, TypeError) as error:
        raise RunError(f"{path} cannot be used as a file of results: it is damaged, or none ({error}).") from error


def _read_row(values: dict[str, Any]) -> Row:
    details = json.loads(values["details"])
    scores = {name: values[name] for name in SCORES if values[name] is not None}
    for target, found in details.get("scores", {}).items():
        scores |= {f"{target}.{name}": value for name, value in found.items()}
    others = {name: value for name, value in values.items() if name not in (*SCORES, "details")}
    return Row(scores=scores, details=details, **others)


def _describe_conflict(path: Path, cell: Cell, stored: str) -> str:
    before, now = _flatten(json.loads(stored)), _flatten(json.loads(cell.plan))
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    name = changed[0]
    return (
        f"{path} has {cell.study}/{cell.world}/{cell.entry.pair} with {name}={before.get(name)}, and this run has "
        f"{name}={now.get(name)}; choose another file with --results."
    )


def _flatten(plan: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in plan.items():
        flat |= _flatten(value) if isinstance(value, dict) else {name: value}
    return flat


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Make sure that this is the only run on a file of results.

    The lock is a transaction that stays open on an empty file beside it: the operating system ends it together with the
    process, however that ends. Who comes in just between the end and the removal of that file repeats work, no more.
    """
    lock = path.with_name(path.name + ".lock")
    try:
        connection = sqlite3.connect(lock, timeout=0.0, isolation_level=None)
    except sqlite3.Error as error:
        raise RunError(f"{path} cannot be written: {error} ({lock}).") from error
    with closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise RunError(
                    f"Another run is writing to {path}: wait for it, or choose another file with --results."
                ) from None
            _remove(lock)
            raise RunError(f"{path} cannot be written: {error} ({lock}).") from error
        try:
            yield
        finally:
            _remove(lock)


def _remove(file: Path) -> None:
    with suppress(OSError):  # some systems do not remove a file that is open
        file.unlink(missing_ok=True)


def open_existing(path: Path) -> ResultStore:
    """Open a file of results that must be there."""
    if not path.is_file():
        raise RunError(f"There is no file of results at {path}: run a study first, or name one with --results.")
    return ResultStore(path, read_only=True)


def failures(rows: Sequence[Row]) -> list[Row]:
    """Return the failed cells among rows."""
    return [row for row in rows if row.status == "failed"]
