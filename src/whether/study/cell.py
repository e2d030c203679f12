"""Run one cell: draw the data, fit, score. A pure function of the cell, apart from the clock."""

from __future__ import annotations

import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from whether import __version__
from whether.estimators import CensoredClassifier
from whether.evaluate import calibration_curve, evaluate_propensity, evaluate_risks
from whether.evaluate.known_truth import log_loss, root_mean_square
from whether.simulation.real_tables import DATA_VARIABLE
from whether.study.level_interval import mean_risk_interval
from whether.study.lineup import ORACLE
from whether.study.plan import Cell
from whether.study.samples import Array, HeldOut, Sample, Target, draw_sample

N_CURVE_GROUPS = 20
_LEAST_PROBA = 1e-3
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True)
class CellResult:
    """What became of a cell."""

    cell: Cell
    # Main scores of the risk, and those of the propensity with the prefix ``propensity_``.
    scores: dict[str, float] = field(default_factory=dict)
    # Scores against every target, calibration curves, counts and warnings; it can be written as JSON.
    details: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)  # Parameters of the classifier as they were.
    fit_seconds: float | None = None
    version: str = __version__
    error: str = ""  # What went wrong; empty if nothing did.
    traceback: str = ""

    @property
    def failed(self) -> bool:
        """Whether something went wrong."""
        return bool(self.error)


def execute(cell: Cell, data: str | None = None) -> CellResult:
    """Run a cell in one thread, and return its error instead of raising it."""
    # A worker elsewhere does not share the environment of whoever sent the cell.
    if data is not None:
        os.environ[DATA_VARIABLE] = data
    try:
        with one_thread():
            return run_cell(cell)
    except Exception as error:  # whatever it is, it must not stop the other cells
        message = " ".join(str(error).split()) or "no message"
        return CellResult(cell, error=f"{type(error).__name__}: {message}", traceback=traceback.format_exc())


def run_cell(cell: Cell) -> CellResult:
    """Draw the data of a cell, fit its method and score it."""
    sample = draw_sample(cell.study, cell.world, cell.seed, cell.options)
    model = cell.entry.build(sample.drivers, cell.seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start, busy = time.perf_counter(), time.process_time()
        _fit(model, cell, sample)
        # The processor's time has no waiting for others on a busy machine.
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
    risks = {target.name: model.predict_proba(target.X)[:, 1] for target in sample.targets}
    scored = {target.name: _score(risks[target.name], target) for target in sample.targets}
    main = dict(scored[sample.targets[0].name])
    if isinstance(model, CensoredClassifier):
        main |= _score_propensity(model, sample)
    return CellResult(
        cell,
        scores=main,
        details={
            "scores": scored | _score_beyond(model, cell, sample) | {"fit": {"seconds": busy}},
            "curves": {target.name: _curve(risks[target.name], target) for target in sample.targets},
            "counts": _count(sample),
            "fit": _describe_fit(model),
            "warnings": sorted({f"{item.category.__name__}: {item.message}" for item in caught}),
        },
        parameters={name: repr(value) for name, value in sorted(model.get_params(deep=False).items())},
        fit_seconds=seconds,
    )


def _fit(model: CensoredClassifier, cell: Cell, sample: Sample) -> None:
    if cell.entry.method is ORACLE:
        model.fit(sample.oracle_X, sample.oracle_y, sample_weight=sample.oracle_weight)
    else:
        model.fit(sample.X, sample.y, time=sample.time, follow_up=sample.follow_up)


def _score(risk: Array, target: Target) -> dict[str, float]:
    found = evaluate_risks(target.positive, risk, sample_weight=target.weight)
    if target.outcome_proba is not None:
        found["rmse"] = root_mean_square(risk - target.outcome_proba)
    return found


def _score_propensity(model: CensoredClassifier, sample: Sample) -> dict[str, float]:
    labels = sample.labels
    found = evaluate_propensity(labels.positive, labels.labeled, model.predict_propensity(labels.X), labels.propensity)
    return {f"propensity_{name}": value for name, value in found.items()}


def _score_beyond(model: CensoredClassifier, cell: Cell, sample: Sample) -> dict[str, dict[str, float]]:
    """Score what is not known of single people: the level, its interval, and the labels of new people."""
    scored = {}
    if sample.eventual_share is not None:
        people, share = sample.eventual_share
        error = float(model.predict_proba(people)[:, 1].mean() - share)
        scored["population"] = {"mean_risk_error": error, "level_error": abs(error)}
        if sample.horizon is not None and hasattr(model, "predict_survival"):
            by_then = 1 - model.predict_survival(people, [sample.horizon]).mean()
            scored["population"]["horizon_error"] = abs(float(by_then - share))
    is_oracle = cell.entry.method is ORACLE
    if sample.held_out is not None and not is_oracle:
        scored["labels"] = {"log_loss": _label_log_loss(model, cell, sample.held_out)}
    if sample.learned_share is not None and not is_oracle:
        found = mean_risk_interval(model, cell.entry.method, sample, cell.seed)
        if found is not None:
            held = found.lower <= sample.learned_share <= found.upper
            scored["interval"] = {"held": float(held), "width": found.upper - found.lower}
    return scored


def _label_log_loss(model: CensoredClassifier, cell: Cell, people: HeldOut) -> float:
    """Mean negative log-likelihood of the labels of new people; a certainty is taken for 999 in 1,000."""
    reads_follow_up = bool(cell.entry.method.needs) or not isinstance(model, CensoredClassifier)
    known = (people.follow_up,) if reads_follow_up else ()
    proba = np.clip(model.predict_label_proba(people.X, *known), _LEAST_PROBA, 1 - _LEAST_PROBA)
    return log_loss(people.labeled, proba)


def _curve(risk: Array, target: Target) -> dict[str, list[float]]:
    """Points of the calibration curve, short enough to be stored with every cell."""
    curve = calibration_curve(target.positive, risk, n_groups=N_CURVE_GROUPS)
    points = {"predicted": curve.predicted.round(6), "observed": curve.observed.round(6), "count": curve.count}
    return {name: values.tolist() for name, values in points.items()}


def _count(sample: Sample) -> dict[str, int]:
    counts = {"people": sample.y.size, "labeled": int(sample.y.sum()), "features": sample.X.shape[1]}
    for target in sample.targets:
        counts[target.name] = target.positive.size
        counts[f"{target.name} positive"] = int(target.positive.sum())
    return counts


def _describe_fit(model: CensoredClassifier) -> dict[str, Any]:
    """Say what the method settled on, where it had a choice."""
    said: dict[str, Any] = {"converged": bool(model.converged_)}
    for name in ("distribution_", "shrinkage_", "ridge_", "penalizer_"):
        value = getattr(model, name, None)
        if isinstance(value, str):
            said[name.rstrip("_")] = value
        elif isinstance(value, (int, float, np.number)) and np.isfinite(value):
            said[name.rstrip("_")] = float(value)
    if model.selection_ is not None:
        said["learner"] = model.selection_.chosen
    return said


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep every library to one thread: workers share the cores by processes.

    The variables are for what is loaded or asks later, the limits for what is loaded already.
    """
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    torch = sys.modules.get("torch")
    torch_threads = torch.get_num_threads() if torch is not None else 1
    if torch is not None:
        torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        if torch is not None:
            torch.set_num_threads(torch_threads)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
