"""The answer first: how many, by which method, how sure; and plainly where the data give no estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass

from whether.evaluate import Interval
from whether.methods import LR
from whether.telling.answer_words import NO_BACKTEST, NO_SENSITIVITY
from whether.telling.disclosure import is_told
from whether.telling.reading import Reading
from whether.telling.words import percent, percent_range, plural, signed


@dataclass(frozen=True)
class Fact:
    """A number with what it counts."""

    value: str
    label: str
    detail: str = ""


@dataclass(frozen=True)
class Answer:
    """The top of the page."""

    kind: str  # "estimate", "bound" or "ranking"
    badge: str  # the kind in words
    headline: str  # one sentence
    lead: list[str]  # what has to be known with it
    facts: list[Fact]
    certainty: list[str]  # how sure it is


def write_answer(reading: Reading) -> Answer:
    """Answer the question."""
    advice = reading.analysis.recommendation
    if not advice.refused:
        kind, headline, lead = "estimate", *_estimate(reading)
    elif advice.method == LR.name:
        kind, headline, lead = "ranking", *_ranking(reading)
    else:
        kind, headline, lead = "bound", *_bound(reading)
    return Answer(kind, _badge(reading, kind), headline, lead, _facts(reading, kind), _certainty(reading, kind))


def _without(reading: Reading) -> str:
    """The people without a recorded event, counted where that does not give away how many have one."""
    if reading.tells_events:
        return f"the {reading.n - reading.n_events:,} people without a recorded event"
    return "the people without a recorded event"


def _interval(reading: Reading, found: Interval) -> str:
    if not (is_told(found) and math.isfinite(found.lower) and math.isfinite(found.upper) and reading.tells_events):
        return ""
    upper = min(found.upper, reading.n - reading.n_events)
    return f"{100 * found.level:g} % interval {max(found.lower, 0):,.0f} to {upper:,.0f} people"


def _expected(reading: Reading) -> str:
    """The expected number, unless it would tell how few have no recorded event."""
    found = reading.told.unseen
    return f"{found.estimate:,.0f}" if is_told(found) else str(found)


def _estimate(reading: Reading) -> tuple[str, list[str]]:
    limits = _interval(reading, reading.told.unseen)
    headline = f"About {_expected(reading)} of {_without(reading)} are expected to have it at some time" + (
        f" ({limits})." if limits else "."
    )
    return headline, []


def _bound(reading: Reading) -> tuple[str, list[str]]:
    further, until = reading.analysis.at_least, reading.told.evidence.bounds.time_of_lowest
    guess = (
        f"The model’s own figure is {_expected(reading)} people, but part was never observed: it "
        "is what the model makes of times after the end of follow-up. Read it as a guess, and the risks as a ranking."
    )
    if not (math.isfinite(until) and round(further) and reading.words.tells_at_least):
        return (
            f"These data give a lower bound, not an estimate: how many of {_without(reading)} will have it cannot be "
            "said.",
            [guess],
        )
    return (
        "These data give a lower bound, not an estimate: at least about "
        f"{further:,.0f} of {_without(reading)} are expected to have it.",
        [
            f"That many (lower limit, 95 % confidence) would have had it within about "
            f"{reading.length(until)}, had everybody been followed for so long. How many "
            "more have it later, follow-up is too short to say.",
            guess,
        ],
    )


def _ranking(reading: Reading) -> tuple[str, list[str]]:
    return (
        f"These data can rank people, but not say how many of {_without(reading)} will have it: any number from none "
        "to all is possible.",
        [
            "What is called risk in this report is the probability of a recorded event, the lowest that the true risk "
            "can be. It says who is more likely to have the event only as far as everybody is equally likely to be "
            "seen.",
        ],
    )


def _badge(reading: Reading, kind: str) -> str:
    if kind == "bound":
        return "Lower bound only: no estimate"
    if kind == "ranking":
        return "Ranking only: no estimate"
    cautions = len(reading.words.cautions())
    return f"Estimate, with {plural(cautions, 'caution')}" if cautions else "Estimate, without cautions"


def _facts(reading: Reading, kind: str) -> list[Fact]:
    analysis, told, tells = reading.analysis, reading.told, reading.tells_events
    facts = [
        Fact(f"{reading.n:,}", "people in the cohort", f"{analysis.evidence.counts.n_features} features each"),
        Fact(
            f"{reading.n_events:,}" if tells else str(told.evidence.counts.n_events),
            "people with a recorded event",
            f"{percent(reading.n_events / reading.n, 1)} of the cohort" if tells else "",
        ),
    ]
    if kind == "ranking":
        facts.append(Fact(f"{100 * analysis.evidence.bounds.lowest if tells else 0:.0f} to 100 %",
                          "of the people may have it at some time", "what holds without any assumption"))  # fmt: skip
        return facts
    own = "model’s own figure, partly a guess" if kind == "bound" else ""
    facts.append(
        Fact(_expected(reading), "more people expected to have the event", own or _interval(reading, told.unseen))
    )
    if is_told(told.mean_risk):
        risk = told.mean_risk
        limits = percent_range(risk.lower, risk.upper)
        detail = own or (f"{100 * risk.level:g} % interval {limits}" if limits else "")
        facts.append(Fact(percent(risk.estimate), "mean risk that the event ever happens", detail))
    return facts


def _certainty(reading: Reading, kind: str) -> list[str]:
    """How sure the answer is, from chance, from assumptions and from the past."""
    analysis = reading.analysis
    lines = []
    if kind == "estimate" and _interval(reading, reading.told.unseen):
        lines.append(
            "Chance: the interval says how far the number might be off because these people and not others were "
            "observed. It takes the assumption above for granted."
        )
    moved = analysis.sensitivity
    if not reading.tells_events:
        lines.append("Assumptions: there are too few people of one kind to say how far they move the answer.")
    elif moved is not None:
        means = [float(moved.risks.mean())]
        means += [v.mean_risk for v in moved.variants if v.kind == "restriction" and not v.failed]
        lines.append(
            f"Assumptions: by the other methods that these data allow to fit, the mean risk goes from "
            f"{percent(min(means))} to {percent(max(means))}."
        )
    else:
        lines.append(f"Assumptions: not moved. {NO_SENSITIVITY[analysis.no_sensitivity]}")
    lines.append(_past(reading))
    return lines


def _past(reading: Reading) -> str:
    record = reading.told.backtest
    if record is None:
        return f"Past: not checked at an earlier date. {NO_BACKTEST[reading.analysis.no_backtest]}"
    if not is_told(record.scores):
        return "Past: too few people of one kind could be scored at an earlier date."
    row = "advised" if "advised" in record.scores else reading.analysis.recommendation.method
    if row not in record.scores:
        return "Past: other methods were checked at an earlier date, see below."
    rank, error = record.interval(row), record.interval(row, "mean_risk_error")
    return (
        f"Past: put back to an earlier date, the advice would have ranked people with an AUC of {rank} (0.5 "
        f"is chance, 1 perfect). Its mean risk minus the share who have had the event by now: "
        f"{signed(100 * error.estimate, 0)} % points."
    )
