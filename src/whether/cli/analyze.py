"""``whether analyze``: from a table to a report, a model, predictions and a summary."""

from __future__ import annotations

from typing import Annotated

import typer

from whether.cli.options import AdvisedLearner, AsJson, CohortOptions, FolderOutput, about_cohort, check_learner
from whether.facts import FEWEST


@about_cohort(has_groups=True)
def analyze(
    cohort: CohortOptions,
    output: FolderOutput,
    learner: AdvisedLearner = None,
    unit: Annotated[str, typer.Option("--unit", metavar="UNIT", help="Unit of the times, such as years.")] = "",
    suppress_below: Annotated[
        int, typer.Option("--suppress-below", metavar="NUMBER", min=0, help="Smallest number of people that is told.")
    ] = FEWEST,
    no_suppress: Annotated[bool, typer.Option("--no-suppress", help="Tell all numbers of people.")] = False,
    no_backtest: Annotated[
        bool, typer.Option("--no-backtest", help="Leave out the backtest, which takes long.")
    ] = False,
    as_json: AsJson = False,
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
    from whether.cli.reporting import Job, run

    check_learner(learner)
    others = {
        "--learner": learner, "--unit": unit or None,
        "--suppress-below": None if suppress_below == FEWEST else suppress_below,
        "--no-suppress": no_suppress, "--no-backtest": no_backtest,
    }  # fmt: skip
    call = describe_call("whether analyze", cohort.table, {**cohort.told(), **others}, output)
    threshold = 0 if no_suppress or cohort.table is None else suppress_below
    run(Job(cohort, output, call, unit, learner, not no_backtest, threshold), as_json)
