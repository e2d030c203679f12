"""``whether examine``: what a cohort allows one to learn."""

from __future__ import annotations

from whether.cli.options import AsJson, CohortOptions, ResultOutput, about_cohort


@about_cohort()
def examine(cohort: CohortOptions, output: ResultOutput = None, as_json: AsJson = False) -> None:
    """Say what a cohort allows one to learn: follow-up, event times, who is labeled, bounds.

    Without a table it runs on a simulated cohort. The picture shows the curve of events and the labels by follow-up.

    \b
    Example:
      whether simulate partially-dependent --n 2000 --seed 1 -o cohort.csv
      whether examine cohort.csv --event event --time time --follow-up follow_up -o evidence.png
    """  # noqa: D301
    from whether.advise import examine as examine_cohort
    from whether.cli.answer import answer
    from whether.facts import Told
    from whether.files.table import TableCohort

    def find(people: TableCohort) -> Told:
        return examine_cohort(people.X, people.y, **people.known, random_state=cohort.seed)

    answer("examine", cohort, output, as_json, find)
