"""One private folder for everything that the server keeps, gone when the server is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from whether.files.private_folders import clear_stale, private_folder
from whether.serve import keeper

PREFIX = "whether-serve-"


@contextmanager
def server_folder() -> Iterator[Path]:
    """Give a folder that only this user can open; it is removed afterwards, even if the server is killed.

    A keeper removes it then. Where that was killed too, as when the computer went off, the next server does.
    """
    clear_stale(PREFIX)
    with private_folder(PREFIX) as folder, _watched_over(folder):
        yield folder


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
