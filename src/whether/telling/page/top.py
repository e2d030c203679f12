"""The answer first: how many, by which method, how sure; and plainly where the data give no estimate."""

from __future__ import annotations

from dataclasses import dataclass

from whether.advise.evidence.material import LIFETIME, NET
from whether.analysis import Analysis, GroupLevel
from whether.telling.answer_words import NO_BACKTEST, NO_SENSITIVITY, level_text
from whether.telling.disclosure import is_told
from whether.telling.group_words import UNTOLD, group_header, group_rows, told_columns
from whether.telling.headline_words import Headline
from whether.telling.page.bar import Bar, cohort_bar, level_bar
from whether.telling.reading import Reading
from whether.telling.record_words import HAVE_WORDS
from whether.telling.words import Name, count_range, is_known, name, percent, percent_range, places_of, plural

MORE_PEOPLE = "people still expected to have the event"
MEAN_RISK = {
    "": "mean risk that the event ever happens",
    LIFETIME: "mean risk that the event comes before death",
    NET: "mean risk that the event comes, in a world without other deaths",
}
# The same where the risk is that of a recorded event.
SHARE = {question: f"share of people who {have}" for question, have in HAVE_WORDS.items()}
LEVELS = {*MEAN_RISK.values(), *SHARE.values()}


@dataclass(frozen=True)
class Fact:
    """A number with what it counts."""

    value: str
    label: str
    detail: str = ""


@dataclass(frozen=True)
class GroupTable:
    """The levels of a column, each with a bar and cells under a header; or why they are not told apart."""

    column: str
    limits: str  # what stands in brackets in the cells, such as an interval
    header: tuple[tuple[str, str], ...]  # of each cell, and what its limits are; empty where it has none
    rows: list[tuple[Name, Bar, tuple[str, ...]]]
    absent: str = ""


@dataclass(frozen=True)
class Answer:
    """The top of the page."""

    kind: str  # as in `Analysis.kind`
    badge: str  # the kind in words
    question: list[str]  # what is asked, where that could be two things
    headline: str  # one sentence
    lead: list[str]  # what has to be known with the number, such as what the ends of a range are
    more: list[str]  # what else has to be known with it
    bar: Bar | None  # the same as a picture
    groups: list[GroupTable]  # the same by group
    facts: list[Fact]
    certainty: list[str]  # how sure it is


def write_answer(reading: Reading) -> Answer:
    """Answer the question."""
    headline = reading.words.headline
    bar = cohort_bar(reading)
    facts = _facts(reading, headline)
    return Answer(
        reading.analysis.kind,
        headline.badge,
        headline.question(),
        headline.first(),
        headline.lead(),
        [*headline.other_question(), *filter(None, [headline.late_entry()])],
        bar,
        [_group_table(reading, column, levels) for column, levels in told_columns(reading.told.by_group).items()],
        # What the bar counts is not counted a second time.
        facts if bar is None else [facts[0], *(fact for fact in facts if fact.label in LEVELS)],
        _certainty(reading, headline),
    )


def _group_table(reading: Reading, column: str, levels: list[GroupLevel]) -> GroupTable:
    is_range = reading.analysis.kind != "estimate"
    if not levels:
        return GroupTable(name(column).short, "", (), [], f"By {name(column).short}: {UNTOLD}")
    limits = "range" if is_range else f"{100 * levels[0].mean_risk.level:g} % interval"
    heads = enumerate(group_header(reading.analysis.kind))
    header = tuple((head, f" ({limits})" if place >= 2 else "") for place, head in heads)
    cells = group_rows(levels, is_range=is_range)
    bars = [level_bar(one, is_range=is_range) for one in levels]
    rows = [(name(a.level), b, c.cells) for a, b, c in zip(levels, bars, cells, strict=True)]
    return GroupTable(name(column).short, limits, header, rows)


def _facts(reading: Reading, headline: Headline) -> list[Fact]:
    analysis, told, tells = reading.analysis, reading.told, reading.tells_events
    facts = [
        # A column of categories is several features, so they are the model's and not a person's.
        Fact(
            f"{reading.n:,}",
            "people in the cohort",
            f"{plural(analysis.evidence.counts.n_features, 'feature')} in the model",
        ),
        Fact(
            f"{reading.n_events:,}" if tells else str(told.evidence.counts.n_events),
            "people with a recorded event",
            f"{percent(reading.n_events / reading.n, 1)} of the cohort" if tells else "",
        ),
    ]
    if analysis.question:
        died = told.evidence.counts.n_died
        facts.append(Fact(f"{died:,}" if isinstance(died, int) else str(died), "people who died without the event"))
    return [*facts, *(_estimates(told, headline) if analysis.kind == "estimate" else _ends(told, headline))]


def _estimates(told: Analysis, headline: Headline) -> list[Fact]:
    count, risk = told.unseen, told.mean_risk
    shown = f"{count.estimate:,.0f}" if is_told(count) else str(count)
    facts = [Fact(shown, MORE_PEOPLE, headline.limits and f"{headline.limits} people")]
    if is_told(risk):
        places = places_of(risk.estimate)
        limits = percent_range(risk.lower, risk.upper, places)
        interval = f"{100 * risk.level:g} % interval {limits}" * bool(limits)
        facts.append(Fact(percent(risk.estimate, places), MEAN_RISK[told.question], interval))
    return facts


def _ends(told: Analysis, headline: Headline) -> list[Fact]:
    """Ends of a range, where they may be told."""
    if not headline.tells_ends:
        return []
    facts = [Fact(count_range(told.unseen.lower, told.unseen.upper), MORE_PEOPLE, "range")]
    if is_told(told.mean_risk):
        low, high = told.mean_risk.lower, told.mean_risk.upper
        is_record = told.kind == "ranking"
        what = SHARE[told.question] if is_record else MEAN_RISK[told.question]
        facts.append(Fact(percent_range(low, high, places_of(low, high)), what, "range"))
    return facts


def _certainty(reading: Reading, headline: Headline) -> list[str]:
    """How sure the answer is, from chance, from assumptions and from the past."""
    lines = []
    if reading.analysis.kind == "estimate" and headline.limits:
        shapes = any(note.name == "intervals reach to other models" for note in reading.analysis.notes)
        more = ", or because events after the end of follow-up do not come as the model expects" if shapes else ""
        lines.append(
            "The interval says how far the number might be off because these people and not others were observed"
            f"{more}. It takes the assumption above for granted."
        )
    lines += [headline.beside_curve] * bool(headline.beside_curve)
    if reading.analysis.sensitivity is None:
        lines.append(f"Assumptions: no others were tried: {NO_SENSITIVITY[reading.analysis.no_sensitivity]}.")
    else:
        lines.append(f"Assumptions: {_lower_first(reading.words.sensitivity())}")
    lines.append(_past(reading))
    return lines


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _past(reading: Reading) -> str:
    record = reading.told.backtest
    if record is None:
        return f"Past: not checked at an earlier date: {NO_BACKTEST[reading.analysis.no_backtest]}."
    if not is_told(record.scores):
        return "Past: not told, since too few people with, or without, the event could be scored at an earlier date."
    row = reading.analysis.recommendation.method
    if row not in record.scores:
        return "Past: other methods were checked at an earlier date, see below."
    rank, error = record.interval(row), record.interval(row, "mean_risk_error")
    limits = f"{100 * rank.level:g} % interval {rank.lower:.2f} to {rank.upper:.2f}; " if is_known(rank.lower) else ""
    return (
        f"Past: rehearsed at an earlier date, the method ranked people with an AUC of {rank.estimate:.2f} ({limits}0.5 "
        f"is chance, 1 perfect). Its mean risk was {level_text(error)}{reading.words.untold}."
    )
