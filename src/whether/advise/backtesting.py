"""Whether advice holds up: methods fitted to what was known at an earlier endpoint, scored with what is known now.

Splits are repeated; rows of one group stay on one side. Intervals are those of Nadeau and Bengio (2003) for repeated
splits, which share people: the variance over splits is multiplied by 1/J + (test people) / (training people).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from whether.advise.applicable import choose_methods, keep_varying
from whether.advise.endpoint_choice import EndpointPlan, plan_endpoint
from whether.advise.evidence.material import gather
from whether.advise.recommendation import recommend
from whether.advise.track_record import Backtest
from whether.estimators import LabelClassifier
from whether.evaluate.endpoint import EarlierEndpoint
from whether.evaluate.known_truth import RISK_METRICS, evaluate_risks
from whether.learners.progress import progress, reporting
from whether.methods import METHODS, Method
from whether.validate import DataError, check_between, check_whole_number, number_groups

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Rows that are no method: trained on what is known now, and what the advice would have been then.
TRUTH, ADVICE = "known now", "advised"


class SplitTask(NamedTuple):
    """What every split needs."""

    features: Array
    plan: EndpointPlan
    group: NDArray[np.intp]
    is_grouped: bool
    methods: tuple[Method, ...]
    named: list[int] | None
    learner: Any
    test_size: float
    with_advice: bool


@dataclass(frozen=True)
class SplitResult:
    """One split: scores by row of the table, the advice given then, what was hidden, and who was scored."""

    scores: dict[str, dict[str, float]]
    advised: str
    refused: bool
    hidden_share: float
    n_hidden: int
    n_training: int
    n_test: int
    n_positive: int
    positive_share: float
    weighted: bool
    errors: dict[str, str]


def backtest(
    X: Any,
    y: ArrayLike,
    *,
    time: ArrayLike,
    follow_up: ArrayLike | None = None,
    entry: ArrayLike | None = None,
    endpoint: float | None = None,
    stagger: float | None = None,
    horizon: float | None = None,
    known_negative: ArrayLike | None = None,
    time_lower: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
    competing: ArrayLike | None = None,
    question: str | None = None,
    propensity_features: Sequence[str | int] | None = None,
    groups: ArrayLike | None = None,
    methods: Sequence[str] | None = None,
    learner: Any = "linear",
    advice: bool = True,
    n_splits: int = 10,
    test_size: float = 0.3,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> Backtest:
    """Put a cohort back to an earlier endpoint, fit every applicable method, and score it with what is known now.

    It fits every method as many times as there are splits, which takes a while and shows its progress; ``n_jobs``
    spreads the splits over processes. Unless ``follow_up`` is given, people are scored with weights, because those with
    the event can be scored at once and others only if they were not lost; see `impose_staggered_endpoint`. Methods that
    need follow-up then take labeled people to have been followed to the endpoint; the advice does so only if hardly
    anybody had been lost before it.

    What is known now is not who will ever have the event. Where many events come after the horizon, whoever ranks
    people by how soon it comes still gains a little from that.

    Parameters
    ----------
    X, y, time, propensity_features
        As known now; see `examine`.
    follow_up : array-like, optional
        How long each person was under observation until now, the event or not, where that is known.
    entry : array-like, optional
        Date of entry, in the unit of ``time``: the endpoint is then a date.
    endpoint : float, optional
        The earlier date. Default: the one by which half of the events had come.
    stagger : float, optional
        Without dates: follow-up is cut at U(0, stagger). Default: so that half of the events are hidden.
    horizon : float, optional
        How long after entry somebody event-free counts as negative. Default: when nine tenths of the fall of the curve
        of events are over, or earlier where less than a fifth of the event-free people were followed that long.
    known_negative : array-like of bool, optional
        Event-free people who are known to stay so: negatives for the scores, not yet known then.
    time_lower, entry_time, competing, question
        See `examine`. A death before the endpoint was known then; a later one makes a negative under the lifetime
        question, and an end of follow-up under the net one. Of entry and visits see `impose_calendar_endpoint`.
    groups : array-like, optional
        Rows of one group are never split.
    methods : sequence of str, optional
        Names in the catalogue of methods. Default: all that apply.
    learner : str, Learner or classifier
        For all methods, the advised one included.
    advice : bool
        Whether to include what the advice would have been then, examined anew on each training part.
    n_splits : int
    test_size : float
        Share of the groups, or people, in the test part.
    n_jobs : int, optional
        Processes.
    random_state : int
        Seed of the splits and of a staggered endpoint.
    verbose : int
        1 reports progress everywhere, not on a terminal only.

    Returns
    -------
    Backtest

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=1500, seed=0)
    >>> chosen = "LR AFTMC-F".split()
    >>> record = wh.backtest(cohort.X, cohort.y, time=cohort.time, methods=chosen, advice=False, n_splits=2)
    >>> print(*sorted(record.scores), sep=", ")
    AFTMC-F, LR, known now
    """
    records: dict[str, Any] = {"time_lower": time_lower, "entry_time": entry_time, "competing": competing}
    named_by: dict[str, Any] = {"propensity_features": propensity_features, "entry": entry, "question": question}
    material = gather(X, y, time=time, **named_by, **records)
    cohort = material.cohort
    plan = plan_endpoint(
        cohort.labeled,
        cohort.required("time"),
        entry=material.entry,
        endpoint=endpoint,
        stagger=stagger,
        horizon=horizon,
        follow_up=follow_up,
        known_negative=known_negative,
        **{name: getattr(cohort, name) for name in records},
    )
    check_whole_number(n_splits, "n_splits", 2)
    check_between(test_size, "test_size")
    group = np.arange(cohort.n) if groups is None else number_groups(groups, cohort.n)
    named = None if material.propensity_columns is None else material.propensity_columns.tolist()
    chosen = choose_methods(methods, named is not None, cohort)
    task = SplitTask(cohort.features, plan, group, groups is not None, chosen, named, learner, test_size, advice)
    seeds = np.random.SeedSequence(random_state).spawn(n_splits)
    results = []
    with reporting(verbose), progress(n_splits, "Splits") as bar:
        for result in Parallel(n_jobs=n_jobs, return_as="generator")(delayed(_run_split)(task, seed) for seed in seeds):
            results.append(result)
            bar.advance()
    return _collect(results, plan)


def _collect(results: list[SplitResult], plan: EndpointPlan) -> Backtest:
    def mean(name: str) -> float:
        return float(np.mean([getattr(result, name) for result in results]))

    scores = {
        row: {metric: np.array([result.scores[row][metric] for result in results]) for metric in first}
        for row, first in results[0].scores.items()
    }
    return Backtest(
        scores=scores,
        advised=tuple(result.advised for result in results),
        refused=tuple(result.refused for result in results),
        endpoint=plan.endpoint,
        stagger=plan.stagger,
        horizon=plan.horizon,
        n_events=int(plan.event.sum()),
        n_hidden=round(mean("n_hidden")),
        hidden_share=mean("hidden_share"),
        n_training=round(mean("n_training")),
        n_test=round(mean("n_test")),
        n_positive=round(mean("n_positive")),
        positive_share=mean("positive_share"),
        errors={row: text for result in results for row, text in result.errors.items()},
        weighted=results[0].weighted,
    )


def _run_split(task: SplitTask, seed: np.random.SeedSequence) -> SplitResult:
    """Impose the endpoint, split, fit and score."""
    rng = np.random.default_rng(seed)
    then = task.plan.impose(rng)
    in_test = rng.random(int(task.group.max()) + 1) < task.test_size
    test = in_test[task.group] & then.scorable
    training = ~in_test[task.group] & then.entered
    positive = then.positive[test]
    if np.unique(positive).size < 2 or np.unique(then.y[training]).size < 2:
        raise DataError(
            "A split has only one kind of outcome: "
            f"{int(positive.sum())} of {positive.size} people to be scored are positive, and "
            f"{int(then.y[training].sum())} of {int(training.sum())} had been seen by the endpoint. Choose a later "
            "endpoint, a shorter horizon or a larger test_size."
        )
    features, named = keep_varying(task.features, task.named, (training, training & then.scorable))
    task = task._replace(features=features, named=named)
    risks, errors = _predict(task, then, training, test)
    weight = then.weight[test]
    scores = {row: _score(positive, risk, weight) for row, risk in risks.items()}
    advised, refused = "", False
    if task.with_advice:
        advised, refused = _advise_then(task, then, training)
        if advised not in risks:
            risks[advised] = _predict_one(task, then, training, test, METHODS[advised])
        scores[ADVICE] = _score(positive, risks[advised], weight)
    return SplitResult(
        scores=scores,
        advised=advised,
        refused=refused,
        hidden_share=then.hidden_share,
        n_hidden=round(then.hidden_share * int(task.plan.event.sum())),
        n_training=int(training.sum()),
        n_test=positive.size,
        n_positive=int(positive.sum()),
        positive_share=float(np.average(positive, weights=weight)),
        weighted=then.weighted,
        errors=errors,
    )


def _score(positive: NDArray[np.int64], risk: Array | None, weight: Array) -> dict[str, float]:
    nothing = {metric.name: math.nan for metric in RISK_METRICS}
    return nothing if risk is None else evaluate_risks(positive, risk, sample_weight=weight)


def _predict(
    task: SplitTask, then: EarlierEndpoint, training: Flags, test: Flags
) -> tuple[dict[str, Array | None], dict[str, str]]:
    """Risks of the test people by each method; None, with the reason, where a fit failed."""
    risks, errors = dict[str, Array | None](), dict[str, str]()
    for method in task.methods:
        try:
            risks[method.name] = _predict_one(task, then, training, test, method)
        except (ValueError, np.linalg.LinAlgError) as error:
            risks[method.name], errors[method.name] = None, str(error)
    # What could be reached with these features: trained on today's outcomes of the people who can be scored.
    known = training & then.scorable
    weight = then.weight[known] / then.weight[known].mean()
    model = LabelClassifier(learner=task.learner, random_state=0)
    model.fit(task.features[known], then.positive[known], sample_weight=weight)
    risks[TRUTH] = model.predict_proba(task.features[test])[:, 1]
    return risks, errors


def _predict_one(task: SplitTask, then: EarlierEndpoint, training: Flags, test: Flags, method: Method) -> Array:
    model: Any = method.build(task.named or (), learner=task.learner, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a method warns of shows in its scores
        grouped = {"groups": task.group[training] if task.is_grouped else None}
        model.fit(task.features[training], then.y[training], **then.known(training), **grouped)
        risk = np.asarray(model.predict_proba(task.features[test])[:, 1])
        if then.entry_time is not None:  # of people who came late it is scored whether they had the event after that
            late = then.entry_time[test]
            risk[late > 0] = model.predict_proba_event_free(task.features[test][late > 0], late[late > 0])
        return risk


def _advise_then(task: SplitTask, then: EarlierEndpoint, training: Flags) -> tuple[str, bool]:
    """Method advised then, and whether a number for the mean risk was refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the advice of then is worth shows in its scores
        known = then.known(training)
        if not task.plan.knows_follow_up(then):
            known["follow_up"] = None
        known["groups"] = task.group[training] if task.is_grouped else None
        advice = recommend(task.features[training], then.y[training], **known, propensity_features=task.named)
    return advice.method, advice.refused
