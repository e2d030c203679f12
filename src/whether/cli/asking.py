"""A first look at a table: what is proposed as a command line and, on a terminal, what is asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from whether.cli.cohorts import column_roles
from whether.cli.options import CohortOptions, command_line
from whether.cli.output import make_notes, say_lines, tell
from whether.cli.problems import name_options
from whether.files.table import Hurdle, Obstacle, TableCheck, TableError, check_table
from whether.files.table.names import suggest
from whether.telling import look_words as words

MOST_COMMANDS = 3


def look(cohort: CohortOptions) -> TableCheck:
    """Look at the table of a command, with what was said of its columns."""
    return check_table(cohort.source, **column_roles(cohort, cohort.source.column_names))


def on_terminal() -> bool:
    """Whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def propose(cohort: CohortOptions, found: TableCheck, others: dict[str, Any], output: str) -> list[str]:
    """Command lines that analyse the table: one, or one for each column that could be the event or the time."""
    # Names that the table has not, and for which none is close.
    forgotten = {name: None for name in _given(cohort) if name not in found.options}
    return [
        command_line(
            "analyze", str(cohort.table), {**cohort.replaced(**{**forgotten, **options}).told(), **others}, output
        )
        for options in _choices(cohort, found)
    ]


def _choices(cohort: CohortOptions, found: TableCheck) -> Iterator[dict[str, Any]]:
    """The options, with each of the columns that could be meant; what only the user knows is left to be filled in."""
    first = found.obstacles[0] if found.obstacles else Obstacle(Hurdle.REFUSED)
    if first.hurdle in (Hurdle.SEVERAL_EVENTS, Hurdle.SEVERAL_TIMES):
        for column in first.columns[:MOST_COMMANDS]:
            role = "time" if first.hurdle is Hurdle.SEVERAL_TIMES else _event_role(column, found)
            yield _filled(look(cohort.replaced(**{**_given(cohort), role: column})))
    else:
        yield _filled(found)


def _given(cohort: CohortOptions) -> dict[str, Any]:
    return {name: value for name, value in column_roles(cohort, cohort.source.column_names).items() if value}


def _filled(found: TableCheck) -> dict[str, Any]:
    absent = {Hurdle.NO_EVENT: ("event", words.ANY_COLUMN), Hurdle.NO_TIME: ("time", words.ANY_COLUMN)}
    absent |= {Hurdle.SEVERAL_TIMES: ("time", words.ANY_COLUMN), Hurdle.NO_ENDPOINT: ("endpoint", words.ANY_DATE)}
    return {**found.options, **dict(absent[one.hurdle] for one in found.obstacles if one.hurdle in absent)}


def _event_role(column: str, found: TableCheck) -> str:
    kind = next(one.kind for one in found.columns if one.name == column)
    return "event_date" if kind == "date" else "event"


def tell_look(found: TableCheck, commands: list[str], as_json: bool, *, command: str, stops: str = "") -> None:
    """Tell what was found, and the command lines; with a last sentence where a command stops there."""
    if as_json:
        told = found.to_dict()
        told["obstacles"] = [{**one, "text": name_options(one["text"])} for one in told["obstacles"]]
        del told["findings"]
        tell([], {"command": command, **told, "commands": commands}, make_notes(found.findings), as_json)
        return
    tell([], {}, [note for note in make_notes(found.findings) if note["warning"]], as_json)
    say_lines([name_options(line) for line in words.look_lines(found)])
    typer.echo("")
    if not found.is_ready:
        say_lines([words.NOT_READY, *(f"  {name_options(text)}" for text in words.obstacle_sentences(found))])
        typer.echo("")
    say_lines([words.how_to_run(found.is_ready, commands), *(f"  {line}" for line in commands)])
    if stops:
        typer.echo(stops, err=True)


def settle(cohort: CohortOptions, others: dict[str, Any], output: str, as_json: bool) -> CohortOptions:
    """Find out what an analysis needs to know: by asking, on a terminal; else propose a command line, and stop."""
    found = look(cohort)
    if as_json or not on_terminal():
        commands = propose(cohort, found, others, output)
        stops = words.STOPPED if found.is_ready else words.UNSETTLED
        tell_look(found, commands, as_json, command="analyze", stops=stops)
        raise typer.Exit(2)
    say_lines([name_options(line) for line in words.look_lines(found)])
    while not found.is_ready:
        if found.obstacles[0].hurdle is Hurdle.REFUSED:
            raise TableError(found.obstacles[0].reason)
        say_lines(["", name_options(words.obstacle_sentences(found)[0])])
        cohort = _ask(cohort, found)
        found = look(cohort)
    settled = cohort.replaced(**found.options)
    say_lines(["", words.GOING_ON, *(f"  {line}" for line in propose(cohort, found, others, output))])
    typer.confirm(words.CONFIRM, default=True, abort=True)
    return settled


def _ask(cohort: CohortOptions, found: TableCheck) -> CohortOptions:
    """Ask for what stands in the way first."""
    first, names = found.obstacles[0], [column.name for column in found.columns]
    guess = first.columns[0] if first.columns else None
    match first.hurdle:
        case Hurdle.NO_EVENT | Hurdle.SEVERAL_EVENTS:
            column = _ask_column(words.ASK_EVENT, names, guess)
            answer: dict[str, Any] = {_event_role(column, found): column}
        case Hurdle.EVENT_VALUES:
            answer = _ask_values(first, found.options)
        case Hurdle.NO_TIME | Hurdle.SEVERAL_TIMES:
            answer = {"time": _ask_column(words.ASK_TIME, names, guess)}
        case _:
            answer = {"endpoint": typer.prompt(words.ASK_ENDPOINT), "entry": first.columns[0]}
    return cohort.replaced(**{**_given(cohort), **answer})


def _ask_column(question: str, names: list[str], guess: str | None) -> str:
    by_letters = {name.strip().casefold(): name for name in names}
    while True:
        answer = str(typer.prompt(question, default=guess))
        if answer in names:
            return answer
        if answer.strip().casefold() in by_letters:
            return by_letters[answer.strip().casefold()]
        typer.echo(words.no_such_column(answer, suggest(answer, names)))


def _ask_values(obstacle: Obstacle, guess: dict[str, Any]) -> dict[str, Any]:
    column, known = obstacle.columns[0], [value.value for value in obstacle.held]
    seen = _ask_among(words.ask_values(column, obstacle.held), known, guess.get("event_value", []))
    rest = [value for value in known if value not in seen]
    answer: dict[str, Any] = {"event": column, "event_value": seen}
    if len(rest) > 1:
        likely = [value for value in guess.get("competing", []) if value in rest]
        other = _ask_among(words.ASK_COMPETING, [*rest, words.NONE], likely or [words.NONE])
        answer |= {} if other == [words.NONE] else {"competing": other}
    return answer


def _ask_among(question: str, known: list[str], guess: list[str]) -> list[str]:
    from whether.cli.options import split

    while True:
        answer = typer.prompt(question, default=",".join(guess) or None)
        given = [answer] if answer in known else split([answer])
        if given and all(value in known for value in given):
            return given
        typer.echo(words.no_such_value(answer, known))
