"""A first look at a table for the page: what `whether check` says, and the command line that goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from whether.cli.options import CohortOptions, command_line, default_folder
from whether.cli.output import make_notes
from whether.cli.problems import explain
from whether.facts import FEWEST
from whether.files.table import Hurdle, SeenColumn, TableCheck, check_table
from whether.files.table.findings import LEAKS, LeftOut, Suspected
from whether.files.table.sights import is_unseen
from whether.serve.words import name_roles
from whether.telling import look_words, to_dict

MOST_COLUMNS = 1000  # that the page lists
MOST_VALUES = 40  # of the event that the page asks about
# Uses of columns that the page shows under another name.
SHOWN = {"left out": "drop", "id and group": "id", "by": "feature"}


def look(table: str, options: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """Look at a table of the working folder with what was said of it.

    Returns
    -------
    dict
        What was found, and the command line if nothing stands in the way; or, where the table cannot be read at all,
        an ``error``.
    """
    try:
        cohort = CohortOptions(Path(table), sheet=settings.get("sheet"))
        found = check_table(cohort.source, **options)
        shown = {**_describe(found), "command": ""}
        if found.is_ready:
            chosen = {**found.options, "question": settings.get("question") if "competing" in found.options else None}
            shown["command"] = _command(cohort.replaced(**chosen), settings)
    except Exception as error:  # whatever a stranger's file does is told, not passed on
        return {"error": name_roles(explain(error, "check")[0])}
    return shown


def _describe(found: TableCheck) -> dict[str, Any]:
    told = to_dict(found, FEWEST)
    coded = found.options.get("categorical") or ()
    columns = [
        {
            "name": column.name,
            "kind": look_words.KINDS[column.kind],
            "role": "categorical" if column.name in coded else SHOWN.get(column.part, column.part),
            "remark": _remark(row["text"], column.part),
            "is_leak": _is_leak(column),
        }
        for column, row in zip(found.columns[:MOST_COLUMNS], told["columns"], strict=False)
    ]
    return {
        "people": told["people"],
        "events": told["events"],
        "ready": told["ready"],
        "columns": columns,
        "n_columns": len(found.columns),
        "options": told["options"],
        "obstacles": [name_roles(one["text"]) for one in told["obstacles"]],
        "asks_values": any(one.hurdle is Hurdle.EVENT_VALUES for one in found.obstacles),
        "values": _values(found),
        "notes": [{**note, "text": name_roles(note["text"])} for note in make_notes(found.findings)],
    }


def _remark(text: str, part: str) -> str:
    """What is to be said of a column beside its use, which the page shows already."""
    said = text.removeprefix(look_words.PARTS.get(part, "")).removeprefix("; ")
    return name_roles(said[:1].upper() + said[1:])


def _is_leak(column: SeenColumn) -> bool:
    return isinstance(column.finding, (LeftOut, Suspected)) and column.finding.reason in LEAKS


def _values(found: TableCheck) -> list[dict[str, str]]:
    """What each value of the event column means, as far as known or guessed."""
    held = next((column.values for column in found.columns if column.values), ())
    seen, other = found.options.get("event_value"), found.options.get("competing") or ()

    def meaning(value: str) -> str:
        if value in other:
            return "other"
        return "seen" if (value in seen if seen else not is_unseen(value)) else "none"

    return [{"value": one.value, "meaning": meaning(one.value)} for one in held[:MOST_VALUES]]


def _command(cohort: CohortOptions, settings: dict[str, Any]) -> str:
    """The command line of the analysis."""
    others = {
        "--learner": settings.get("learner"), "--unit": settings.get("unit"),
        "--prevalence": settings.get("prevalence"), "--prevalence-error": settings.get("prevalence_error"),
        "--no-backtest": settings.get("backtest") is False,
    }  # fmt: skip
    return command_line("analyze", str(cohort.table), {**cohort.told(), **others}, default_folder(cohort.table))
