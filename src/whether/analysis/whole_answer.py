"""From arrays, or a table as it is, to the whole answer: examine, recommend, fit, predict, check."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from whether.advise import Backtest, Evidence, Recommendation, Sensitivity, examine, recommend
from whether.advise.variants import fit_to
from whether.analysis.cautions import find_cautions
from whether.analysis.group_levels import measure_groups
from whether.analysis.level import Level, settle_level
from whether.analysis.memberships import Membership, read_memberships
from whether.analysis.result import Analysis, FitWarning, Note, Origin
from whether.analysis.robustness import Question, ask, run_backtest, run_sensitivity
from whether.analysis.share_alone import check_share
from whether.analysis.sources import RECORDS, read_source
from whether.analysis.sums import Sums, take_sums
from whether.analysis.windows import lengths_for
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier
from whether.facts import fewest_rows
from whether.learners import choice
from whether.learners.progress import Steps, progress, reporting
from whether.validate import FollowUpWarning, check_between, check_whole_number


def analyze(
    X: Any,
    y: ArrayLike | None = None,
    *,
    event: str | None = None,
    time: ArrayLike | str | None = None,
    follow_up: ArrayLike | str | None = None,
    entry: ArrayLike | str | None = None,
    propensity_features: Sequence[str | int] | None = None,
    known_negative: ArrayLike | None = None,
    time_lower: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
    competing: ArrayLike | None = None,
    question: str | None = None,
    prevalence: float | None = None,
    prevalence_error: float | None = None,
    groups: ArrayLike | str | None = None,
    by: str | Sequence[str] | Mapping[str, ArrayLike] | ArrayLike | None = None,
    origin: Origin | None = None,
    learner: Any = None,
    backtest: bool = True,
    sensitivity: bool = True,
    n_splits: int = 5,
    level: float = 0.95,
    random_state: int = 0,
    verbose: int = 0,
    **columns: Any,
) -> Analysis:
    """Examine a cohort, fit the recommended method, and check its answer.

    Of a cohort of more than 10,000 people, a part of that size is used for the backtest and the sensitivity, and of one
    of more than 50,000 a part for the choice of the learner; the fit and the predictions are of everybody.

    Parameters
    ----------
    X : array-like, data frame, path-like or TableCohort
        Features; with ``event``, a table as it is, with categories, gaps and dates; or what `read_cohort` returned.
    y : array-like, optional
        Labels, where ``event`` does not name their column.
    event : str, optional
        Column that says whether the event was seen. ``time``, ``follow_up``, ``entry``, ``propensity_features``,
        ``groups`` and ``by`` are then columns, too, and the table is read as the program reads it; see `read_cohort`.
    time, follow_up, entry, propensity_features, known_negative, time_lower, entry_time, competing, question
        See `examine`.
    prevalence, prevalence_error : float, optional
        The share of positives among people like these, if it is known from elsewhere, and its standard error; without
        one it is taken as exact. The answer rests on it and says so, and beside it what the data say alone.
    groups : array-like or str, optional
        Rows of one group belong together: intervals allow for their dependence, and the backtest never splits them.
    by : str, list of str, array-like or mapping of str to array-like, optional
        Columns of the table, or of the frame X, or values, one per person: the answer is given for each level, too.
        They need not be features. Numbers of many values are cut into ranges, and levels of few people are pooled.
    origin : Origin, optional
        Where the data came from, for reports.
    learner : str, Learner or classifier, optional
        Default: the recommended one, "linear" or "auto"; see `CensoredClassifier`.
    backtest, sensitivity : bool
        Whether to check the answer by putting the data back to an earlier date, and by moving the assumptions.
    n_splits : int
        Splits of the backtest.
    level : float
        Confidence level.
    random_state : int
        Seed of everything that is drawn.
    verbose : int
        1 reports progress everywhere, not on a terminal only.
    **columns
        What else `read_cohort` can be told of a table: ``endpoint``, ``features``, ``drop``, ``categorical``, ``id``...

    Returns
    -------
    Analysis
        Print it for the answer.

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=1000, seed=0)
    >>> answer = wh.analyze(
    ...     cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up, backtest=False, sensitivity=False
    ... )
    >>> bool(answer.unseen.lower < answer.unseen.estimate < answer.unseen.upper)
    True
    """
    _check_settings(n_splits, random_state, level)
    known = {"time": time, "follow_up": follow_up, "entry": entry, "propensity_features": propensity_features}
    records = dict(zip(RECORDS, (known_negative, time_lower, entry_time, competing, question), strict=True))
    source = read_source(X, y, event, known, records, groups, by, origin, columns)
    rows_of, draws = np.random.default_rng(random_state).spawn(2)
    with reporting(verbose), progress(3 + backtest + sensitivity, "Analysis") as stages:
        with _stage("Examining the cohort", stages):
            evidence = examine(source.X, source.y, **source.known, groups=source.groups, random_state=random_state)
            advice = recommend(evidence, prevalence=prevalence, prevalence_error=prevalence_error)
        cohort = evidence.material.cohort
        memberships = read_memberships(source.by, source.X, cohort.labeled, fewest_rows(source.origin.rows_each))
        with _stage("Fitting", stages):
            model = _take_model(advice, learner, random_state)
            caught = _fit(model, cohort, source.X, advice)
        with _stage("Predicting", stages):
            lengths, of_sums = lengths_for(model, cohort, source.origin.unit), _of_sums(evidence)
            sums = take_sums(model, source.X, cohort, level, draws, **of_sums, lengths=lengths)
            share = check_share(advice, model, cohort, source.X, level, draws, **of_sums)
        asked = ask(advice, cohort.groups, random_state, rows_of)
        checks = _check(asked, n_splits if backtest else None, sensitivity, stages)
    found = settle_level(sums, advice, checks.sensitivity)
    notes = (*_note_on_choice(model, cohort.n), *sums.notes, *found.notes, *_notes_on_checks(asked, model, checks))
    return Analysis(
        origin=source.origin,
        evidence=evidence,
        recommendation=advice,
        model=model,
        **_of_people(sums),
        **_of_levels(found, sums, evidence, memberships),
        **checks._asdict(),
        cautions=find_cautions(advice, found.own_risk, checks.backtest, share),
        warnings=caught,
        share=share,
        encoder=source.encoder,
        notes=notes,
    )


class Checks(NamedTuple):
    """What became of backtest and sensitivity, each with the reason why there is none."""

    backtest: Backtest | None
    no_backtest: str
    sensitivity: Sensitivity | None
    no_sensitivity: str


def _of_people(sums: Sums) -> dict[str, Any]:
    """What the answer has of single people."""
    people = {"risks": sums.risks, "still": sums.still, "lower": sums.lower, "upper": sums.upper}
    return {**people, "within": sums.ahead.chances}


def _of_levels(found: Level, sums: Sums, evidence: Evidence, memberships: Sequence[Membership]) -> dict[str, Any]:
    """How many have the event, ever and within some times: of everybody, and of each group."""
    cohort, count_windows = sums.cohort, partial(found.count_windows, sums, evidence=evidence)
    open_people = evidence.material.open_people
    return {
        "unseen": found.unseen,
        "mean_risk": found.mean_risk,
        "settles": found.settles,
        "windows": count_windows(np.arange(cohort.n)),
        "by_group": measure_groups(memberships, cohort.labeled, open_people, found.measure, count_windows),
        "memberships": tuple(memberships),
    }


def _of_sums(evidence: Evidence) -> dict[str, Any]:
    """What sums take from the evidence: whether the curve of events levels off, and who may still have the event."""
    return {"levels_off": evidence.plateau == "levels off", "open_people": evidence.material.open_people}


def _check_settings(n_splits: int, random_state: int, level: float) -> None:
    check_whole_number(n_splits, "n_splits", 2)
    check_whole_number(random_state, "random_state", 0)
    check_between(level, "level")


@contextmanager
def _stage(title: str, stages: Steps) -> Iterator[None]:
    with progress(1, title) as step:
        yield
        step.advance()
    stages.advance()


def _check(question: Question, n_splits: int | None, sensitivity: bool, stages: Steps) -> Checks:
    """Backtest and sensitivity where they are asked for."""
    record, no_record = None, "not asked for"
    if n_splits is not None:
        with _stage("Putting the cohort back to an earlier date", stages):
            record, no_record = run_backtest(question, n_splits)
    moved, not_moved = None, "not asked for"
    if sensitivity:
        with _stage("Moving the assumptions", stages):
            moved, not_moved = run_sensitivity(question)
    return Checks(record, no_record, moved, not_moved)


def _take_model(advice: Recommendation, learner: Any, random_state: int) -> CensoredClassifier:
    """Return the recommended classifier, to be fitted."""
    model = advice.estimator.set_params(random_state=random_state)
    return model if learner is None else model.set_params(learner=learner)


def _note_on_choice(model: CensoredClassifier, n: int) -> tuple[Note, ...]:
    """Say where a part of the people decided which learner is taken."""
    if model.selection_ is None or n <= choice.MANY_PEOPLE:
        return ()
    return (Note("learner chosen on a part", {"part": choice.PEOPLE_TO_CHOOSE, "people": n}),)


def _fit(model: CensoredClassifier, cohort: Cohort, X: Any, advice: Recommendation) -> tuple[FitWarning, ...]:
    """Fit to everybody, and return what the fit warned of, but not that follow-up is short where the advice says so."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit_to(cohort, model, X)
    is_said = bool({"extrapolation", "short follow-up"} & {*advice.flags, *advice.refusals})
    told = (warning for warning in caught if not (is_said and issubclass(warning.category, FollowUpWarning)))
    named = (FitWarning(getattr(one.message, "finding", ""), str(one.message)) for one in told)
    return tuple(dict.fromkeys(named))


def _notes_on_checks(question: Question, model: CensoredClassifier, checks: Checks) -> tuple[Note, ...]:
    moved = checks.sensitivity
    if checks.backtest is None and moved is None:
        return ()
    notes = []
    if question.rows.size < question.cohort.n:
        notes.append(Note("checked on a part", {"part": int(question.rows.size), "people": question.cohort.n}))
    learner = model.learner if model.selection_ is None else model.selection_.chosen
    if learner != "linear":
        notes.append(Note("checked with linear models", {"learner": str(learner)}))
    if moved is not None and moved.recommended != question.advice.method:
        notes.append(Note("other advice for the part", {"method": moved.recommended}))
    return tuple(notes)
