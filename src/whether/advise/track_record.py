"""What a backtest found: scores of each method with intervals, and paired differences."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from whether.advise.results import to_plain, wrap
from whether.evaluate.bootstrap import Interval
from whether.methods import METHODS

Array = NDArray[np.float64]

# How a score is called in the table, and whether a higher one is better.
COLUMNS = {
    "auc": ("AUC", True),
    "average_precision": ("AP", True),
    "brier": ("Brier", False),
    "calibration_error": ("ICI", False),
    "mean_risk_error": ("risk - share", None),
}
WIDTH = 112
# Width of the table with all its columns.
WIDE_TABLE = 98
WEIGHTED = (
    "Those with the event can be scored at once, the others only if followed to the horizon. So people count by the "
    "inverse of their chance to be followed long enough, which is right if follow-up does not depend on features."
)


@dataclass(frozen=True, eq=False)
class Backtest:
    """Scores of each method at an earlier endpoint, split by split; printing it shows the table.

    Attributes
    ----------
    scores : dict of str to dict of str to ndarray
        By method and metric, one entry per split. "known now" is logistic regression trained on what is known now,
        "advised" what the advice was then.
    advised : tuple of str
        The method advised in each split.
    plan : str
        The endpoint and the horizon.
    hidden_share : float
        Share of the events that the endpoint hides.
    n_training, n_test, n_positive : int
        Mean numbers of people trained on, of people scored, and of positives among them.
    positive_share : float
        Share of positives among those scored, with their weights.
    errors : dict of str to str
        Methods that could not be fitted in some split, with a reason.
    level : float
        Confidence level.
    staggered : bool
        Whether the endpoint was drawn for each person, for want of dates.
    weighted : bool
        Whether people count by the inverse of their chance to be followed long enough, for want of everybody's
        potential follow-up. If follow-up depends on the features, scores may mislead.
    refused : tuple of bool
        Whether the advice of then refused a number for the mean risk, in each split.
    """

    scores: dict[str, dict[str, Array]]
    advised: tuple[str, ...]
    plan: str
    hidden_share: float
    n_training: int
    n_test: int
    n_positive: int
    positive_share: float
    errors: dict[str, str] = field(default_factory=dict)
    level: float = 0.95
    staggered: bool = False
    weighted: bool = False
    refused: tuple[bool, ...] = ()

    def interval(self, method: str, metric: str = "auc") -> Interval:
        """Mean over splits with its interval, within the range of the metric.

        Parameters
        ----------
        method : str
        metric : str
            "auc", "average_precision", "brier", "calibration_error" or "mean_risk_error".
        """
        found = self._interval(self.scores[method][metric])
        if metric == "mean_risk_error":
            return found
        lower, upper = (float(np.clip(limit, 0.0, 1.0)) for limit in (found.lower, found.upper))
        return replace(found, lower=lower, upper=upper)

    def difference(self, method: str, reference: str = "LR", metric: str = "auc") -> Interval:
        """Mean paired difference of two methods over the splits, with its interval.

        Parameters
        ----------
        method, reference : str
        metric : str
        """
        return self._interval(self.scores[method][metric] - self.scores[reference][metric])

    def _interval(self, values: Array) -> Interval:
        usable = values[np.isfinite(values)]
        if usable.size < 2:
            return Interval(float(usable.mean()) if usable.size else math.nan, math.nan, math.nan, math.nan, self.level)
        # Splits share people, so their scores are alike: Nadeau and Bengio's correction.
        factor = 1 / usable.size + self.n_test / self.n_training
        error = float(np.std(usable, ddof=1) * math.sqrt(factor))
        width = float(student.ppf(0.5 + self.level / 2, usable.size - 1)) * error
        mean = float(usable.mean())
        return Interval(mean, mean - width, mean + width, error, self.level)

    def best(self, metric: str = "auc") -> str:
        """Name of the method with the best mean score.

        Parameters
        ----------
        metric : str
        """
        sign = 1.0 if COLUMNS[metric][1] else -1.0
        methods = [name for name in self.scores if name in METHODS]
        return max(methods, key=lambda name: sign * np.nan_to_num(self.interval(name, metric).estimate, nan=-sign * 9))

    def answer(self) -> str:
        """Whether event times are worth it here, in a sentence with numbers.

        The best of each kind was chosen by these very scores, which flatters both.
        """
        times = [name for name in self.scores if name in METHODS and "time" in METHODS[name].needs]
        others = [name for name in self.scores if name in METHODS and "time" not in METHODS[name].needs]
        if not times or not others:
            return "Methods with and without event times are needed to compare them."

        def mean_auc(name: str) -> float:
            return float(np.nan_to_num(self.interval(name).estimate, nan=-9.0))

        best, other = max(times, key=mean_auc), max(others, key=mean_auc)
        gap = self.difference(best, other)
        verdict = "no difference can be shown"
        if gap.lower > 0:
            verdict = "event times are worth it here"
        elif gap.upper < 0:
            verdict = "event times are a waste of time here"
        return f"Best with event times ({best}) minus best without ({other}): AUC {_signed(gap)}: {verdict}."

    def to_dict(self) -> dict[str, Any]:
        """Return scores, means with intervals, the answer and settings as plain Python objects."""
        return {**to_plain(self), "table": to_plain(self._rows()), "answer": self.answer()}

    def to_frame(self) -> Any:
        """Return means, intervals and differences from LR as a pandas DataFrame, a row per method and metric."""
        import pandas

        return pandas.DataFrame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for method in self.scores:
            for metric in COLUMNS:
                found = self.interval(method, metric)
                gap = self.difference(method, "LR", metric) if "LR" in self.scores else None
                rows.append(
                    {
                        "method": method, "metric": metric, "mean": found.estimate, "lower": found.lower,
                        "upper": found.upper, "difference": gap.estimate if gap else math.nan,
                        "difference_lower": gap.lower if gap else math.nan,
                        "difference_upper": gap.upper if gap else math.nan,
                    }
                )  # fmt: skip
        return rows

    def plot(self, *, suppress_below: int = 11) -> Any:
        """Draw the AUC and the error of the mean risk of each method, as the report does; needs matplotlib.

        Parameters
        ----------
        suppress_below : int
            Smallest number of people that is shown; 0 shows everything.

        Returns
        -------
        matplotlib Figure
        """
        return import_module("whether.telling").draw(self, suppress_below)

    def to_text(self, width: int = WIDTH) -> str:
        """Return the scores as a table, with the answer below.

        Parameters
        ----------
        width : int
            Of a line; scores that have no place in it are left out.
        """
        n_splits = len(next(iter(self.scores.values()))["auc"])
        lines = wrap(
            f"{self.plan} It hides {100 * self.hidden_share:.0f} % of the events. {n_splits} splits: trained on "
            f"{self.n_training:,}, scored on {self.n_test:,} people, {self.n_positive:,} of them positive"
            f"{f' ({100 * self.positive_share:.0f} % by weight)' if self.weighted else ''}.",
            width,
        )
        shown = ["mean_risk_error"] if width < WIDE_TABLE else ["brier", "calibration_error", "mean_risk_error"]
        titles = " ".join(f"{COLUMNS[metric][0]:>12s}" for metric in shown)
        lines += ["", f"{'method':9s} {'AUC':>22s} {'minus LR':>25s} {titles}"]
        for name in self.scores:
            gap = _signed(self.difference(name)) if "LR" in self.scores and name != "LR" else ""
            values = " ".join(f"{self._cell(name, metric):>12s}" for metric in shown)
            lines.append(f"{name:9s} {self.interval(name)!s:>22s} {gap:>25s} {values}")
        lines += ["", *wrap(self.answer(), width)]
        if self.weighted:
            lines += wrap(WEIGHTED, width)
        if any(self.advised):
            counted = ", ".join(f"{name} ({count})" for name, count in Counter(self.advised).most_common())
            held = f"; a number for the mean risk was refused in {sum(self.refused)} of {n_splits} splits"
            lines += wrap(f"Advised then: {counted}{held if any(self.refused) else ''}.", width)
        for name, text in self.errors.items():
            lines += wrap(f"{name} could not be fitted in some split: {text}", width)
        return "\n".join(lines)

    def _cell(self, method: str, metric: str) -> str:
        sign = "+" if COLUMNS[metric][1] is None else ""
        return f"{self.interval(method, metric).estimate:{sign}.3f}"

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def _signed(interval: Interval) -> str:
    return f"{interval.estimate:+.3f} ({interval.lower:+.3f} to {interval.upper:+.3f})"
