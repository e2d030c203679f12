"""Files, and folders of results, that are there whole or not at all.

What is written goes to a hidden file or folder beside the final one, which takes its name only when it is complete and
on the disk. A full disk, an error or Ctrl-C leaves what was there before, and no remains.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from whether.validate import ArgumentError

SUMMARY = "summary.json"


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; it becomes ``path`` when the block ends, and is removed if the block fails."""
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
    with contextlib.suppress(OSError):  # the new name goes on the disk too, where the system can
        descriptor = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file of text."""
    with atomic_path(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def whole_folder(path: Path, files: Collection[str], schema: str) -> Iterator[Path]:
    """Give an empty folder to write to; it becomes ``path`` when the block ends, and is removed if the block fails.

    What is there is replaced if it is empty, or has no other files than these and a ``summary.json`` of this schema.
    """
    target = Path(os.path.normpath(path))
    _check_folder(target, files, schema)
    token = f"{target.name[:100]}.{secrets.token_hex(6)}"
    unfinished, old = target.with_name(f".{token}.unfinished"), target.with_name(f".{token}.old")
    unfinished.mkdir()
    try:
        yield unfinished
        _exchange(unfinished, target, old)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _exchange(unfinished: Path, target: Path, old: Path) -> None:
    """Put the new folder in the place of the old one; if that fails, the old one comes back."""
    if target.exists():
        os.rename(target, old)
    try:
        os.rename(unfinished, target)
    except BaseException:
        if old.exists():
            os.rename(old, target)
        raise


def _check_folder(target: Path, files: Collection[str], schema: str) -> None:
    """Refuse, before any work is done, a folder that could not be written or should not be replaced."""
    if target.name in ("", ".."):
        raise ArgumentError(f"`output` needs the name of a folder to write, not {str(target)!r}.")
    check_parent(target)
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise ArgumentError(f"{str(target)!r} is a file; `output` takes the name of a folder.")
    if not target.is_dir():
        return
    found = sorted(file.name for file in target.iterdir())
    foreign = [name for name in found if name not in files]
    if foreign:
        raise ArgumentError(
            f"The folder {str(target)!r} holds files that are no result of an analysis, such as {foreign[0]!r}. Give "
            "another folder, or take them out."
        )
    if found and not _is_own(target, schema):
        raise ArgumentError(
            f"The folder {str(target)!r} was not written by an analysis: its {SUMMARY} is missing or says something "
            "else. Give another folder."
        )


def check_parent(path: Path) -> None:
    """Refuse a place where nothing could be written."""
    if not path.parent.is_dir():
        raise ArgumentError(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path.parent, os.W_OK):
        raise ArgumentError(f"The folder {str(path.parent)!r} is not writable.")


def _is_own(target: Path, schema: str) -> bool:
    """Whether an earlier analysis wrote the folder."""
    try:
        told = json.loads((target / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and told.get("schema") == schema
