"""``whether check``: a first look at a table, before anything is learned from it."""

from __future__ import annotations

import typer

from whether.cli.options import AsJson, CohortOptions, about_cohort, default_folder


@about_cohort(needs_table=True, takes=("group", "by"), needs_event=False)
def check(cohort: CohortOptions, as_json: AsJson = False) -> None:
    """Look at a table: what each column seems to be, and what stands in the way of an analysis.

    Prints the command line to run. What cannot be told from names and cells, such as which of two columns is the event,
    is said and not decided. Exit code 0 if the table is ready, 1 if something stands in the way.

    \b
    Example:
      whether simulate baseline --n 400 --seed 1 -o cohort.csv
      whether check cohort.csv
      whether check cohort.csv --event event --time time --json
    """  # noqa: D301
    from whether.cli.asking import look, propose, tell_look

    found = look(cohort)
    commands = propose(cohort, found, {}, default_folder(cohort.table))
    tell_look(found, commands, as_json, command="check")
    if not found.is_ready:
        raise typer.Exit(1)
