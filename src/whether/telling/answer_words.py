"""The answer of an analysis in sentences, the most important one first."""

from __future__ import annotations

from whether.analysis import Analysis, Note
from whether.evaluate import Interval
from whether.methods import LR
from whether.telling.advice_words import AdviceWords
from whether.telling.disclosure import Disclosure, is_told
from whether.telling.words import is_known, percent

# Why there is no backtest, and no sensitivity.
NO_BACKTEST = {
    "not asked for": "It was not asked for.",
    "no event times": "Without event times the cohort cannot be put back to an earlier date.",
    "too few events": "There are too few events: with half of them hidden, too few would be left.",
    "failed": "The cohort could not be put back to an earlier date.",
}
NO_SENSITIVITY = {"not asked for": "It was not asked for.", "failed": "Other assumptions could not be tried."}

_NOTES = {
    "learner chosen on a part": "The learner was chosen on {part:,} of {people:,} people, drawn at random, and fitted "
    "to everybody.",
    "groups taken as independent": "The intervals take rows of one group as independent; where they are alike, they "
    "are too narrow.",
    "coefficients not determined": "There are no intervals: the data do not determine all coefficients.",
    "too large to refit": "There are no intervals: this learner would have to be refitted many times to a large table. "
    "The linear learner has them.",
    "intervals from refits": "The intervals come from {refits} refits to randomly weighted people.",
    "checked on a part": "Backtest and sensitivity use {part:,} of {people:,} people, drawn at random.",
    "checked with linear models": "Backtest and sensitivity use the linear learner, the fit {learner!r}.",
    "other advice for the part": "For the people of the sensitivity the advice is {method}, which it starts from.",
}


def note_sentence(note: Note) -> str:
    """Say how something was done."""
    return _NOTES[note.name].format(**note.values)


class AnswerWords:
    """An analysis in words, as it may be told."""

    def __init__(self, analysis: Analysis, rule: Disclosure) -> None:
        self.analysis = analysis
        self.told = rule.tell(analysis)
        self.advice = AdviceWords(analysis.recommendation, rule)

    @property
    def tells_events(self) -> bool:
        """Whether the numbers of people with and without a recorded event may be told."""
        return is_told(self.told.evidence.counts.n_events)

    def sentences(self) -> list[str]:
        """Answer, method, assumption, how sure, checks, and everything of which the reader should beware."""
        lines = [self.first(), self._mean_risk(), self._method(), self.advice.assumes]
        lines += [self._backtest(), self._sensitivity()]
        lines += [f"Refused: {text}" for text in self.advice.refusals]
        lines += [f"Beware: {text}" for text in self.cautions()]
        return [line for line in (*lines, *map(note_sentence, self.analysis.notes)) if line]

    def cautions(self) -> list[str]:
        """Return everything of which the reader should beware."""
        return [*self.advice.flags, *self.analysis.warnings, *(self._caution(name) for name in self.analysis.cautions)]

    def _caution(self, name: str) -> str:
        bounds, risk = self.told.evidence.bounds, self.told.mean_risk
        numbers = is_told(bounds.lowest_by_times, risk)
        by_curve = f"{percent(bounds.lowest_by_times, 1)} have" if numbers else "more people have"
        by_model = f"than the model's mean risk of {percent(risk.estimate, 1)}" if numbers else "than by the model"
        return {
            "curve above risk": f"By the curve of events alone {by_curve} the event within follow-up, "
            f"{'more ' if numbers else ''}{by_model}: it may miss late events, and then it counts too few of the "
            "unlabeled as positive."
        }[name]

    def without(self) -> str:
        """The people without a recorded event, counted where that does not give away how many have one."""
        counted = f"{self.analysis.n_unlabeled:,} " if self.tells_events else "the "
        return f"{counted}people whose event was not seen"

    def first(self) -> str:
        """How many of the unlabeled are positive; where the data refuse a number, that first."""
        analysis, unseen = self.analysis, self.told.unseen
        if not analysis.is_bound:
            if not is_told(unseen):
                return f"Of {self.without()}, {unseen} are expected to be positive."
            share = f", {percent(unseen.estimate / analysis.n_unlabeled)}" if self.tells_events else ""
            return f"Of {self.without()}, about {_count(unseen)} are expected to be positive{share}."
        first = "This is a lower bound and a ranking of people, no estimate of how many are positive"
        floor = f"of {self.without()}, any may be"
        if analysis.at_least >= 0.5 and self.tells_at_least:
            floor = f"at least {analysis.at_least:,.0f} of {self.without()} are"
        return f"{first}: {floor}."

    @property
    def tells_at_least(self) -> bool:
        """Whether the lowest possible number may be told."""
        return is_told(self.told.evidence.bounds.lowest, self.told.evidence.bounds.lowest_by_times_limit)

    def _mean_risk(self) -> str:
        found, analysis = self.told.mean_risk, self.analysis
        if not is_told(found):
            return ""
        kind = "The model's own mean risk, an extrapolation, is" if analysis.is_bound else "The mean risk is"
        if analysis.recommendation.method == LR.name:
            kind = "The mean probability of a label is"
        return f"{kind} {_percent(found)}; the event was seen in {percent(analysis.n_events / analysis.n_people, 1)}."

    def _method(self) -> str:
        advice, model = self.analysis.recommendation, self.analysis.model
        chosen = f", which chose {model.selection_.chosen!r}" if model.selection_ is not None else ""
        named = f" ({', '.join(advice.features)})" if advice.features else ""
        return f"Method: {advice.method} (propensity: {advice.restriction}{named}), learner {model.learner!r}{chosen}."

    def _backtest(self) -> str:
        record, method = self.told.backtest, self.analysis.recommendation.method
        if record is None:
            return f"No backtest: {NO_BACKTEST[self.analysis.no_backtest]}"
        if not is_told(record.scores):
            return "Backtest: too few people of one kind were scored to tell how well."
        name = method if method in record.scores else LR.name
        hidden = f"with {percent(record.hidden_share)} of the events hidden" if is_told(record.hidden_share) else "then"
        error = record.interval(name, "mean_risk_error").estimate
        if not is_known(error):
            return f"Backtest: {hidden}, {name} could not be fitted."
        other = f", logistic regression on the labels with {record.interval(LR.name).estimate:.2f}"
        points = round(100 * error)
        distance = f"{abs(points)} point{'s' if abs(points) > 1 else ''} {'above' if points > 0 else 'below'}"
        return (
            f"Backtest: {hidden}, {name} ranked people with an AUC of {record.interval(name).estimate:.2f}"
            f"{'' if name == LR.name else other}; the mean risk by {name} was {distance if points else 'equal to'} the "
            "share who have had the event by now."
        )

    def _sensitivity(self) -> str:
        moved = self.told.sensitivity
        if moved is None:
            return f"No sensitivity: {NO_SENSITIVITY[self.analysis.no_sensitivity]}"
        means = [
            variant.mean_risk for variant in moved.variants if variant.kind == "restriction" and not variant.failed
        ]
        if not is_told(*means):
            return ""
        reached = f"between {100 * min(means):.0f} and {100 * max(means):.0f} %" if means else "unknown"
        return f"Under other restrictions on the propensity the mean risk would be {reached}."


def _count(found: Interval) -> str:
    if not is_known(found.lower):
        return f"{found.estimate:,.0f}"
    return f"{found.estimate:,.0f} ({100 * found.level:g} % interval {found.lower:,.0f} to {found.upper:,.0f})"


def _percent(found: Interval) -> str:
    if not is_known(found.lower):
        return percent(found.estimate, 1)
    limits = f"{100 * found.lower:.1f} to {100 * found.upper:.1f} %"
    return f"{percent(found.estimate, 1)} ({100 * found.level:g} % interval {limits})"
