"""What a command tells: sentences for people, or one JSON object for scripts. Used by every command."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from whether.cli.problems import CommandError, printable
from whether.files.table import Notes


@contextmanager
def gathered_warnings(notes: Notes) -> Iterator[None]:
    """Turn the warnings of the library into notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for sentence in dict.fromkeys(str(warning.message) for warning in caught):
        notes.warn(sentence)


def tell(sentences: list[str], result: dict[str, Any], notes: Notes, as_json: bool) -> None:
    """Print what was done: notes to stderr and sentences to stdout, or everything as JSON to stdout."""
    if as_json:
        told = {**result, "notes": [{"text": note.text, "warning": note.is_warning} for note in notes.items]}
        typer.echo(json.dumps(told, indent=1, allow_nan=False))
        return
    for note in notes.items:
        typer.echo(printable(f"{'warning: ' if note.is_warning else ''}{note.text}"), err=True)
    for sentence in sentences:
        typer.echo(printable(sentence))


def check_output(path: Path, *inputs: Path) -> None:
    """Refuse, before any work is done, a place where the result could not be written."""
    if path.is_dir():
        raise CommandError(f"{str(path)!r} is a folder; -o takes the name of a file.")
    if not path.parent.is_dir():
        raise CommandError(f"There is no folder {str(path.parent)!r} to write to.")
    if not os.access(path.parent, os.W_OK):
        raise CommandError(f"The folder {str(path.parent)!r} is not writable.")
    for given in inputs:
        if path.exists() and given.exists() and path.samefile(given):
            raise CommandError(f"-o would overwrite {str(given)!r}, which is read.")
