"""``whether fit``: from a table to a model file."""

from __future__ import annotations

from typing import Annotated, Any

from whether.cli.options import (
    AdvisedLearner,
    AsJson,
    CohortOptions,
    Force,
    ModelOutput,
    Prevalence,
    PrevalenceError,
    Text,
    Texts,
    about_cohort,
    check_learner,
    check_penalty,
    flag,
    option,
)


@about_cohort(needs_table=True, takes=("group", "more"))
def fit(
    cohort: CohortOptions,
    output: ModelOutput,
    method: Annotated[Text, option("Method of the catalogue, such as FUMC-F.", "NAME")] = None,
    learner: AdvisedLearner = None,
    outcome_features: Annotated[
        Texts, option("Columns that decide whether the event ever happens, as a,b, or none; by default all.", "COLUMNS")
    ] = None,
    penalty: Annotated[str, option("auto, or none for maximum likelihood.", "NAME", shows=True)] = "auto",
    prevalence: Prevalence = None,
    prevalence_error: PrevalenceError = None,
    in_blocks: Annotated[
        bool, flag("--in-blocks", "Read Parquet files block by block, not into memory; linear.")
    ] = False,
    dask: Annotated[Text, option("The same on the workers of the Dask scheduler at this address.", "ADDRESS")] = None,
    no_intervals: Annotated[
        bool, flag("--no-intervals", "Leave out the 20 refits from which trees and networks have intervals.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a table how likely the event is ever to happen, and write a model file.

    Without --method it is the method that `whether recommend` names for the table, and its learner; with --method the
    learner is linear by default. Of a linear model the coefficients are printed, with odds, time or hazard ratios. Rows
    with the same --group depend on each other: intervals allow for it. Boosted and neural models are fitted 20
    more times, to randomly weighted people, so that `predict` can give intervals; --no-intervals saves that time.

    \b
    Example:
      whether simulate baseline --n 4000 --seed 1 -o cohort.csv
      whether fit cohort.csv --event event --time time --follow-up follow_up -o model.whether
      whether predict model.whether cohort.csv -o risks.csv

    \b
    By maximum likelihood, without features, as other programs do:
      whether fit cohort.csv --event event --time time --features none --method AFTMC-F --penalty none -o model.whether

    \b
    With dates:
      whether fit patients.parquet --event relapse --entry surgery --endpoint 2020-12-31 --id patient -o model.whether

    \b
    Files that do not fit into memory; what is recommended is found on 200,000 evenly spaced rows:
      whether fit 'cohort/*.parquet' --event relapse --time years --in-blocks -o model.whether
    """  # noqa: D301
    from whether.advise.evidence.material import LIFETIME
    from whether.cli import method_choice as choice
    from whether.cli.blocks import opened_rows
    from whether.cli.cohorts import read_people, what_else
    from whether.cli.output import check_output, gathered_warnings, make_notes
    from whether.telling.plain import to_plain
    from whether.telling.prediction_words import INTERVALS

    check_output(output, cohort.table, *(cohort.more or ()), force=force)
    chosen = choice.check_method(method, cohort)
    check_learner(learner)
    check_penalty(penalty)
    keeps_gaps, refusals = learner == "boosted", list[str]()
    with opened_rows(cohort, dask, in_blocks) as rows, gathered_warnings() as warned:
        people = read_people(cohort, keep_gaps=keeps_gaps and chosen is not None) if rows is None else rows.sample
        times = {"time": people.time, "follow_up": people.follow_up}
        settings = choice.model_settings(people, outcome_features, penalty, (prevalence, prevalence_error))
        if chosen is None:
            chosen, advised, times, refusals = choice.follow_advice(
                people, cohort.question, cohort.seed, (prevalence, prevalence_error)
            )
            learner = learner or (advised if rows is None else "linear")
            if keeps_gaps and rows is None:  # the advice is about tables without gaps
                people = read_people(cohort, keep_gaps=True)
        learner = learner or "linear"
        times = {**times, **what_else(people, cohort.question, chosen.estimator.fit, "fit")}
        model = choice.fit_model(chosen, people, times, learner, cohort.seed, settings, rows)
        training = choice.describe_fit(model, people, times)
        in_memory = rows is None and not no_intervals
        how = choice.add_intervals(model, people, times) if in_memory else choice.how_intervals_come(model)
    choice.save_fitted(output, model, people, chosen, training)
    asked = "" if people.competing is None else cohort.question or LIFETIME
    told = choice.training_sentence(training, asked, bool(refusals), model.n_groups_)
    told = f"{chosen.name} ({chosen.restriction}), {learner}: {told} {INTERVALS[how]}".rstrip()
    about = {"command": "fit", "output": str(output), "features": list(people.encoder.features)}
    about |= {"method": chosen.name, "restriction": chosen.restriction, "learner": learner, **to_plain(training)}
    about |= {"question": asked} if asked else {}
    about["intervals"] = how
    effects = choice.told_coefficients(model, people, training)
    notes = make_notes(people.findings, [*refusals, *warned])
    _tell_fit(told, about, effects, notes, as_json)


def _tell_fit(told: str, about: dict[str, Any], effects: Any, notes: list[dict[str, Any]], as_json: bool) -> None:
    """Tell what a fit came to, and its coefficients."""
    from whether.cli.output import say_lines, tell
    from whether.telling.coefficient_words import coefficient_lines
    from whether.telling.plain import to_plain

    tell([told], {**about, "coefficients": to_plain(effects or None)}, notes, as_json)
    if not as_json:
        say_lines([*coefficient_lines(effects), f"Model written to {about['output']}."])
