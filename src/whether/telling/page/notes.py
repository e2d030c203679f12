"""Texts at the end of the page: a glossary, and what to cite."""

from __future__ import annotations

from whether.telling.reading import Reading
from whether.telling.record_words import STILL_WORDS, risk_words

_GLOSSARY = (
    ("event", "What the cohort was watched for: a diagnosis, a relapse, a failure."),
    ("positive, negative", "A person to whom the event happens at some time, whether anybody has seen it yet or not; "
     "and one to whom it never happens."),
    ("no recorded event", "Said of people who are negative, or whose event has not been seen yet."),
    ("risk", "The probability that the event {happens}, given a person’s features."),
    ("still to come", "The probability that it happens later{until}, given that it was not recorded so far."),
    ("chance to be seen (propensity)", "The probability that a positive person’s event was recorded."),
    ("follow-up", "How long a person was watched, or would have been had the event not come."),
    ("restriction", "What a method assumes of the chance to be seen. Without one, recorded events cannot tell “will "
     "not happen” from “was not seen”."),
    ("95 % interval", "Would hold the true number in 95 of 100 such studies, if the assumptions are right."),
    ("AUC", "The probability that a positive person has a higher risk than a negative one: 0.5 is chance, 1 perfect."),
    ("odds ratio", "How the odds that the event {happens} multiply per step of a feature."),
    ("time ratio", "How the time to the event multiplies per step of a feature, in those to whom it happens."),
    ("hazard ratio", "How the rate of events multiplies per step of a feature, in those to whom it happens."),
)  # fmt: skip


def glossary(reading: Reading) -> list[tuple[str, str]]:
    """Terms of the page, with the question that it answers."""
    asked = reading.question
    happens = risk_words(reading.analysis.kind, asked)
    return [(term, text.format(happens=happens, until=STILL_WORDS[asked])) for term, text in _GLOSSARY]


CITATIONS = (
    ("The software", "The whether developers. whether: the probability that an event ever happens to a person, from "
     "cohorts whose follow-up ended early. Version {version}."),
    ("The framework", "Qin Weng and Matthew M. Engelhard. When are time-to-event models a waste of time? Bridging "
     "mixture cure models and positive-unlabeled learning for binary classification under right-censoring. 2026."),
)  # fmt: skip
