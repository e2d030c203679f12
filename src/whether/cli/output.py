"""What a command tells: sentences for people, or one JSON object for scripts. Used by every command."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from whether.cli.problems import CommandError, name_options, on_one_line, printable
from whether.facts import FEWEST
from whether.files.own_files import is_own
from whether.files.private_folders import TABLES, clear_stale
from whether.files.table import Finding
from whether.files.whole_files import check_parent, check_regular, clear_remains
from whether.telling.table_words import gather_alike, word_together


@contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Gather the warnings of the library; the list is filled when the block ends."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield told
    told += dict.fromkeys(str(warning.message) for warning in caught)


def make_notes(
    findings: Iterable[Finding], warned: Iterable[str] = (), suppress_below: int = FEWEST
) -> list[dict[str, Any]]:
    """What was done to a table, and what the library warned of."""
    notes = [
        {"text": name_options(word_together(alike, suppress_below)), "warning": alike[0].is_warning}
        for alike in gather_alike(findings, suppress_below)
    ]
    return notes + [{"text": text, "warning": True} for text in warned]


def tell(sentences: Iterable[str], result: dict[str, Any], notes: list[dict[str, Any]], as_json: bool) -> None:
    """Print what was done: notes to stderr and sentences to stdout, or everything as JSON to stdout."""
    if as_json:
        typer.echo(json.dumps({**result, "notes": notes}, indent=1, allow_nan=False))
        return
    for note in notes:
        typer.echo(on_one_line(f"{'warning: ' if note['warning'] else ''}{note['text']}"), err=True)
    for sentence in sentences:
        typer.echo(on_one_line(sentence))


def say_lines(lines: list[str]) -> None:
    """Print lines without characters that a terminal would obey; those above indented ones are headings."""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        text = printable(line)
        is_heading = below.startswith("  ") and not line.startswith(" ")
        typer.echo(typer.style(text, bold=True) if is_heading else text)  # plain where nobody watches


def check_output(path: Path, *inputs: Path | None, force: bool = False) -> None:
    """Refuse, before any work is done, a place where the result could not be written, or a file that is not ours."""
    check_regular(path)
    check_parent(Path(os.path.realpath(path)) if path.is_symlink() else path)
    for given in inputs:
        if given is not None and path.exists() and given.exists() and path.samefile(given):
            raise CommandError(f"-o would overwrite {str(given)!r}, which is read.")
    if not force and path.exists() and not is_own(path):
        raise CommandError(
            f"{str(path)!r} exists and does not look like a file that whether wrote: it is left alone. Give another "
            "name, or --force to replace it."
        )
    tell_remains(path)


def tell_remains(path: Path, files: Collection[str] = ()) -> None:
    """Remove what runs that were killed left beside a file or folder, and copies of tables, and say so."""
    for folder in clear_stale(TABLES):
        typer.echo(
            on_one_line(f"An earlier run was killed while it read a table: its copy {folder} was removed."), err=True
        )
    for name in clear_remains(path, files):
        typer.echo(on_one_line(f"An earlier run was killed while it wrote {path}: its {name!r} was removed."), err=True)


def refuse_names(names: Iterable[str], taken: Iterable[str]) -> None:
    """Refuse id columns that are called like columns of results."""
    twice = next((name for name in names if name in taken), None)
    if twice is not None:
        raise CommandError(f"The id column {twice!r} has the same name as a column of the results. Rename it.")
