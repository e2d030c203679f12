"""Folders that only the user can open, for what must not stay: gone with the work, or with the next run."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whether.files.whole_files import is_held, locked

TABLES = "whether-table-"  # folders with the copy of a table that can be read only once


@contextmanager
def private_folder(prefix: str) -> Iterator[Path]:
    """Give a folder that is open to its owner only, and remove it at the end."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        with locked(folder):
            if not folder.is_dir():  # another run took it for stale before it was locked
                continue
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return


def clear_stale(prefix: str) -> list[Path]:
    """Remove folders of runs that were killed, and return them; only what is ours is touched."""
    removed = []
    for entry in sorted(Path(tempfile.gettempdir()).iterdir()):
        if re.fullmatch(rf"{prefix}\w{{8}}", entry.name) and _is_own(entry) and not is_held(entry):
            shutil.rmtree(entry, ignore_errors=True)
            removed.append(entry)
    return removed


def _is_own(entry: Path) -> bool:
    try:
        found = entry.lstat()
    except OSError:
        return False
    # A link to a folder is no folder here.
    return entry.is_dir() and not entry.is_symlink() and found.st_uid == getattr(os, "getuid", lambda: found.st_uid)()
