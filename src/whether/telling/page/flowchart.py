"""How the method was chosen: the questions in their order, with this cohort's answers and its path.

The leaves carry the names of the rules in `whether.advise.rules`, so that the path on the page is the one that was
taken. Three of the questions are those of Weng and Engelhard; the others are asked here besides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.rules import METHOD_RULES
from whether.advise.situation import Situation
from whether.telling.reading import Reading
from whether.telling.words import name, p_text


@dataclass(frozen=True)
class Leaf:
    """An end of the flowchart."""

    rule: str
    method: str
    words: str
    is_lit: bool


@dataclass(frozen=True)
class Step:
    """A question, what these data answer, and where yes leads."""

    question: str
    why: str  # why it is asked
    answer: str  # "yes", "no" or "not known"
    because: str  # on what grounds
    is_lit: bool  # whether the path of this cohort comes by
    in_paper: bool  # whether the paper asks it
    leaves: tuple[Leaf, ...] = ()  # where yes leads; empty for a question that decides no method
    aside: str = ""  # what yes means for a question that decides no method


def steps(reading: Reading) -> tuple[list[Step], Leaf]:
    """Return the questions in order, and the leaf that is reached when all are answered with no."""
    chosen = reading.analysis.recommendation.rule
    methods = {rule.name: rule.method.name for rule in METHOD_RULES}

    def leaf(rule: str, words: str) -> Leaf:
        without = " without features" if rule == "labels at random" else ""  # it is named by another leaf with them
        return Leaf(rule, methods[rule] + without, words, rule == chosen)

    found = [_first(reading)]
    passed = False
    for branch in _BRANCHES:
        leaves = tuple(leaf(rule, words) for rule, words in branch.leaves.items())
        answer = "yes" if branch.is_yes(reading.situation) else "no"
        found.append(
            Step(branch.question, branch.why, answer, branch.because(reading), not passed, branch.in_paper, leaves)
        )
        passed = passed or any(one.is_lit for one in leaves)
    return found, leaf("labels only", "a ranking; no estimate")


def _first(reading: Reading) -> Step:
    """The question that decides whether ranking is easy; it decides no method."""
    evidence = reading.analysis.evidence
    found = evidence.dependence
    tests = [found.event_times, found.follow_up] if found is not None else [evidence.scar.likelihood_ratio]
    ran = [test for test in tests if test.was_run]
    answer = "yes" if any(test.rejects() for test in tests) else "no" if len(ran) == len(tests) else "not known"
    kinds = ("event times", "follow-up") if found is not None else ("recorded events",)
    because = "; ".join(f"{kind}: {_test(test)}" for kind, test in zip(kinds, tests, strict=True))
    if reading.enters_late:
        why = "If not, recorded events would rank people correctly, were it not for late entry."
        aside = "Who had the event before entering is not in the table: recorded events do not rank people correctly."
    else:
        why = "If not, recorded events already rank people correctly."
        aside = (
            "If no: to rank people, logistic regression on the recorded events is enough. How many have the event is "
            "still asked below."
        )
    return Step(
        "Does who is seen depend on a person’s features?",
        why,
        answer,
        because,
        True,
        True,
        aside=aside,
    )


def _test(test: HypothesisTest) -> str:
    if not test.was_run:
        return f"not tested, {test.note}"
    return f"{'found' if test.rejects() else 'not found'}, {p_text(test.p_value)}"


def _times(reading: Reading) -> str:
    trust = reading.analysis.evidence.trust
    if trust is None:
        return "there are no event times"
    if trust.reading == "not checked":
        return f"they could not be checked: {trust.labels.note}"
    verb = "contradict" if trust.reading == "contradicted" else "agree with"
    return f"they {verb} recorded events and follow-up, {p_text(trust.labels.p_value)}"


def _follow_up(reading: Reading) -> str:
    if reading.cohort.follow_up is None:
        return "not known for people with the event"
    return "known for everybody" if reading.situation.follow_up_usable else "all were followed for about as long"


def _named(reading: Reading) -> str:
    named = reading.situation.named
    if not named:
        return "none were named"
    return ", ".join(name(one, 24).short for one in named[:6]) + (
        f" and {len(named) - 6} more" if len(named) > 6 else ""
    )


class _Branch(NamedTuple):
    """A question that decides: when it is answered with yes, on what grounds, and where that leads, by rule."""

    question: str
    why: str
    is_yes: Callable[[Situation], bool]
    because: Callable[[Reading], str]
    in_paper: bool
    leaves: dict[str, str]


_BRANCHES = (
    _Branch(
        "Are event times known, and does nothing contradict them?",
        "Event times say most, if they are right.",
        lambda s: s.times_usable,
        _times,
        True,
        {
            "trusted times, named features": "event times; they depend on the named features only",
            "trusted times": "event times; they may depend on all features",
        },
    ),
    _Branch(
        "Is it known how long each person was followed, and does it differ?",
        "Follow-up says how much of the events had a chance to be seen, without any event time.",
        lambda s: s.follow_up_usable,
        _follow_up,
        False,
        {
            "follow-up, named features": "follow-up; times depend on the named features only",
            "follow-up": "follow-up; times may depend on all features",
        },
    ),
    _Branch(
        "Were the features named that decide who is seen?",
        "Then “likely” and “likely to be seen” differ in their features.",
        lambda s: bool(s.named),
        _named,
        True,
        {"named features": "the chance to be seen depends on the named features only"},
    ),
    _Branch(
        "Could everybody with the event have the same chance to be seen?",
        "Then recorded events are a fair sample of all of them.",
        lambda s: s.is_scar,
        lambda reading: _test(reading.evidence.scar.likelihood_ratio),
        False,
        {"labels at random": "one chance to be seen for all"},
    ),
)
