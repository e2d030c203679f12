"""From a cohort to the whole answer: examine, recommend, fit, predict, check."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from whether.advise import Backtest, Recommendation, Sensitivity, examine, recommend
from whether.advise.bounds import BoundsEvidence
from whether.analysis.checks import MOST_PEOPLE, Question, ask, run_backtest, run_sensitivity
from whether.analysis.predictions import predict_still
from whether.analysis.resampling import refit
from whether.analysis.result import Analysis, Origin
from whether.analysis.uncertainty import (
    Spread,
    add_shrinkage,
    share_interval,
    spread_of_sums,
    unseen_interval,
)
from whether.cohort import Cohort
from whether.estimators import CensoredClassifier, LabelClassifier
from whether.estimators.intervals import risk_intervals
from whether.evaluate import Interval
from whether.learners.progress import Steps, progress, reporting
from whether.validate import check_table

Array = NDArray[np.float64]
Limits = tuple[Array, Array] | None

UNKNOWN = Spread(math.nan, math.nan)
# Above so many people, which learner is best is found out on a part of them.
MANY_PEOPLE, PEOPLE_TO_CHOOSE = 50_000, 20_000


def analyze_arrays(
    X: Any,
    y: ArrayLike,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    entry: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    groups: ArrayLike | None = None,
    origin: Origin | None = None,
    learner: Any = None,
    backtest: bool = True,
    sensitivity: bool = True,
    n_splits: int = 5,
    level: float = 0.95,
    random_state: int = 0,
    verbose: int = 0,
) -> Analysis:
    """Examine arrays that are known, fit the recommended method, and check its answer; see `whether.analyze`."""
    _check_settings(level, random_state, n_splits)
    check_table(X)
    rows_of, draws = np.random.default_rng(random_state).spawn(2)
    with reporting(verbose), progress(3 + backtest + sensitivity, "Analysis") as stages:
        with _stage("Examining the cohort", stages):
            evidence = examine(
                X,
                y,
                time=time,
                follow_up=follow_up,
                propensity_features=propensity_features,
                entry=entry,
                random_state=random_state,
            )
            advice = recommend(evidence)
        cohort = evidence.material.cohort
        numbered = _number(groups, cohort.n)
        with _stage("Fitting", stages):
            model, settled = _choose_model(advice, learner, random_state, draws)
            caught = _fit(model, advice, X)
        with _stage("Predicting", stages):
            risks, still = model.predict_proba(X)[:, 1], predict_still(model, X, cohort)
            limits, spread, notes = _measure_uncertainty(model, X, cohort, numbered, level, draws)
        question = ask(advice, numbered, random_state, rows_of)
        record, record_note = None, "It was not asked for."
        if backtest:
            with _stage("Putting the cohort back to an earlier date", stages):
                record, record_note = run_backtest(question, n_splits)
        moved, moved_note = None, "It was not asked for."
        if sensitivity:
            with _stage("Moving the assumptions", stages):
                moved, moved_note = run_sensitivity(question)
    mean_risk = share_interval(float(risks.mean()), spread.mean_risk, level)
    return Analysis(
        origin=Origin() if origin is None else origin,
        evidence=evidence,
        recommendation=advice,
        model=model,
        risks=risks,
        still=still,
        lower=None if limits is None else limits[0],
        upper=None if limits is None else limits[1],
        unseen=_count_unseen(model, still[~cohort.labeled], spread.unseen, level),
        mean_risk=mean_risk,
        backtest=record,
        backtest_note=record_note,
        sensitivity=moved,
        sensitivity_note=moved_note,
        warnings=(*caught, *_compare_with_curve(evidence.bounds, mean_risk)),
        notes=(*settled, *notes, *_notes_on_checks(question, model, record, moved)),
    )


@contextmanager
def _stage(title: str, stages: Steps) -> Iterator[None]:
    with progress(1, title) as step:
        yield
        step.advance()
    stages.advance()


def _check_settings(level: float, random_state: int, n_splits: int) -> None:
    if isinstance(n_splits, bool) or not isinstance(n_splits, numbers.Integral) or n_splits < 2:
        raise ValueError(f"n_splits must be a whole number >= 2, got {n_splits!r}.")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}.")
    if isinstance(random_state, bool) or not isinstance(random_state, numbers.Integral) or random_state < 0:
        raise ValueError(f"random_state must be a whole number >= 0, got {random_state!r}.")


def _number(groups: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups must be one label per person: shape ({n},) was expected, got {labels.shape}.")
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


def _choose_model(
    advice: Recommendation, learner: Any, random_state: int, rng: np.random.Generator
) -> tuple[CensoredClassifier, tuple[str, ...]]:
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
        trial.fit(part.features, part.labeled.astype(int), time=part.time, follow_up=part.follow_up)
    assert trial.selection_ is not None
    note = f"The learner was chosen on {part.n:,} of {cohort.n:,} people, drawn at random, and fitted to everybody."
    return model.set_params(learner=trial.selection_.chosen), (note,)


def _fit(model: CensoredClassifier, advice: Recommendation, X: Any) -> tuple[str, ...]:
    """Fit to everybody, and return what the fit warned of."""
    labels = advice.evidence.material.cohort.labeled.astype(int)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, labels, **advice.fit_parameters)
    return tuple(dict.fromkeys(str(warning.message) for warning in caught))


def _measure_uncertainty(
    model: CensoredClassifier,
    X: Any,
    cohort: Cohort,
    groups: NDArray[np.intp] | None,
    level: float,
    rng: np.random.Generator,
) -> tuple[Limits, Spread, tuple[str, ...]]:
    """Limits of the risks, standard errors of the sums, and how they were found."""
    limits, spread = risk_intervals(model, cohort.features, level), spread_of_sums(model, cohort)
    if spread is not None:
        clustered = "The intervals take rows of one group as independent; where they are alike, they are too narrow."
        return limits, add_shrinkage(spread, model, X, cohort), () if groups is None else (clustered,)
    if getattr(model.model_, "indexed", None) is not None:
        return None, UNKNOWN, ("There are no intervals: the data do not determine all coefficients.",)
    found = refit(model, X, cohort, groups=groups, level=level, rng=rng)
    if found is None:
        return None, UNKNOWN, ("There are no intervals: this learner would have to be refitted many times to a large "
                               "table. The linear learner has them.",)  # fmt: skip
    note = f"The intervals come from {found.n_refits} refits to randomly weighted people."
    return (found.lower, found.upper), found.spread, (note,)


def _count_unseen(model: CensoredClassifier, still: Array, error: float, level: float) -> Interval:
    """Count the unlabeled who are expected to be positive; anything is possible where all events are taken as seen."""
    if isinstance(model, LabelClassifier):
        return Interval(0.0, 0.0, float(still.size), math.nan, level)
    return unseen_interval(still, error, level)


def _compare_with_curve(bounds: BoundsEvidence, mean_risk: Interval) -> tuple[str, ...]:
    """Warn where the curve of events alone shows more events than the model expects to happen ever."""
    if not bounds.lowest_by_times > mean_risk.upper:  # NaN: without times, or without an interval
        return ()
    return (
        f"By the curve of events alone {100 * bounds.lowest_by_times:.1f} % have the event within follow-up, more "
        f"than the model's mean risk of {100 * mean_risk.estimate:.1f} %: it may miss late events, and then it counts "
        "too few of the unlabeled as positive.",
    )


def _notes_on_checks(
    question: Question, model: CensoredClassifier, record: Backtest | None, moved: Sensitivity | None
) -> tuple[str, ...]:
    if record is None and moved is None:
        return ()
    notes = []
    if question.is_part:
        notes.append(
            f"Backtest and sensitivity use {question.rows.size:,} of {question.cohort.n:,} people, drawn at random "
            f"(at most {MOST_PEOPLE:,})."
        )
    if model.learner != "linear":
        notes.append(f"Backtest and sensitivity use the linear learner, the fit {model.learner!r}.")
    if moved is not None and moved.recommended != question.advice.method:
        notes.append(f"For the people of the sensitivity the advice is {moved.recommended}, which it starts from.")
    return tuple(notes)
