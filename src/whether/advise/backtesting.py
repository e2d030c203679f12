"""Whether advice holds up: methods fitted to what was known at an earlier endpoint, scored with what is known now.

Splits are repeated; rows of one group stay on one side. Intervals are those of Nadeau and Bengio (2003) for repeated
splits, which share people: the variance over splits is multiplied by 1/J + (test people) / (training people).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike

from whether.advise.applicable import choose_methods
from whether.advise.endpoint_choice import EndpointPlan, plan_endpoint
from whether.advise.evidence.material import gather
from whether.advise.split import SplitResult, SplitTask, run_split
from whether.advise.track_record import Backtest
from whether.learners.parallel import for_caller
from whether.learners.progress import progress, reporting
from whether.validate import check_between, check_whole_number, number_groups


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
    results, run = [], for_caller(run_split)
    with reporting(verbose), progress(n_splits, "Splits") as bar:
        for result in Parallel(n_jobs=n_jobs, return_as="generator")(delayed(run)(task, seed) for seed in seeds):
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
