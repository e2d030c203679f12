"""One private folder for everything that the server keeps, gone when the server is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whether.files.whole_files import is_held, locked
from whether.serve import keeper

PREFIX = "whether-serve-"


@contextmanager
def private_folder() -> Iterator[Path]:
    """Give a folder that only this user can open; it is removed afterwards, even if the server is killed.

    A keeper removes it then. Where that was killed too, as when the computer went off, the next server does.
    """
    clear_stale()
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # open to its owner only
        with locked(folder):
            if not folder.is_dir():  # another server took it for stale before it was locked
                continue
            with _watched_over(folder):
                try:
                    yield folder
                finally:
                    shutil.rmtree(folder, ignore_errors=True)
            return


@contextmanager
def _watched_over(folder: Path) -> Iterator[None]:
    """Have a process remove the folder once this one is gone; Ctrl-C does not reach it."""
    command = [sys.executable, "-I", str(keeper.__file__), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()


def clear_stale() -> list[Path]:
    """Remove folders of servers that are gone, and return them; only what is ours is touched."""
    removed = []
    for entry in sorted(Path(tempfile.gettempdir()).iterdir()):
        if re.fullmatch(rf"{PREFIX}\w{{8}}", entry.name) and _is_own(entry) and not is_held(entry):
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
