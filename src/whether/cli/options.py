"""Arguments and options that several commands have, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TablePath = Annotated[
    Path, typer.Argument(metavar="TABLE", help="CSV, Parquet, Feather, SQLite or DuckDB file.", show_default=False)
]
ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.", show_default=False)]
ModelOutput = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="Model file to write.", show_default=False)
]
TableOutput = Annotated[
    Path,
    typer.Option(
        "-o", "--output", metavar="FILE", help="File to write: .csv, .parquet or .feather.", show_default=False
    ),
]
EventColumn = Annotated[
    str,
    typer.Option(
        "--event", metavar="COLUMN", help="Column that says whether the event was seen: 0 or 1.", show_default=False
    ),
]
EventValue = Annotated[
    str | None,
    typer.Option("--event-value", metavar="VALUE", help="Value of the event column that means that it was seen."),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time", metavar="COLUMN", help="Column with the time of the event or, without it, of the end of follow-up."
    ),
]
FollowUpColumn = Annotated[
    str | None,
    typer.Option(
        "--follow-up", metavar="COLUMN", help="Column with how long each person was, or would have been, followed."
    ),
]
EntryColumn = Annotated[
    str | None,
    typer.Option("--entry", metavar="COLUMN", help="Column with the dates of entry, where times follow from dates."),
]
Endpoint = Annotated[
    str | None,
    typer.Option("--endpoint", metavar="DATE", help="Date at which follow-up ended for everybody, as 2020-12-31."),
]
MethodName = Annotated[
    str | None,
    typer.Option("--method", metavar="NAME", help="Method of the catalogue, such as FUMC-F.", show_default=False),
]
LearnerName = Annotated[str, typer.Option("--learner", metavar="NAME", help="linear, boosted, neural or auto.")]
PropensityFeatures = Annotated[
    list[str] | None,
    typer.Option("--propensity-features", metavar="COLUMNS", help="Columns that decide who is seen, as a,b."),
]
Features = Annotated[
    list[str] | None,
    typer.Option("--features", metavar="COLUMNS", help="Columns to learn from, as a,b; by default all others."),
]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMNS", help="Columns to leave out, as a,b.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option("--categorical", metavar="COLUMNS", help="Columns whose numbers are categories, as a,b."),
]
Ids = Annotated[
    list[str] | None,
    typer.Option("--id", metavar="COLUMNS", help="Columns that say who a person is, as a,b; never learned from."),
]
Query = Annotated[str | None, typer.Option("--query", metavar="SQL", help="Query to a SQLite or DuckDB file.")]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, help="Seed of random numbers.")]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COLUMN", help="Column whose equal values are rows that belong together."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
