"""From an analysis to everything that the page prints; the template computes nothing."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from whether.analysis import Analysis
from whether.methods import METHODS
from whether.telling.answer import NO_BACKTEST, NO_SENSITIVITY, note_sentence
from whether.telling.evidence import evidence_sentences
from whether.telling.figures import assumptions, checks, curves, drivers, effects, risks
from whether.telling.figures.drawing import TOO_FEW, Chart
from whether.telling.figures.svg import Picture, render
from whether.telling.page.answer import write_answer
from whether.telling.page.flowchart import steps
from whether.telling.page.notes import CITATIONS, GLOSSARY
from whether.telling.page.threshold import Sweep, sweeps
from whether.telling.reading import Reading
from whether.telling.table import word_all
from whether.telling.words import clean, name


@dataclass(frozen=True)
class Section:
    """A part of the page: pictures, and what is said where there is none."""

    key: str
    title: str
    intro: str
    pictures: list[Picture]
    absent: list[str]


def describe(analysis: Analysis, suppress_below: int) -> dict[str, Any]:
    """Return what the template prints."""
    reading = Reading(analysis, suppress_below)
    disclosure = reading.disclosure
    advice, origin = analysis.recommendation, analysis.origin
    questions, end = steps(reading)

    words = reading.words
    sections, swept = _sections(reading), sweeps(reading)
    return {
        "title": name(origin.name, 60),
        "event": name(origin.event, 40),
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
        "flags": words.advice.flags,
        "changes": words.advice.changes,
        "steps": questions,
        "end": end,
        "sections": sections,
        "sweeps": swept,
        "data": _data(sections, swept),
        "evidence": list(evidence_sentences(words.told.evidence).items()),
        "notes": list(word_all(origin.findings, suppress_below)),
        "warnings": words.cautions()[len(advice.flags) :],
        "methods_notes": [note_sentence(note) for note in analysis.notes],
        "call": clean(origin.call),
        "glossary": GLOSSARY,
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


def _sections(reading: Reading) -> list[Section]:
    analysis = reading.analysis
    record, moved = reading.told.backtest, reading.told.sensitivity
    summary = effects.coefficient_table(reading)
    if summary is not None:
        features = effects.ratio_charts(reading, summary)
    else:
        shuffled = effects.importance_chart(reading, np.random.default_rng(0))
        features = [shuffled] if shuffled is not None else []
    no_times = "There are no event times, so there is no curve of events."
    parts: list[tuple[str, str, str, list[tuple[Callable[[], Chart | None] | Chart, str]]]] = [
        (
            "time", "When events come, and who is seen", "",
            [
                (lambda: curves.event_curve(reading), no_times if reading.curve is None else TOO_FEW),
                (
                    lambda: curves.labels_by_follow_up(reading),
                    TOO_FEW if reading.cohort.follow_up is not None else
                    "How long people with the event would have been followed is not known, so labels cannot be set "
                    "against follow-up.",
                ),
                (
                    lambda: drivers.driver_chart(reading),
                    "No feature was found to drive event times or follow-up."
                    if analysis.evidence.dependence is not None else "",
                ),
            ],
        ),
        (
            "checks", "Does it hold up?", "",
            [
                (lambda: checks.calibration(reading), TOO_FEW),
                (
                    lambda: checks.backtest_chart(record) if record else None,
                    f"The advice was not checked at an earlier date. {NO_BACKTEST.get(analysis.no_backtest, TOO_FEW)}",
                ),
                (
                    lambda: risks.identifiability(reading),
                    TOO_FEW if reading.risk_bins is None else
                    "By this method everybody with the event has the same chance to be seen: there is nothing to set "
                    "the risk against.",
                ),
            ],
        ),
        ("features", "What goes with the risk", "", [(chart, "") for chart in features]),
        ("people", "The people", "", [(lambda: risks.distribution(reading), TOO_FEW)]),
        (
            "assumptions", "If something else were assumed", "",
            [
                (
                    lambda: assumptions.mean_risk_chart(reading),
                    f"The assumptions were not moved. {NO_SENSITIVITY.get(analysis.no_sensitivity, TOO_FEW)}",
                ),
                (lambda: assumptions.band_chart(moved, reading.disclosure) if moved else None, ""),
            ],
        ),
    ]  # fmt: skip
    return [_section(*part) for part in parts]


def _section(
    key: str,
    title: str,
    intro: str,
    charts: list[tuple[Callable[[], Chart | None] | Chart, str]],
) -> Section:
    pictures, absent = [], []
    for made, otherwise in charts:
        chart = made if isinstance(made, Chart) else made()
        if chart is not None:
            pictures.append(render(chart))
        elif otherwise:
            absent.append(otherwise)
    return Section(key, title, intro, pictures, absent)
