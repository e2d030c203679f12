"""The rules of the advice, as data: what has to hold, what follows, and why.

The first of `METHOD_RULES` that applies decides the method; every entry of `REFUSALS`, `FLAGS` and `CHANGES` that
applies is reported. A rule reads a `Situation`, which is the evidence boiled down to questions with an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whether.advise.dependence import LARGE_UNSEEN_SHARE
from whether.advise.results import p_text
from whether.advise.situation import Situation

# Share of the variance of log follow-up explained by features above which follow-up hardly varies by itself.
DETERMINED_FOLLOW_UP = 0.8
# Share of the events at the wrong time that puts the residual distribution in doubt.
LARGE_MISPLACED_SHARE = 0.1
# Difference in mean risk between the two models with a clock that matters.
LARGE_DIFFERENCE = 0.05

Condition = Callable[[Situation], bool]
Sentence = Callable[[Situation], str]


@dataclass(frozen=True)
class MethodRule:
    """Which method, under what condition.

    Attributes
    ----------
    name : str
    applies : callable
    method : str
        Name in the catalogue of methods.
    assumption : str
        What is being bought.
    reason : callable
        Why, with numbers.
    """

    name: str
    applies: Condition
    method: str
    assumption: str
    reason: Sentence


@dataclass(frozen=True)
class Remark:
    """A sentence that is said under a condition."""

    name: str
    applies: Condition
    sentence: Sentence


_TIMES = "event times are recorded correctly, and the end of follow-up is independent of the event given the features"
_FOLLOW_UP = "how long a person is followed is independent of when the event comes, given the features"


def _why_times(situation: Situation) -> str:
    trust = situation.evidence.trust
    assert trust is not None
    if not trust.labels.was_run:
        return f"Event times are known and could not be checked: {trust.labels.note}."
    agreed = f"Event times agree with labels and follow-up ({p_text(trust.labels.p_value)})"
    return f"{agreed}, and say more than labels alone."


def _why_follow_up(situation: Situation) -> str:
    trust = situation.evidence.trust
    if trust is None:
        return "Follow-up is known and event times are not: it says how much of the events had a chance to be seen."
    difference = trust.risk_difference
    size = f"; the event-time model would move the mean risk by {difference.estimate:+.2f}" if difference else ""
    return (
        f"Event times contradict labels and follow-up ({p_text(trust.labels.p_value)}){size}. The follow-up model does "
        "not read them."
    )


def _why_scar(situation: Situation) -> str:
    scar = situation.evidence.scar
    return (
        f"From labels alone a constant propensity is not contradicted ({p_text(scar.likelihood_ratio.p_value)}); under "
        f"it {100 * scar.label_frequency:.0f} % of the positives are labeled."
    )


def _why_labels(situation: Situation) -> str:
    test = situation.evidence.scar.likelihood_ratio
    found = (
        f"a constant propensity is rejected ({p_text(test.p_value)})"
        if test.was_run
        else f"a constant propensity {test}"
    )
    return (
        f"Labels are all there is, and {found}. Who is positive and who is seen cannot be told apart: only the "
        "probability of a label can be learned, which is the lower bound of the risk."
    )


METHOD_RULES: tuple[MethodRule, ...] = (
    MethodRule(
        "trusted times, named features", lambda s: s.times_usable and s.restricts_times, "AFTMC-R",
        f"{_TIMES}; event times depend on the named features only", _why_times,
    ),
    MethodRule("trusted times", lambda s: s.times_usable, "AFTMC-F", _TIMES, _why_times),
    MethodRule(
        "follow-up, named features", lambda s: s.follow_up_usable and s.restricts_times, "FUMC-R",
        f"{_FOLLOW_UP}; event times depend on the named features only", _why_follow_up,
    ),
    MethodRule("follow-up", lambda s: s.follow_up_usable, "FUMC-F", _FOLLOW_UP, _why_follow_up),
    MethodRule(
        "named features", lambda s: bool(s.named), "SARPU-R",
        "among positives, who is seen depends on the named features only", lambda s: (
            f"Features that drive labeling are named ({', '.join(s.named)}), and there is no usable clock."
        ),
    ),
    MethodRule(
        "labels at random", lambda s: s.is_scar, "SARPU-R", "every positive is equally likely to be seen", _why_scar
    ),
    MethodRule("labels only", lambda s: True, "LR", "no more is asked for than a lower bound of the risk", _why_labels),
)  # fmt: skip


def _short(situation: Situation) -> str:
    found = situation.evidence.follow_up
    assert found is not None
    fraction = found.cure_fraction(trust_times=situation.times_usable)
    assert fraction is not None
    return (
        f"Follow-up is too short for any method to say more than a lower bound of the mean risk: at its end the curve "
        f"of events still falls (ratio {fraction.ratio:.2f}, to be below 0.05; {100 * fraction.unseen:.0f} % of those "
        "with the event would have it later). The ranking of people is affected less."
    )


def _unnamed(situation: Situation) -> str:
    others = ", ".join(situation.unnamed_drivers)
    return (
        f"Event times or follow-up also depend on features that were not named ({others}): the restriction to the "
        "named ones is not used where a clock can do without it."
    )


REFUSALS: tuple[Remark, ...] = (
    Remark("short follow-up", lambda s: s.reading == "goes on", _short),
    Remark(
        "labels only",
        lambda s: not (s.has_clock or s.named or s.is_scar),
        lambda s: (
            "No restriction on the propensity is at hand, so no number between the bounds is better than another: "
            f"{100 * s.evidence.bounds.lowest:.1f} % to 100 % are positive."
        ),
    ),
)

FLAGS: tuple[Remark, ...] = (
    Remark(
        "unclear plateau", lambda s: s.reading == "unclear", lambda s: (
            "Whether the curve of events levels off is unclear: part of the mean risk is extrapolated."
        ),
    ),
    Remark(
        "extrapolation", lambda s: s.reading != "goes on" and s.unseen_share > LARGE_UNSEEN_SHARE, lambda s: (
            f"{100 * s.unseen_share:.0f} % of the expected positives would have their event after the longest "
            "follow-up: that part of the mean risk is extrapolated."
        ),
    ),
    Remark(
        "unchecked times", lambda s: s.has_time and not s.times_checked, lambda s: (
            "Event times could not be checked. If they are reported late or in batches, the mean risk is wrong."
        ),
    ),
    Remark(
        "contradiction", lambda s: s.has_time and not s.times_usable, lambda s: (
            "Either event times are wrong, or follow-up goes with the event for reasons that are not in the features; "
            "the second would bias the follow-up model, too."
        ),
    ),
    Remark(
        "follow-up from features", lambda s: s.follow_up_explained > DETERMINED_FOLLOW_UP, lambda s: (
            f"Features explain {100 * s.follow_up_explained:.0f} % of the variance of log follow-up: people with the "
            "same features are followed equally long, and what happens at other follow-ups is extrapolated."
        ),
    ),
    Remark(
        "models disagree", lambda s: s.times_usable and abs(s.risk_difference) > LARGE_DIFFERENCE, lambda s: (
            f"The event-time and the follow-up model differ by {s.risk_difference:+.2f} in mean risk although recorded "
            "times agree with the labels: the shape of the model is in doubt."
        ),
    ),
    Remark(
        "shape of times", lambda s: s.times_usable and s.misplaced_share > LARGE_MISPLACED_SHARE, lambda s: (
            f"{100 * s.misplaced_share:.0f} % of the events come when the event-time model does not expect them: none "
            "of its residual distributions has the shape of these times, and the mean risk may be off by some per cent."
        ),
    ),
    Remark(
        "exchange", lambda s: s.exchange_open, lambda s: (
            "Equally likely solutions rank people differently: outcome and propensity may be exchanged."
        ),
    ),
    Remark(
        "few events", lambda s: s.few_events, lambda s: (
            f"{s.evidence.counts.n_events} events are few: {s.evidence.counts.events_per_parameter:.1f} per "
            "coefficient. Much could not be tested, and the fit rests on shrinkage."
        ),
    ),
    Remark(
        "constant propensity",
        lambda s: not (s.has_clock or s.named) and s.is_scar,
        lambda s: (
            "That labeling is at random was not rejected, which is no proof; how many positives there are rests on the "
            "logistic shape of the risk."
        ),
    ),
    Remark("unnamed drivers", lambda s: bool(s.named) and bool(s.unnamed_drivers), _unnamed),
)  # fmt: skip

CHANGES: tuple[Remark, ...] = (
    Remark(
        "follow-up", lambda s: not s.evidence.counts.has_follow_up, lambda s: (
            "If you know how long each person would have been followed without the event (from entry to the end of the "
            "data, say), the follow-up model needs neither event times nor named features, and event times can be "
            "checked."
        ),
    ),
    Remark(
        "named features", lambda s: s.evidence.counts.named_features is None, lambda s: (
            "If you can name the features that drive diagnosis or labeling, the propensity can be restricted to them."
        ),
    ),
    Remark(
        "times", lambda s: not s.has_time, lambda s: (
            "If event times are known and can be trusted, they make the estimates more precise."
        ),
    ),
    Remark(
        "repaired times", lambda s: s.has_time and not s.times_usable, lambda s: (
            "If event times were repaired so that they agree with labels and follow-up, the event-time model would be "
            "the more precise one."
        ),
    ),
    Remark(
        "longer follow-up", lambda s: s.reading in ("goes on", "unclear"), lambda s: (
            "Longer follow-up, until the curve of events levels off, would make the mean risk an estimate instead of a "
            "bound."
        ),
    ),
    Remark(
        "prevalence", lambda s: not s.has_clock, lambda s: (
            "If the share of positives, or the share of them that is labeled, is known from elsewhere, give it to "
            "ElkanNotoClassifier as prevalence= or label_frequency=."
        ),
    ),
    Remark(
        "ranking only", lambda s: s.ranking_is_easy, lambda s: (
            "If only the ranking of people matters, logistic regression on the labels is enough: neither event times "
            "nor follow-up were found to depend on features."
        ),
    ),
)  # fmt: skip
