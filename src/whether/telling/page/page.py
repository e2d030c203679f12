"""From an analysis to everything that the page prints; the template computes nothing."""

from __future__ import annotations

import dataclasses
import datetime
from importlib.metadata import version
from typing import Any

from whether.analysis import Analysis
from whether.methods import METHODS
from whether.telling.event_words import event_name
from whether.telling.evidence_words import evidence_sentences
from whether.telling.page.flowchart import steps
from whether.telling.page.notes import CITATIONS, glossary
from whether.telling.page.sections import APPENDIX, SECTIONS, Section, make_sections
from whether.telling.page.threshold import POSITIVE, WITH_RECORD, Sweep, sweeps
from whether.telling.page.top import write_answer
from whether.telling.reading import Reading
from whether.telling.table_words import word_all
from whether.telling.words import clean, name


def describe(analysis: Analysis, suppress_below: int) -> dict[str, Any]:
    """Return what the template prints."""
    reading = Reading(analysis, suppress_below)
    disclosure = reading.disclosure
    advice, origin = analysis.recommendation, analysis.origin
    questions, end = steps(reading)
    words = reading.words
    sections, appendix = (make_sections(reading, outline) for outline in (SECTIONS, APPENDIX))
    swept = sweeps(reading)
    return {
        "title": name(origin.name, 60),
        "event": event_name(origin, suppress_below),
        "origin": origin,
        "roles": _roles(reading),
        "answer": write_answer(reading),
        "method": advice.method,
        "method_words": words.advice.method,
        "estimator": type(analysis.model).__name__,
        "learner": _learner(analysis),
        "assumption": words.advice.assumes,
        "reasons": words.advice.reasons,
        "refusals": words.advice.refusals,
        "cautions": words.cautions(),
        "changes": words.advice.changes,
        "steps": questions,
        "end": end,
        "sections": sections,
        "appendix": appendix,
        "sweeps": swept,
        "hit": WITH_RECORD if analysis.kind == "ranking" else POSITIVE,
        "data": _data([*sections, *appendix], swept),
        "evidence": list(evidence_sentences(words.told.evidence, unit=reading.unit, called=reading.called).items()),
        "notes": list(word_all(origin.findings, suppress_below)),
        "methods_notes": words.notes(),
        "call": clean(origin.call),
        "glossary": glossary(reading),
        "methods": [(method.name, method.words) for method in METHODS.values()],
        "citations": CITATIONS,
        "version": version("whether"),
        "date": datetime.date.today().isoformat(),
        "fewest": disclosure.fewest,
        "is_suppressed": disclosure.is_on,
    }


def _data(sections: list[Section], swept: list[Sweep]) -> dict[str, Any]:
    """What the script reads: points of the figures, and thresholds."""
    figures = {shown.chart.key: shown.points for section in sections for shown in section.pictures}
    return {"figures": figures, "sweeps": [dataclasses.asdict(one) for one in swept]}


def _roles(reading: Reading) -> list[tuple[str, Any]]:
    origin = reading.analysis.origin
    found = [
        ("event", origin.event), ("time of the event or end of follow-up", origin.time),
        ("length of follow-up", origin.follow_up), ("date of entry", origin.entry),
        ("start of observation", origin.entry_time), ("last time without the event", origin.time_lower),
        ("last contact", origin.last_contact),
    ]  # fmt: skip
    roles: list[tuple[str, Any]] = [(role, name(column, 60)) for role, column in found if column]
    if origin.propensity_features:
        listed = ", ".join(name(column, 30).short for column in origin.propensity_features[:20])
        roles.append(("features that decide who is seen", name(listed, 300)))
    return roles


def _learner(analysis: Analysis) -> str:
    selection = getattr(analysis.model, "selection_", None)
    chosen = getattr(selection, "chosen", None)
    given = clean(analysis.model.learner)
    return f"{given} (chosen: {clean(chosen)})" if chosen else given
