"""Checks of SAS transport files, whose reader takes what is there for all there ever was.

A file is a row of records of 80 bytes: headers, then the rows of the table, one after the other without regard to
records, then blanks to the end of the last record. Version 8 says how many rows there are; version 5 does not.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from whether.files.table.findings import TableError

RECORD = 80
ROWS_FOLLOW = b"HEADER RECORD*******OBS"
DATA_SETS = (b"HEADER RECORD*******MEMBER  ", b"HEADER RECORD*******MEMBV8  ")
N_ROWS = slice(48, RECORD)  # where the record before the rows says how many there are, in version 8


def check_transport(path: Path, n_read: int, row_length: int) -> None:
    """Refuse a file that was cut short, as far as can be told, or that holds several data sets."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        headers = [at for name in DATA_SETS for at in _records(content, name)]
        if len(headers) > 1:
            raise TableError(
                f"{str(path)!r} holds {len(headers)} data sets, and cannot be taken apart. Save one to a file alone."
            )
        start = next(_records(content, ROWS_FOLLOW), 0)
        header = content[start : start + RECORD]
        stated = header[N_ROWS].strip()
        if header.startswith(ROWS_FOLLOW + b"V8") and stated.isdigit():
            if n_read < int(stated):
                raise _cut(path, f"{n_read:,} of its {int(stated):,} rows are there")
            return
        in_part = (len(content) - start - RECORD) % max(row_length, 1)
        blank = content[len(content) - in_part :].strip(b" ") == b""
        if len(content) % RECORD or in_part >= RECORD or not blank:
            raise _cut(path, f"it ends within a row, after {n_read:,} whole ones")


def _records(content: mmap.mmap, name: bytes) -> Iterator[int]:
    """Places of the records that begin with a name."""
    at = content.find(name)
    while at >= 0:
        if at % RECORD == 0:
            yield at
        at = content.find(name, at + 1)


def _cut(path: Path, what: str) -> TableError:
    return TableError(f"{str(path)!r} is a damaged SAS transport file: {what}. Copy or save it again.")
