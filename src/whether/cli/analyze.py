"""``whether analyze``: from a table to a report, a model, predictions and a summary."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from whether.cli.options import (
    AdvisedLearner,
    AsJson,
    CohortOptions,
    FolderOutput,
    about_cohort,
    check_learner,
    flag,
    option,
)
from whether.facts import FEWEST


@about_cohort(takes=("group", "by"))
def analyze(
    cohort: CohortOptions,
    output: FolderOutput,
    learner: AdvisedLearner = None,
    unit: Annotated[str, option("Unit of the times, such as years.", "UNIT", shows=True)] = "",
    suppress_below: Annotated[
        int, option("Smallest number of people that is told.", "NUMBER", shows=True, min=0)
    ] = FEWEST,
    no_suppress: Annotated[bool, flag("--no-suppress", "Tell all numbers of people.")] = False,
    no_backtest: Annotated[bool, flag("--no-backtest", "Leave out the backtest, which takes long.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer from a table how many will have the event, and who: examine, recommend, fit, check, report.

    Writes a folder with report.html, model.whether, predictions.csv and summary.json. The predictions are about single
    persons; the report and the summary are not. Without a table it runs on a simulated cohort.

    \b
    Example:
      whether analyze -o demo-report
      whether analyze cohort.csv --event diagnosed --time age_at_end --id patient --unit years -o report
      whether analyze cohort.csv --event diagnosed --time age_at_end --by stage --by arm -o report

    \b
    With dates:
      whether analyze patients.parquet --event relapse --time last_seen --entry surgery --endpoint 2020-12-31 -o report
    """  # noqa: D301
    from whether.cli.reporting import run

    check_learner(learner)
    others = {
        "--learner": learner, "--unit": unit or None,
        "--suppress-below": None if suppress_below == FEWEST else suppress_below,
        "--no-suppress": no_suppress, "--no-backtest": no_backtest,
    }  # fmt: skip
    call = describe_call(cohort.table, {**cohort.told(), **others}, output)
    threshold = 0 if no_suppress or cohort.table is None else suppress_below
    settings = {"learner": learner, "backtest": not no_backtest}
    run(cohort, output, as_json, threshold, settings, unit=unit, call=call)


def describe_call(table: Path | None, options: Mapping[str, Any], output: Path) -> str:
    """Write the command that repeats an analysis; files without their folders, which tell of the machine.

    None and False are left out, True is the option alone, and a list is the option once per entry.

    >>> describe_call(Path("/data/my cohort.csv"), {"--event": "relapse", "--seed": None}, Path("r"))
    "whether analyze 'my cohort.csv' --event relapse -o r"
    """
    words = [] if table is None else [table.name]
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            for entry in value if isinstance(value, (list, tuple)) else [value]:
                words += [name, str(entry)]
    return shlex.join(["whether", "analyze", *words, "-o", output.name])
