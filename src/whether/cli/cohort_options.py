"""What every command that looks at a cohort is told about its table; without a table the cohort is simulated."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from whether.cli import options
from whether.cli.problems import CommandError

if TYPE_CHECKING:
    from whether.cli.reporting import SimulatedCohort, Table


@dataclass(frozen=True)
class CohortOptions:
    """The table and what its columns are, as given on the command line."""

    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]", help="CSV, Parquet, Feather, SQLite or DuckDB file.", show_default="a simulated cohort"
        ),
    ] = None
    event: Annotated[
        str | None,
        typer.Option(
            "--event", metavar="COLUMN", help="Column that says whether the event was seen: 0 or 1.", show_default=False
        ),
    ] = None
    time: options.TimeColumn = None
    follow_up: options.FollowUpColumn = None
    entry: options.EntryColumn = None
    endpoint: options.Endpoint = None
    event_value: options.EventValue = None
    propensity_features: options.PropensityFeatures = None
    features: options.Features = None
    drop: options.Drop = None
    categorical: options.Categorical = None
    ids: options.Ids = None
    group: options.Group = None
    query: options.Query = None
    seed: options.Seed = 0

    def source(self) -> SimulatedCohort | Table:
        """Return where the cohort comes from; refuse what does not go together, before anything is read."""
        from whether.cli.columns import Columns
        from whether.cli.reporting import SimulatedCohort, Table
        from whether.cli.roles import Roles

        if self.table is None:
            self._refuse_columns()
            return SimulatedCohort(self.seed)
        if self.event is None:
            raise CommandError("--event is missing: the column that says whether the event was seen.")
        roles = Roles(self.event, self.time, self.follow_up, self.entry, self.endpoint, self.event_value)
        named = self.propensity_features
        wishes = Columns(self.features, self.drop, self.categorical, self.ids, named, self.group)
        return Table(self.table, self.query, roles, wishes)

    def _refuse_columns(self) -> None:
        for entry in dataclasses.fields(self):
            if entry.name not in ("table", "seed") and getattr(self, entry.name) is not None:
                name = "--id" if entry.name == "ids" else "--" + entry.name.replace("_", "-")
                raise CommandError(f"{name} needs a table: without one the cohort is simulated. Give the file first.")


def about_cohort(command: Callable[..., None]) -> Callable[..., None]:
    """Put the table and the options about its columns before a command's own; it gets them as its first argument.

    Parameters
    ----------
    command : callable
        Its first parameter takes the `CohortOptions`.
    """
    hints = get_type_hints(CohortOptions, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(entry.name, keyword, default=entry.default, annotation=hints[entry.name])
        for entry in dataclasses.fields(CohortOptions)
    ]
    _, *own = inspect.signature(command, eval_str=True).parameters.values()

    @functools.wraps(command)
    def run(**given: Any) -> None:
        told = CohortOptions(**{entry.name: given.pop(entry.name) for entry in shared})
        command(told, **given)

    # Typer reads the signature, and resolves what is written in the annotations.
    parameters = [*shared, *(entry.replace(kind=keyword) for entry in own)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return run
