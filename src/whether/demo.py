"""Every method on one simulated cohort, beside the truth: a first look.

Run it with ``python -m whether.demo``.
"""

from __future__ import annotations

import textwrap
import time
import warnings
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from whether.estimators import CensoredClassifier, LabelClassifier
from whether.evaluate import evaluate_risks
from whether.methods import METHODS, Method
from whether.simulation import SimulatedCohort, simulate

WIDTH = 110

# Heading (two lines) and width of each column; the first three hold words, the others numbers.
_COLUMNS = (
    ("", "method", 8),
    ("", "what it knows", 26),
    ("", "restriction on the propensity", 30),
    ("", "AUC", 5),
    ("mean", "risk", 5),
    ("true", "share", 5),
    ("calib.", "error", 6),
    ("fit", "seconds", 7),
)
_N_WORDS = 3
_KNOWLEDGE = {"time": "event times", "follow_up": "follow-up"}


@dataclass(frozen=True)
class Comparison:
    """How one method did: words of its row, then AUC, mean risk, true share and calibration error on new people."""

    name: str
    knows: str
    restriction: str
    numbers: tuple[float, ...]
    seconds: float
    warnings: tuple[str, ...]


def main(n: int | None = None, n_fresh: int = 20_000, seed: int = 0) -> None:
    """Fit every method to the baseline cohort and print how it does on a fresh sample."""
    cohort = simulate("baseline", n=n, seed=seed)
    fresh = simulate("baseline", n=n_fresh, seed=seed + 1)
    results = [compare_method(method, cohort, fresh) for method in METHODS.values()]
    results.append(compare_oracle(cohort, fresh))
    print(introduce(cohort, fresh), *format_table(results), *format_notes(results), explain(), sep="\n")


def compare_method(method: Method, cohort: SimulatedCohort, fresh: SimulatedCohort) -> Comparison:
    """Fit a method of the catalogue with what it needs and nothing else."""
    # By position: the features of an array have no names.
    features = [cohort.feature_names.index(name) for name in cohort.world.propensity_features]
    times = {need: getattr(cohort, need) for need in method.needs}
    knows = ["labels", *(_KNOWLEDGE[need] for need in method.needs), *(["names"] if method.feature_parameter else [])]
    seconds, caught = _fit(classifier := method.build(features), cohort, cohort.y, **times)
    numbers = _judge(classifier, fresh)
    return Comparison(method.name, ", ".join(knows), method.restriction, numbers, seconds, caught)


def compare_oracle(cohort: SimulatedCohort, fresh: SimulatedCohort) -> Comparison:
    """Fit logistic regression to the true outcome: the best that a linear model can do."""
    seconds, caught = _fit(oracle := LabelClassifier(), cohort, cohort.positive)
    return Comparison("oracle", "the true outcome", "none needed", _judge(oracle, fresh), seconds, caught)


def _fit(
    classifier: CensoredClassifier, cohort: SimulatedCohort, y: NDArray[np.int64], **times: NDArray[np.float64]
) -> tuple[float, tuple[str, ...]]:
    """Fit, and return the seconds that it took and the warnings that it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        classifier.fit(cohort.X, y, **times)
        seconds = time.perf_counter() - start
    return seconds, tuple(f"{warning.category.__name__}: {warning.message}" for warning in caught)


def _judge(classifier: CensoredClassifier, fresh: SimulatedCohort) -> tuple[float, ...]:
    risk = classifier.predict_proba(fresh.X)[:, 1]
    found = evaluate_risks(fresh.positive, risk)
    return found["auc"], float(risk.mean()), float(fresh.positive.mean()), found["calibration_error"]


def introduce(cohort: SimulatedCohort, fresh: SimulatedCohort) -> str:
    """Say in two sentences what was simulated and what is compared."""
    return _fill(
        f"Of {cohort.y.size:,} simulated people {100 * cohort.positive.mean():.0f} % have the event at some time, but "
        f"follow-up ended early and it was seen in only {100 * cohort.y.mean():.0f} %. Every method is fitted with "
        "what it may know of them (names: of the features that drive labeling) and then says how likely the event is "
        f"ever to happen to {fresh.y.size:,} new people, whose true outcome is known here."
    )


def format_table(results: list[Comparison]) -> list[str]:
    """Align the results in columns, long words over several lines."""
    upper, lower = [column[0] for column in _COLUMNS], [column[1] for column in _COLUMNS]
    lines = ["", _align(upper), _align(lower), "-" * (sum(column[2] + 2 for column in _COLUMNS) - 2)]
    for result in results:
        marked = result.name + ("*" if result.warnings else "")
        numbers = [*(f"{number:.3f}" for number in result.numbers), f"{result.seconds:.2f}"]
        texts = zip((result.knows, result.restriction), _COLUMNS[_N_WORDS - 2 : _N_WORDS], strict=True)
        (knows, restriction), *rest = zip_longest(
            *(textwrap.wrap(text, width) for text, (*_, width) in texts), fillvalue=""
        )
        lines.append(_align([marked, knows, restriction, *numbers]))
        lines.extend(_align(["", *parts]) for parts in rest)
    return lines


def _align(cells: list[str]) -> str:
    widths = [column[2] for column in _COLUMNS]
    aligned = [
        cell.ljust(width) if position < _N_WORDS else cell.rjust(width)
        for position, (cell, width) in enumerate(zip(cells, widths, strict=False))
    ]
    return "  ".join(aligned).rstrip()


def format_notes(results: list[Comparison]) -> list[str]:
    """List what the fits warned of, under the table."""
    notes = [_fill(f"* {result.name}: {text}", "  ") for result in results for text in result.warnings]
    return ["", *notes, ""] if notes else [""]


def explain() -> str:
    """Say how to read the table."""
    return _fill(
        "How to read it: LR learns who was seen; the question is who is positive, seen or not. A mean risk below the "
        "true share means that missed positives were taken for negatives. The AUC says how well the risks rank "
        "positives above the rest, and the calibration error how far they lie from the truth on average. "
        "AFT takes everybody for positive, so its risk is that of an event within the longest follow-up."
    )


def _fill(text: str, indent: str = "") -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent)


if __name__ == "__main__":
    main()
