"""A folder of results that is there whole or not at all.

Everything is written into a hidden folder beside the final one, which takes its name only when it is complete. A folder
that an earlier analysis wrote is replaced; it is known by its ``summary.json`` and by having no other files than
an analysis writes.
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
def whole_folder(path: Path, files: Collection[str], schema: str) -> Iterator[Path]:
    """Give an empty folder to write to; it becomes ``path`` when the block ends, and is removed if the block fails.

    What is there already has to be empty, or to have no other files than these and a ``summary.json`` of this schema.
    """
    target = Path(os.path.normpath(path))
    check_folder(target, files, schema)
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
    if not target.exists():
        os.rename(unfinished, target)
        return
    os.rename(target, old)
    try:
        os.rename(unfinished, target)
    except BaseException:
        os.rename(old, target)
        raise


def check_folder(target: Path, files: Collection[str], schema: str) -> None:
    """Refuse, before any work is done, a folder that could not be written or should not be replaced."""
    if target.name in ("", ".."):
        raise ArgumentError(f"`output` needs the name of a folder to write, not {str(target)!r}.")
    if not target.parent.is_dir():
        raise ArgumentError(f"There is no folder {str(target.parent)!r} to write to.")
    if not os.access(target.parent, os.W_OK):
        raise ArgumentError(f"The folder {str(target.parent)!r} is not writable.")
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


def _is_own(target: Path, schema: str) -> bool:
    try:
        told = json.loads((target / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(told, dict) and told.get("schema") == schema
