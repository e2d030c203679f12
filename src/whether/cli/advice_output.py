"""From a cohort to advice that is told: as text, as JSON, or as a picture in a file."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from whether.cli.cohorts import read_people, what_else
from whether.cli.options import CohortOptions
from whether.cli.output import check_output, gathered_warnings, make_notes, say_lines, tell
from whether.cli.problems import CommandError
from whether.facts import FEWEST, Told
from whether.files.own_files import PICTURE_MARKS
from whether.files.whole_files import atomic_path, write_text
from whether.telling.disclosure import Disclosure

PICTURES = (".png", ".svg", ".pdf")
NARROWEST, WIDEST = 60, 112
# Dots per inch of a .png: sharp on a screen, and small enough to send.
RESOLUTION = 150


def answer(
    find: Callable[..., Told],
    cohort: CohortOptions,
    output: Path | None,
    as_json: bool,
    force: bool,
    settings: Mapping[str, Any] = MappingProxyType({}),
    *,
    draws_times: bool = True,
) -> None:
    """Read the cohort, find the answer, write and tell it; some have no picture without times or follow-up."""
    if output is not None:
        _check_result(output, cohort, draws_times, force)
    people = read_people(cohort)
    with gathered_warnings() as warned:
        groups = {} if people.groups is None else {"groups": people.groups}
        known = {**people.known, **what_else(people, cohort.question, find, find.__name__)}
        found = find(people.X, people.y, **known, **groups, **settings, random_state=cohort.seed)
    # Of invented people everything may be told.
    fewest = 0 if cohort.table is None else FEWEST
    n, n_events = people.y.size, int(people.y.sum())
    tells = Disclosure(fewest).allows_part(n_events, n)
    counted = {"people": int(n), "events": n_events if tells else None}
    result = {"command": find.__name__, "cohort": people.name, **counted, **_numbers(found, fewest)}
    lines = found.to_text(_width(), suppress_below=fewest).splitlines()
    if output is not None:
        _write(output, result, found, fewest)
        result["output"] = str(output)
        lines += ["", f"Written to {output}."]
    tell([], result, make_notes(people.findings, warned, fewest), as_json)
    if not as_json:
        say_lines(lines)


def _numbers(found: Told, fewest: int) -> dict[str, Any]:
    """The fact as data, under the name of its kind; the evidence behind an advice beside it."""
    told = found.to_dict(suppress_below=fewest)
    evidence = {"evidence": told.pop("evidence")} if "evidence" in told else {}
    return {**evidence, type(found).__name__.lower(): told}


def _check_result(path: Path, cohort: CohortOptions, draws_times: bool, force: bool) -> None:
    """Refuse a file that cannot be written, and a picture of times where there are none."""
    check_output(path, cohort.table, force=force)
    ending = path.suffix.lower()
    if ending not in (".json", *PICTURES):
        raise CommandError(f"{str(path)!r} must end in .json, or in .png, .svg or .pdf for a picture.")
    has_times = cohort.table is None or any((cohort.has_time, cohort.follow_up, cohort.endpoint))
    if ending in PICTURES and draws_times and not has_times:
        raise CommandError("There is no picture without times: give --time or --follow-up, or write a .json file.")


def _write(path: Path, result: dict[str, Any], found: Told, fewest: int) -> None:
    ending = path.suffix.lower()
    if ending == ".json":
        write_text(path, json.dumps(result, indent=1, allow_nan=False) + "\n")
        return
    import matplotlib

    matplotlib.use("agg")  # nothing is shown, and there may be no screen
    import matplotlib.pyplot as plt

    figure = found.plot(suppress_below=fewest)
    try:
        with atomic_path(path) as file:
            figure.savefig(file, format=ending[1:], dpi=RESOLUTION, metadata=PICTURE_MARKS[ending[1:]])
    finally:
        plt.close(figure)


def _width() -> int:
    """Width of a line: the terminal's, within limits."""
    if not sys.stdout.isatty():
        return WIDEST
    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns))
