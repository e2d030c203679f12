"""Numbers and dates that people write where they know none: -99, 999, 1900-01-01."""

from __future__ import annotations

import datetime

import numpy as np

from whether.files.table.columns import Column
from whether.files.table.dates import DAYS_PER_YEAR, EPOCH, as_days
from whether.files.table.findings import Held, TableError

LOW = (-9999.0, -999.0, -99.0, -98.0, -88.0, -77.0, -9.0)
HIGH = (99999.0, 9999.0, 999.0, 998.0, 888.0, 777.0, 99.0)
DAYS = ((1, 1, 1), (1800, 1, 1), (1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1901, 1, 1), (2099, 12, 31))
FAR_DAYS = ((2999, 12, 31), (3000, 1, 1), (9999, 12, 31))
FEWEST = 2  # one person may have any value
FAR = 0.25  # of the range of all other values: so far from them lies a code above them
YEARS_AWAY = 5


def find_code(column: Column) -> Held | None:
    """Find a value that several people have and that lies apart from all others, as codes for "not known" do."""
    if column.kind == "number":
        return _among_numbers(column.numbers())
    if column.kind != "date":
        return None
    try:
        days = as_days(column)
    except TableError:
        return None
    for parts in (*DAYS, *FAR_DAYS):
        code = datetime.date(*parts)
        same = np.floor(days) == code.toordinal() - EPOCH
        rest = days[~same & ~np.isnan(days)]
        if same.sum() >= FEWEST and rest.size:
            away = np.min(np.abs(rest - days[same][0]))
            if away > YEARS_AWAY * DAYS_PER_YEAR:
                return Held(code.isoformat(), int(same.sum()))
    return None


def _among_numbers(values: np.ndarray) -> Held | None:
    known = values[~np.isnan(values)]
    for code in (*LOW, *HIGH):
        same = known == code
        count = int(same.sum())
        if count < FEWEST or count == known.size:
            continue
        rest = known[~same & ~np.isin(known, LOW)]
        if not rest.size or np.unique(rest[:1000]).size < 3:
            continue
        if rest.min() >= 0 if code < 0 else code - rest.max() > max(FAR * (rest.max() - rest.min()), 1.0):
            return Held(f"{code:g}", count)
    return None
