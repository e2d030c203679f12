"""Arguments and options that several commands have, each described once."""

from __future__ import annotations

import csv
import dataclasses
import functools
import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from whether.cli.problems import CommandError

# Options about columns, and further files of the table, that only some commands have.
SPECIAL = ("group", "by", "more")
# Options that list columns.
COLUMN_LISTS = ("features", "drop", "categorical", "propensity_features", "id", "by", "keep")
LEARNERS = ("linear", "boosted", "neural", "auto")


Text = str | None
Texts = list[str] | None


def option(text: str, metavar: str = "COLUMN", flags: str = "", shows: bool = False, **settings: Any) -> Any:
    """Option that is called like its parameter, unless flags are given, and whose default is not worth showing."""
    return typer.Option(*flags.split(), metavar=metavar, help=text, show_default=shows, **settings)


def flag(name: str, text: str) -> Any:
    """Option that is given or not."""
    return typer.Option(name, help=text)


def _output(text: str, metavar: str = "FILE") -> Any:
    return option(text, metavar, "-o --output")


TABLE = {
    "help": "CSV, Parquet, Feather, Excel, Stata, SPSS, SAS, R (.rds), SQLite or DuckDB file; 'part-*.csv' for several "
    "files of one table; - for standard input."
}
TablePath = Annotated[Path, typer.Argument(metavar="TABLE", show_default=False, **TABLE)]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.", show_default=False)]
ModelOutput = Annotated[Path, _output("Model file to write.")]
TableOutput = Annotated[Path, _output("File to write: .csv, .parquet or .feather.")]
ResultOutput = Annotated[
    Path | None, _output("File to write: .json for the numbers; .png, .svg or .pdf for a picture.")
]
FolderOutput = Annotated[
    Path | None, _output("Folder to write; by default called like the table, as cohort-report.", "FOLDER")
]
LearnerName = Annotated[str, option("linear, boosted, neural or auto.", "NAME", shows=True)]
AdvisedLearner = Annotated[Text, option("linear, boosted, neural or auto; by default as recommended.", "NAME")]
Prevalence = Annotated[float | None, option("Share of positives that is known from elsewhere.", "SHARE")]
PrevalenceError = Annotated[float | None, option("Standard error of --prevalence.", "NUMBER")]
Query = Annotated[Text, option("Query to a SQLite or DuckDB file.", "SQL")]
Seed = Annotated[int, option("Seed of random numbers.", "NUMBER", shows=True, min=0)]
Sheet = Annotated[Text, option("Sheet of a workbook, if it has several.", "NAME")]
Force = Annotated[bool, flag("--force", "Replace the output even if it is not a file that whether wrote.")]
AsJson = Annotated[bool, flag("--json", "Print one JSON object.")]


@dataclass(frozen=True)
class CohortOptions:
    """The table and what its columns are, as given on the command line; without a table the cohort is simulated."""

    table: Annotated[Path | None, typer.Argument(metavar="[TABLE]", show_default="a simulated cohort", **TABLE)] = None
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[TABLE]...", help="Further files of the same table.")
    ] = None
    event: Annotated[Text, option("Column that says whether the event was seen: 0 or 1.")] = None
    time: Annotated[Text, option("Column with the time of the event or, without it, of the end of follow-up.")] = None
    follow_up: Annotated[Text, option("Column with how long each person was, or would have been, followed.")] = None
    entry: Annotated[Text, option("Column with the dates of entry, where times follow from dates.")] = None
    endpoint: Annotated[
        Text, option("Date at which follow-up ended for everybody, as 2020-12-31, 2020-12 or 2020.", "DATE")
    ] = None
    event_value: Annotated[
        Texts, option("Values of the event column that mean that it was seen, as a,b.", "VALUES")
    ] = None
    competing: Annotated[
        Texts, option("Values of the event column that mean that something else came first, as a,b.", "VALUES")
    ] = None
    question: Annotated[
        Text, option("With --competing: lifetime (the event before that) or net (as if that never happened).", "NAME")
    ] = None
    event_date: Annotated[
        Text, option("In place of --event: column with the date of the event, empty where it was not seen.")
    ] = None
    last_contact: Annotated[Text, option("With --event-date: column with the date last seen.")] = None
    entry_time: Annotated[
        Text, option("Column with the time at which observation began, event-free, on the scale of --time.")
    ] = None
    time_lower: Annotated[
        Text, option("Column with the last time without the event, where it came between two visits.")
    ] = None
    never_after: Annotated[
        float | None, option("Time after which the event can no longer happen, on the scale of --time.", "NUMBER")
    ] = None
    propensity_features: Annotated[Texts, option("Columns that decide who is seen, as a,b.", "COLUMNS")] = None
    features: Annotated[Texts, option("Columns to learn from, as a,b, or none; by default all others.", "COLUMNS")] = (
        None
    )
    drop: Annotated[Texts, option("Columns to leave out, as a,b.", "COLUMNS")] = None
    keep: Annotated[Texts, option("Columns to use, as a,b, even if they seem to give the outcome away.", "COLUMNS")] = (
        None
    )
    categorical: Annotated[Texts, option("Columns whose numbers are categories, as a,b.", "COLUMNS")] = None
    id: Annotated[Texts, option("Columns that say who a person is, as a,b; never learned from.", "COLUMNS")] = None
    group: Annotated[Text, option("Column whose equal values mark rows that belong together.")] = None
    by: Annotated[Texts, option("Columns whose levels each get an answer of their own, as a,b.", "COLUMNS")] = None
    query: Query = None
    sheet: Sheet = None
    seed: Seed = 0

    def check(self, *, needs_event: bool = True) -> None:
        """Refuse what does not go together, before anything is read."""
        if needs_event and self.table is not None and self.event is None and self.event_date is None:
            raise CommandError(
                "--event is missing: the column that says whether the event was seen; or --event-date, with its date. "
                "`whether check` looks at the table and proposes one."
            )
        if self.question not in (None, "lifetime", "net"):
            raise CommandError(
                f"--question must be lifetime (will the event come before death?) or net (would it come in a world "
                f"without other deaths?), got {self.question!r}."
            )
        if self.question is not None and self.competing is None:
            raise CommandError("--question is about deaths: say with --competing which values of the event they are.")
        given = [name for name in self.told() if name != "--seed"]
        if self.table is None and given:
            raise CommandError(f"{given[0]} needs a table: without one the cohort is simulated. Give the file first.")

    @functools.cached_property
    def source(self) -> Any:
        """The table, opened once: standard input can be read only once."""
        from whether.files.table import open_table

        return open_table(self.tables, query=self.query, sheet=self.sheet)

    @property
    def tables(self) -> Any:
        """File or pattern of the table, or the files, where a shell has put them in place of a pattern."""
        return [self.table, *self.more] if self.more else self.table

    def replaced(self, **settings: Any) -> CohortOptions:
        """The same table, with other parameters of `read_cohort`."""
        listed: dict[str, Any] = {}
        for name in (*COLUMN_LISTS, "event_value", "competing"):
            if settings.get(name):
                entries = [settings[name]] if isinstance(settings[name], str) else list(settings[name])
                listed[name] = entries if name in COLUMN_LISTS else [_quote(entry) for entry in entries]
        changed = dataclasses.replace(self, **{**settings, **listed})
        changed.__dict__["source"] = self.source  # standard input is read only once
        return changed

    @property
    def has_time(self) -> bool:
        """Whether there are times of the event."""
        return self.time is not None or self.event_date is not None

    def told(self) -> dict[str, Any]:
        """Options that were given, by their names on the command line."""
        values = {"--" + entry.name.replace("_", "-"): getattr(self, entry.name) for entry in dataclasses.fields(self)}
        return {
            name: value
            for name, value in values.items()
            if name not in ("--table", "--more") and value not in (None, 0)
        }


def about_cohort(
    *, needs_table: bool = False, takes: Sequence[str] = (), needs_event: bool = True
) -> Callable[..., Callable[..., None]]:
    """Put the table and the options about its columns before a command's own; it gets them as its first argument.

    Of `SPECIAL` options it has those that are named. A command that can find out what the event is does not need it.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared = _parameters(needs_table, takes)
        _, *own = inspect.signature(command, eval_str=True).parameters.values()

        @functools.wraps(command)
        def run(**given: Any) -> None:
            told = CohortOptions(**{entry.name: given.pop(entry.name) for entry in shared})
            told.check(needs_event=needs_event)
            command(told, **given)

        # Typer reads the signature, and resolves what is written in the annotations.
        parameters = [*shared, *(entry.replace(kind=inspect.Parameter.KEYWORD_ONLY) for entry in own)]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {entry.name: entry.annotation for entry in parameters}
        return run

    return decorate


def _parameters(needs_table: bool, takes: Sequence[str]) -> list[inspect.Parameter]:
    """The fields of `CohortOptions` as parameters of a command."""
    hints = get_type_hints(CohortOptions, include_extras=True)
    if needs_table:
        hints["table"] = TablePath
    required = ("table",) if needs_table else ()
    return [
        inspect.Parameter(
            entry.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if entry.name in required else entry.default,
            annotation=hints[entry.name],
        )
        for entry in dataclasses.fields(CohortOptions)
        if entry.name not in SPECIAL or entry.name in takes
    ]


def command_line(command: str, table: str | None, options: Mapping[str, Any], output: str) -> str:
    """Write a command as it can be pasted into a shell.

    None and False are left out, True is the option alone, and a list is the option once per entry.

    >>> command_line("analyze", "my cohort.csv", {"--event": "relapse", "--id": ["a", "-b"], "--seed": None}, "r")
    "whether analyze 'my cohort.csv' --event relapse --id a --id=-b -o r"
    """
    words = [] if table is None else [table]
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            for entry in value if isinstance(value, (list, tuple)) else [value]:
                words += [f"{name}={entry}"] if str(entry).startswith("-") else [name, str(entry)]
    return shlex.join(["whether", command, *words, "-o", output])


def default_folder(table: Path | None) -> str:
    """Name of the folder of an analysis, where none was given."""
    name = "" if table is None or str(table) == "-" else table.stem.strip("*?-_. ")
    return f"{name or 'whether'}-report"


def _quote(entry: str) -> str:
    """Write one entry of a list as `split` reads it."""
    return '"' + entry.replace('"', '""') + '"' if set(',"') & set(entry) else entry


def check_learner(name: str | None) -> None:
    """Refuse a learner that there is not."""
    if name is not None and name not in LEARNERS:
        raise CommandError(f"--learner must be one of {', '.join(LEARNERS)}, got {name!r}.")


def check_penalty(penalty: str) -> None:
    """Refuse a value of --penalty that there is not, before anything is read."""
    if penalty not in ("auto", "none"):
        raise CommandError(f"--penalty must be auto or none, got {penalty!r}.")


def list_columns(given: Sequence[str] | None, names: Sequence[str], option: str) -> list[str] | None:
    """Columns that an option lists: None where it was not given, and no columns for "none", unless one is called so."""
    if given is None:
        return None
    if list(given) == ["none"] and "none" not in names:
        return []
    listed = split(given, names)
    if not listed:
        raise CommandError(f"--{option.replace('_', '-')} is empty: give names of columns, as a,b, or leave it out.")
    return listed


def split(given: Iterable[str] | None, names: Sequence[str] = ()) -> list[str]:
    """Entries given as ``a,b``, repeatedly, or both; the name of a column with a comma is given whole, or in quotes."""
    found: list[str] = []
    for text in given or ():
        found += [text] if text in names else [part.strip() for part in next(csv.reader([text]), [])]
    return [name for name in found if name]
