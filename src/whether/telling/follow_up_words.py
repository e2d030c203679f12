"""Follow-up and the curve of events in words. Every function takes a fact as it may be told."""

from __future__ import annotations

from whether.advise.evidence.cure_fraction import CureFraction
from whether.advise.evidence.follow_up import SMALL_CURED, SMALL_RATIO, EventCurve, FollowUpEvidence, LastEvents
from whether.advise.evidence.material import PotentialFollowUp
from whether.telling.disclosure import is_told
from whether.telling.words import is_known, number, one_unit, percent, percent_interval, ratio_text


def follow_up_sentences(found: FollowUpEvidence, *, enters_late: bool, unit: str) -> list[str]:
    """How long people were followed, and whether the curve of events levels off."""
    of_unit = f" {unit}" if unit else ""
    median, highest = found.median, min(found.median.upper, found.longest)
    what, most = ("Median end of follow-up", "latest") if enters_late else ("Median follow-up", "longest")
    lines = [
        f"{what} {median.estimate:,.4g}{of_unit} ({median.lower:,.4g} to {highest:,.4g}), {most} "
        f"{found.longest:,.4g}{of_unit}; potential follow-up {_potential(found.potential)}."
    ]
    if found.events is not None:
        lines += _event_curve(found.events, unit)
    if found.from_labels is not None:
        lines.append(_cure_fraction("from recorded events and follow-up alone", found.from_labels))
    return lines


def _potential(found: PotentialFollowUp) -> str:
    is_shown = is_known(found.share)
    share = f" ({percent(found.share)} of those with no recorded event were followed so far)" if is_shown else ""
    few = f"only {percent(found.share)}" if is_shown else "too few"
    only = f"{few} of those with no recorded event were"
    return {
        "given": f"as given{share}",
        "unknown": "unknown",
        "dates": f"from dates of entry to the end of the data{share}",
        "lost": f"unknown: {only} followed to their planned end, so that it does not say how long people with the "
        "event would have been",
    }[found.source]


def _event_curve(found: EventCurve, unit: str) -> list[str]:
    level = found.plateau
    there = f"; there {percent_interval(level)} are event-free" if is_told(level) else ""
    lines = [
        f"Last event at about {found.last_event:,.4g}{f' {unit}' if unit else ''}, with {found.n_after_last_event} "
        f"people followed event-free beyond it{there}."
    ]
    if is_told(found.late_rate):
        rate = found.late_rate
        lines.append(
            f"In the second half of follow-up there were {number(1000 * rate.estimate)} events per 1,000 people and "
            f"{one_unit(unit)} ({number(1000 * rate.lower)} to {number(1000 * rate.upper)}): if that went on for as "
            f"long again, {percent(found.further_share)} of those still under observation would have the event."
        )
    last = ["With late entry Maller and Zhou’s and Shen’s statistics are not defined."]
    if found.last_events is not None:
        last = _last_events(found.last_events)
    return [*lines, *last, _cure_fraction("from event times", found.receus)]


def _last_events(found: LastEvents) -> list[str]:
    if is_told(found.q_n) and not is_known(found.q_n):
        return ["The longest time is an event: Maller and Zhou’s and Shen’s statistics are not defined."]
    if not is_told(found.q_n, found.shen):
        return ["The statistics of the last events rest on too few people to be told."]
    return [
        f"Maller-Zhou alpha_n = {found.alpha_n:.2g}, q_n = {found.q_n:.4f} (simulated p = {found.q_n_p_value:.3f}); "
        f"Shen {found.shen:.2g}. Small alpha_n and Shen, large q_n speak for sufficient follow-up; alpha_n is known to "
        "do so too often."
    ]


def _cure_fraction(which: str, found: CureFraction) -> str:
    limits = f" ({limits_of_ratio(found)})" if is_known(found.ratio_limits[1]) else ""
    cured = f"cured {percent(found.cured, 1)}, " if is_told(found.cured) else ""
    return (
        f"RECeUS {which} ({found.distribution}): {cured}ratio {ratio_text(found.ratio)}{limits}. A cure model is "
        f"called appropriate above {100 * SMALL_CURED:g} % cured and below a ratio of {SMALL_RATIO:g}."
    )


def limits_of_ratio(found: CureFraction) -> str:
    """Between which limits the ratio lies that says whether the curve of events levels off."""
    lower, upper = found.ratio_limits
    return f"{ratio_text(lower)} to {ratio_text(upper)}" if is_known(upper) else "without limits"
