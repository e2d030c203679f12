"""A label frequency as a fact, and the sentence that says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# A group that is positive to this share, by the logistic model, passes for one of positives only.
PURE = 0.9
# What the estimate and the interval of each method rest on, besides a constant propensity.
ASSUMED = {
    "likelihood": "if the risk is a logistic line in the features",
    "elkan-noto": "if labeled people can be told to be positive by their features",
    "bbe": "if the people with the highest scores are all positive",
    "tice": "if some node of a decision tree holds positives only",
    "dedpul": "if some scores are found among positives only",
}


@dataclass(frozen=True, repr=False)
class LabelFrequency:
    """How many of the positives are labeled, if that is the same share c of all.

    Attributes
    ----------
    method : str
    estimate, lower, upper : float
        Of c, with the limits of its confidence interval, under what the method assumes of p(x), which no data can show:
        see `assumption`. Where assumptions disagree the interval holds what each of them says.
    prevalence, prevalence_lower, prevalence_upper : float
        Of the share of positives in the cohort, which is the share labeled over c.
    confidence : float
        Level of the intervals.
    purity : float
        Share of positives in the group that the method takes for positives only, by the logistic model of maximum
        likelihood; 1 where the method needs no such group.
    assumption : str
        What the estimate and its interval rest on, in words. The range from `lowest` to 1 rests on none of it.
    is_pure : bool
        Whether that share is at least 0.9. If not, c is likely larger than the estimate, and the prevalence smaller.
    lowest : float
        Lower confidence limit of c from a constant propensity alone, whatever the shape of p(x): c lies between it and
        1, and labels cannot say where unless more is assumed.
    highest_prevalence : float
        The share of positives that goes with it. The lowest is the share labeled.
    by_assumption : dict of str to tuple
        Interval of c under each assumption: p(x) is logistic in a "line" or in "curves" (squares and products; absent
        where labels are too few). The "group" is the limit `lowest`, to 1.
    assumptions_agree : bool
        False where the line is contradicted: curves fit much better, or a group is labeled more often than the line
        allows.
    """

    method: str
    estimate: float
    lower: float
    upper: float
    prevalence: float
    prevalence_lower: float
    prevalence_upper: float
    confidence: float
    purity: float
    lowest: float
    highest_prevalence: float
    by_assumption: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    assumptions_agree: bool = True

    @property
    def is_pure(self) -> bool:
        """Whether the method's group of positives passes for one."""
        return self.purity >= PURE

    @property
    def assumption(self) -> str:
        """What estimate and interval rest on, besides a constant propensity."""
        return ASSUMED[self.method] if self.assumptions_agree else "under assumptions on the risk that disagree"

    def __str__(self) -> str:
        level, caution = f"{100 * self.confidence:g} % interval", ""
        if not self.is_pure:
            caution = " No group of near-certain positives was found: c is likely larger than this."
        if not self.assumptions_agree:
            caution += " The risk is no logistic line here, so the interval holds what each assumption allows."
        return (
            f"Label frequency {self.estimate:.3f} {self.assumption} ({level} {self.lower:.3f} to {self.upper:.3f}); "
            f"prevalence then {self.prevalence:.3f} ({self.prevalence_lower:.3f} to {self.prevalence_upper:.3f}); by "
            f"{self.method}.{caution} Whatever the risk looks like: {self.lowest:.3f} to 1, and a prevalence of at "
            f"most {self.highest_prevalence:.3f}."
        )

    __repr__ = __str__
