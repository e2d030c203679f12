"""The answer of an analysis in sentences, the most important one first."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from whether.evaluate import Interval

if TYPE_CHECKING:
    from whether.analysis.result import Analysis

WIDTH = 110


def answer(analysis: Analysis) -> str:
    """How many of the unlabeled are positive; where the data refuse a number, that first.

    Parameters
    ----------
    analysis : Analysis
    """
    n = analysis.n_unlabeled
    who = f"{n:,} people whose event was not seen"
    if not analysis.is_bound:
        share = f", {100 * analysis.unseen.estimate / n:.0f} %"
        return f"Of {who}, about {_count(analysis.unseen)} are expected to be positive{share}."
    first = "This is a lower bound and a ranking of people, no estimate of how many are positive"
    floor = f"at least {analysis.at_least:,.0f} of {who} are" if analysis.at_least >= 0.5 else f"of {who}, any may be"
    return f"{first}: {floor}."


def sentences(analysis: Analysis) -> list[str]:
    """Answer, method, assumption, how sure, checks, and everything of which the reader should beware.

    Parameters
    ----------
    analysis : Analysis
    """
    advice = analysis.recommendation
    lines = [answer(analysis), _mean_risk(analysis), _method(analysis)]
    lines += [f"It assumes that {advice.assumption}." if advice.method != "LR" else f"It assumes {advice.assumption}."]
    lines += [_backtest(analysis), _sensitivity(analysis)]
    lines += [f"Refused: {text}" for text in advice.refusals]
    lines += [f"Beware: {text}" for text in (*advice.flags, *analysis.warnings)]
    return [*lines, *analysis.notes]


def wrap(sentence: str) -> str:
    """Break a sentence into lines of a page's width; a number and its percent sign stay together.

    Parameters
    ----------
    sentence : str
    """
    joined = sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    return textwrap.fill(joined, WIDTH, subsequent_indent="  ").replace("\N{NO-BREAK SPACE}%", " %")


def _mean_risk(analysis: Analysis) -> str:
    found, seen = analysis.mean_risk, analysis.n_events / analysis.n_people
    kind = "The model's own mean risk, an extrapolation, is" if analysis.is_bound else "The mean risk is"
    if analysis.recommendation.method == "LR":
        kind = "The mean probability of a label is"
    return f"{kind} {_percent(found)}; the event was seen in {100 * seen:.1f} %."


def _method(analysis: Analysis) -> str:
    advice, model = analysis.recommendation, analysis.model
    chosen = f", which chose {model.selection_.chosen!r}" if model.selection_ is not None else ""
    named = f" ({', '.join(advice.features)})" if advice.features else ""
    return f"Method: {advice.method} (propensity: {advice.restriction}{named}), learner {model.learner!r}{chosen}."


def _backtest(analysis: Analysis) -> str:
    record, method = analysis.backtest, analysis.recommendation.method
    if record is None:
        return f"No backtest: {analysis.backtest_note}"
    name = method if method in record.scores else "LR"
    beside = "" if name == "LR" else f", logistic regression on the labels with {record.interval('LR').estimate:.2f}"
    error = record.interval(name, "mean_risk_error").estimate
    if not math.isfinite(error):
        return f"Backtest: with {100 * record.hidden_share:.0f} % of the events hidden, {name} could not be fitted."
    points = round(100 * error)
    distance = f"{abs(points)} point{'s' if abs(points) > 1 else ''} {'above' if points > 0 else 'below'}"
    return (
        f"Backtest: with {100 * record.hidden_share:.0f} % of the events hidden, {name} ranked people with an AUC of "
        f"{record.interval(name).estimate:.2f}{beside}; the mean risk by {name} was "
        f"{distance if points else 'equal to'} the share who have had the event by now."
    )


def _sensitivity(analysis: Analysis) -> str:
    moved = analysis.sensitivity
    if moved is None:
        return f"No sensitivity: {analysis.sensitivity_note}"
    means = [variant.mean_risk for variant in moved.variants if variant.kind == "restriction" and not variant.note]
    reached = f"between {100 * min(means):.0f} and {100 * max(means):.0f} %" if means else "unknown"
    return f"Under other restrictions on the propensity the mean risk would be {reached}."


def _count(found: Interval) -> str:
    if not math.isfinite(found.lower):
        return f"{found.estimate:,.0f}"
    return f"{found.estimate:,.0f} ({100 * found.level:g} % interval {found.lower:,.0f} to {found.upper:,.0f})"


def _percent(found: Interval) -> str:
    if not math.isfinite(found.lower):
        return f"{100 * found.estimate:.1f} %"
    limits = f"{100 * found.lower:.1f} to {100 * found.upper:.1f} %"
    return f"{100 * found.estimate:.1f} % ({100 * found.level:g} % interval {limits})"
