"""What can be said without any restriction: how many people there are, and bounds on the risk."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whether.advise.fits import NO_COLUMNS
from whether.advise.material import Material
from whether.advise.results import Section
from whether.distributions import softplus_expit
from whether.evaluate.kaplan_meier import kaplan_meier
from whether.learners import LinearLearner
from whether.propensity import Certain

Array = NDArray[np.float64]


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
        Where event times are known and not contradicted, the share with an event by the last one, by Kaplan and Meier's
        method: right if follow-up goes its own way. NaN otherwise.
    highest : float
        1: without a restriction everybody might be positive.
    highest_if_constant : float
        If all positives were equally likely to be labeled: the labeled share over the highest label probability, which
        is at most the label frequency.
    highest_label_probability : float
        99 % quantile over people of the probability of a label, by logistic regression.
    """

    lowest: float
    lowest_by_times: float
    highest: float
    highest_if_constant: float
    highest_label_probability: float

    def sentences(self) -> list[str]:
        """Return what was found, in sentences with numbers."""
        return [
            f"Without any restriction between {100 * self.lowest:.1f} % and 100 % are positive; a person's risk lies "
            "between the probability of a label and 1."
            + (
                f" If follow-up is independent of the event, at least {100 * self.lowest_by_times:.1f} % are."
                if math.isfinite(self.lowest_by_times)
                else ""
            ),
            f"If all positives were equally likely to be labeled, at most {100 * self.highest_if_constant:.0f} % would "
            f"be: the probability of a label reaches {self.highest_label_probability:.2f}, and so does the share of "
            "positives that is labeled.",
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
    labeled, by_times = float(cohort.labeled.mean()), math.nan
    if material.has_time and trust_times:
        by_times = 1 - float(kaplan_meier(cohort.labeled, cohort.required("time")).survival[-1])
    fit = LinearLearner(ridge=1.0).fit(cohort, [Certain()], columns=NO_COLUMNS, rng=np.random.default_rng(0))
    probability = softplus_expit(np.asarray(fit.predict(cohort.features)[0]))[1]
    highest = float(np.quantile(probability, 0.99))
    return BoundsEvidence(labeled, by_times, 1.0, min(1.0, labeled / highest) if highest > 0 else math.nan, highest)
