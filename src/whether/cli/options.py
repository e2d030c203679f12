"""Arguments and options that several commands have, each described once."""

from __future__ import annotations

import csv
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from whether.cli.problems import CommandError

LEARNERS = ("linear", "boosted", "neural", "auto")


def option(flags: str, metavar: str, text: str, **settings: Any) -> Any:
    """Option without a default that is worth showing."""
    return typer.Option(*flags.split(), metavar=metavar, help=text, show_default=False, **settings)


TABLE = {"help": "CSV, Parquet, Feather, SQLite or DuckDB file."}
TablePath = Annotated[Path, typer.Argument(metavar="TABLE", show_default=False, **TABLE)]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.", show_default=False)]
ModelOutput = Annotated[Path, option("-o --output", "FILE", "Model file to write.")]
TableOutput = Annotated[Path, option("-o --output", "FILE", "File to write: .csv, .parquet or .feather.")]
ResultOutput = Annotated[
    Path | None,
    option("-o --output", "FILE", "File to write: .json for the numbers; .png, .svg or .pdf for a picture."),
]
FolderOutput = Annotated[Path, option("-o --output", "FOLDER", "Folder to write.")]
LearnerName = Annotated[str, typer.Option("--learner", metavar="NAME", help="linear, boosted, neural or auto.")]
AdvisedLearner = Annotated[
    str | None, option("--learner", "NAME", "linear, boosted, neural or auto; by default as recommended.")
]
MethodName = Annotated[str | None, option("--method", "NAME", "Method of the catalogue, such as FUMC-F.")]
Query = Annotated[str | None, option("--query", "SQL", "Query to a SQLite or DuckDB file.")]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, help="Seed of random numbers.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@dataclass(frozen=True)
class CohortOptions:
    """The table and what its columns are, as given on the command line; without a table the cohort is simulated."""

    table: Annotated[Path | None, typer.Argument(metavar="[TABLE]", show_default="a simulated cohort", **TABLE)] = None
    event: Annotated[
        str | None, option("--event", "COLUMN", "Column that says whether the event was seen: 0 or 1.")
    ] = None
    time: Annotated[
        str | None,
        option("--time", "COLUMN", "Column with the time of the event or, without it, of the end of follow-up."),
    ] = None
    follow_up: Annotated[
        str | None,
        option("--follow-up", "COLUMN", "Column with how long each person was, or would have been, followed."),
    ] = None
    entry: Annotated[
        str | None, option("--entry", "COLUMN", "Column with the dates of entry, where times follow from dates.")
    ] = None
    endpoint: Annotated[
        str | None, option("--endpoint", "DATE", "Date at which follow-up ended for everybody, as 2020-12-31.")
    ] = None
    event_value: Annotated[
        str | None, option("--event-value", "VALUE", "Value of the event column that means that it was seen.")
    ] = None
    propensity_features: Annotated[
        list[str] | None, option("--propensity-features", "COLUMNS", "Columns that decide who is seen, as a,b.")
    ] = None
    features: Annotated[
        list[str] | None, option("--features", "COLUMNS", "Columns to learn from, as a,b; by default all others.")
    ] = None
    drop: Annotated[list[str] | None, option("--drop", "COLUMNS", "Columns to leave out, as a,b.")] = None
    categorical: Annotated[
        list[str] | None, option("--categorical", "COLUMNS", "Columns whose numbers are categories, as a,b.")
    ] = None
    id: Annotated[
        list[str] | None, option("--id", "COLUMNS", "Columns that say who a person is, as a,b; never learned from.")
    ] = None
    group: Annotated[
        str | None, option("--group", "COLUMN", "Column whose equal values are rows that belong together.")
    ] = None
    query: Query = None
    seed: Seed = 0

    def check(self) -> None:
        """Refuse what does not go together, before anything is read."""
        if self.table is not None and self.event is None:
            raise CommandError("--event is missing: the column that says whether the event was seen.")
        given = [name for name in self.told() if name != "--seed"]
        if self.table is None and given:
            raise CommandError(f"{given[0]} needs a table: without one the cohort is simulated. Give the file first.")

    def told(self) -> dict[str, Any]:
        """Options that were given, by their names on the command line."""
        values = {"--" + entry.name.replace("_", "-"): getattr(self, entry.name) for entry in dataclasses.fields(self)}
        return {name: value for name, value in values.items() if name != "--table" and value not in (None, 0)}


def about_cohort(*, needs_table: bool = False, has_groups: bool = False) -> Callable[..., Callable[..., None]]:
    """Put the table and the options about its columns before a command's own; it gets them as its first argument."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared = _parameters(needs_table, has_groups)
        _, *own = inspect.signature(command, eval_str=True).parameters.values()

        @functools.wraps(command)
        def run(**given: Any) -> None:
            told = CohortOptions(**{entry.name: given.pop(entry.name) for entry in shared})
            told.check()
            command(told, **given)

        # Typer reads the signature, and resolves what is written in the annotations.
        parameters = [*shared, *(entry.replace(kind=inspect.Parameter.KEYWORD_ONLY) for entry in own)]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {entry.name: entry.annotation for entry in parameters}
        return run

    return decorate


def _parameters(needs_table: bool, has_groups: bool) -> list[inspect.Parameter]:
    """The fields of `CohortOptions` as parameters of a command."""
    hints = get_type_hints(CohortOptions, include_extras=True)
    if needs_table:
        hints["table"] = TablePath
    required = ("table", "event") if needs_table else ()
    return [
        inspect.Parameter(
            entry.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if entry.name in required else entry.default,
            annotation=hints[entry.name],
        )
        for entry in dataclasses.fields(CohortOptions)
        if entry.name != "group" or has_groups
    ]


def check_learner(name: str | None) -> None:
    """Refuse a learner that there is not."""
    if name is not None and name not in LEARNERS:
        raise CommandError(f"--learner must be one of {', '.join(LEARNERS)}, got {name!r}.")


def split_columns(given: Iterable[str] | None, names: Sequence[str]) -> list[str] | None:
    """Names of columns given as ``a,b``; a name with a comma in it is given whole, or in quotes."""
    found: list[str] = []
    for text in given or ():
        found += [text] if text in names else [part.strip() for part in next(csv.reader([text]), [])]
    return [name for name in found if name] or None


def split(given: Sequence[str] | None) -> list[str]:
    """Entries that are repeated options, separated by commas, or both."""
    return [part.strip() for text in given or () for part in text.split(",") if part.strip()]
