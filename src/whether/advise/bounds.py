"""What can be said without any restriction: how many people there are, and bounds on the risk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from whether.advise.material import Material
from whether.advise.results import Section
from whether.cohort import Cohort
from whether.evaluate.kaplan_meier import kaplan_meier
from whether.learners import LinearLearner, Task
from whether.propensity import Certain

Array = NDArray[np.float64]

# The people most likely to be labeled: this share of all, and not fewer than this number.
TOP_SHARE, FEWEST_AT_TOP = 0.05, 40


@dataclass(frozen=True)
class CountEvidence(Section):
    """How much there is to learn from.

    Attributes
    ----------
    n, n_events, n_features : int
    events_per_parameter : float
        Events over the number of coefficients of a model with all features in both parts.
    has_time, has_follow_up : bool
    named_features : list of str or None
        Features that are said to drive labeling.
    """

    n: int
    n_events: int
    n_features: int
    events_per_parameter: float
    has_time: bool
    has_follow_up: bool
    named_features: list[str] | None

    def sentences(self) -> list[str]:
        """Return what was found, in sentences with numbers."""
        known = [
            name
            for name, given in (("event times", self.has_time), ("potential follow-up", self.has_follow_up))
            if given
        ]
        if self.named_features is not None:
            known.append(f"features that drive labeling ({', '.join(self.named_features) or 'none'})")
        few = " That is few." if self.events_per_parameter < 5 else ""
        return [
            f"{self.n:,} people, {self.n_events:,} with the event ({100 * self.n_events / self.n:.1f} %), "
            f"{self.n_features} features: {self.events_per_parameter:.3g} events per coefficient of a model with all "
            f"features in both parts.{few}",
            f"Known besides labels: {', '.join(known) or 'nothing'}.",
        ]


@dataclass(frozen=True)
class BoundsEvidence(Section):
    """Bounds on the share of positives in the cohort.

    Attributes
    ----------
    lowest : float
        Share labeled: each of them is positive.
    lowest_by_times : float
        Where event times are known and not contradicted, the share with an event by some time, by Kaplan and Meier's
        method: right if follow-up goes its own way. The time is the one at which the lower limit of the share is
        highest, for at the end of the curve few people are left. NaN otherwise.
    lowest_by_times_limit : float
        Its lower limit, of a 95 % interval, or the share labeled where that is higher.
    time_of_lowest : float
        That time.
    highest : float
        1: without a restriction everybody might be positive.
    highest_if_constant : float
        If all positives were equally likely to be labeled: the labeled share over the lowest label frequency that the
        people most likely to be labeled allow.
    highest_label_probability : float
        Share labeled among the 5 % of people most likely to be labeled, by logistic regression fitted to others.
        Under a constant propensity it is at most the label frequency.
    highest_label_limit : float
        Its lower limit, with a confidence of 95 %.
    """

    lowest: float
    lowest_by_times: float
    lowest_by_times_limit: float
    time_of_lowest: float
    highest: float
    highest_if_constant: float
    highest_label_probability: float
    highest_label_limit: float

    def sentences(self) -> list[str]:
        """Return what was found, in sentences with numbers."""
        return [
            f"Without any restriction between {100 * self.lowest:.1f} % and 100 % are positive; a person's risk lies "
            "between the probability of a label and 1."
            + (
                f" If follow-up is independent of the event, an estimated {100 * self.lowest_by_times:.1f} % or more "
                f"are, and at least {100 * self.lowest_by_times_limit:.1f} % (lower limit of a 95 % interval)."
                if math.isfinite(self.lowest_by_times)
                else ""
            ),
            f"If all positives were equally likely to be labeled, at most {100 * self.highest_if_constant:.0f} % would "
            f"be positive: of the people most likely to be labeled {100 * self.highest_label_probability:.0f} % are "
            f"(at least {100 * self.highest_label_limit:.0f} %, confidence 95 %), and of all positives no fewer.",
        ]


def count(material: Material) -> CountEvidence:
    """Count people, events and coefficients.

    Parameters
    ----------
    material : Material
    """
    cohort, d = material.cohort, material.cohort.features.shape[1]
    scarce = min(material.n_events, cohort.n - material.n_events)
    return CountEvidence(
        n=cohort.n,
        n_events=material.n_events,
        n_features=d,
        events_per_parameter=scarce / (2 * d + 2),
        has_time=material.has_time,
        has_follow_up=material.has_follow_up,
        named_features=material.named,
    )


def bound(material: Material, *, trust_times: bool = True) -> BoundsEvidence:
    """Bound the share of positives.

    Parameters
    ----------
    material : Material
    trust_times : bool
        Whether event times, if there are any, may be used.
    """
    cohort = material.cohort
    labeled, by_times, by_times_limit, at = float(cohort.labeled.mean()), math.nan, math.nan, math.nan
    if material.has_time and trust_times:
        curve = kaplan_meier(cohort.labeled, cohort.required("time"))
        limits = 1 - np.nan_to_num(curve.interval()[1], nan=1.0)
        best = int(np.argmax(limits))
        by_times, by_times_limit = 1 - float(curve.survival[best]), max(labeled, float(limits[best]))
        at = float(curve.times[best])
    highest, limit = _highest_label_share(cohort)
    return BoundsEvidence(
        lowest=labeled,
        lowest_by_times=by_times,
        lowest_by_times_limit=by_times_limit,
        time_of_lowest=at,
        highest=1.0,
        highest_if_constant=min(1.0, labeled / limit) if limit > 0 else 1.0,
        highest_label_probability=highest,
        highest_label_limit=limit,
    )


def _highest_label_share(cohort: Cohort) -> tuple[float, float]:
    """Share labeled among those whom a fit to others calls most likely to be, and its lower limit.

    Each half of the people is ranked by a fit to the other half: nobody's label is in their own rank, so that the share
    is no larger than the largest probability of a label, whether or not the fit has the right shape.
    """
    order = np.argsort(~cohort.labeled, kind="stable")
    halves = [np.sort(order[first::2]) for first in (0, 1)]
    n_top = n_labeled = 0
    for ranked, fitted in (halves, halves[::-1]):
        part = cohort.take(fitted)
        if part.labeled.all() or not part.labeled.any():
            return float(cohort.labeled.mean()), 0.0
        fit = LinearLearner(ridge=1.0).fit(Task(part, [Certain()]))
        score = np.asarray(fit.predict(cohort.features[ranked])[0])
        top = ranked[np.argsort(-score, kind="stable")[: max(FEWEST_AT_TOP // 2, int(TOP_SHARE * ranked.size))]]
        n_top, n_labeled = n_top + top.size, n_labeled + int(cohort.labeled[top].sum())
    limit = float(beta.ppf(0.05, n_labeled, n_top - n_labeled + 1)) if n_labeled else 0.0
    return n_labeled / n_top, limit
