"""The evidence in words, topic by topic. Every function takes a fact as it may be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from whether.advise import Evidence
from whether.advise.evidence.agreement import AgreementEvidence
from whether.advise.evidence.bounds import BoundsEvidence, CountEvidence
from whether.advise.evidence.dependence import DependenceEvidence, Driver
from whether.advise.evidence.exchange import ExchangeEvidence
from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.linearity import LinearityEvidence
from whether.advise.evidence.scar import ScarEvidence
from whether.advise.evidence.shape import ShapeEvidence
from whether.advise.evidence.time_trust import TrustEvidence
from whether.telling.disclosure import is_told
from whether.telling.follow_up_words import follow_up_sentences
from whether.telling.record_words import death_sentences, record_sentences
from whether.telling.words import (
    is_known,
    p_text,
    percent,
    plural,
    signed,
    signed_interval,
)

EQUALLY_LIKELY = "If all positives were equally likely to be recorded"
# Drivers that are listed by name.
MOST_LISTED = 8


def evidence_sentences(
    evidence: Evidence, *, unit: str = "", called: Callable[[str], str] = str
) -> dict[str, list[str]]:
    """Return sentences by topic, for the topics on which there is evidence: times in a unit, features as called."""
    topics: dict[str, tuple[Any, Callable[[Any], list[str]]]] = {
        "Cohort": (evidence.counts, _counts),
        "Deaths before the event": (evidence.deaths, partial(death_sentences, unit=unit)),
        "Follow-up": (
            evidence.follow_up,
            partial(follow_up_sentences, enters_late=bool(evidence.counts.n_late), unit=unit),
        ),
        "Dependence on features": (evidence.dependence, partial(_dependence, called=called)),
        "Event times": (evidence.trust, partial(_trust, unit=unit)),
        "Shape of event times": (evidence.shape, _shape),
        "Curves without a model": (evidence.agreement, _agreement),
        "Equal chances to be recorded": (evidence.scar, _scar),
        "Risk or chance to be seen": (evidence.exchange, _exchange),
        "Linearity": (evidence.linearity, _linearity),
        "Bounds": (evidence.bounds, _bounds),
    }
    return {title: say(found) for title, (found, say) in topics.items() if found is not None}


def outcome_of(test: HypothesisTest) -> str:
    """Say what follows for the null, as it goes after "That ... "."""
    if not test.was_run:
        return f"could not be tested ({test.note})"
    outcome = "is rejected" if test.rejects() else "is not rejected"
    shown = test.degrees and is_told(test.statistic)
    degrees = f"chi2({test.degrees}) = {test.statistic:,.1f}, " if shown else ""
    return f"{outcome} ({degrees}{p_text(test.p_value)}{', ' if test.note else ''}{test.note})"


def _counts(found: CountEvidence) -> list[str]:
    known = [
        name for name, given in (("event times", found.has_time), ("potential follow-up", found.has_follow_up)) if given
    ]
    if found.named_features is not None:
        known.append(f"features that decide whose event is recorded ({', '.join(found.named_features) or 'none'})")
    if is_told(found.n_events):
        few = " That is few." if found.events_per_parameter < 5 else ""
        events = f"{found.n_events:,} with a recorded event ({percent(found.n_events / found.n, 1)})"
        per = f": {found.events_per_parameter:.3g} events per coefficient of a model with all features in both parts."
    else:
        events, per, few = f"{found.n_events} with a recorded event", ".", ""
    return [
        f"{found.n:,} people, {events}, {plural(found.n_features, 'feature')}{per}{few}",
        f"Known besides recorded events: {', '.join(known) or 'nothing'}.",
        *record_sentences(found),
    ]


def _bounds(found: BoundsEvidence) -> list[str]:
    if not is_told(found.lowest):
        return ["How many have the event is not told, and so are the bounds that follow from it."]
    by_times, highest = found.lowest_by_times, percent(found.highest, int(found.highest < 1))
    lines = [
        f"Without any restriction between {percent(found.lowest, 1)} and {highest} are positive; a person’s risk lies "
        "between the probability of a recorded event and 1."
    ]
    if is_known(found.lowest_by_times_limit):
        estimate = f"an estimated {percent(by_times, 1)} or more are, and " if is_told(by_times) else ""
        lines[0] += (
            f" If follow-up is independent of the event, {estimate}at least "
            f"{percent(found.lowest_by_times_limit, 1)} {'' if estimate else 'are '}(lower limit of a 95 % interval)."
        )
    if is_told(found.highest_if_constant) and is_known(found.highest_if_constant):
        most_likely = (
            f"{percent(found.highest_label_probability)} of the people most likely to have a recorded event have one "
            f"(at least {percent(found.highest_label_limit)}, 95 % confidence)"
        )
        if found.highest_if_constant < found.highest:
            bound = f"at most {percent(found.highest_if_constant)} would be positive"
            lines.append(
                f"{EQUALLY_LIKELY}, {bound}: {most_likely}, and so would at least that share of all positives."
            )
        else:
            lines.append(f"{EQUALLY_LIKELY}, that upper bound would be no lower: only {most_likely}.")
    return lines


def _dependence(found: DependenceEvidence, called: Callable[[str], str]) -> list[str]:
    lines = [f"That event times do not depend on features {outcome_of(found.event_times)}; from {found.source}."]
    if found.time_drivers:
        lines.append(f"Features that drive event times (z > 0: later events): {_list(found.time_drivers, called)}.")
    share = found.follow_up_explained
    explained = f"; features explain {percent(share)} of the variance of its logarithm" if share >= 0 else ""
    lines.append(f"That follow-up does not depend on features {outcome_of(found.follow_up)}{explained}.")
    if found.follow_up_drivers:
        lines.append(f"Features that drive follow-up (z > 0: longer): {_list(found.follow_up_drivers, called)}.")
    if is_known(found.selection_share):
        low, high = found.propensity_range
        cost = f" Ranking people by recorded events {cost_text(found)}." if is_known(found.auc_by_labels) else ""
        lines += [
            f"{percent(found.selection_share)} of the differences in who has a recorded event (on the log scale) "
            f"reflect timing, not risk: among positives the chance to be seen runs from {low:.2f} to {high:.2f} (10 % "
            f"and 90 % of people).{cost} Log follow-up spreads {found.breadth:.2g} times as wide as log event times.",
            f"{percent(found.unseen_share)} of all events, recorded ones included, would come after the longest "
            "follow-up.",
        ]
    return lines


def cost_text(found: DependenceEvidence) -> str:
    """What ranking people by their chance of a recorded event does, by the model of event times, as a verb."""
    if found.auc_by_labels < 0.495:
        return "would put more pairs of people in the wrong order than in the right one"
    before, after = f"{found.auc_by_risk:.2f}", f"{found.auc_by_labels:.2f}"
    return f"lowers the AUC from {before} to {after}" if after < before else "lowers the AUC by less than 0.01"


def _list(drivers: Sequence[Driver], called: Callable[[str], str]) -> str:
    shown = ", ".join(
        f"{called(one.feature)} (z = {signed(min(max(one.z, -99), 99), 1)})" for one in drivers[:MOST_LISTED]
    )
    return shown + (f" and {len(drivers) - MOST_LISTED} more" if len(drivers) > MOST_LISTED else "")


def _trust(found: TrustEvidence, unit: str = "") -> list[str]:
    heaping, end, lines = found.heaping, found.end_mass, []
    if heaping is not None and is_told(heaping.distinct_share):
        lines.append(f"{percent(heaping.distinct_share)} of the event times are distinct.")
    values = [] if heaping is None else [f"{value.time:g}" for value in heaping.values[:3] if is_told(value.time)]
    if heaping is not None and is_told(heaping.excess_share):
        most = f" (most at {', '.join(values)}{f' {unit}' if unit else ''})" if values else ""
        lines.append(f"{percent(heaping.excess_share, 1)} of the events pile up at single values{most}.")
    if end is not None and is_told(end.share):
        lines.append(
            f"{percent(end.share, 1)} of the events lie in the last 2 % of the person’s follow-up; "
            f"{percent(end.expected, 1)} would be expected there at the rate shortly before (p = {end.p_value:.3f})."
        )
    lines.append(f"That recorded times agree with recorded events and follow-up {outcome_of(found.labels)}.")
    lines.append(f"That event-time and follow-up model agree on the mean risk {outcome_of(found.hausman)}.")
    if found.risk_difference is not None:
        lines.append(f"Mean risk by event times minus by follow-up: {signed_interval(found.risk_difference)}.")
    return lines


def _shape(found: ShapeEvidence) -> list[str]:
    text = f"That event times have the shape of the event-time model ({found.distribution}) {outcome_of(found.test)}"
    if not found.test.was_run:
        return [f"{text}."]
    return [f"{text}; {percent(found.misplaced_share)} of the events come when it does not expect them."]


def _agreement(found: AgreementEvidence) -> list[str]:
    text = f"That the risks of the event-time model agree with the curves of events {outcome_of(found.test)}"
    if not found.test.rejects() or not is_told(found.largest_gap):
        return [f"{text}."]
    more = "more" if found.largest_gap > 0 else "fewer"
    return [
        f"{text}; in {found.n_groups} groups from low to high risk the curve shows up to "
        f"{100 * abs(found.largest_gap):.1f} of 100 people {more} with the event than the model does by the same time."
    ]


def _scar(found: ScarEvidence) -> list[str]:
    if not found.likelihood_ratio.was_run and not found.bootstrap.was_run:
        return [f"That all events are equally likely to be recorded {outcome_of(found.likelihood_ratio)}."]
    lines = [
        f"That all events are equally likely to be recorded {outcome_of(found.likelihood_ratio)}. By the published "
        f"bootstrap test, which rejects it nearly always, right or wrong, it {outcome_of(found.bootstrap)}."
    ]
    if is_told(found.label_frequency):
        lines.append(
            f"If they were, {percent(found.label_frequency)} of the positives would be recorded (maximum likelihood, "
            f"taking the risk for a logistic line; {percent(found.elkan_noto)} by Elkan and Noto’s rule, which is too "
            "low unless features tell positives and negatives apart)."
        )
    if found.follow_up.was_run:
        lines.append(f"That {found.follow_up.null}, {outcome_of(found.follow_up)}.")
    return lines


def _exchange(found: ExchangeEvidence) -> list[str]:
    lines = [
        f"From recorded events alone the mean risk could be {percent(found.mean_risk)} or, risk and chance to be seen "
        f"exchanged, {percent(found.mean_exchanged)} (the two correlate {signed(found.correlation, 2)})."
    ]
    if found.restriction == "none":
        return [*lines, "Nothing tells them apart."]
    return [
        *lines,
        f"With {found.restriction} to tell them apart, {found.n_rivals} of {found.n_starts} starts of the fit end "
        f"equally likely, with logits of the risk that correlate at least {found.least_agreement:.2f}.",
    ]


def _linearity(found: LinearityEvidence) -> list[str]:
    if not (found.outcome.was_run or found.propensity.was_run):
        return [f"Whether straight lines are enough {outcome_of(found.outcome)}."]
    return [
        f"That straight lines are enough for the risk {outcome_of(found.outcome)}; that they are for the chance to be "
        f"seen {outcome_of(found.propensity)}. Squares, cubes and products were added to the {found.model}."
    ]
