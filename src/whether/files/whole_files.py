"""Files, and folders of results, that are there whole or not at all.

What is written goes to a hidden file or folder beside the final one, which takes its name only when it is complete and
on the disk. A full disk, an error or Ctrl-C leaves what was there before, and no remains. Of a process that is killed
something remains; it is known by its name and by its lock, which ends with the process, and the next run removes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # where files cannot be locked so, remains cannot be told from work in progress, and stay
    fcntl = None  # type: ignore[assignment]

from whether.validate import ArgumentError

SUMMARY = "summary.json"


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; it becomes ``path`` when the block ends, and is removed if the block fails.

    Where ``path`` is a symbolic link, what it points at is written. Devices, pipes and sockets are refused.
    """
    check_regular(Path(path))
    target = Path(os.path.realpath(path))
    unfinished = _name_beside(target, "unfinished")
    try:
        with _told_of(Path(path), unfinished, is_nameless_too=True):
            # Created as any program creates a file, so that the user's umask decides who may read it.
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            with locked(unfinished):
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


@contextlib.contextmanager
def _told_of(path: Path, hidden: Path, *, is_nameless_too: bool = False) -> Iterator[None]:
    """Have errors of the system name a file as the user knows it, and not by the hidden path it is written under.

    An error while a file is written, as when the disk is full, names no file at all.
    """
    try:
        yield
    except OSError as error:
        inside = None if error.filename is None else Path(os.fsdecode(error.filename))
        is_ours = is_nameless_too if inside is None else inside.is_relative_to(hidden)
        if error.errno is None or not is_ours:
            raise
        place = path if inside is None else path / inside.relative_to(hidden)
        raise OSError(error.errno, os.strerror(error.errno), str(place)) from error


def check_regular(path: Path) -> None:
    """Refuse to write to what is there and is no regular file."""
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "a device, a pipe or a socket, not a regular file"
        raise ArgumentError(f"{str(path)!r} is {what}; `output` takes the name of a file.")


def _name_beside(target: Path, ending: str) -> Path:
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.{ending}")


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however that ends."""
    descriptor = os.open(path, os.O_RDONLY) if fcntl is not None else -1
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether a process still works on it, as far as can be told."""
    if fcntl is None:
        return True
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def clear_remains(path: str | os.PathLike[str], files: Collection[str] = ()) -> list[str]:
    """Remove what runs that were killed left beside a file or folder, and return the names of what was removed.

    A folder that was on its way out, and whose successor never came, gets its name back.
    """
    target = Path(os.path.realpath(path))
    name = re.compile(rf"\.{re.escape(target.name[:100])}\.[0-9a-f]{{12}}\.(unfinished|old)")
    removed = []
    for entry in sorted(target.parent.iterdir()) if target.parent.is_dir() else ():
        found = name.fullmatch(entry.name)
        if found is None or entry.is_symlink() or is_held(entry):
            continue
        if found[1] == "old":
            if not target.exists():
                os.rename(entry, target)
                continue
            if any(file.name not in files for file in entry.iterdir()):
                continue  # somebody else's files are in it
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
        removed.append(entry.name)
    return removed


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file of text."""
    with atomic_path(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def whole_folder(path: Path, files: Collection[str], schema: str) -> Iterator[Path]:
    """Give an empty folder to write to; it becomes ``path`` when the block ends, and is removed if the block fails.

    What is there is replaced if it is empty, or has no other files than these and a ``summary.json`` of this schema.
    Other files that came into it meanwhile stay in it.
    """
    target = Path(os.path.normpath(path))
    _check_folder(target, files, schema)
    unfinished, old = _name_beside(target, "unfinished"), _name_beside(target, "old")
    try:
        with _told_of(target, unfinished):
            unfinished.mkdir()
            with locked(unfinished):
                yield unfinished
                _check_owner(target, files, schema)
                _exchange(unfinished, target, old)
        _keep_others(old, target, files)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        if old.exists() and all(file.name in files for file in old.iterdir()):
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


def _keep_others(old: Path, target: Path, files: Collection[str]) -> None:
    """Move files that somebody put into the old folder during the work to the new one: nobody can any more."""
    for entry in sorted(old.iterdir()) if old.exists() else ():
        if entry.name not in files:
            os.rename(entry, target / entry.name)


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
    _check_owner(target, files, schema)


def _check_owner(target: Path, files: Collection[str], schema: str) -> None:
    """Refuse to replace files that have our names and are not ours."""
    taken = target.is_dir() and any(file.name in files for file in target.iterdir())
    if taken and not _is_own(target, schema):
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
