"""A table on its way from the browser to the disk; it is never in memory as a whole."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

LARGEST = 2 * 1024**3  # bytes of a table
LONGEST = 120  # letters of a file's name
NAMELESS = "table"


class UploadError(Exception):
    """A table that is not taken; the message says why."""


def safe_name(given: str) -> str:
    r"""Name under which a file is kept: that which it had, as far as it is the name of a file in a folder.

    Examples
    --------
    >>> safe_name("../../etc/cohort.csv"), safe_name("C:\\data\\-o.csv"), safe_name("..")
    ('cohort.csv', 'o.csv', 'table')
    """
    name = given.replace("\\", "/").rsplit("/", 1)[-1]
    # A leading dot hides a file, and a leading dash would be an option on the command line.
    name = "".join(letter for letter in name if letter.isprintable()).strip().lstrip(".-")
    stem, dot, ending = name.rpartition(".")
    room = LONGEST - len(dot + ending) if len(ending) <= 10 else 0
    name = f"{stem[:room]}{dot}{ending}" if stem and room else name[:LONGEST]
    while len(name.encode(errors="replace")) > 2 * LONGEST:  # file systems count bytes
        name = name[1:]
    return name.encode(errors="replace").decode() or NAMELESS


def check_size(size: int, folder: Path) -> None:
    """Refuse a table that is too large, or for which the disk has no room."""
    if size > LARGEST:
        raise UploadError(
            f"The file has {size / 1024**3:.1f} GB; this page takes up to {LARGEST / 1024**3:.0f} GB. Use the program "
            "on the command line: it reads large Parquet files in blocks."
        )
    if size > shutil.disk_usage(folder).free:
        raise UploadError("There is not enough room on the disk for a copy of this table.")


async def receive(chunks: AsyncIterator[bytes], path: Path) -> int:
    """Write what comes to a new file, and return its size; nothing is left if it breaks off."""
    size = 0
    try:
        with open(path, "xb") as file:
            async for chunk in chunks:
                size += len(chunk)
                check_size(size, path.parent)
                file.write(chunk)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return size
