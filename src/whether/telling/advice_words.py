"""The advice in words: what each finding of `whether.advise.rules` says, under its name.

A sentence is written from evidence as it may be told, and from the situation, whose answers are about models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whether.advise import Evidence, Recommendation
from whether.advise.evidence.cure_fraction import CureFraction
from whether.advise.situation import Situation
from whether.advise.standing import ABOVE_CONSTANT, ABOVE_CURVE, BELOW_CURVE
from whether.methods import words_of
from whether.telling.disclosure import Disclosure, is_told
from whether.telling.evidence_words import cost_text, outcome_of
from whether.telling.follow_up_words import limits_of_ratio
from whether.telling.record_words import question_sentences
from whether.telling.share_words import assumed_share
from whether.telling.words import is_known, p_text, percent, points, ratio_text, signed_points

Sentence = Callable[[Situation, Evidence], str]

_TIMES = "event times are recorded correctly, and the end of follow-up is independent of the event given the features"
_FOLLOW_UP = "how long a person is followed is independent of when the event comes, given the features"
_NAMED_TIMES = "event times depend on the named features only"

# What each rule assumes.
ASSUMPTIONS = {
    "trusted times, named features": f"{_TIMES}; {_NAMED_TIMES}",
    "trusted times": _TIMES,
    "follow-up, named features": f"{_FOLLOW_UP}; {_NAMED_TIMES}",
    "follow-up": _FOLLOW_UP,
    "named features": "among people with the event, who has it recorded depends on the named features only",
    "labels at random": "all events are equally likely to be recorded",
    "labels only": "no more than a lower bound of the risk is asked for",
}


def _why_times(s: Situation, e: Evidence) -> str:
    assert e.trust is not None
    if not e.trust.labels.was_run:
        return f"Event times are known, but could not be checked: {e.trust.labels.note}."
    found = p_text(e.trust.labels.p_value)
    return f"Event times agree with recorded events and follow-up ({found}), and say more than recorded events alone."


def _why_follow_up(s: Situation, e: Evidence) -> str:
    if e.trust is None:
        return "Follow-up is known and event times are not: it says how much of the events had a chance to be seen."
    difference = e.trust.risk_difference
    moved = "; the event-time model would move the mean risk by"
    size = f"{moved} {signed_points(difference.estimate)} percentage points" if difference else ""
    return (
        f"Event times contradict recorded events and follow-up ({p_text(e.trust.labels.p_value)}){size}. The follow-up "
        "model does not read them."
    )


def _why_scar(s: Situation, e: Evidence) -> str:
    share = f"; if so, and if the risk is logistic, {percent(e.scar.label_frequency)} of the events are recorded"
    found = f"is not contradicted ({p_text(e.scar.likelihood_ratio.p_value)})"
    return f"That all events are equally likely to be recorded {found}{share * is_told(e.scar.label_frequency)}."


def _why_labels(s: Situation, e: Evidence) -> str:
    test = e.scar.likelihood_ratio
    found = f"is rejected ({p_text(test.p_value)})" if test.was_run else outcome_of(test)
    return (
        f"That all events are equally likely to be recorded {found}, and nothing but recorded events is known. Only "
        "the probability of a recorded event can be learned, which is the lower bound of the risk."
    )


def _why_selection(s: Situation, e: Evidence) -> str:
    found = e.dependence
    assert found is not None
    verb = "depends" if found.event_times.rejects() else "is not found to depend"
    cost = (
        ". By the model of when it comes, ranking people by their chance of a recorded event in place of their risk "
        f"{cost_text(found)}"
    )
    told = f"When the event comes {verb} on features ({p_text(found.event_times.p_value)}; from {found.source})"
    return f"{told}{cost if is_known(found.auc_by_labels) else ''}."


_CURVE = {
    "levels off": "The curve of events levels off",
    "unclear": "Whether the curve of events levels off is unclear",
    "goes on": "The curve of events goes on falling",
}


def _why_curve(s: Situation, e: Evidence) -> str:
    fraction = _fraction(s, e)
    never = f"; by a model without features, {percent(fraction.cured)} never have the event"
    ratio = ratio_text(fraction.ratio) + (f" ({limits_of_ratio(fraction)})" if s.reading == "unclear" else "")
    return f"{_CURVE[s.reading]}: RECeUS ratio {ratio}{never if is_told(fraction.cured) else ''}."


def _fraction(s: Situation, e: Evidence) -> CureFraction:
    assert e.follow_up is not None
    fraction = e.follow_up.cure_fraction(trust_times=s.times_usable)
    assert fraction is not None
    return fraction


def _why_curved(s: Situation, e: Evidence) -> str:
    assert e.linearity is not None
    test = min(e.linearity.outcome, e.linearity.propensity, key=lambda test: test.p_value)
    return f"Straight lines are not enough ({p_text(test.p_value)}): the learner is chosen by likelihood."


REASONS: dict[str, Sentence] = {
    "trusted times, named features": _why_times,
    "trusted times": _why_times,
    "follow-up, named features": _why_follow_up,
    "follow-up": _why_follow_up,
    "named features": lambda s, e: (
        f"Features that decide whose event is recorded are named ({', '.join(s.named)}), and no times can be used."
    ),
    "labels at random": _why_scar,
    "labels only": _why_labels,
    "selection": _why_selection,
    "curve of events": _why_curve,
    "curved": _why_curved,
}


def _refuse_short(s: Situation, e: Evidence) -> str:
    fraction = _fraction(s, e)
    later = f"; {percent(fraction.unseen)} of all events, recorded ones included, would come later"
    ratio = f"RECeUS ratio {ratio_text(fraction.ratio)}, to be below 0.05{later if is_told(fraction.unseen) else ''}"
    return f"Follow-up is too short. At its end the curve of events has not levelled off ({ratio})."


def _refuse_labels(s: Situation, e: Evidence) -> str:
    ends = f" between {percent(e.bounds.lowest, 1)} and {percent(e.bounds.highest)}" * is_told(e.bounds.lowest)
    return f"Nothing is known about how events get recorded. Any share of people with the event{ends} is possible."


# What speaks against a method, by the names of `whether.advise.standing`, as it goes into brackets.
OBJECTIONS = {
    "selection": "not everybody is equally likely to be recorded",
    "follow-up matters": "people followed longer have a recorded event more often",
    "contradicted times": "event times are contradicted",
    "equal follow-up": "all were followed for about as long",
    "unnamed drivers": "features that were not named play a part",
    "not determined": "recorded events alone cannot tell a low risk from a low chance to be recorded",
    BELOW_CURVE: "fewer events than the curve of events shows",
    ABOVE_CURVE: "more events than a curve that levels off allows",
    ABOVE_CONSTANT: "more events than the people most likely to be recorded allow",
}

REFUSALS: dict[str, Sentence] = {"short follow-up": _refuse_short, "labels only": _refuse_labels}


def _few_events(s: Situation, e: Evidence) -> str:
    rest = "Much could not be tested, and the fit rests on shrinkage."
    if not is_told(e.counts.n_events):
        return f"Few people have, or few do not have, a recorded event. {rest}"
    return f"Only {e.counts.n_events} events were recorded, {e.counts.events_per_parameter:.1f} per coefficient. {rest}"


FLAGS: dict[str, Sentence] = {
    "unclear plateau": lambda s, e: (
        "Whether the curve of events levels off is unclear: part of the mean risk is extrapolated."
    ),
    "extrapolation": lambda s, e: (
        f"{percent(s.unseen_share)} of all events, recorded ones included, would come after the longest follow-up: "
        "that part of the mean risk is extrapolated."
    ),
    "unchecked times": lambda s, e: (
        "Event times could not be checked. If they are reported late or in batches, the mean risk is wrong."
    ),
    "contradiction": lambda s, e: (
        "Either event times are wrong, or how long people were followed depends on the event for reasons that are not "
        "in the features. The latter would bias the follow-up model, too."
    ),
    "follow-up from features": lambda s, e: (
        f"Features explain {percent(s.follow_up_explained)} of the variance of log follow-up: people with the same "
        "features are followed for about equally long, and what happens at other follow-ups is extrapolated."
    ),
    "models disagree": lambda s, e: (
        f"The event-time and the follow-up model differ by {points(s.risk_difference)} percentage points in mean risk "
        "although recorded times agree with recorded events: the shape of the model is in doubt."
    ),
    "shape of times": lambda s, e: (
        f"{percent(s.misplaced_share)} of the events come when the event-time model does not expect them: none of the "
        "time distributions it can have fits these times, and the mean risk may be off by some percentage points."
    ),
    "exchange": lambda s, e: (
        "Solutions that fit equally well rank people differently: risk and chance to be recorded may be exchanged."
    ),
    "few events": _few_events,
    "constant propensity": lambda s, e: (
        "That all events are equally likely to be recorded was not rejected, which is no proof; how many people have "
        "the event rests on the logistic shape of the risk."
    ),
    "unnamed drivers": lambda s, e: (
        f"Event times or follow-up also depend on features that were not named ({', '.join(s.unnamed_drivers)}): the "
        "method does not rely on the named ones where event times or follow-up can take their place."
    ),
}


def _how_to_know(e: Evidence) -> str:
    """Where follow-up could be had from; what was given and did not say it is not asked for again."""
    if e.follow_up is not None and e.follow_up.potential.source == "lost":
        return "what was given does not say it, since too few were followed to their planned end"
    return "for example from entry to the end of the data"


CHANGES: dict[str, Sentence] = {
    "follow-up": lambda s, e: (
        f"If you know how long each person would have been followed without the event ({_how_to_know(e)}), the "
        "follow-up model can be used, which needs neither event times nor named features"
        f"{', and event times can be checked' * s.has_time}."
    ),
    "named features": lambda s, e: (
        "If you can name the features that decide whose event gets recorded, the method can allow for them "
        "(--propensity-features)."
    ),
    "times": lambda s, e: "If event times are known and can be trusted, they make the estimates more precise.",
    "repaired times": lambda s, e: (
        "If event times were repaired to agree with recorded events and follow-up, the event-time model would be the "
        "more precise one."
    ),
    "longer follow-up": lambda s, e: (
        "Longer follow-up, until the curve of events levels off, would narrow the answer to one number."
        if s.reading == "goes on"
        else "Longer follow-up, until the curve of events clearly levels off, would leave less to extrapolate."
    ),
    "prevalence": lambda s, e: (
        "If the share of people who ever have the event is known from elsewhere, give it with --prevalence."
    ),
    "ranking only": lambda s, e: (
        "If only the ranking of people matters, logistic regression on the recorded events is enough: neither event "
        "times nor follow-up were found to depend on features."
    ),
}


class AdviceWords:
    """A recommendation in words."""

    def __init__(self, advice: Recommendation, rule: Disclosure) -> None:
        self.advice = advice
        self._situation = Situation(advice.evidence, advice.known_share)
        self._evidence = rule.tell(advice.evidence)

    @property
    def assumption(self) -> str:
        """What is being bought."""
        return ASSUMPTIONS[self.advice.rule] + assumed_share(self.advice.known_share)

    @property
    def assumes(self) -> str:
        """The assumption as a sentence."""
        return f"It assumes that {self.assumption}."

    @property
    def reasons(self) -> list[str]:
        """Why."""
        return self._say(REASONS, (self.advice.rule, *self.advice.reasons))

    @property
    def refusals(self) -> list[str]:
        """What no method can say."""
        return self._say(REFUSALS, self.advice.refusals)

    @property
    def flags(self) -> list[str]:
        """Where the answer may mislead."""
        return self._say(FLAGS, self.advice.flags)

    @property
    def changes(self) -> list[str]:
        """What would change the answer."""
        return self._say(CHANGES, self.advice.changes)

    @property
    def method(self) -> str:
        """The method in a clinician's words."""
        return words_of(self.advice.method, self.advice.restriction)

    def _say(self, words: dict[str, Sentence], names: Sequence[str]) -> list[str]:
        return [words[name](self._situation, self._evidence) for name in names]

    def parts(self) -> list[tuple[str, list[str]]]:
        """Headings with what is said under them."""
        return [
            ("Question", question_sentences(self.advice.evidence.material)),
            ("No single number", self.refusals),
            ("It assumes that", [f"{self.assumption}."]),
            ("Because", self.reasons),
            ("Beware", self.flags),
            ("What would change the answer", self.changes),
        ]
