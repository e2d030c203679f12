"""``whether backtest``: how each method would have done at an earlier date."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from whether.cli.options import (
    AsJson,
    CohortOptions,
    LearnerName,
    ResultOutput,
    about_cohort,
    check_learner,
    option,
    split,
)
from whether.cli.problems import CommandError


@about_cohort(has_groups=True)
def backtest(
    cohort: CohortOptions,
    methods: Annotated[
        list[str] | None, option("--methods", "NAMES", "Methods, as LR,FUMC-F; by default all that apply.")
    ] = None,
    learner: LearnerName = "linear",
    splits: Annotated[int, typer.Option("--splits", metavar="NUMBER", min=2, help="Number of random splits.")] = 10,
    test_size: Annotated[
        float, typer.Option("--test-size", metavar="SHARE", help="Share of the people, or groups, to be scored.")
    ] = 0.3,
    back_to: Annotated[
        str | None,
        option(
            "--back-to",
            "DATE",
            "The earlier date, as 2015-12-31; needs --entry. By default, when half of the events had come.",
        ),
    ] = None,
    stagger: Annotated[
        float | None,
        option(
            "--stagger",
            "LENGTH",
            "Without dates: cut follow-up evenly between 0 and this. By default, half of the events are hidden.",
        ),
    ] = None,
    horizon: Annotated[
        float | None,
        option(
            "--horizon",
            "LENGTH",
            "Follow-up after which nobody event-free is still taken for positive; by default from the data.",
        ),
    ] = None,
    no_advice: Annotated[
        bool, typer.Option("--no-advice", help="Leave out what would have been recommended then.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", metavar="NUMBER", min=1, help="Number of processes.")] = 1,
    output: ResultOutput = None,
    as_json: AsJson = False,
) -> None:
    """Put a cohort back to an earlier date, fit every method to what was known, score it with what is known now.

    It fits every method once per split, which takes a while: --methods and --splits make it shorter, --jobs spreads it.
    Rows with the same --group stay together. Without a table it runs on a simulated cohort.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether backtest cohort.csv --event event --time time --follow-up follow_up --methods LR,FUMC-F,AFTMC-F

    \b
    With dates:
      whether backtest patients.csv --event relapse --time last_seen --entry surgery --back-to 2015-12-31 -o scores.png
    """  # noqa: D301
    from whether.advise import backtest as run_backtest
    from whether.cli.answer import answer
    from whether.facts import Told
    from whether.files.table import TableCohort

    if cohort.table is not None and cohort.time is None:
        raise CommandError("A backtest works through event times: give the column as --time.")
    _check_positive({"--stagger": stagger, "--horizon": horizon})
    if not 0 < test_size < 1:
        raise CommandError(f"--test-size must lie between 0 and 1, got {test_size:g}.")
    check_learner(learner)
    settings: dict[str, Any] = {
        "methods": _choose_methods(methods, named=cohort.propensity_features is not None),
        "learner": learner,
        "endpoint": _read_date(back_to, has_entry=cohort.entry is not None, stagger=stagger),
        "stagger": stagger,
        "horizon": horizon,
        "advice": not no_advice,
        "n_splits": splits,
        "test_size": test_size,
        "n_jobs": jobs,
    }

    def find(people: TableCohort) -> Told:
        return run_backtest(
            people.X, people.y, **people.known, **settings, groups=people.groups, random_state=cohort.seed
        )

    answer("backtest", cohort, output, as_json, find)


def _check_positive(given: dict[str, float | None]) -> None:
    for name, value in given.items():
        if value is not None and not 0 < value < float("inf"):
            raise CommandError(f"{name} must be a length of time above zero, got {value:g}.")


def _choose_methods(given: list[str] | None, *, named: bool) -> list[str] | None:
    from whether.cli.fitting import find_method

    if given is None:
        return None
    chosen = [find_method(name) for name in split(given)]
    for method in chosen:
        if method.feature_parameter and not named:
            raise CommandError(f"{method.name} needs --propensity-features, the columns that decide who is seen.")
    if not chosen:
        raise CommandError("--methods names none.")
    return list(dict.fromkeys(method.name for method in chosen))


def _read_date(text: str | None, *, has_entry: bool, stagger: float | None) -> float | None:
    """Return a date as a number: decimal years, or as it is where the entries are numbers."""
    from whether.files.table.outcome import read_date

    if text is None:
        return None
    if not has_entry:
        raise CommandError("--back-to needs --entry: the column with everybody's date of entry. Or give --stagger.")
    if stagger is not None:
        raise CommandError("Give --back-to or --stagger, not both.")
    date = read_date(text)
    if date is None:
        wanted = "a date such as 2015-12-31, or a number where the entries are numbers"
        raise CommandError(f"--back-to must be {wanted}, got {text!r}.")
    return date
