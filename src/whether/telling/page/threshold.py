"""What a decision threshold does, for every threshold that may be shown: the numbers behind the slider."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.telling.disclosure import Disclosure, is_told
from whether.telling.reading import Reading
from whether.telling.record_words import RISK_WORDS, STILL_WORDS
from whether.telling.risk_bins import STEPS, RiskBins, bin_of, is_same_order
from whether.telling.words import percent

Array = NDArray[np.float64]

# The threshold that is shown first, where anybody reaches it.
HALF = 0.5
# Who is selected from, and what the threshold is put on, with the words for the question.
_WORDS = {
    "unlabeled": (
        "people of this cohort with no recorded event", "the probability that the event is still to come", STILL_WORDS
    ),
    "new": ("new people like those of this cohort", "the risk that the event ", RISK_WORDS),
}  # fmt: skip
# What it is put on where the answer is a ranking.
RECORDED = "the probability of a recorded event"


class Hit(NamedTuple):
    """What is expected of whom a threshold selects, as the page says it in its places."""

    expected: str  # after "expected"
    others: str  # after "and how many"
    hits: str  # after "people", as are the next
    misses: str
    is_not: str  # after "expected not"
    are: str  # after "of the selected"
    those: str  # before "are selected"
    left: str  # before "but not selected"
    columns: tuple[str, str]  # after "expected"


POSITIVE = Hit(
    "to have the event", "to be false alarms", ", true positives", ", false positives", "to", "have the event",
    "of those with the event", "with the event", ("true positives", "false positives"),
)  # fmt: skip
# Where the answer is a ranking nothing is expected but what is recorded.
WITH_RECORD = Hit(
    "to have a recorded event", "not", "", "", "to have one", "have one",
    "of those with one", "with a recorded event", ("with a recorded event", "without"),
)  # fmt: skip


@dataclass(frozen=True)
class Sweep:
    """People above each threshold, and how many of them are expected to have the event."""

    key: str
    title: str  # who is selected from
    measure: str  # what the threshold is put on
    thresholds: list[float]  # ascending, from 0
    selected: list[int]  # people at or above each threshold
    positive: list[float]  # expected positives among them
    default: int  # position of the threshold that is shown first
    may_hide: bool  # whether thresholds that few people reach are left out

    @property
    def start(self) -> str:
        """Which threshold is shown first, and why."""
        shown = percent(self.thresholds[self.default])
        if self.thresholds[-1] < HALF:
            few = "nobody, or people who may not be counted" if self.may_hide else "nobody"
            return f"Thresholds of 50 % or more select {few}: the slider starts at {shown}, near twice the mean."
        if self.thresholds[self.default] == HALF:
            return f"The slider starts at {shown}: more likely than not."
        return f"The slider starts at {shown}, the threshold nearest to 50 % that may be shown."

    def rows(self, most: int = 12) -> list[dict[str, Any]]:
        """Return some thresholds, each for people of its own, with everything that follows from them."""
        others = np.flatnonzero(np.diff(self.selected, prepend=0))
        picked = others[np.unique(np.linspace(0, others.size - 1, most).round().astype(int))]
        return [self.row(int(i)) for i in picked]

    def row(self, i: int) -> dict[str, Any]:
        """Return what follows from one threshold."""
        n, positive, total = self.selected[i], self.positive[i], self.positive[0]
        return {
            "threshold": self.thresholds[i],
            "selected": n,
            "share": n / self.selected[0],
            "true": whole(positive),
            "false": n - whole(positive),
            "missed": whole(total) - whole(positive),
            "precision": positive / n if n else None,
            "sensitivity": positive / total if total else None,
        }


def whole(number: float) -> int:
    """Round a number as the script of the page does, halves up; what follows from it is told of whole people, too."""
    return math.floor(number + 0.5)


def sweeps(reading: Reading) -> list[Sweep]:
    """Sweep thresholds over those who may still have the event, and over everybody as if they were new."""
    bins = reading.risk_bins
    # How many have no recorded event would tell how many have one, and so may the sum of the risks.
    if bins is None:
        return []
    analysis, unlabeled, may_have = reading.analysis, ~reading.cohort.labeled, reading.evidence.material.open_people
    # Those who may still have it are not told apart from the others where that gives a few away.
    is_apart, risks = is_told(reading.told.evidence.counts.n_open), analysis.risks
    among = may_have if is_apart else unlabeled
    still = np.where(may_have, analysis.still, 0.0)[among]
    edges = _still_edges(still, (risks[among], risks[unlabeled]), bins, reading.disclosure)
    found = [_sweep("unlabeled", still, edges, reading), _sweep("new", risks, bins.fine, reading)]
    if analysis.kind == "ranking":
        found = [None if one is None else replace(one, measure=RECORDED) for one in found]
    if found[0] is not None and is_apart and analysis.n_open < analysis.n_unlabeled:
        found[0] = replace(found[0], title=f"{found[0].title} who may still have it")
    return [one for one in found if one is not None]


def _sweep(key: str, values: Array, edges: Array, reading: Reading) -> Sweep | None:
    """Sweep thresholds over some people; None where there are too few."""
    position, n_bins = bin_of(values, edges), edges.size - 1
    selected = np.bincount(position, minlength=n_bins)[::-1].cumsum()[::-1]
    positive = np.bincount(position, weights=values, minlength=n_bins)[::-1].cumsum()[::-1]
    # Thresholds above which nobody is left say nothing. Nobody expected to be positive is what a method says that
    # takes every event for seen: no threshold to choose.
    kept = selected > 0
    if np.count_nonzero(kept) < 2 or positive[0] <= 0:
        return None
    thresholds, expected = edges[:-1][kept].tolist(), np.round(positive[kept], 1).tolist()
    # Where nobody is more likely than not to have it, those are shown who are at twice the mean.
    wanted = HALF if thresholds[-1] >= HALF else 2 * float(values.mean())
    default = int(np.argmin(np.abs(np.array(thresholds) - wanted)))
    title, measure, asked = _WORDS[key]
    measure += asked[reading.question]
    may_hide = reading.disclosure.is_on
    return Sweep(key, title, measure, thresholds, selected[kept].tolist(), expected, default, may_hide)


def _still_edges(still: Array, risks: tuple[Array, Array], bins: RiskBins, disclosure: Disclosure) -> Array:
    """Thresholds on the probability of an event still to come that may stand beside the histogram of risks.

    Nobody's is above the risk, so those above a threshold are among those whose risk is above it or above a lower one,
    and the difference of the two numbers counts people. Where both have one order, that holds for any two thresholds.
    The risks are those of the same people, and of everybody in the histogram.
    """
    above, beyond = (_count_from(values, edges) for values, edges in ((still, STEPS), (risks[1], bins.coarse)))
    same_order = is_same_order(still, risks[0])
    kept: list[float] = []
    last = 0
    for edge, count in zip(STEPS[-2::-1], above[-2::-1], strict=True):
        others = beyond if same_order else beyond[bins.coarse <= edge]
        if disclosure.allows(count - last, *np.abs(others - count)):
            kept.append(float(edge))
            last = count
    # The lowest threshold selects everybody, so those below the others go to the lowest that leaves enough.
    while kept and kept[-1] > 0:
        kept.pop()
        if disclosure.allows(still.size - np.count_nonzero(still >= kept[-1]) if kept else still.size):
            kept.append(0.0)
    return np.array([*kept[::-1], 1.0])


def _count_from(values: Array, edges: Array) -> NDArray[np.intp]:
    """Number of values at or above each edge."""
    return values.size - np.searchsorted(np.sort(values), edges, side="left")
