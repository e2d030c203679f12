"""Files that are there whole or not at all.

What is written goes to a hidden file in the same folder, which takes the final name only when it is complete and on the
disk. A full disk, an error or Ctrl-C leaves the old file, or none, and no remains.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; it becomes ``path`` when the block ends, and is removed if the block fails.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "risks.csv") as unfinished:
    ...     _ = unfinished.write_text("risk")
    >>> [file.name for file in folder.iterdir()]
    ['risks.csv']
    """
    target = Path(path)
    unfinished = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.unfinished")
    # Created as any program creates a file, so that the user's umask decides who may read it.
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield unfinished
        with open(unfinished, "r+b") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk too, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
