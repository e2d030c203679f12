"""From arrays, or a table as it is, to the whole answer: examine, recommend, fit, predict, check."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from whether.advise import Backtest, Recommendation, Sensitivity, examine, recommend
from whether.advise.evidence.bounds import BoundsEvidence
from whether.advise.variants import fit_to
from whether.analysis.resampling import refit
from whether.analysis.result import Analysis, Note, Origin
from whether.analysis.robustness import Question, ask, run_backtest, run_sensitivity
from whether.analysis.uncertainty import (
    Spread,
    add_shrinkage,
    predict_still,
    share_interval,
    spread_of_sums,
    unseen_interval,
)
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier, LabelClassifier
from whether.estimators.intervals import risk_intervals
from whether.evaluate import Interval
from whether.files.table import TableCohort, read_cohort
from whether.learners.progress import Steps, progress, reporting
from whether.validate import ArgumentError, check_between, check_whole_number, number_groups

Array = NDArray[np.float64]
Limits = tuple[Array, Array] | None

UNKNOWN = Spread(math.nan, math.nan)
# Above so many people, which learner is best is found out on a part of them.
MANY_PEOPLE, PEOPLE_TO_CHOOSE = 50_000, 20_000


def analyze(
    X: Any,
    y: ArrayLike | None = None,
    *,
    event: str | None = None,
    time: ArrayLike | str | None = None,
    follow_up: ArrayLike | str | None = None,
    entry: ArrayLike | str | None = None,
    propensity_features: Sequence[str | int] | None = None,
    groups: ArrayLike | str | None = None,
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
        Column that says whether the event was seen. ``time``, ``follow_up``, ``entry``, ``propensity_features``
        and ``groups`` are then columns, too, and the table is read as the program reads it; see `read_cohort`.
    time, follow_up, entry, propensity_features
        See `examine`.
    groups : array-like or str, optional
        Rows of one group belong together: the backtest never splits them.
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
    check_whole_number(n_splits, "n_splits", 2)
    check_whole_number(random_state, "random_state", 0)
    check_between(level, "level")
    known: dict[str, Any] = {"time": time, "follow_up": follow_up, "entry": entry}
    known["propensity_features"] = propensity_features
    X, y, known, groups, origin = _read(X, y, event, known, groups, origin, columns)
    rows_of, draws = np.random.default_rng(random_state).spawn(2)
    with reporting(verbose), progress(3 + backtest + sensitivity, "Analysis") as stages:
        with _stage("Examining the cohort", stages):
            advice = recommend(examine(X, y, **known, random_state=random_state))
        cohort = advice.evidence.material.cohort
        numbered = None if groups is None else number_groups(groups, cohort.n)
        with _stage("Fitting", stages):
            model, settled = _choose_model(advice, learner, random_state, draws)
            caught = _fit(model, cohort, X)
        with _stage("Predicting", stages):
            risks, still = model.predict_proba(X)[:, 1], predict_still(model, X, cohort)
            limits, spread, notes = _measure_uncertainty(model, X, cohort, numbered, level, draws)
        question = ask(advice, numbered, random_state, rows_of)
        record, no_record, moved, not_moved = _check(question, n_splits if backtest else None, sensitivity, stages)
    mean_risk = share_interval(float(risks.mean()), spread.mean_risk, level)
    return Analysis(
        origin=origin,
        evidence=advice.evidence,
        recommendation=advice,
        model=model,
        risks=risks,
        still=still,
        lower=None if limits is None else limits[0],
        upper=None if limits is None else limits[1],
        unseen=_count_unseen(model, still[~cohort.labeled], spread.unseen, level),
        mean_risk=mean_risk,
        backtest=record,
        no_backtest=no_record,
        sensitivity=moved,
        no_sensitivity=not_moved,
        cautions=("curve above risk",) if curve_is_above(advice.evidence.bounds, mean_risk) else (),
        warnings=caught,
        notes=(*settled, *notes, *_notes_on_checks(question, model, record, moved)),
    )


def _read(
    X: Any,
    y: Any,
    event: str | None,
    known: dict[str, Any],
    groups: Any,
    origin: Origin | None,
    columns: dict[str, Any],
) -> tuple[Any, Any, dict[str, Any], Any, Origin]:
    """Read a table where X is one; return features, labels, what is known besides, groups and origin."""
    if event is not None:
        X = read_cohort(X, event, **known, **{"group": groups, **columns})
    elif columns:
        raise ArgumentError(
            f"`{next(iter(columns))}` is about a table: name its column with the event as `event`, too."
        )
    if isinstance(X, TableCohort):
        return X.X, X.y, X.known, X.groups, origin or describe_origin(X)
    if y is None:
        raise ArgumentError("analyze needs `y`, the labels; or `event`, the column of a table that has them.")
    return X, y, known, groups, origin or Origin()


def describe_origin(cohort: TableCohort, *, unit: str = "", call: str = "", simulated: bool = False) -> Origin:
    """Say where the people of a table came from and what was done to it."""
    return Origin(
        name=cohort.name,
        event=cohort.roles.event,
        time=cohort.roles.time or "",
        follow_up=cohort.roles.follow_up or "",
        entry=cohort.roles.entry or "",
        propensity_features=tuple(cohort.propensity_features or ()),
        unit=unit or ("years" if cohort.is_in_years else ""),
        findings=cohort.findings,
        call=call,
        simulated=simulated,
    )


@contextmanager
def _stage(title: str, stages: Steps) -> Iterator[None]:
    with progress(1, title) as step:
        yield
        step.advance()
    stages.advance()


def _check(
    question: Question, n_splits: int | None, sensitivity: bool, stages: Steps
) -> tuple[Backtest | None, str, Sensitivity | None, str]:
    """Backtest and sensitivity where they are asked for, each with the reason why there is none."""
    record, no_record = None, "not asked for"
    if n_splits is not None:
        with _stage("Putting the cohort back to an earlier date", stages):
            record, no_record = run_backtest(question, n_splits)
    moved, not_moved = None, "not asked for"
    if sensitivity:
        with _stage("Moving the assumptions", stages):
            moved, not_moved = run_sensitivity(question)
    return record, no_record, moved, not_moved


def _choose_model(
    advice: Recommendation, learner: Any, random_state: int, rng: np.random.Generator
) -> tuple[CensoredClassifier, tuple[Note, ...]]:
    """Return the recommended classifier, to be fitted; of a large cohort a part says which learner "auto" takes."""
    model = advice.estimator.set_params(random_state=random_state)
    if learner is not None:
        model.set_params(learner=learner)
    cohort = advice.evidence.material.cohort
    if not isinstance(model.learner, str) or model.learner != "auto" or cohort.n <= MANY_PEOPLE:
        return model, ()
    trial = clone(model)
    part = cohort.take(np.sort(rng.choice(cohort.n, size=PEOPLE_TO_CHOOSE, replace=False)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit to everybody warns
        fit_to(part, trial)
    assert trial.selection_ is not None
    note = Note("learner chosen on a part", {"part": part.n, "people": cohort.n})
    return model.set_params(learner=trial.selection_.chosen), (note,)


def _fit(model: CensoredClassifier, cohort: Cohort, X: Any) -> tuple[str, ...]:
    """Fit to everybody, and return what the fit warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit_to(cohort, model, X)
    return tuple(dict.fromkeys(str(warning.message) for warning in caught))


def _measure_uncertainty(
    model: CensoredClassifier,
    X: Any,
    cohort: Cohort,
    groups: NDArray[np.intp] | None,
    level: float,
    rng: np.random.Generator,
) -> tuple[Limits, Spread, tuple[Note, ...]]:
    """Limits of the risks, standard errors of the sums, and how they were found."""
    limits, spread = risk_intervals(model, cohort.features, level), spread_of_sums(model, cohort)
    if spread is not None:
        clustered = () if groups is None else (Note("groups taken as independent"),)
        return limits, add_shrinkage(spread, model, X, cohort), clustered
    if getattr(model.model_, "indexed", None) is not None:
        return None, UNKNOWN, (Note("coefficients not determined"),)
    found = refit(model, X, cohort, groups=groups, level=level, rng=rng)
    if found is None:
        return None, UNKNOWN, (Note("too large to refit"),)
    return (found.lower, found.upper), found.spread, (Note("intervals from refits", {"refits": found.n_refits}),)


def _count_unseen(model: CensoredClassifier, still: Array, error: float, level: float) -> Interval:
    """Count the unlabeled who are expected to be positive; anything is possible where all events are taken as seen."""
    if isinstance(model, LabelClassifier):
        return Interval(0.0, 0.0, float(still.size), math.nan, level)
    return unseen_interval(still, error, level)


def curve_is_above(bounds: BoundsEvidence, mean_risk: Interval) -> bool:
    """Whether the curve of events alone shows more events than the model expects to happen ever."""
    return bounds.lowest_by_times > mean_risk.upper  # NaN: without times, or without an interval


def _notes_on_checks(
    question: Question, model: CensoredClassifier, record: Backtest | None, moved: Sensitivity | None
) -> tuple[Note, ...]:
    if record is None and moved is None:
        return ()
    notes = []
    if question.rows.size < question.cohort.n:
        notes.append(Note("checked on a part", {"part": int(question.rows.size), "people": question.cohort.n}))
    if model.learner != "linear":
        notes.append(Note("checked with linear models", {"learner": str(model.learner)}))
    if moved is not None and moved.recommended != question.advice.method:
        notes.append(Note("other advice for the part", {"method": moved.recommended}))
    return tuple(notes)
