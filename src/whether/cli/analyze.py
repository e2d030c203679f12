"""``whether analyze``: from a table to a report, a model, predictions and a summary."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from whether.cli.options import (
    AdvisedLearner,
    AsJson,
    CohortOptions,
    FolderOutput,
    Prevalence,
    PrevalenceError,
    Text,
    about_cohort,
    check_learner,
    command_line,
    default_folder,
    flag,
    option,
)
from whether.facts import FEWEST


@about_cohort(takes=("group", "by"), needs_event=False)
def analyze(
    cohort: CohortOptions,
    output: FolderOutput = None,
    learner: AdvisedLearner = None,
    unit: Annotated[str, option("Unit of the times, such as years.", "UNIT", shows=True)] = "",
    suppress_below: Annotated[
        int, option("Smallest number of people that is shown.", "NUMBER", shows=True, min=0)
    ] = FEWEST,
    no_suppress: Annotated[bool, flag("--no-suppress", "Show all numbers of people, however small.")] = False,
    prevalence: Prevalence = None,
    prevalence_error: PrevalenceError = None,
    no_backtest: Annotated[bool, flag("--no-backtest", "Leave out the backtest, which takes long.")] = False,
    publication: Annotated[
        Text, option("Also write tables for a publication: word, latex or csv.", "FORMAT", "--table")
    ] = None,
    paragraphs: Annotated[
        bool, flag("--paragraphs", "Also print a paragraph for methods and one for results.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer from a table how many will have the event, and who: examine, recommend, fit, check, report.

    Writes a folder with report.html, model.whether, predictions.csv and summary.json. The predictions are
    individual-level data; the report and the summary contain none. Without a table it runs on a simulated cohort.
    Without --event it looks at the table, like `whether check`, and proposes the full command line; on a terminal it
    asks for what it cannot tell, and goes on.

    \b
    Example:
      whether analyze -o demo-report
      whether analyze cohort.csv
      whether analyze cohort.csv --event diagnosed --time age_at_end --id patient --unit years -o report
      whether analyze cohort.csv --event diagnosed --time age_at_end --by stage --by arm -o report
      whether analyze cohort.csv --event diagnosed --time age_at_end --table word --paragraphs -o report

    \b
    With the share of positives known from elsewhere, where follow-up is short:
      whether analyze cohort.csv --event relapse --time years --prevalence 0.31 --prevalence-error 0.03 -o report

    \b
    With dates:
      whether analyze patients.parquet --event relapse --time last_seen --entry surgery --endpoint 2020-12-31 -o report
    """  # noqa: D301
    from whether.cli.asking import settle
    from whether.cli.reporting import Wanted, run
    from whether.telling.publication.writing import check_table_format

    check_learner(learner)
    if publication is not None:
        check_table_format(publication)
    folder = output or Path(default_folder(cohort.table))
    others = {
        "--learner": learner, "--unit": unit or None,
        "--suppress-below": None if suppress_below == FEWEST else suppress_below,
        "--prevalence": prevalence, "--prevalence-error": prevalence_error,
        "--no-suppress": no_suppress, "--no-backtest": no_backtest, "--table": publication,
    }  # fmt: skip
    if cohort.table is not None and cohort.event is None and cohort.event_date is None:
        cohort = settle(cohort, others, str(folder), as_json)
    # Files without their folders, which tell of the machine.
    table = None if cohort.table is None else cohort.table.name
    call = command_line("analyze", table, {**cohort.told(), **others}, folder.name)
    threshold = 0 if no_suppress or cohort.table is None else suppress_below
    settings: dict[str, Any] = {"learner": learner, "backtest": not no_backtest}
    settings |= {"prevalence": prevalence, "prevalence_error": prevalence_error}
    wanted = Wanted(as_json, publication, paragraphs)
    run(cohort, folder, wanted, threshold, settings, unit=unit, call=call)
