"""Which other methods the evidence leaves standing, and what it says against the rest.

An objection concerns methods by what the catalogue says of them, never by name, so that a new method is judged by its
restriction and by what it needs; and any of them by the mean risk that it arrives at. What an objection says in words
is written under its name in `whether.telling.advice_words`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whether.advise.situation import Situation
from whether.methods import ENPU, LR, SARPU_F, Method


@dataclass(frozen=True)
class Objection:
    """A finding that speaks against some methods."""

    name: str
    concerns: Callable[[Method], bool]
    applies: Callable[[Situation], bool]


OBJECTIONS: tuple[Objection, ...] = (
    Objection("selection", lambda m: m.restriction in (LR.restriction, ENPU.restriction), lambda s: s.rejects_constant),
    Objection("contradicted times", lambda m: "time" in m.needs, lambda s: s.has_time and not s.times_usable),
    Objection("equal follow-up", lambda m: "follow_up" in m.needs, lambda s: not s.follow_up_usable),
    Objection("unnamed drivers", lambda m: bool(m.feature_parameter), lambda s: bool(s.unnamed_drivers)),
    # The same features in both parts: "likely" and "likely to be seen" may be exchanged, and nothing would show it.
    Objection("not determined", lambda m: m.restriction == SARPU_F.restriction, lambda s: True),
    Objection("follow-up matters", lambda m: not m.needs, lambda s: s.is_seen_longer),
)
# Of an answer by whichever method: fewer, or more, than the curve of events allows; and more than one chance to be
# recorded for everybody leaves room for.
BELOW_CURVE, ABOVE_CURVE, ABOVE_CONSTANT = "below the curve", "above the curve", "above a constant chance"
# Fits end so near to a mean that they have by construction, such as the share of events.
SLACK = 1e-4


def object_to(method: Method, mean_risk: float, situation: Situation) -> str:
    """Name of the first objection to a method, by its row of the catalogue; empty where it is left standing."""
    for objection in OBJECTIONS:
        if objection.concerns(method) and objection.applies(situation):
            return objection.name
    lowest, highest = situation.shares_by_curve
    if mean_risk < lowest - SLACK:
        return BELOW_CURVE
    if method.restriction == ENPU.restriction and mean_risk > situation.evidence.bounds.highest_if_constant + SLACK:
        return ABOVE_CONSTANT
    return ABOVE_CURVE if mean_risk > highest + SLACK else ""
