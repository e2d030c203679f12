"""Backtest and sensitivity in words: a table, and what follows from it."""

from __future__ import annotations

from calendar import month_name
from collections import Counter
from collections.abc import Sequence

import numpy as np

from whether.advise import Backtest, Sensitivity
from whether.advise.track_record import WorthOfTimes
from whether.advise.variants import KINDS, Variant
from whether.methods import LR
from whether.telling.advice_words import OBJECTIONS
from whether.telling.disclosure import is_told
from whether.telling.record_words import unread_text
from whether.telling.words import FEW_OF_A_KIND, percent, points, signed, signed_interval, wrap

# How a score is called in the table.
COLUMNS = {"brier": "Brier", "calibration_error": "ICI", "mean_risk_error": "risk − share"}
# What a sensitivity analysis moves, in front of what it is moved to.
MOVED = dict(
    zip(
        KINDS,
        ("method: ", "share of positives that is seen: ", "share of people who are positive: ", "follow-up cut at "),
        strict=True,
    )
)
# Width of the table with all its columns.
WIDE_TABLE = 98
WEIGHTED = (
    "People with the event can be scored at once, the others only if followed to the horizon. So people count by "
    "the inverse of their chance to be followed long enough, which is right if follow-up does not depend on features."
)
_VERDICTS = {
    "worth it": "event times improve the ranking here",
    "a waste": "event times make the ranking worse here",
    "open": "no difference can be shown",
}


def plan_sentence(record: Backtest, unit: str = "") -> str:
    """Say which endpoint and horizon, in a unit where it is known."""
    of_unit = f" {unit}" if unit else ""
    how = (
        f"The data were put back to {_date(record.endpoint)}"
        if record.endpoint is not None
        else f"Follow-up was cut at random between 0 and {record.stagger:.3g}{of_unit}"
    )
    return f"{how}; people followed event-free to {record.horizon:.3g}{of_unit} count as negative."


def _date(endpoint: float) -> str:
    """Return a date in years as it is said, by its month or as the start of a year.

    >>> _date(1988.0), _date(1993.46), _date(12.5)
    ('the start of 1988', 'June 1993', 'time 12.5')
    """
    year, month = divmod(endpoint, 1)
    if not 1000 <= endpoint < 3000:
        return f"time {endpoint:g}"  # years of a count of their own
    return f"the start of {year:.0f}" if month < 0.005 else f"{month_name[1 + int(12 * month)]} {year:.0f}"


def worth_sentence(record: Backtest) -> str:
    """Say whether event times improve the ranking here."""
    found: WorthOfTimes | None = record.worth_of_times()
    if found is None:
        return "Methods with and without event times are needed to compare them."
    return (
        f"Best with event times ({found.with_times}) minus best without ({found.without}): AUC "
        f"{signed_interval(found.gap)}; {_VERDICTS[found.verdict]}."
    )


def backtest_text(record: Backtest, width: int) -> list[str]:
    """Return the scores as a table with the answer below; scores that have no place in the line are left out."""
    hides = f" This hides {percent(record.hidden_share)} of the events." if is_told(record.hidden_share) else ""
    by_weight = f" ({percent(record.positive_share)} by weight)"
    if not is_told(record.scores):
        text = "The scores are not told: too few people with, or without, the event were scored."
        return wrap(f"{plan_sentence(record)}{hides} {text}", width)
    lines = wrap(
        f"{plan_sentence(record)}{hides} {record.n_splits} splits: trained on {count_text(record.n_training)}, scored "
        f"on {count_text(record.n_test)} people, {count_text(record.n_positive)} of them positive"
        f"{by_weight if record.weighted else ''}.",
        width,
    )
    shown = ["mean_risk_error"] if width < WIDE_TABLE else list(COLUMNS)
    titles = " ".join(f"{COLUMNS[metric]:>12s}" for metric in shown)
    lines += ["", f"{'method':9s} {'AUC':>22s} {f'minus {LR.name}':>25s} {titles}"]
    for name in record.scores:
        gap = signed_interval(record.difference(name)) if LR.name in record.scores and name != LR.name else ""
        values = " ".join(f"{_cell(record, name, metric):>12s}" for metric in shown)
        lines.append(f"{name:9s} {record.interval(name)!s:>22s} {gap:>25s} {values}")
    lines += ["", *wrap(worth_sentence(record), width)]
    if record.weighted:
        lines += wrap(WEIGHTED, width)
    return [*lines, *_advised(record, width)]


def _advised(record: Backtest, width: int) -> list[str]:
    lines = []
    if any(record.advised):
        counted = ", ".join(f"{name} ({count})" for name, count in Counter(record.advised).most_common())
        held = f"; a number for the mean risk was refused in {sum(record.refused)} of {record.n_splits} splits"
        lines += wrap(f"Advised then: {counted}{held if any(record.refused) else ''}.", width)
    for name in record.failed:
        lines.append(f"{name} could not be fitted in some split.")
    return lines


def count_text(number: object) -> str:
    """Return a number of people, or what may be said instead."""
    return f"{number:,}" if isinstance(number, int) else str(number)


def _cell(record: Backtest, method: str, metric: str) -> str:
    value = record.interval(method, metric).estimate
    return signed(value, 3) if metric == "mean_risk_error" else f"{value:.3f}"


def sensitivity_text(moved: Sensitivity, width: int) -> list[str]:
    """Return the mean risks under each assumption as a table."""
    if not all(is_told(variant.mean_risk) for variant in moved.variants):
        return wrap(f"How the mean risk moves is {FEW_OF_A_KIND}.", width)
    lines = [f"Recommended: {moved.recommended}, mean risk {percent(moved.risks.mean(), 1)}."]
    if moved.refused:
        lines.append("These data settle on no single number: read the range, not the point.")
    lower, upper = moved.band()
    low, high = moved.range
    band = points(float(np.median(upper - lower)))
    lines += wrap(
        f"By the methods that these data do not rule out, the mean risk lies between {100 * low:.1f} and "
        f"{percent(high, 1)}, and a person’s band over everything left standing is {band} percentage points wide "
        "(median). What is in brackets does not count.",
        width,
    )
    said = [_moved_text(variant) for variant in moved.variants]
    first = max(map(len, said))
    lines += ["", f"{'what is assumed':{first}s} {'mean risk':>10s} {'rank correlation':>17s}"]
    lines += [f"{text:{first}s} {_outcome(variant)}" for text, variant in zip(said, moved.variants, strict=True)]
    left_out = " ".join(filter(None, (left_out_text(moved.others), unread_text(moved.unread))))
    return [*lines, "", *wrap(left_out, width)] if left_out else lines


def _moved_text(variant: Variant) -> str:
    """What is assumed: a method, a share, or how long people were followed."""
    value = variant.value
    if not isinstance(value, str):
        value = f"{value:g}" if variant.kind == "follow-up horizon" else percent(value)
    return MOVED[variant.kind] + value


def left_out_text(variants: Sequence[Variant]) -> str:
    """Say what does not count, by reason; empty if everything does."""
    reasons: dict[str, dict[str, None]] = {}
    for variant in variants:
        if variant.objection:
            name = (
                str(variant.value)
                if variant.kind == "restriction"
                else f"every {MOVED[variant.kind].rstrip(': ')} in brackets"
            )
            reasons.setdefault(OBJECTIONS[variant.objection], {})[name] = None
    listed = "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())
    return f"Left out: {listed}." if listed else ""


def _outcome(variant: Variant) -> str:
    if variant.failed:
        return "could not be fitted"
    shown = percent(variant.mean_risk, 1)
    mean = f"({shown})" if variant.objection else shown
    return f"{mean:>10s} {variant.rank_correlation:17.3f}"
