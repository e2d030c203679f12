"""``whether examine``, ``recommend``, ``backtest`` and ``sensitivity``: what a cohort allows one to say."""

from __future__ import annotations

from typing import Annotated, Any

from whether.cli.options import (
    AsJson,
    CohortOptions,
    Force,
    LearnerName,
    Prevalence,
    PrevalenceError,
    ResultOutput,
    Text,
    Texts,
    about_cohort,
    check_learner,
    flag,
    option,
    split,
)
from whether.cli.problems import CommandError
from whether.validate import check_between

EARLIER_DATE = "The earlier date, as 2015-12-31; needs --entry. By default, when half of the events had come."
STAGGER = "Without dates: cut follow-up evenly between 0 and this. By default, half of the events are hidden."
HORIZON = "Follow-up after which nobody event-free is still taken for positive; by default from the data."


@about_cohort()
def examine(cohort: CohortOptions, output: ResultOutput = None, force: Force = False, as_json: AsJson = False) -> None:
    """Say what a cohort allows one to learn: follow-up, event times, who is labeled, bounds.

    Without a table it runs on a simulated cohort. The picture shows the curve of events and the labels by follow-up.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether examine cohort.csv --event event --time time --follow-up follow_up -o evidence.png
    """  # noqa: D301
    from whether import advise
    from whether.cli.advice_output import answer

    answer(advise.examine, cohort, output, as_json, force)


@about_cohort()
def recommend(
    cohort: CohortOptions,
    prevalence: Prevalence = None,
    prevalence_error: PrevalenceError = None,
    output: ResultOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Recommend a method for a cohort: why, what it assumes, and what would change the answer.

    Without a table it runs on a simulated cohort. The picture is that of the evidence; see `whether examine`.

    \b
    Example:
      whether simulate late-reporting --n 2000 --seed 1 -o cohort.csv
      whether recommend cohort.csv --event event --time time --follow-up follow_up
    """  # noqa: D301
    from whether import advise
    from whether.cli.advice_output import answer

    share = {"prevalence": prevalence, "prevalence_error": prevalence_error}
    answer(advise.recommend, cohort, output, as_json, force, share)


@about_cohort(takes=("group",))
def backtest(
    cohort: CohortOptions,
    methods: Annotated[Texts, option("Methods, as LR,FUMC-F; by default all that apply.", "NAMES")] = None,
    learner: LearnerName = "linear",
    splits: Annotated[int, option("Number of random splits.", "NUMBER", shows=True, min=2)] = 10,
    test_size: Annotated[float, option("Share of the people, or groups, to be scored.", "SHARE", shows=True)] = 0.3,
    back_to: Annotated[Text, option(EARLIER_DATE, "DATE")] = None,
    stagger: Annotated[float | None, option(STAGGER, "LENGTH")] = None,
    horizon: Annotated[float | None, option(HORIZON, "LENGTH")] = None,
    no_advice: Annotated[bool, flag("--no-advice", "Leave out what would have been recommended then.")] = False,
    jobs: Annotated[int, option("Number of processes.", "NUMBER", shows=True, min=1)] = 1,
    output: ResultOutput = None,
    force: Force = False,
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
    from whether import advise
    from whether.cli.advice_output import answer

    if cohort.table is not None and not cohort.has_time:
        raise CommandError("A backtest works through event times: give the column as --time.")
    for name, value in (("--stagger", stagger), ("--horizon", horizon)):
        if value is not None and not 0 < value < float("inf"):
            raise CommandError(f"{name} must be a length of time above zero, got {value:g}.")
    check_between(test_size, "test_size")
    check_learner(learner)
    chosen, endpoint = _choose_methods(methods, cohort), _read_date(back_to, cohort, stagger)
    settings: dict[str, Any] = {"methods": chosen, "endpoint": endpoint}
    settings |= {"learner": learner, "stagger": stagger, "horizon": horizon, "test_size": test_size}
    settings |= {"advice": not no_advice, "n_splits": splits, "n_jobs": jobs}
    answer(advise.backtest, cohort, output, as_json, force, settings)


def _choose_methods(given: list[str] | None, cohort: CohortOptions) -> list[str] | None:
    from whether.cli.method_choice import find_method

    if given is None:
        return None
    chosen = [find_method(name, cohort) for name in split(given)]
    if not chosen:
        raise CommandError("--methods names none.")
    return list(dict.fromkeys(method.name for method in chosen))


def _read_date(text: str | None, cohort: CohortOptions, stagger: float | None) -> float | None:
    """Return a date as a number: decimal years, or as it is where the entries are numbers."""
    from whether.files.table.time_zero import read_date

    if text is None:
        return None
    if cohort.entry is None:
        raise CommandError("--back-to needs --entry: the column with everybody's date of entry. Or give --stagger.")
    if stagger is not None:
        raise CommandError("Give --back-to or --stagger, not both.")
    date = read_date(text)
    if date is None:
        wanted = "a date such as 2015-12-31, or a number where the entries are numbers"
        raise CommandError(f"--back-to must be {wanted}, got {text!r}.")
    return date


@about_cohort()
def sensitivity(
    cohort: CohortOptions,
    label_frequency: Annotated[Texts, option("Shares of the positives that are seen, as 0.3,0.5.", "SHARES")] = None,
    prevalence: Annotated[Texts, option("Shares of the people that are positive, as 0.3,0.5.", "SHARES")] = None,
    learner: LearnerName = "linear",
    output: ResultOutput = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say how the risk moves when the assumptions move: restriction, label frequency, prevalence, horizon.

    It fits some twenty models, which takes a while on a large table. Without a table it runs on a simulated cohort.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether sensitivity cohort.csv --event event --time time --follow-up follow_up -o bands.png
    """  # noqa: D301
    from whether import advise
    from whether.cli.advice_output import answer

    check_learner(learner)
    shares = {
        "label_frequency": _read_shares("--label-frequency", label_frequency),
        "prevalence": _read_shares("--prevalence", prevalence),
    }
    answer(advise.sensitivity, cohort, output, as_json, force, {**shares, "learner": learner}, draws_times=False)


def _read_shares(name: str, given: list[str] | None) -> list[float] | None:
    shares = []
    for text in split(given):
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not 0 < share <= 1:
            raise CommandError(f"{name} must be shares above 0 and at most 1, as 0.3,0.5; got {text!r}.")
        shares.append(share)
    return shares or None
