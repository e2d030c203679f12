"""``whether sensitivity``: how the answer moves with what is assumed."""

from __future__ import annotations

from typing import Annotated, Any

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


@about_cohort()
def sensitivity(
    cohort: CohortOptions,
    label_frequency: Annotated[
        list[str] | None, option("--label-frequency", "SHARES", "Shares of the positives that are seen, as 0.3,0.5.")
    ] = None,
    prevalence: Annotated[
        list[str] | None, option("--prevalence", "SHARES", "Shares of the people that are positive, as 0.3,0.5.")
    ] = None,
    learner: LearnerName = "linear",
    output: ResultOutput = None,
    as_json: AsJson = False,
) -> None:
    """Say how the risk moves when the assumptions move: restriction, label frequency, prevalence, horizon.

    It fits some twenty models, which takes a while on a large table. Without a table it runs on a simulated cohort.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether sensitivity cohort.csv --event event --time time --follow-up follow_up -o bands.png
    """  # noqa: D301
    from whether.advise import sensitivity as move_assumptions
    from whether.cli.answer import answer
    from whether.facts import Told
    from whether.files.table import TableCohort

    check_learner(learner)
    settings: dict[str, Any] = {
        "label_frequency": _read_shares("--label-frequency", label_frequency),
        "prevalence": _read_shares("--prevalence", prevalence),
        "learner": learner,
    }

    def find(people: TableCohort) -> Told:
        return move_assumptions(people.X, people.y, **people.known, **settings, random_state=cohort.seed)

    answer("sensitivity", cohort, output, as_json, find, draws_times=False)


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
