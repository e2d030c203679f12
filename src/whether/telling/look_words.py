"""A first look at a table in words: what each column seems to be, what stands in the way, and what is asked."""

from __future__ import annotations

from typing import Any

from whether.facts import FEWEST
from whether.files.table import Hurdle, Obstacle, SeenColumn, TableCheck
from whether.files.table.findings import LEAKS, Held, LeftOut, Suspected
from whether.files.table.names import name_columns
from whether.telling.disclosure import Disclosure
from whether.telling.plain import to_plain
from whether.telling.table_words import told_values, word_all
from whether.telling.words import name, plural, wrap

PARTS = {
    "event": "the event",
    "event_date": "date of the event, empty where it was not seen",
    "time": "time of the event or, without it, of the end of follow-up",
    "follow_up": "how long each person was, or would have been, followed",
    "entry": "date of entry",
    "last_contact": "date last seen",
    "entry_time": "time at which observation began",
    "time_lower": "last time without the event",
    "id": "id: who a person is",
    "id and group": "id: who a person is; some people have several rows",
    "group": "rows that belong together",
    "drop": "left out, as asked",
    "by": "groups that are told apart",
    "feature": "feature",
    "left out": "left out",
}
KINDS = {
    "number": "numbers", "text": "text", "date": "dates", "empty": "empty", "other": "other",
    "unreadable": "not readable",
}  # fmt: skip
WIDEST = 28  # of a name in the list of columns
MOST = 200  # columns that are listed


def look_text(check: TableCheck, rule: Disclosure, width: int) -> list[str]:
    """What was found, for users of the library."""
    lines = [*look_lines(check, rule.fewest), ""]
    sentences = obstacle_sentences(check, rule.fewest) or [_how_to_read(check)]
    return lines + [line for text in sentences for line in wrap(text, width, hanging="  ")]


def _how_to_read(check: TableCheck) -> str:
    said = ", ".join(f"{option}={value!r}" for option, value in check.options.items())
    return f"Ready: read_cohort(table, {said})."


def look_lines(check: TableCheck, fewest: int = FEWEST) -> list[str]:
    """What each column seems to be, one a line."""
    rows = f"{plural(check.people, 'row')}, {plural(len(check.columns), 'column')}"
    if check.events is not None and Disclosure(fewest).allows_part(check.events, check.people):
        rows += f"; the event was seen in {check.events:,}"
    shown = check.columns[:MOST]
    names = [name(column.name, WIDEST).short for column in shown]
    wide = max(map(len, names))
    lines = [f"{name(check.name)}: {rows}."]
    lines += [
        f"  {called:<{wide}}  {KINDS[column.kind]:<12}  {_part(column, fewest)}".rstrip()
        for called, column in zip(names, shown, strict=True)
    ]
    return lines + [f"  and {len(check.columns) - MOST:,} more columns"] * (len(check.columns) > MOST)


def _part(column: SeenColumn, fewest: int) -> str:
    said = PARTS.get(column.part, "")
    if column.values:
        said += f"; its values: {told_values(column.values, fewest, 6)}"
    found = column.finding
    if isinstance(found, LeftOut):
        leak = "possible leak, " if found.reason in LEAKS else ""
        said = f"{leak}left out: {found.reason.value}"
    elif isinstance(found, Suspected):
        said += f"; possible leak: {found.reason.value}"
    if column.code is not None:
        said += "; " * bool(said) + f"{column.code.value} may be a code for a missing value"
    return said


def obstacle_sentences(check: TableCheck, fewest: int = FEWEST) -> list[str]:
    """What stands in the way, and what to do about it."""
    return [_sentence(obstacle, check, fewest) for obstacle in check.obstacles]


def _sentence(obstacle: Obstacle, check: TableCheck, fewest: int) -> str:
    columns = name_columns(obstacle.columns)
    match obstacle.hurdle:
        case Hurdle.NO_EVENT:
            two = f" These have two values: {columns}." if obstacle.columns else ""
            return (
                f"No column looks like the event.{two} Name the one that says whether the event was seen as `event`, "
                "or the one with its date as `event_date`."
            )
        case Hurdle.SEVERAL_EVENTS:
            option = _event_option(obstacle, check)
            return f"Several columns could be the event: {columns}. Name the one that is meant as `{option}`."
        case Hurdle.EVENT_VALUES:
            return (
                f"It is not clear what the values of column {columns} mean: {told_values(obstacle.held, fewest, 6)}. "
                "Say with `event_value` which of them means that the event was seen and, if one means that something "
                "else came first, such as another cause of death, give it as `competing`."
            )
        case Hurdle.NO_TIME:
            return (
                "No column looks like a time. Name the one with the time of the event or, without it, of the end of "
                "follow-up as `time`; where there are dates, that of entry as `entry`, too. If the table has no times, "
                "leave `time` out: the answer is then mostly a ranking of people, without a number of further events."
            )
        case Hurdle.SEVERAL_TIMES:
            return f"Several columns could be the time: {columns}. Name the one that is meant as `time`."
        case Hurdle.NO_ENDPOINT:
            last = "last_contact" if "event_date" in check.options else "time"
            return (
                f"Column {columns} seems to hold the dates of entry, but nothing says when people without the event "
                f"were last seen. Name that column as `{last}`, or give the date at which follow-up ended for "
                "everybody as `endpoint`."
            )
    return obstacle.reason


def _event_option(obstacle: Obstacle, check: TableCheck) -> str:
    kinds = {column.name: column.kind for column in check.columns}
    return "event_date" if kinds[obstacle.columns[0]] == "date" else "event"


def look_data(check: TableCheck, rule: Disclosure) -> dict[str, Any]:
    """What was found, as data."""
    tells = check.events is not None and rule.allows_part(check.events, check.people)
    sentences = obstacle_sentences(check, rule.fewest)
    return {
        "table": check.name,
        "ready": check.is_ready,
        "people": check.people,
        "events": check.events if tells else None,
        "columns": [
            {"name": column.name, "kind": column.kind, "part": column.part, "text": _part(column, rule.fewest)}
            for column in check.columns
        ],
        "options": to_plain(check.options),
        "obstacles": [
            {"name": obstacle.hurdle.value, "columns": list(obstacle.columns), "text": text}
            for obstacle, text in zip(check.obstacles, sentences, strict=True)
        ],
        "findings": list(word_all(check.findings, rule.fewest)),
    }


READY = "Ready. To run the analysis:"
NOT_READY = "What stands in the way:"
# What stands in a proposed command line where only the user knows what belongs there.
ANY_COLUMN, ANY_DATE = "COLUMN", "DATE"
GOING_ON = "This is the same as:"
CONFIRM = "Is that right? Go on"
STOPPED = "Nothing was analysed: --event is missing. If the columns are what they seem to be, run the command above."
UNSETTLED = "Nothing was analysed: settle what stands in the way first."

# What is asked on a terminal.
ASK_EVENT = "Which column says whether the event was seen (or has its date)?"
ASK_VALUES = "Which value of {column} means that the event was seen? ({values})"
ASK_COMPETING = "Which value means that something else came first, such as another cause of death? (none, if none does)"
ASK_TIME = "Which column has the time of the event or, without it, of the end of follow-up?"
ASK_ENDPOINT = "On which date did follow-up end for everybody, as 2020-12-31?"
NONE = "none"


def how_to_run(is_ready: bool, commands: list[str]) -> str:
    """Say what the proposed command lines are: ready, to be filled in, to be chosen from, or a guess."""
    if is_ready:
        return READY
    words = {word for line in commands for word in line.split()}
    blanks = {ANY_COLUMN: "the name of the column", ANY_DATE: "the date"}
    filled = " and ".join(f"{what} in place of {blank}" for blank, what in blanks.items() if blank in words)
    how = f"with {filled}" if filled else "with the first guess filled in"
    return f"Once that is settled, run {'one of these' if len(commands) > 1 else 'this'} ({how}):"


def ask_values(column: str, held: tuple[Held, ...]) -> str:
    """Ask which value of the event column means that the event was seen."""
    return ASK_VALUES.format(column=repr(column), values=name_columns([value.value for value in held], 6))


def no_such_column(answer: str, hint: str) -> str:
    """Say that there is no such column, and ask for the one that was probably meant."""
    return f"No column is called {answer!r}.{hint}"


def no_such_value(answer: str, known: list[str]) -> str:
    """Say that the column never has a value."""
    return f"There is no value {answer!r}; there are {name_columns(known, 6)}."
