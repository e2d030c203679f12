"""What else is known of people, in words: intervals, late entry, known negatives, and deaths before the event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whether.advise.evidence.bounds import CountEvidence
from whether.advise.evidence.deaths import DeathEvidence
from whether.advise.evidence.material import LIFETIME, NET, Material
from whether.telling.disclosure import is_told
from whether.telling.words import length, percent, percent_interval, places_of

# What a method may not be able to read, as it goes after "cannot allow for".
_RECORDS = {
    "entry_time": "late entry",
    "competing": "deaths before the event",
    "known_negative": "people who are known never to have the event",
    "time_lower": "events within intervals",
}


def record_sentences(found: CountEvidence) -> list[str]:
    """What is known of some people besides recorded events and times, and what follows for the tests."""
    lines = []
    if found.n_known_negative:
        lines.append(f"{_many(found.n_known_negative)} known never to have the event: tests see them as event-free.")
    if found.n_between:
        lines.append(
            f"{_many(found.n_between, 'events')} known to lie in an interval. Models read the interval, curves its "
            "end; tests that need exact times are left out."
        )
    if found.n_late:
        lines.append(
            f"{_many(found.n_late)} observed from a later time on. Curves and models with a clock allow for that; "
            "tests and methods that read recorded events alone cannot, and are left out."
        )
    return lines


def _many(count: object, what: str = "people") -> str:
    """A number of people or events at the beginning of a sentence, as it may be told."""
    shown = f"{count:,}" if isinstance(count, int) else str(count).capitalize()
    return f"{shown} {what} are"


# What is asked of people who may die first, and of what the other question would be.
QUESTIONS = {
    LIFETIME: "whether the event comes before death",
    NET: "whether the event would come in a world without other deaths",
}
# What a risk is the probability of, as it goes after "the event", and until when, after "is still to come".
RISK_WORDS = {
    "": "ever happens",
    LIFETIME: "comes before death",
    NET: "ever comes, in a world without other deaths",
}
STILL_WORDS = {"": "", LIFETIME: " before death", NET: ", in a world without other deaths"}
# Who has it, as it goes after "the share of people who": not the mean risk where that is of a recorded event.
HAVE_WORDS = {
    "": "ever have the event",
    LIFETIME: "have the event before death",
    NET: "would ever have the event, in a world without other deaths",
}
# When, as it goes after "expected to have it".
EVENTUALLY = {"": "eventually", LIFETIME: "before they die", NET: "eventually, in a world without other deaths"}


def level_words(kind: str) -> str:
    """What the level of an answer is called, where there is little room."""
    return "share with the event" if kind == "ranking" else "mean risk"


def risk_words(kind: str, question: str) -> str:
    """What the risk of an answer is the probability of, as it goes after "the event"; a ranking's is of a record."""
    return "is recorded" if kind == "ranking" else RISK_WORDS[question]


def death_sentences(found: DeathEvidence, unit: str = "") -> list[str]:
    """How many died first, what is asked, and what the curves say."""
    shown = f"{found.n_died:,}" if isinstance(found.n_died, int) else str(found.n_died).capitalize()
    lines = [f"{shown} people died without the event. The question is {QUESTIONS[found.question]}."]
    return [*lines, *curves_of_deaths(found, unit)]


def curves_of_deaths(found: DeathEvidence, unit: str = "") -> list[str]:
    """What curves without a model say of both questions; nothing where that is not told."""
    if not is_told(found.incidence, found.without_deaths):
        return []
    places = places_of(found.incidence.upper)
    return [
        f"Within {length(found.until, unit)}, {percent_interval(found.incidence, places)} have the event "
        f"before death (Aalen-Johansen); in a world without other deaths {percent(found.without_deaths, places)} would "
        "(Kaplan-Meier, if those who died were as likely to have it as those who lived on)."
    ]


def question_sentences(material: Material) -> list[str]:
    """What is asked, where some people died first; else nothing."""
    asked = QUESTIONS.get(material.question, "")
    return [f"{asked[0].upper()}{asked[1:]}."] if asked else []


def unread_text(unread: Mapping[str, Sequence[str]]) -> str:
    """Say which methods were left out for what they cannot read; empty if none was."""
    listed = "; ".join(f"{', '.join(names)} (cannot allow for {_RECORDS[what]})" for what, names in unread.items())
    return f"Not tried: {listed}." if listed else ""
