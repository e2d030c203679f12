"""From a cohort to an answer that is told: as text, as JSON, or as a picture in a file."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from whether.cli.cohort_options import CohortOptions
from whether.cli.output import check_output, gathered_warnings, tell
from whether.cli.problems import CommandError
from whether.cli.roles import Roles
from whether.files.atomic_file import atomic_path

PICTURES = (".png", ".svg", ".pdf")
NARROWEST, WIDEST = 60, 112
# Dots per inch of a .png: sharp on a screen, and small enough to send.
RESOLUTION = 150


@dataclass(frozen=True)
class Answer:
    """What was found out.

    Attributes
    ----------
    numbers : dict
        For JSON.
    to_text : callable
        Returns text, given the width of a line.
    draw : callable
        Returns a matplotlib figure.
    """

    numbers: dict[str, Any]
    to_text: Callable[[int], str]
    draw: Callable[[], Any]


def answer(
    command: str,
    cohort: CohortOptions,
    output: Path | None,
    as_json: bool,
    find: Callable[..., Answer],
    *,
    wants_groups: bool = False,
    draws_times: bool = True,
) -> None:
    """Read the cohort, find the answer, write and tell it.

    Parameters
    ----------
    command : str
    cohort : CohortOptions
    output : Path or None
    as_json : bool
    find : callable
        Called with features, labels and what is known besides; and with groups, if it wants them.
    wants_groups : bool
    draws_times : bool
        Whether there is no picture without times or follow-up.
    """
    source = cohort.source()
    if cohort.group is not None and not wants_groups:
        raise CommandError(f"`whether {command}` has no use for --group.")
    if output is not None:
        _check_result(output, cohort.table, source.roles if draws_times else None)
    ready = source.prepare()
    groups = (ready.groups,) if wants_groups else ()
    labels = ready.outcome.event.astype(int)
    with gathered_warnings(ready.notes):
        found = find(ready.features, labels, ready.known, *groups)
    result = {
        "command": command,
        "cohort": source.name,
        "people": int(labels.size),
        "events": int(labels.sum()),
        **found.numbers,
    }
    lines = found.to_text(_width()).splitlines()
    if output is not None:
        _write(output, result, found)
        result["output"] = str(output)
        lines += ["", f"Written to {output}."]
    tell([], result, ready.notes, as_json)
    if not as_json:
        _say(lines)


def _check_result(path: Path, table: Path | None, roles: Roles | None) -> None:
    """Refuse a file that cannot be written, and a picture of times where the roles have none."""
    check_output(path, *([] if table is None else [table]))
    ending = path.suffix.lower()
    if ending not in (".json", *PICTURES):
        raise CommandError(f"{str(path)!r} must end in .json, or in .png, .svg or .pdf for a picture.")
    has_times = roles is None or any((roles.time, roles.follow_up, roles.endpoint))
    if ending in PICTURES and not has_times:
        raise CommandError("There is no picture without times: give --time or --follow-up, or write a .json file.")


def _write(path: Path, result: dict[str, Any], found: Answer) -> None:
    ending = path.suffix.lower()
    if ending == ".json":
        with atomic_path(path) as file:
            file.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        return
    import matplotlib

    matplotlib.use("agg")  # nothing is shown, and there may be no screen
    import matplotlib.pyplot as plt

    figure = found.draw()
    try:
        with atomic_path(path) as file:
            figure.savefig(file, format=ending[1:], dpi=RESOLUTION)
    finally:
        plt.close(figure)


def _width() -> int:
    """Width of a line: the terminal's, within limits."""
    return (
        min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns)) if sys.stdout.isatty() else WIDEST
    )


def _say(lines: list[str]) -> None:
    """Print lines without characters that a terminal would obey; those above indented ones are headings."""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        text = "".join(letter if letter.isprintable() else " " for letter in line)
        is_heading = below.startswith("  ") and not line.startswith(" ")
        typer.echo(typer.style(text, bold=True) if is_heading else text)  # plain where nobody watches
