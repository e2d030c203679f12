"""One split of a backtest: methods fitted to what was known at an earlier endpoint, scored with what is known now."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.advise.applicable import keep_varying
from whether.advise.endpoint_choice import EndpointPlan
from whether.advise.recommendation import recommend
from whether.estimators import LabelClassifier
from whether.evaluate.endpoint import EarlierEndpoint
from whether.evaluate.known_truth import RISK_METRICS, evaluate_risks
from whether.methods import METHODS, Method
from whether.validate import DataError

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


def run_split(task: SplitTask, seed: np.random.SeedSequence) -> SplitResult:
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
