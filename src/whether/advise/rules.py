"""The rules of the advice, as data: what has to hold, and what follows.

The first of `METHOD_RULES` that applies decides the method; every entry of `REASONS`, `REFUSALS`, `FLAGS` and `CHANGES`
that applies is a finding of that name. A rule reads a `Situation`, which is the evidence boiled down to questions with
an answer. What a finding says in words is written under its name in `whether.telling.advice_words`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whether.advise.evidence.dependence import LARGE_UNSEEN_SHARE
from whether.advise.situation import Situation
from whether.methods import AFTMC_F, AFTMC_R, FUMC_F, FUMC_R, LR, SARPU_R, Method

# Share of the variance of log follow-up explained by features above which follow-up hardly varies by itself.
DETERMINED_FOLLOW_UP = 0.8
# Share of the events at the wrong time that puts the residual distribution in doubt.
LARGE_MISPLACED_SHARE = 0.1
# Difference in mean risk between the two models with a clock that matters.
LARGE_DIFFERENCE = 0.05

Condition = Callable[[Situation], bool]


@dataclass(frozen=True)
class MethodRule:
    """Which method, under what condition."""

    name: str
    applies: Condition
    method: Method


@dataclass(frozen=True)
class Remark:
    """A finding, and the condition under which it is one."""

    name: str
    applies: Condition


METHOD_RULES: tuple[MethodRule, ...] = (
    MethodRule("trusted times, named features", lambda s: s.times_usable and s.restricts_times, AFTMC_R),
    MethodRule("trusted times", lambda s: s.times_usable, AFTMC_F),
    MethodRule("follow-up, named features", lambda s: s.follow_up_usable and s.restricts_times, FUMC_R),
    MethodRule("follow-up", lambda s: s.follow_up_usable or s.enters_late, FUMC_F),
    MethodRule("named features", lambda s: bool(s.named), SARPU_R),
    # A constant is a propensity that depends on no feature.
    MethodRule("labels at random", lambda s: s.is_scar, SARPU_R),
    MethodRule("labels only", lambda s: True, LR),
)

# Why, besides the rule that decided.
REASONS: tuple[Remark, ...] = (
    Remark("selection", lambda s: s.dependence_tested),
    Remark("curve of events", lambda s: s.reading != "unknown"),
    Remark("curved", lambda s: s.is_curved),
)

# What no method can say from these data.
REFUSALS: tuple[Remark, ...] = (
    Remark("short follow-up", lambda s: s.reading == "goes on" and not s.level_is_known),
    Remark("labels only", lambda s: not (s.has_clock or s.enters_late or s.named or s.is_scar)),
)

# Where the answer may mislead.
FLAGS: tuple[Remark, ...] = (
    Remark("unclear plateau", lambda s: s.reading == "unclear" and not s.level_is_known),
    Remark(
        "extrapolation",
        lambda s: s.reading != "goes on" and s.unseen_share > LARGE_UNSEEN_SHARE and not s.level_is_known,
    ),
    Remark("unchecked times", lambda s: s.has_time and not s.times_checked),
    Remark("contradiction", lambda s: s.has_time and not s.times_usable),
    Remark("follow-up from features", lambda s: s.follow_up_explained > DETERMINED_FOLLOW_UP),
    Remark("models disagree", lambda s: s.times_usable and abs(s.risk_difference) > LARGE_DIFFERENCE),
    Remark("shape of times", lambda s: s.times_usable and s.misplaced_share > LARGE_MISPLACED_SHARE),
    Remark("exchange", lambda s: s.exchange_open),
    Remark("few events", lambda s: s.few_events),
    Remark("constant propensity", lambda s: not (s.has_clock or s.named) and s.is_scar),
    Remark("unnamed drivers", lambda s: bool(s.named) and bool(s.unnamed_drivers)),
)

# What would change the answer.
CHANGES: tuple[Remark, ...] = (
    Remark("follow-up", lambda s: not s.evidence.counts.has_follow_up),
    Remark("named features", lambda s: s.evidence.counts.named_features is None),
    Remark("times", lambda s: not s.has_time),
    Remark("repaired times", lambda s: s.has_time and not s.times_usable),
    Remark("longer follow-up", lambda s: s.reading in ("goes on", "unclear") and not s.level_is_known),
    Remark("prevalence", lambda s: s.share is None and (not s.has_clock or s.reading == "goes on")),
    Remark("ranking only", lambda s: s.ranking_is_easy),
)
