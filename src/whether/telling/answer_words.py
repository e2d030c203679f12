"""The answer of an analysis in sentences, the most important one first."""

from __future__ import annotations

from whether.advise import Sensitivity
from whether.advise.situation import Situation
from whether.advise.standing import BELOW_CURVE, SLACK
from whether.analysis import Analysis, FitWarning, Note
from whether.analysis.cautions import CURVE_ABOVE, SHARE_APART
from whether.evaluate import Interval
from whether.methods import LR
from whether.telling.advice_words import AdviceWords
from whether.telling.check_words import left_out_text
from whether.telling.disclosure import Disclosure, is_told
from whether.telling.headline_words import Headline
from whether.telling.record_words import unread_text
from whether.telling.share_words import share_caution
from whether.telling.window_words import window_sentences
from whether.telling.words import FEW_OF_A_KIND, is_known, percent, percent_range, places_of, points, signed_points

# Why there is no check at an earlier date, and no sensitivity analysis, as it goes after a colon.
NO_BACKTEST = {
    "not asked for": "it was not asked for",
    "no event times": "without event times the cohort cannot be put back to one",
    "too few events": "with half of the events hidden, too few would be left",
    "failed": "the cohort could not be put back to one",
}
NO_SENSITIVITY = {"not asked for": "it was not asked for", "failed": "the other methods could not be fitted"}

_NOTES = {
    "learner chosen on a part": "The learner was chosen on {part:,} of {people:,} people, drawn at random, and fitted "
    "to everybody.",
    "too large to refit": "There are no intervals: this learner would have to be refitted many times to a large table. "
    "The linear learner has them.",
    "intervals from refits": "The intervals come from {refits} refits to randomly weighted people; those of single "
    "risks tend to be too narrow where the risk changes sharply.",
    "left open by the curve": "The upper ends of the intervals of the mean risk and of the number go further: they are "
    "the most that the curve of events leaves open.",
    "intervals reach to other models": "{what} as far as {models} models with other shapes of event times that "
    "these data cannot rule out, each weighted by how well it predicts.",
    "checked on a part": "{checks} {part:,} of {people:,} people, drawn at random.",
    "checked with linear models": "{checks} the linear learner; the fit uses the {learner} one.",
    "other advice for the part": "For the people of the sensitivity analysis {method} is recommended, and the "
    "analysis starts from it.",
}


def note_sentence(note: Note, analysis: Analysis, tells_ends: bool) -> str:
    """Say how something was done; where the answer is no estimate, only single risks have limits."""
    ends = "The upper end, and the intervals of single risks, reach" if tells_ends else "The intervals of risks reach"
    what = "The intervals reach" if analysis.kind == "estimate" else ends
    return _NOTES[note.name].format(**note.values, what=what, checks=_checks_use(analysis))


def _checks_use(analysis: Analysis) -> str:
    """Name the checks that were made, with their verb."""
    if analysis.backtest is None:
        return "The sensitivity analysis uses"
    return "The backtest uses" if analysis.sensitivity is None else "Backtest and sensitivity analysis use"


# What a fit warned of, for who has not called it: in plain words.
_WARNINGS = {
    "not converged": "The fit did not settle down completely. Numbers may still move a little; treat close comparisons "
    "with care.",
    "rival fits": "Several versions of the model explain these data about equally well and rank people differently. "
    "The data do not say which of them is right.",
    "runs to infinity": "The data do not limit some effects: either a feature separates people perfectly, or features "
    "follow from each other, or nobody seems to stay without the event. There are no standard errors.",
    "no pure group": "No group of people was found who are all but sure to have the event. The share of events that is "
    "recorded is likely larger than estimated, and the number still to come smaller; the interval allows for that.",
    "shape of the risk": "How large a share of the events is recorded depends on the shape assumed for the risk; "
    "the interval allows for that.",
    "negative risk": "Not everybody with the event seems equally likely to be recorded, as this method assumes: risks "
    "come out too extreme.",
    "parts exchanged": "Recorded events alone cannot tell who has the event from who is recorded: both explanations "
    "fit equally well, and the one that explains recorded events by risk was kept.",
}


def warning_sentence(warning: FitWarning) -> str:
    """Return what the fit warned of in plain words; its own where there are no others."""
    return _WARNINGS.get(warning.name, warning.text)


class AnswerWords:
    """An analysis in words, as it may be told."""

    def __init__(self, analysis: Analysis, rule: Disclosure) -> None:
        self.analysis = analysis
        self.told = rule.tell(analysis)
        self.fewest = rule.fewest
        self.advice = AdviceWords(analysis.recommendation, rule)
        n_cautions = len(analysis.recommendation.flags) + len(analysis.warnings) + len(analysis.cautions)
        self.headline = Headline(analysis, self.told, n_cautions)

    @property
    def tells_events(self) -> bool:
        """Whether the numbers of people with and without a recorded event may be told."""
        return self.headline.tells_events

    def sentences(self) -> list[str]:
        """Answer, method, assumption, how sure, checks, and everything of which the reader should beware."""
        lead = self.headline.lead() if self.analysis.kind != "estimate" else []
        lines = [*self.headline.question(), self.headline.first(), *lead, *self.when(), self.headline.mean_risk()]
        lines += [*self.headline.other_question(), self.headline.late_entry(), self._method(), self.advice.assumes]
        lines += [self.backtest(), self.sensitivity()]
        lines += [f"No single number: {text[:1].lower()}{text[1:]}" for text in self.advice.refusals]
        lines += [f"Beware: {text}" for text in self.cautions()]
        return [line for line in (*lines, *self.notes()) if line]

    def when(self) -> list[str]:
        """How many are expected to have the event within some years."""
        return window_sentences(self.told, self.headline.without, tells_limits=self.tells_events)

    def notes(self) -> list[str]:
        """Return how intervals and checks were made, where that is not the usual way."""
        return [note_sentence(note, self.analysis, self.headline.tells_ends) for note in self.analysis.notes]

    def cautions(self) -> list[str]:
        """Return everything of which the reader should beware."""
        flags = zip(self.analysis.recommendation.flags, self.advice.flags, strict=True)
        sized = [f"{text}{self._after_follow_up()}" if name == "unclear plateau" else text for name, text in flags]
        warned = map(warning_sentence, self.analysis.warnings)
        return [*sized, *warned, *map(self.caution, self.analysis.cautions)]

    def _after_follow_up(self) -> str:
        """How much is extrapolated, where no caution of its own says that."""
        share = Situation(self.analysis.evidence).unseen_share
        if not is_known(share) or "extrapolation" in self.analysis.recommendation.flags:
            return ""
        size = percent(share, places_of(share)) if share >= 0.0005 else "next to none"
        return (
            f" By a linear model of event times, {size} of all events, recorded ones included, come after the longest "
            "follow-up."
        )

    def caution(self, name: str) -> str:
        """Return a finding about the level of the answer in a sentence."""
        if name == SHARE_APART:
            return share_caution(self.told.share)
        return self._curve_above() if name == CURVE_ABOVE else self.headline.past_caution()

    def _curve_above(self) -> str:
        bounds, told = self.told.evidence.bounds, self.told.mean_risk
        risk = float(self.analysis.risks.mean())
        numbers = is_told(bounds.lowest_by_times, told)
        by_curve = f"{percent(bounds.lowest_by_times, 1)} have" if numbers else "more people have"
        by_model = f"than the model’s mean risk of {percent(risk, 1)}" if numbers else "than by the model"
        found = self.analysis.evidence.dependence
        why = "the model may miss late events, and then counts too few of the people with no recorded event"
        if found is not None and found.follow_up.rejects():
            why += "; or the curve is too high, since follow-up depends on features, which only the model reads"
        return (
            f"By the curve of events alone {by_curve} the event {self.headline.by_then}, {'more ' if numbers else ''}"
            f"{by_model}: {why}. The upper end of the answer reaches at least as far as the curve."
        )

    def _method(self) -> str:
        advice, model = self.analysis.recommendation, self.analysis.model
        chosen = f", which chose {model.selection_.chosen!r}" if model.selection_ is not None else ""
        named = f"; named: {', '.join(advice.features)}" if advice.features else ""
        return f"Method: {self.advice.method} ({advice.method}{named}), learner {model.learner!r}{chosen}."

    def backtest(self) -> str:
        """How the method did at an earlier date, or why that is not known."""
        record, method = self.told.backtest, self.analysis.recommendation.method
        if record is None:
            return f"No backtest at an earlier date: {NO_BACKTEST[self.analysis.no_backtest]}."
        if not is_told(record.scores):
            return "Backtest: not told, since too few people with, or without, the event were scored."
        name = method if method in record.scores else LR.name if LR.name in record.scores else next(iter(record.scores))
        hidden = f"with {percent(record.hidden_share)} of the events hidden" if is_told(record.hidden_share) else "then"
        error = record.interval(name, "mean_risk_error")
        if not is_known(error.estimate):
            return f"Backtest: {hidden}, {name} could not be fitted."
        compares = name != LR.name and LR.name in record.scores
        other = (
            f", logistic regression on the recorded events with {record.interval(LR.name).estimate:.2f}"
            if compares
            else ""
        )
        return (
            f"Backtest: {hidden}, {name} ranked people with an AUC of {record.interval(name).estimate:.2f}"
            f"{other}; its mean risk was {level_text(error)}{self.untold}."
        )

    @property
    def untold(self) -> str:
        """That the past was rehearsed without the share that was given; empty where none was."""
        return "" if self.analysis.share is None else ", without the share that was given"

    def sensitivity(self) -> str:
        """The mean risk by the methods left standing, and which were left out, with the reason."""
        moved = self.told.sensitivity
        if moved is None:
            return f"No sensitivity analysis: {NO_SENSITIVITY[self.analysis.no_sensitivity]}."
        if not is_told(*(variant.mean_risk for variant in moved.variants)):
            return f"How far other methods move the mean risk is {FEW_OF_A_KIND}."
        said = self._standing(moved), left_out_text(moved.left_out), self._own_below(moved)
        return " ".join(filter(None, (*said, unread_text(moved.unread))))

    def _own_below(self, moved: Sensitivity) -> str:
        """That the report's own fit shows fewer events than the curve, too, where another was left out for it."""
        lowest = Situation(self.analysis.evidence).shares_by_curve[0]
        is_below = self.analysis.kind == "estimate" and self.analysis.mean_risk.estimate < lowest - SLACK
        if not (is_below and any(variant.objection == BELOW_CURVE for variant in moved.left_out)):
            return ""
        return "The fit of this report shows fewer than the curve, too: see the caution about it."

    def _standing(self, moved: Sensitivity) -> str:
        if not moved.standing:
            return "No other method is left to compare with."
        others = ", ".join(str(variant.value) for variant in moved.standing)
        by = f"by this and the other methods that these data do not rule out ({others})"
        one, ends = self.ends_of_methods(moved)
        if self.analysis.kind == "estimate":
            return f"Estimates of the mean risk {by} {f'are all {ends}' if one else f'go from {ends}'}."
        return f"The mean risk {by} {'is' if one else 'goes from'} {ends}, not counting chance."

    def ends_of_methods(self, moved: Sensitivity) -> tuple[bool, str]:
        """Whether the mean risks by the methods left standing are told as one number, and that, or their ends."""
        # The fit of the report may be by another learner than the checks, or to more people.
        own = [self.analysis.mean_risk.estimate] if self.analysis.kind == "estimate" else []
        low, high = min(*moved.range, *own), max(*moved.range, *own)
        places = places_of(low, high)
        one = percent(low, places) == percent(high, places)
        return one, percent(low, places) if one else percent_range(low, high, places)


def level_text(error: Interval) -> str:
    """Say how far a mean risk was from the share who had the event, with the interval of the difference."""
    side = "above" if error.estimate > 0 else "below"
    limits = f" ({100 * error.level:g} % interval {signed_points(error.lower)} to {signed_points(error.upper)})"
    size = f"{points(error.estimate)} percentage points {side}"
    return f"{size} the share with the event by now{limits if is_known(error.lower) else ''}"
