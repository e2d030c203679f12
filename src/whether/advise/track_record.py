"""What a backtest found: scores of each method with intervals, and paired differences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from whether.evaluate.bootstrap import Interval
from whether.evaluate.known_truth import RISK_METRICS
from whether.facts import Groups, People, Personal, RestsOn, Told
from whether.methods import LR, METHODS

Array = NDArray[np.float64]

# Scores, and whether a higher one is better.
METRICS = {metric.name: metric.more_is_better for metric in RISK_METRICS}


@dataclass(frozen=True)
class WorthOfTimes:
    """The best method with event times beside the best one without, and the difference of their AUC."""

    with_times: str
    without: str
    gap: Interval

    @property
    def verdict(self) -> str:
        """Whether event times are "worth it", "a waste", or whether that is "open"."""
        if self.gap.lower > 0:
            return "worth it"
        return "a waste" if self.gap.upper < 0 else "open"


@dataclass(frozen=True, eq=False, repr=False)
class Backtest(Told):
    """Scores of each method at an earlier endpoint, split by split; printing it tells the table.

    Attributes
    ----------
    scores : dict of str to dict of str to ndarray
        By method and metric, one entry per split. "known now" is logistic regression trained on what is known now,
        "advised" what the advice was then.
    advised : tuple of str
        The method advised in each split.
    endpoint : float or None
        Date of the endpoint; None where it was staggered.
    stagger : float or None
        Follow-up was cut at random between 0 and this; None where the endpoint is a date.
    horizon : float
        Follow-up after which nobody event-free is taken for positive.
    hidden_share : float
        Share of the events that the endpoint hides.
    n_events, n_hidden : int
        Events, and the mean number of them that the endpoint hides.
    n_training, n_test, n_positive : int
        Mean numbers of people trained on, of people scored, and of positives among them.
    positive_share : float
        Share of positives among those scored, with their weights.
    errors : dict of str to str
        Methods that could not be fitted in some split, with a reason.
    level : float
        Confidence level.
    weighted : bool
        Whether people count by the inverse of their chance to be followed long enough, for want of everybody's
        potential follow-up. If follow-up depends on the features, scores may mislead.
    refused : tuple of bool
        Whether the advice of then refused a number for the mean risk, in each split.
    """

    scores: Annotated[dict[str, dict[str, Array]], RestsOn(("n_positive",))]
    advised: tuple[str, ...]
    endpoint: Annotated[float | None, Personal(4)]
    stagger: Annotated[float | None, Personal(2)]
    horizon: Annotated[float, Personal(2)]
    hidden_share: Annotated[float, RestsOn(("n_hidden",))]
    n_events: Annotated[int, People("people")] = field(repr=False)
    n_hidden: Annotated[int, People("n_events")] = field(repr=False)
    n_training: Annotated[int, People("people")]
    n_test: Annotated[int, People("people")]
    n_positive: Annotated[int, People("n_test")]
    positive_share: Annotated[float, RestsOn(("n_positive",))]
    errors: dict[str, str] = field(default_factory=dict, repr=False)
    level: float = 0.95
    weighted: bool = False
    refused: tuple[bool, ...] = ()

    @property
    def groups(self) -> Groups:
        """Sizes of the groups of which numbers may tell."""
        return {"people": (math.inf, math.inf)}

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.advised)

    @property
    def failed(self) -> tuple[str, ...]:
        """Methods that could not be fitted in some split; ``errors`` has the reasons."""
        return tuple(self.errors)

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

    def difference(self, method: str, reference: str = LR.name, metric: str = "auc") -> Interval:
        """Mean paired difference of two methods over the splits, with its interval; see `interval` for the metrics."""
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
        """Name of the method with the best mean score; see `interval` for the metrics."""
        return self._best([name for name in self.scores if name in METHODS], metric)

    def _best(self, methods: list[str], metric: str = "auc") -> str:
        sign = 1.0 if METRICS[metric] else -1.0
        return max(methods, key=lambda name: sign * np.nan_to_num(self.interval(name, metric).estimate, nan=-sign * 9))

    def worth_of_times(self) -> WorthOfTimes | None:
        """Compare the best method with event times with the best one without; None where one kind is missing.

        The best of each kind was chosen by these very scores, which flatters both.
        """
        known = [METHODS[name] for name in self.scores if name in METHODS]
        times = [method.name for method in known if "time" in method.needs]
        others = [method.name for method in known if "time" not in method.needs]
        if not times or not others:
            return None
        best, other = self._best(times), self._best(others)
        return WorthOfTimes(best, other, self.difference(best, other))

    def to_frame(self) -> Any:
        """Return means, intervals and differences from logistic regression as a pandas DataFrame; see `rows`."""
        import pandas

        return pandas.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """Return means, intervals and differences from logistic regression, a row per method and metric."""
        rows = []
        for method in self.scores:
            for metric in METRICS:
                found = self.interval(method, metric)
                gap = self.difference(method, LR.name, metric) if LR.name in self.scores else None
                rows.append(
                    {
                        "method": method, "metric": metric, "mean": found.estimate, "lower": found.lower,
                        "upper": found.upper, "difference": gap.estimate if gap else math.nan,
                        "difference_lower": gap.lower if gap else math.nan,
                        "difference_upper": gap.upper if gap else math.nan,
                    }
                )  # fmt: skip
        return rows
