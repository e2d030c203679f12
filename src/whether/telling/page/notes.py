"""Texts at the end of the page: what was found in detail, a glossary, and what to cite."""

from __future__ import annotations

import math

from whether.telling.reading import Reading
from whether.telling.words import number, percent, percent_range

GLOSSARY = (
    ("event", "What the cohort was watched for: a diagnosis, a relapse, a failure."),
    ("positive", "A person to whom the event happens at some time, whether anybody has seen it yet or not."),
    ("labeled, unlabeled", "With and without a recorded event. Unlabeled people are negative, or not seen yet."),
    ("risk", "The probability that the event ever happens to a person, given the features."),
    ("still to come", "The probability that it happens later, given that it was not recorded so far."),
    ("chance to be seen (labeling propensity)", "The probability that a positive person’s event was recorded."),
    ("follow-up", "How long a person was watched, or would have been had the event not come."),
    ("restriction", "What a method assumes of the chance to be seen. Without one, labels cannot tell “will not happen” "
     "from “was not seen”."),
    ("95 % interval", "Would hold the true number in 95 of 100 such studies, if the assumptions are right."),
    ("AUC", "The probability that a positive person has a higher risk than a negative one: 0.5 is chance, 1 perfect."),
    ("odds ratio", "How the odds of the event ever happening multiply per step of a feature."),
    ("time ratio", "How the time to the event multiplies per step of a feature, in those to whom it happens."),
)  # fmt: skip

CITATIONS = (
    ("The software", "The whether developers. whether: the probability that an event ever happens to a person, from "
     "cohorts whose follow-up ended early. Version {version}."),
    ("The framework", "Qin Weng and Matthew M. Engelhard. When are time-to-event models a waste of time? Bridging "
     "mixture cure models and positive-unlabeled learning for binary classification under right-censoring. 2026."),
)  # fmt: skip


def describe_evidence(reading: Reading) -> list[tuple[str, list[str]]]:
    """Return what was found out about the cohort, topic by topic, without what points at single persons.

    Parameters
    ----------
    reading : Reading
    """
    topics = []
    for title, section in reading.analysis.evidence.sections().items():
        if title == "Follow-up":
            sentences = _follow_up(reading)
        elif title in ("Cohort", "Bounds", "Labeling at random") and not reading.tells_events:
            continue
        else:
            sentences = section.sentences()
        topics.append((title, [reading.tell(text) for text in sentences]))
    return topics


def _follow_up(reading: Reading) -> list[str]:
    """The evidence on follow-up, with times rounded that are one person's own."""
    found = reading.analysis.evidence.follow_up
    assert found is not None
    coarse = reading.disclosure.coarsen
    lines = [
        f"Median follow-up {number(found.median.estimate)} ({number(found.median.lower)} to "
        f"{number(found.median.upper)}), longest about {number(coarse(found.longest))} {reading.unit}; potential "
        f"follow-up {found.note}."
    ]
    if found.events is not None:
        events = found.events
        lines += [
            f"Last event at about {number(coarse(events.last_event))} {reading.unit}, with "
            f"{reading.disclosure.count(events.n_after_last_event)} people followed event-free beyond it; there "
            f"{percent(events.plateau.estimate)} are event-free "
            f"({percent_range(events.plateau.lower, events.plateau.upper)}).",
            f"If the rate of events in the second half of follow-up went on for as long again, "
            f"{percent(events.further_share)} of those still event-free would have the event.",
            str(events.last_events),
        ]
    for which, fraction in (("event times", found.events.receus if found.events else None),
                            ("labels and follow-up alone", found.from_labels)):  # fmt: skip
        if fraction is not None and math.isfinite(fraction.ratio):
            lines.append(
                f"From {which}, by a model without features ({fraction.distribution}): {percent(fraction.cured)} never "
                f"have the event, and {percent(fraction.unseen)} of the others would have it after the longest "
                f"follow-up (RECeUS ratio {fraction.ratio:.3f}, below 0.05 where follow-up suffices)."
            )
    return lines
