"""Which method is fitted to a cohort, and what a model file says about its training."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from whether.advise import recommend
from whether.advise.evidence.bounds import find_marks
from whether.advise.evidence.material import LIFETIME, NET
from whether.cli.cohorts import what_else
from whether.cli.options import CohortOptions, list_columns
from whether.cli.problems import CommandError
from whether.estimators import CensoredClassifier
from whether.estimators.intervals import has_errors
from whether.estimators.refits import can_be_refitted
from whether.estimators.time_model import TimeModelClassifier
from whether.facts import FEWEST, Expected, People, RestsOn
from whether.files.model import save_model
from whether.files.table import TableCohort
from whether.files.table.names import suggest
from whether.inference import Coefficient
from whether.learners import LinearFit, RowSource
from whether.methods import AFTMC_F, METHODS, Method
from whether.telling.advice_words import AdviceWords
from whether.telling.check_words import count_text
from whether.telling.disclosure import Disclosure, disclose, is_told
from whether.telling.plain import to_plain
from whether.telling.record_words import QUESTIONS
from whether.telling.table_words import word_all
from whether.telling.words import percent


def find_method(name: str, cohort: CohortOptions) -> Method:
    """Return the method of a name, in whichever case it is written; refuse one whose columns are not named."""
    found = next((method for method in METHODS.values() if method.name.lower() == name.lower()), None)
    if found is None:
        raise CommandError(f"There is no method {name!r} (there are {', '.join(METHODS)}).{suggest(name, METHODS)}")
    if found.feature_parameter and cohort.propensity_features is None:
        raise CommandError(f"{found.name} needs --propensity-features, the columns that decide who is seen.")
    return found


def check_method(name: str | None, cohort: CohortOptions) -> Method | None:
    """Return the method that was asked for, if any; refuse one that needs more than is known, before reading."""
    has_follow_up, named = cohort.follow_up or cohort.endpoint, cohort.propensity_features is not None
    if name is None:
        if not (cohort.has_time or cohort.entry or has_follow_up or named):
            raise CommandError(
                "Recorded events alone cannot tell 'will not happen' from 'was not seen'. Give --follow-up (or --entry "
                "and --endpoint), --time or --propensity-features; or take what --method assumes, such as LR: every "
                "event was seen."
            )
        return None
    found = find_method(name, cohort)
    if "time" in found.needs and not cohort.has_time:
        raise CommandError(f"{found.name} works through event times: give the column as --time.")
    if "follow_up" in found.needs and not has_follow_up:
        needed = "give the column as --follow-up, or --entry and --endpoint"
        raise CommandError(f"{found.name} works through the length of follow-up: {needed}.")
    if named and not found.feature_parameter:
        raise CommandError(f"{found.name} has no use for --propensity-features. Methods that end in -R have.")
    return found


def model_settings(
    people: TableCohort, outcome_features: list[str] | None, penalty: str, share: tuple[float | None, float | None]
) -> dict[str, Any]:
    """Parameters of a classifier that options of `whether fit` stand for; those not given are left out."""
    named = list_columns(outcome_features, people.encoder.columns, "outcome_features")
    absent = next((name for name in named or () if not people.encoder.features_of(name)), None)
    if absent is not None:
        raise CommandError(
            f"--outcome-features has {absent!r}, which is no feature.{suggest(absent, people.encoder.columns)}"
        )
    settings: dict[str, Any] = {}
    if named is not None:
        settings["outcome_features"] = [name for column in named for name in people.encoder.features_of(column)]
    if penalty == "none":
        settings["penalty"] = None
    known = zip(("prevalence", "prevalence_error"), share, strict=True)
    settings |= {name: value for name, value in known if value is not None}
    return settings


def fit_model(
    method: Method,
    people: TableCohort,
    times: dict[str, Any],
    learner: str,
    seed: int,
    settings: dict[str, Any],
    rows: RowSource | None = None,
) -> Any:
    """Fit a method; refuse settings that it has no use for, follow-up that it lacks, and what it cannot read.

    Where rows come in blocks, the people are a sample of them.
    """
    if "follow_up" in method.needs and times.get("follow_up") is None:
        raise CommandError(
            f"{method.name} works through the length of follow-up, which is not known: too many people without the "
            "event were last seen before --endpoint. A method that reads event times, such as AFTMC-F, can do without."
        )
    strange = next((name for name in settings if name not in inspect.signature(method.estimator).parameters), None)
    if strange is not None:
        raise CommandError(f"{method.name} has no use for --{strange.replace('_', '-')}.")
    model = method.build(people.propensity_features or [], learner=learner, random_state=seed, **settings)
    if rows is not None:
        return model.fit_rows(rows)
    return model.fit(people.X, people.y, **times | {"groups": people.groups})


def add_intervals(model: CensoredClassifier, people: TableCohort, times: dict[str, Any]) -> str:
    """Refit a model without standard errors, if the table is not too large; return how its intervals come about."""
    if not has_errors(model) and can_be_refitted(people.X):
        model.fit_intervals(people.X, people.y, **times, groups=people.groups)
    return how_intervals_come(model)


def how_intervals_come(model: CensoredClassifier) -> str:
    """Say by a word where the intervals of a model's risks come from."""
    if has_errors(model):
        return "errors"
    return "refits" if hasattr(model, "refits_") else "none"


def follow_advice(
    people: TableCohort, question: str | None, seed: int, share: tuple[float | None, float | None] = (None, None)
) -> tuple[Method, str, dict[str, Any], list[str]]:
    """Method and learner that `whether recommend` names, the times as it reads them, and what it refuses to say."""
    if not people.encoder.features:
        raise CommandError(f"The advice is about features. Without any, give --method, such as {AFTMC_F.name}.")
    beside = what_else(people, question, recommend, "fit")
    known: dict[str, Any] = dict(zip(("prevalence", "prevalence_error"), share, strict=True))
    advice = recommend(people.X, people.y, **people.known, **beside, **known, groups=people.groups, random_state=seed)
    refusals = AdviceWords(advice, disclose(advice, FEWEST)).refusals
    return METHODS[advice.method], advice.learner, advice.fit_parameters, refusals


def _expect_unseen(model: CensoredClassifier, people: TableCohort, times: dict[str, Any]) -> float:
    """Number of the unlabeled who are expected to have the event."""
    if isinstance(model, TimeModelClassifier):
        # How long somebody is known to be without the event is what the model read in the fit.
        clock = times["follow_up" if model.model_.propensity.needs_follow_up else "time"]
        still = model.predict_proba_event_free(people.X, np.asarray(clock))
    else:
        still = model.predict_proba_event_free(people.X)  # type: ignore[attr-defined]
    open_still = people.y == 0
    for what in ("competing", "known_negative"):  # nothing is still to come to them
        if times.get(what) is not None:
            open_still &= ~times[what]
    return float(still[open_still].sum())


@dataclass(frozen=True)
class Training:
    """What a fit came to."""

    people: int
    events: Annotated[int, People("people")]
    seen_share: Annotated[float, RestsOn(("events",))]
    mean_risk: Annotated[float, RestsOn(("events",))]
    expected_unseen: Annotated[float, Expected()]
    converged: bool


def describe_fit(model: CensoredClassifier, people: TableCohort, times: dict[str, Any]) -> Training:
    """What a fit to the people of a table, or to more like them, came to, as it may be told."""
    mean_risk = float(model.predict_proba(people.X)[:, 1].mean())
    each = model.n_people_ / people.y.size
    return describe_training(model, mean_risk, each * _expect_unseen(model, people, times))


def describe_training(model: CensoredClassifier, mean_risk: float, expected_unseen: float) -> Training:
    """What a fit came to, as it may be told."""
    n, events = int(model.n_people_), int(model.n_events_)
    rule = Disclosure(FEWEST, {"people": (n, math.inf), "events": (events, n)})
    return rule.tell(Training(n, events, events / n, mean_risk, expected_unseen, bool(model.converged_)))


def training_sentence(training: Training, question: str = "", refused: bool = False, groups: int | None = None) -> str:
    """Say what a fit came to, which question it answers where some died first, and whether its number is no answer.

    Rows that depend on each other are rows, and not people.
    """
    who = "people, of whom" if groups is None else "rows, of which"
    if groups is not None and groups >= FEWEST:
        who = f"rows in {groups:,} groups, of which"
    seen = f"fitted to {training.people:,} {who} {count_text(training.events)} have a recorded event."
    if question:
        other = NET if question == LIFETIME else LIFETIME
        seen += f" It answers {QUESTIONS[question]}; --question {other} asks {QUESTIONS[other]}."
    if not is_told(training.mean_risk):
        return seen
    who = "those alive without it" if question else "those without it"
    later = {LIFETIME: "before they die", NET: "eventually, in a world without other deaths"}.get(
        question, "eventually"
    )
    told = (
        f"{seen} Mean risk {percent(training.mean_risk, 1)}, against {percent(training.seen_share, 1)} with a recorded "
        f"event; about {training.expected_unseen:,.0f} of {who} are expected to have it {later}."
    )
    return f"{told} These are the model's own figures; `whether analyze` gives the range." if refused else told


def told_coefficients(model: CensoredClassifier, people: TableCohort, training: Training) -> list[Coefficient] | None:
    """Coefficients that may be told of a linear model: none where they give a small count away; None of other models.

    A feature that marks a few people is left out.
    """
    if not isinstance(model.model_, LinearFit):
        return None
    if not is_told(training.mean_risk):
        return []
    rule = Disclosure(FEWEST, marks=find_marks(people.X.to_numpy(), list(people.X.columns)))
    return [row for row in model.summary(0.95).coefficients if rule.allows_feature(row.term)]


def save_fitted(path: Path, model: CensoredClassifier, people: TableCohort, method: Method, training: Training) -> None:
    """Write the model file, which tells nothing from which a count of few people follows."""
    about = {**to_plain(training), "learner": str(model.learner), "notes": list(word_all(people.findings))}
    save_model(model, path, encoder=people.encoder, method=method.name, training=about)
