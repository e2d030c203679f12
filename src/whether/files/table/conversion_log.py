"""Logs of clicks and conversions, as the public data on delayed feedback have them, seen from a moment in time.

Tabs between the cells, no header: the second of the click, the second of the conversion (empty without one), eight
whole numbers and nine hashed categories. Seen from a moment, later clicks are not there, later conversions have not
come, and every click has been followed for as long as it is past.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from whether.files.table.findings import TableError
from whether.files.table.table_cohort import TableCohort, read_cohort
from whether.validate import ArgumentError, check_whole_number

N_NUMBERS, N_CATEGORIES = 8, 9
TIMES = ("click", "conversion")
FEATURES = (
    *(f"number {k + 1}" for k in range(N_NUMBERS)),
    *(f"category {k + 1}" for k in range(N_CATEGORIES)),
)
DAY = 86_400.0
BLOCK = 2**24


@dataclass(frozen=True, eq=False)
class ConversionLog:
    """A log of clicks as it was at a moment.

    Attributes
    ----------
    cohort : TableCohort
        Clicks up to then: features, who had converted, and when; times in days since the click.
    converted : ndarray of bool
        Who of these clicks converted at any time in the log: what was not known then, to be scored against.
    table : pyarrow.Table
        The same clicks with named columns: ``converted``, ``days``, ``follow_up`` and the features. Written to a file,
        it is what the program takes.
    at : float
        The moment, in the seconds of the log.
    """

    cohort: TableCohort
    converted: NDArray[np.bool_]
    table: pa.Table
    at: float


def read_conversion_log(
    path: str | os.PathLike[str], *, at: float | None = None, limit: int | None = None, **options: Any
) -> ConversionLog:
    """Read a log of clicks and conversions as it was at a moment.

    Parameters
    ----------
    path : path-like
        Text with tabs and no header: click, conversion (empty without one), eight numbers, nine categories. Files may
        be compressed (``.gz``).
    at : float, optional
        Second at which the log is looked at, on the clock of the file; clicks from then on are left out. By default the
        last that the file tells of.
    limit : int, optional
        Read so many rows only, the first. The file is read block by block, so a long one costs no more than these.
    **options
        Of `read_cohort`, such as ``keep_gaps=True`` for a boosted model, ``drop`` or ``categorical``.

    Returns
    -------
    ConversionLog

    Raises
    ------
    DataError
        If the file is no such log.

    Examples
    --------
    >>> import tempfile, whether as wh
    >>> path = Path(tempfile.mkdtemp()) / "log.txt"
    >>> wh.simulation.simulate_conversion_log(2000, seed=0).write(path)
    >>> log = wh.read_conversion_log(path, at=40 * 86_400)
    >>> bool(log.converted.sum() > log.cohort.y.sum())
    True
    """
    cells = _read_cells(Path(path), limit)
    click, conversion = _seconds(cells, "click", path), _seconds(cells, "conversion", path)
    _check_order(click, conversion, path)
    moment = float(np.nanmax([np.nanmax(click), np.nanmax(conversion)])) if at is None else _check_moment(at)
    there = click < moment
    if not there.any():
        raise ArgumentError(f"No click comes before at={at:g}: the first is at {np.min(click):.0f}.")
    follow_up = (moment - click[there]) / DAY
    seen = conversion[there] <= moment
    # A conversion in the very second of the click would have no time; half a second is as good.
    days = np.where(seen, np.maximum(conversion[there] - click[there], 0.5) / DAY, follow_up)
    days = np.minimum(days, follow_up)
    columns = {"converted": pa.array(seen.astype(np.int64)), "days": pa.array(days), "follow_up": pa.array(follow_up)}
    features = cells.select(list(FEATURES)).filter(pa.array(there))
    table = pa.table({**columns, **{name: features[name] for name in FEATURES}})
    cohort = read_cohort(table, event="converted", time="days", follow_up="follow_up", **_treat(options))
    return ConversionLog(cohort, ~np.isnan(conversion[there]), table, moment)


def _treat(options: dict[str, Any]) -> dict[str, Any]:
    """Hashed categories may look like numbers; they are none."""
    categories = [name for name in FEATURES[N_NUMBERS:] if name not in (options.get("drop") or ())]
    return {**options, "categorical": [*categories, *(options.get("categorical") or ())]}


def _check_moment(at: float) -> float:
    if not isinstance(at, (int, float, np.number)) or not np.isfinite(at):
        raise ArgumentError(f"at must be a second on the clock of the file, a number, got {at!r}.")
    return float(at)


def _read_cells(path: Path, limit: int | None) -> pa.Table:
    """Cells of the first rows as text, block by block."""
    if limit is not None:
        check_whole_number(limit, "limit", 1)
    if not path.is_file():
        raise TableError(f"There is no file {str(path)!r}.")
    names = [*TIMES, *FEATURES]
    where = pyarrow.csv.ReadOptions(column_names=names, block_size=BLOCK, use_threads=False)
    cut = pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    as_text = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
    )
    batches, rows = [], 0
    try:
        with pyarrow.csv.open_csv(path, read_options=where, parse_options=cut, convert_options=as_text) as reader:
            for batch in reader:
                batches.append(batch)
                rows += batch.num_rows
                if limit is not None and rows >= limit:
                    break
    except (pa.ArrowException, UnicodeError) as error:
        reason = "it is empty" if not path.stat().st_size else str(error).splitlines()[0]
        raise TableError(
            f"{str(path)!r} is no log of conversions ({reason}). Expected are {len(names)} cells in each line, with "
            f"tabs between them and no header: click, conversion, {N_NUMBERS} numbers, {N_CATEGORIES} categories."
        ) from error
    table = pa.Table.from_batches(batches)
    return table if limit is None else table.slice(0, limit)


def _seconds(cells: pa.Table, name: str, path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """Seconds of a column; NaN where there are none, which a click must have."""
    try:
        values = pc.cast(cells[name], pa.float64())
    except pa.ArrowInvalid:
        row, cell = next((row, cell) for row, cell in enumerate(cells[name].to_pylist()) if not _is_number(cell))
        raise TableError(
            f"Line {row + 1} of {str(path)!r} has {cell!r} for the time of the {name}: seconds were expected, such as "
            "86400. A first line with names has to go."
        ) from None
    seconds = np.array(pc.fill_null(values, np.nan).to_numpy(), dtype=np.float64)
    if name == "click" and not np.isfinite(seconds).all():
        raise TableError(f"Line {int(np.argmin(np.isfinite(seconds))) + 1} of {str(path)!r} has no time of the click.")
    return seconds


def _is_number(cell: str | None) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True


def _check_order(click: NDArray[np.float64], conversion: NDArray[np.float64], path: str | os.PathLike[str]) -> None:
    early = conversion < click
    if early.any():
        row = int(np.argmax(early))
        raise TableError(
            f"{int(early.sum()):,} conversions of {str(path)!r} come before their click (first: line {row + 1}, click "
            f"{click[row]:.0f}, conversion {conversion[row]:.0f}). Are the first two columns in the wrong order?"
        )
