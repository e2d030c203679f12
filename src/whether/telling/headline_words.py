"""How many will have the event, in words: the sentence that comes first, its badge, and what stands beside the number.

Page, text and data take these from here, so that they say the same.
"""

from __future__ import annotations

from whether.advise.evidence.material import LIFETIME, NET
from whether.advise.situation import Situation
from whether.analysis import Analysis
from whether.analysis.cautions import CURVE_ABOVE, PAST_ABOVE, PAST_BELOW
from whether.telling.disclosure import is_told
from whether.telling.record_words import EVENTUALLY, HAVE_WORDS, QUESTIONS, curves_of_deaths
from whether.telling.share_words import beside_share, taken_share
from whether.telling.words import (
    FEW_OF_A_KIND,
    count_range,
    is_known,
    length,
    percent,
    percent_range,
    plural,
    points,
)

_DEPENDS = "depending on how many events come after the end of follow-up"
_OPEN = "and these data do not narrow it down further"
NET_QUESTION = "Would the event come in a world without other deaths?"
# What there is to be read with a caution in mind, by kind of answer.
_ANSWERS = {"estimate": "number", "range": "range", "ranking": "risks"}
# Shares that differ by less are not told as different.
VISIBLE = 0.005


class Headline:
    """The level of an answer in words, as it may be told."""

    def __init__(self, analysis: Analysis, told: Analysis, n_cautions: int) -> None:
        self.analysis, self.told, self._n_cautions = analysis, told, n_cautions

    @property
    def tells_events(self) -> bool:
        """Whether the numbers of people with and without a recorded event may be told."""
        counts = self.told.evidence.counts
        return is_told(counts.n_events, counts.n_open)

    @property
    def tells_ends(self) -> bool:
        """Whether the ends of a range may be told."""
        bounds = self.told.evidence.bounds
        return self.tells_events and is_told(self.told.unseen, bounds.lowest, bounds.lowest_by_times_limit)

    @property
    def badge(self) -> str:
        """What kind of answer it is."""
        if self.analysis.kind == "range":
            return "Range, no single estimate" if self.tells_ends else "Not told"
        if self.analysis.kind == "ranking":
            return "Ranking only, no estimate"
        return f"Estimate, {'with ' + plural(self._n_cautions, 'caution') if self._n_cautions else 'without cautions'}"

    @property
    def without(self) -> str:
        """The people who may still have it, counted where that does not give away how many have had it."""
        return f"the {f'{self.analysis.n_open:,} ' if self.tells_events else ''}{self.who}"

    @property
    def who(self) -> str:
        """The people who may still have it."""
        who = "people alive with no recorded event" if self.analysis.question else "people with no recorded event"
        return f"{who} who may still have it" if self.analysis.evidence.counts.n_known_negative else who

    @property
    def _ever(self) -> str:
        """When, as it goes after "have it"."""
        return EVENTUALLY[self.analysis.question]

    def question(self) -> list[str]:
        """What is asked of people of whom some died first."""
        asked = self.analysis.question
        if not asked:
            return []
        count = self.told.evidence.counts.n_died
        died = f"{count:,}" if isinstance(count, int) else str(count).capitalize()
        what = "counts as a person who will never have it" if asked == LIFETIME else "counts as an end of follow-up"
        first = "Will the event come before death?" if asked == LIFETIME else NET_QUESTION
        return [f"Question: {first} {died} people died without the event; each {what}."]

    def other_question(self) -> list[str]:
        """What the curves say of both questions, and how the other one is asked."""
        asked, found = self.analysis.question, self.told.evidence.deaths
        if not asked:
            return []
        curves = [] if found is None else curves_of_deaths(found, self.analysis.origin.unit)
        other = NET if asked == LIFETIME else LIFETIME
        how = f"is asked with --question {other}, in Python question={other!r}"
        return [" ".join([*curves, f"The other question, {QUESTIONS[other]}, {how}."])]

    def late_entry(self) -> str:
        """From when risks count, where people came under observation late; else empty."""
        if not self.analysis.evidence.counts.n_late:
            return ""
        return (
            "Some people came under observation late. The risk is that from time zero on; the number still expected is "
            "of people who had not had the event when last seen."
        )

    def first(self) -> str:
        """How many of the unlabeled are positive: a number, a range, or that it cannot be said."""
        return {"estimate": self._estimate, "range": self._range, "ranking": self._ranking}[self.analysis.kind]()

    def _estimate(self) -> str:
        unseen = self.told.unseen
        if not is_told(unseen):
            counted = f"{str(unseen).capitalize()} of {self.without}"
            return f"{counted} are expected to have it {self._ever}{taken_share(self.analysis.share)}."
        # Of the number as it is told, so that dividing gives the same.
        told = round(unseen.estimate) if unseen.estimate >= 1 else unseen.estimate
        part = told / self.analysis.n_open
        share = percent(part, 0 if part >= 0.0095 else 1) if self.tells_events else ""
        beside = "; ".join(part for part in (share, self.limits) if part)
        counted = f"{unseen.estimate:,.0f} of {self.without}{f' ({beside})' if beside else ''}"
        return f"About {counted} are expected to have it {self._ever}{taken_share(self.analysis.share)}."

    @property
    def limits(self) -> str:
        """The interval of the expected number; empty where it is not known or not told."""
        found = self.told.unseen
        shown = count_range(found.lower, found.upper) if is_told(found) and self.tells_events else ""
        return f"{100 * found.level:g} % interval {shown}" if shown else ""

    def _range(self) -> str:
        if not self.tells_ends:
            return f"How many of {self.without} will have it {self._ever} is {FEW_OF_A_KIND}."
        why = _DEPENDS if self.analysis.recommendation.refused else _OPEN
        ends = f"{self.told.unseen.lower:,.0f} and {self.told.unseen.upper:,.0f}"
        will = "would" if self.analysis.question == NET else "will"
        return f"Between {ends} of {self.without} {will} have it {self._ever}, {why}{taken_share(self.analysis.share)}."

    def _ranking(self) -> str:
        return (
            f"These data rank people, but do not say how many of {self.without} will have it {self._ever}: any number "
            "from none to all is possible."
        )

    def lead(self) -> list[str]:
        """What has to be known with the number."""
        if self.analysis.kind == "range":
            return [f"{self._lower_end()} {self._upper_end()}"] if self.tells_ends else []
        if self.analysis.kind == "ranking":
            return [
                "What is called risk here is the probability of a recorded event, the lowest that the true risk can "
                "be. It says who is more likely to have the event only as far as all events are equally likely "
                "to be recorded."
            ]
        return list(filter(None, [beside_share(self.told.share)]))

    def _lower_end(self) -> str:
        until = self.told.evidence.bounds.time_of_lowest
        if not (is_known(until) and is_told(self.told.evidence.bounds.lowest_by_times_limit)):
            return "The lower end counts recorded events only."
        if not self.lower_end_is_shown:
            return "The lower end counts recorded events only: the curve of events shows no more with 95 % confidence."
        time = length(until, self.analysis.origin.unit)
        if self.analysis.evidence.counts.n_late:
            return (
                f"The lower end is what would have been seen, had everybody been followed until {time} after time zero "
                "(lower limit, 95 % confidence)."
            )
        return (
            f"The lower end is what {time} of follow-up would have shown, had everybody been followed for that long "
            "(lower limit, 95 % confidence)."
        )

    @property
    def lower_end_is_shown(self) -> bool:
        """Whether the lower end of a range is more than the recorded events, by the curve of events."""
        bounds = self.told.evidence.bounds
        known = is_known(bounds.time_of_lowest) and is_told(bounds.lowest_by_times_limit)
        return known and self.analysis.unseen.lower >= 0.5

    def _upper_end(self) -> str:
        most = "The upper end is the most that models of these data allow, chance included"
        if not self.analysis.recommendation.refused:
            return f"{most}."
        return (
            f"{most}; what they expect after the end of follow-up nobody has observed. The ranking of people is "
            "affected less."
        )

    def mean_risk(self) -> str:
        """The mean risk with its interval, and beside it what the past says of it."""
        found, analysis = self.told.mean_risk, self.analysis
        if not is_told(found):
            return ""
        seen = f"the event was recorded in {percent(analysis.n_events / analysis.n_people, 1)} of the cohort."
        limits = percent_range(found.lower, found.upper, 1)
        if analysis.kind != "estimate":
            is_record = analysis.kind == "ranking"
            what = f"share of people who {HAVE_WORDS[analysis.question]}" if is_record else "mean risk"
            return f"The {what} lies between {limits.replace(' to ', ' and ')}; {seen}"
        interval = f" ({100 * found.level:g} % interval {limits})" if limits else ""
        risk = f"The mean risk of people like these is {percent(found.estimate, 1)}{interval}; {seen}"
        beside = beside_share(self.told.share), self.beside_curve, self.past and f"{self.past}."
        return " ".join(part for part in (risk, *beside) if part)

    @property
    def beside_curve(self) -> str:
        """How the mean risk and the curve of events go together, where the curve alone shows more; empty if not."""
        risk, curve = self.told.mean_risk, self.analysis.evidence.bounds.lowest_by_times
        if not is_told(risk) or self.analysis.kind != "estimate" or CURVE_ABOVE in self.analysis.cautions:
            return ""
        if not curve - risk.estimate >= VISIBLE:
            return ""
        known = is_known(risk.upper)
        what = "the interval covers both" if known else "the model may miss late events"
        if not is_told(self.told.evidence.bounds.lowest_by_times):
            return f"Within follow-up the curve of events alone comes to more than the model’s mean risk; {what}."
        by_model = f"the model in the end to {percent(risk.estimate, 1)}; {what}"
        return f"The curve of events alone comes to {percent(curve, 1)} {self.by_then}, {by_model}."

    @property
    def by_then(self) -> str:
        """Until when the curve of events is read, before it is about a few people only."""
        until = self.told.evidence.bounds.time_of_lowest
        shown = length(until, self.analysis.origin.unit) if is_told(until) and is_known(until) else "follow-up"
        return f"within about {shown}" if shown != "follow-up" else "within follow-up"

    @property
    def past(self) -> str:
        """What an earlier date says against the level, where that is no chance; empty if nothing."""
        found = next((name for name in self.analysis.cautions if name in (PAST_BELOW, PAST_ABOVE)), "")
        if not found:
            return ""
        how = "too low" if found == PAST_BELOW else "above the share with the event by now"
        size = f"{self._points()} " if self._points() else ""
        return f"Rehearsed at an earlier date, the method came out {size}{how}"

    def past_caution(self) -> str:
        """The same with its interval, and what to do about it."""
        error = self.analysis.past_error
        assert error is not None, "there is a finding about the past"
        ends = " to ".join(points(end) for end in sorted((error.lower, error.upper), key=abs))
        limits = f" ({100 * error.level:g} % interval {ends})" if self._points() else ""
        found = f"{self.past}{limits}{self._hidden()}"
        what = _ANSWERS[self.analysis.kind]
        return f"{found}: read today’s {what} with that in mind.{self._excuse(error.estimate > 0)}"

    def _hidden(self) -> str:
        record = self.told.backtest
        if record is None or not is_told(record.hidden_share):
            return ""
        return f", with {percent(record.hidden_share)} of today’s events hidden"

    def _excuse(self, is_above: bool) -> str:
        """What else than the method may be off."""
        if not Situation(self.analysis.evidence).times_usable:
            return " The rehearsal goes by event times, which these data contradict: it may be off itself."
        return " Events that are still to come explain part of that." if is_above else ""

    def _points(self) -> str:
        """How far the level was off, in percentage points; empty where that is not told."""
        record, error = self.told.backtest, self.analysis.past_error
        if record is None or not is_told(record.scores) or error is None or not is_known(error.estimate):
            return ""
        return f"{points(error.estimate)} percentage points"
