"""``whether examine``, ``recommend``, ``backtest``, ``sensitivity``: what a cohort allows, and whether it holds up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whether.cli import options
from whether.cli.cohort_options import CohortOptions, about_cohort
from whether.cli.fit import LEARNERS
from whether.cli.problems import CommandError

if TYPE_CHECKING:
    from whether.methods import Method

ResultOutput = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="File to write: .json for the numbers; .png, .svg or .pdf for a picture.",
        show_default=False,
    ),
]


@about_cohort
def examine(cohort: CohortOptions, output: ResultOutput = None, as_json: options.AsJson = False) -> None:
    """Say what a cohort allows one to learn: follow-up, event times, who is labeled, bounds.

    Without a table it runs on a simulated cohort. The picture shows the curve of events and the labels by follow-up.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether examine cohort.csv --event event --time time --follow-up follow_up -o evidence.png
    """  # noqa: D301
    from whether.advise import examine as examine_cohort
    from whether.cli.answer import Answer, answer

    def find(X: Any, y: Any, known: dict[str, Any]) -> Answer:
        evidence = examine_cohort(X, y, **known, random_state=cohort.seed)
        return Answer({"evidence": evidence.to_dict()}, evidence.to_text, evidence.plot)

    answer("examine", cohort, output, as_json, find)


@about_cohort
def recommend(cohort: CohortOptions, output: ResultOutput = None, as_json: options.AsJson = False) -> None:
    """Recommend a method for a cohort: why, what it assumes, and what would change the answer.

    Without a table it runs on a simulated cohort. The picture is that of the evidence; see `whether examine`.

    \b
    Example:
      whether simulate late-reporting --n 2000 --seed 1 -o cohort.csv
      whether recommend cohort.csv --event event --time time --follow-up follow_up
    """  # noqa: D301
    from whether.advise import recommend as recommend_method
    from whether.cli.answer import Answer, answer

    def find(X: Any, y: Any, known: dict[str, Any]) -> Answer:
        advice = recommend_method(X, y, **known, random_state=cohort.seed)
        told = advice.to_dict()
        return Answer({"evidence": told.pop("evidence"), "recommendation": told}, advice.to_text, advice.evidence.plot)

    answer("recommend", cohort, output, as_json, find)


@about_cohort
def backtest(
    cohort: CohortOptions,
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", metavar="NAMES", help="Methods, as LR,FUMC-F; by default all that apply."),
    ] = None,
    learner: options.LearnerName = "linear",
    splits: Annotated[int, typer.Option("--splits", metavar="NUMBER", min=2, help="Number of random splits.")] = 10,
    test_size: Annotated[
        float, typer.Option("--test-size", metavar="SHARE", help="Share of the people, or groups, to be scored.")
    ] = 0.3,
    back_to: Annotated[
        str | None,
        typer.Option(
            "--back-to",
            metavar="DATE",
            help="The earlier date, as 2015-12-31; needs --entry. By default, when half of the events had come.",
            show_default=False,
        ),
    ] = None,
    stagger: Annotated[
        float | None,
        typer.Option(
            "--stagger",
            metavar="LENGTH",
            help="Without dates: cut follow-up evenly between 0 and this. By default, half of the events are hidden.",
            show_default=False,
        ),
    ] = None,
    horizon: Annotated[
        float | None,
        typer.Option(
            "--horizon",
            metavar="LENGTH",
            help="Follow-up after which nobody event-free is still taken for positive; by default from the data.",
            show_default=False,
        ),
    ] = None,
    no_advice: Annotated[
        bool, typer.Option("--no-advice", help="Leave out what would have been recommended then.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", metavar="NUMBER", min=1, help="Number of processes.")] = 1,
    output: ResultOutput = None,
    as_json: options.AsJson = False,
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
    from whether.cli.answer import Answer, answer

    source = cohort.source()
    if source.roles.time is None:
        raise CommandError("A backtest works through event times: give the column as --time.")
    _check_positive({"--stagger": stagger, "--horizon": horizon})
    if not 0 < test_size < 1:
        raise CommandError(f"--test-size must lie between 0 and 1, got {test_size:g}.")
    settings: dict[str, Any] = {
        "methods": _choose_methods(methods, named=cohort.propensity_features is not None),
        "learner": _check_learner(learner),
        "endpoint": _read_date(back_to, has_entry=source.roles.entry is not None, stagger=stagger),
        "stagger": stagger,
        "horizon": horizon,
        "advice": not no_advice,
        "n_splits": splits,
        "test_size": test_size,
        "n_jobs": jobs,
    }

    def find(X: Any, y: Any, known: dict[str, Any], groups: Any) -> Answer:
        record = run_backtest(X, y, **known, **settings, groups=groups, random_state=cohort.seed)
        return Answer({"backtest": record.to_dict()}, record.to_text, record.plot)

    answer("backtest", cohort, output, as_json, find, wants_groups=True)


@about_cohort
def sensitivity(
    cohort: CohortOptions,
    label_frequency: Annotated[
        list[str] | None,
        typer.Option("--label-frequency", metavar="SHARES", help="Shares of the positives that are seen, as 0.3,0.5."),
    ] = None,
    prevalence: Annotated[
        list[str] | None,
        typer.Option("--prevalence", metavar="SHARES", help="Shares of the people that are positive, as 0.3,0.5."),
    ] = None,
    learner: options.LearnerName = "linear",
    output: ResultOutput = None,
    as_json: options.AsJson = False,
) -> None:
    """Say how the risk moves when the assumptions move: restriction, label frequency, prevalence, horizon.

    It fits some twenty models, which takes a while on a large table. Without a table it runs on a simulated cohort.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether sensitivity cohort.csv --event event --time time --follow-up follow_up -o bands.png
    """  # noqa: D301
    from whether.advise import sensitivity as move_assumptions
    from whether.cli.answer import Answer, answer

    settings: dict[str, Any] = {
        "label_frequency": _read_shares("--label-frequency", label_frequency),
        "prevalence": _read_shares("--prevalence", prevalence),
        "learner": _check_learner(learner),
    }

    def find(X: Any, y: Any, known: dict[str, Any]) -> Answer:
        moved = move_assumptions(X, y, **known, **settings, random_state=cohort.seed)
        return Answer({"sensitivity": moved.to_dict()}, moved.to_text, moved.plot)

    answer("sensitivity", cohort, output, as_json, find, draws_times=False)


# ---------------------------------------------------------------- options of their own


def _check_learner(name: str) -> str:
    if name not in LEARNERS:
        raise CommandError(f"--learner must be one of {', '.join(LEARNERS)}, got {name!r}.")
    return name


def _check_positive(given: dict[str, float | None]) -> None:
    for name, value in given.items():
        if value is not None and not 0 < value < float("inf"):
            raise CommandError(f"{name} must be a length of time above zero, got {value:g}.")


def _split(given: Sequence[str] | None) -> list[str]:
    return [part.strip() for option in given or () for part in option.split(",") if part.strip()]


def _choose_methods(given: Sequence[str] | None, *, named: bool) -> list[str] | None:
    from whether.files.table import suggest
    from whether.methods import METHODS

    if given is None:
        return None
    by_name: dict[str, Method] = {name.lower(): method for name, method in METHODS.items()}
    chosen = []
    for name in _split(given):
        method = by_name.get(name.lower())
        if method is None:
            raise CommandError(f"There is no method {name!r} (there are {', '.join(METHODS)}).{suggest(name, METHODS)}")
        if method.feature_parameter and not named:
            raise CommandError(f"{method.name} needs --propensity-features, the columns that decide who is seen.")
        chosen.append(method.name)
    if not chosen:
        raise CommandError("--methods names none.")
    return list(dict.fromkeys(chosen))


def _read_date(text: str | None, *, has_entry: bool, stagger: float | None) -> float | None:
    """Return a date as a number: decimal years, or as it is where the entries are numbers."""
    from whether.cli.roles import DAYS_PER_YEAR
    from whether.files.table import parse_day

    if text is None:
        return None
    if not has_entry:
        raise CommandError("--back-to needs --entry: the column with everybody's date of entry. Or give --stagger.")
    if stagger is not None:
        raise CommandError("Give --back-to or --stagger, not both.")
    day = parse_day(text)
    if day is not None:
        return 1970 + day / DAYS_PER_YEAR
    try:
        return float(text)
    except ValueError:
        wanted = "a date such as 2015-12-31, or a number where the entries are numbers"
        raise CommandError(f"--back-to must be {wanted}, got {text!r}.") from None


def _read_shares(name: str, given: Sequence[str] | None) -> list[float] | None:
    shares = []
    for text in _split(given):
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not 0 < share <= 1:
            raise CommandError(f"{name} must be shares above 0 and at most 1, as 0.3,0.5; got {text!r}.")
        shares.append(share)
    return shares or None
