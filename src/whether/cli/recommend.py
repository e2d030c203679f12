"""``whether recommend``: which method a cohort asks for."""

from __future__ import annotations

from whether.cli.options import AsJson, CohortOptions, ResultOutput, about_cohort


@about_cohort()
def recommend(cohort: CohortOptions, output: ResultOutput = None, as_json: AsJson = False) -> None:
    """Recommend a method for a cohort: why, what it assumes, and what would change the answer.

    Without a table it runs on a simulated cohort. The picture is that of the evidence; see `whether examine`.

    \b
    Example:
      whether simulate late-reporting --n 2000 --seed 1 -o cohort.csv
      whether recommend cohort.csv --event event --time time --follow-up follow_up
    """  # noqa: D301
    from whether.advise import recommend as recommend_method
    from whether.cli.answer import answer
    from whether.facts import Told
    from whether.files.table import TableCohort

    def find(people: TableCohort) -> Told:
        return recommend_method(people.X, people.y, **people.known, random_state=cohort.seed)

    answer("recommend", cohort, output, as_json, find)
