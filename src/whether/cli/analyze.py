"""``whether analyze``: from a table to a report, a model, predictions and a summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whether.cli import options
from whether.cli.fit import LEARNERS
from whether.cli.problems import CommandError

if TYPE_CHECKING:
    from whether.cli.roles import Roles

# Smaller numbers of people are not told unless asked for; the same as in the notes about a table.
SMALLEST_GROUP = 11


def analyze(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Folder to write.", show_default=False)
    ],
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]", help="CSV, Parquet, Feather, SQLite or DuckDB file.", show_default="a simulated cohort"
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(
            "--event", metavar="COLUMN", help="Column that says whether the event was seen: 0 or 1.", show_default=False
        ),
    ] = None,
    time: options.TimeColumn = None,
    follow_up: options.FollowUpColumn = None,
    entry: options.EntryColumn = None,
    endpoint: options.Endpoint = None,
    event_value: options.EventValue = None,
    propensity_features: options.PropensityFeatures = None,
    features: options.Features = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    ids: options.Ids = None,
    group: options.Group = None,
    query: options.Query = None,
    learner: Annotated[
        str | None,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="linear, boosted, neural or auto; by default as recommended.",
            show_default=False,
        ),
    ] = None,
    unit: Annotated[str, typer.Option("--unit", metavar="UNIT", help="Unit of the times, such as years.")] = "",
    suppress_below: Annotated[
        int, typer.Option("--suppress-below", metavar="NUMBER", min=0, help="Smallest number of people that is told.")
    ] = SMALLEST_GROUP,
    no_suppress: Annotated[bool, typer.Option("--no-suppress", help="Tell all numbers of people.")] = False,
    no_backtest: Annotated[
        bool, typer.Option("--no-backtest", help="Leave out the backtest, which takes long.")
    ] = False,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Answer from a table how many will have the event, and who: examine, recommend, fit, check, report.

    Writes a folder with report.html, model.whether, predictions.csv and summary.json. The predictions are about single
    persons; the report and the summary are not. Without a table it runs on a simulated cohort.

    \b
    Example:
      whether analyze -o demo-report
      whether analyze cohort.csv --event diagnosed --time age_at_end --id patient --unit years -o report

    \b
    With dates:
      whether analyze patients.parquet --event relapse --time last_seen --entry surgery --endpoint 2020-12-31 -o report
    """  # noqa: D301
    from whether.cli.call import describe_call
    from whether.cli.columns import Columns
    from whether.cli.reporting import Job, SimulatedCohort, Table, run

    if learner is not None and learner not in LEARNERS:
        raise CommandError(f"--learner must be one of {', '.join(LEARNERS)}, got {learner!r}.")
    given = {
        "--event": event, "--time": time, "--follow-up": follow_up, "--entry": entry, "--endpoint": endpoint,
        "--event-value": event_value, "--propensity-features": propensity_features, "--features": features,
        "--drop": drop, "--categorical": categorical, "--id": ids, "--group": group, "--query": query,
    }  # fmt: skip
    others = {
        "--learner": learner, "--unit": unit or None,
        "--suppress-below": None if suppress_below == SMALLEST_GROUP else suppress_below,
        "--no-suppress": no_suppress, "--no-backtest": no_backtest, "--seed": seed or None,
    }  # fmt: skip
    source: SimulatedCohort | Table
    if table is None:
        _refuse_columns(given)
        source = SimulatedCohort(seed)
    else:
        if event is None:
            raise CommandError("--event is missing: the column that says whether the event was seen.")
        roles = _roles(event, time, follow_up, entry, endpoint, event_value)
        source = Table(table, query, roles, Columns(features, drop, categorical, ids, propensity_features, group))
    call = describe_call("whether analyze", table, {**given, **others}, output)
    threshold = 0 if no_suppress or table is None else suppress_below
    run(Job(source, output, call, unit, learner, not no_backtest, threshold, seed), as_json)


def _roles(*given: Any) -> Roles:
    from whether.cli.roles import Roles

    return Roles(*given)


def _refuse_columns(given: dict[str, Any]) -> None:
    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        raise CommandError(f"{name} needs a table: without one the cohort is simulated. Give the file first.")
