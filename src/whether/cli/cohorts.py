"""The cohort that a command is about: a table of the user's, or invented people whose truth is known."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from whether.cli.options import COLUMN_LISTS, CohortOptions, list_columns, split
from whether.cli.problems import CommandError
from whether.files.table import TableCohort, read_cohort
from whether.files.table.findings import Simulated
from whether.simulation import simulate

# What is known of people besides times, and which question is asked where others die first.
RECORDS = ("known_negative", "time_lower", "entry_time", "competing", "question")
# A world in which what raises the risk is not what brings the event forward, seen for about as long as events take.
WORLD, N_SIMULATED = "partially-dependent", 4000


def read_people(options: CohortOptions, *, keep_gaps: bool = False) -> TableCohort:
    """Read the table, or simulate people where there is none."""
    if options.table is None:
        return _simulate_people(options.seed)
    return read_cohort(options.source, keep_gaps=keep_gaps, **column_roles(options, options.source.column_names))


def column_roles(options: CohortOptions, names: Sequence[str]) -> dict[str, Any]:
    """What was said of columns, as `read_cohort` takes it."""
    columns: dict[str, Any] = {name: list_columns(getattr(options, name), names, name) for name in COLUMN_LISTS}
    plain = (
        "event", "time", "follow_up", "entry", "endpoint", "event_date", "last_contact", "entry_time", "time_lower",
        "never_after", "group",
    )  # fmt: skip
    columns |= {name: getattr(options, name) for name in plain}
    columns |= {name: split(getattr(options, name)) or None for name in ("event_value", "competing")}
    return columns


def what_else(people: TableCohort, question: str | None, call: Callable[..., Any], command: str) -> dict[str, Any]:
    """What is known of people besides times and follow-up, for a call that reads it; it is refused by one that cannot.

    Nothing that was said on the command line is left aside in silence. A fit has no question of its own: it is told of
    deaths for the one, and not for the other.
    """
    parameters, beside = inspect.signature(call).parameters, people.beside
    takes_all = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    read = (*parameters, *RECORDS) if takes_all else tuple(parameters)
    if "question" in read:
        beside |= {} if question is None else {"question": question}
    elif question == "net":
        beside.pop("competing")
    unread = [name for name in beside if name not in read]
    if unread:
        option = {"known_negative": "--never-after"}.get(unread[0], "--" + unread[0].replace("_", "-"))
        raise CommandError(f"`whether {command}` does not read {option}.")
    return beside


def _simulate_people(seed: int) -> TableCohort:
    drawn = simulate(WORLD, n=N_SIMULATED, seed=seed)
    columns = dict(zip(drawn.feature_names, drawn.X.T, strict=True))
    columns |= {"event": drawn.y, "time": drawn.time, "follow_up": drawn.follow_up}
    people = read_cohort(pa.table(columns), "event", time="time", follow_up="follow_up")
    truth = Simulated(WORLD, seed, int(drawn.positive[drawn.y == 0].sum()))
    return replace(people, name="simulated cohort", findings=(*people.findings, truth))
