"""The sections of the page: pictures, and what is said where one may not be shown or cannot be made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from whether.telling.answer_words import NO_BACKTEST, NO_SENSITIVITY
from whether.telling.figures import (
    agreement,
    assumptions,
    by_group,
    drivers,
    effects,
    events,
    labels,
    local_effects,
    risks,
    validity,
    when,
)
from whether.telling.figures.drawing import TOO_FEW, Chart
from whether.telling.figures.svg import Picture, render
from whether.telling.group_words import UNTOLD
from whether.telling.publication.paragraphs import paragraph_lines
from whether.telling.reading import Reading
from whether.telling.window_words import NO_WHEN
from whether.telling.words import name

# A picture, or what is said without it.
Part = tuple[Chart | None, str]
# Key, title, and what makes the parts of each section.
Outline = tuple[tuple[str, str, Callable[[Reading], list[Part]]], ...]


@dataclass(frozen=True)
class Section:
    """A part of the page: pictures, and what is said where there is none."""

    key: str
    title: str
    pictures: list[Picture]
    absent: list[str]


def make_sections(reading: Reading, outline: Outline) -> list[Section]:
    """Draw everything that may be shown; a section of which nothing is to be said is left out."""
    sections = []
    for key, title, parts_of in outline:
        parts = parts_of(reading)
        pictures = [render(chart) for chart, _ in parts if chart is not None]
        if not parts:
            continue
        sections.append(Section(key, title, pictures, [said for chart, said in parts if chart is None and said]))
    return sections


def _groups(reading: Reading) -> list[Part]:
    return [(chart, f"By {name(column).short}: {UNTOLD}") for chart, column in by_group.group_charts(reading)]


def _when(reading: Reading) -> list[Part]:
    return [(when.when_chart(reading), TOO_FEW if reading.told.windows else NO_WHEN)]


def _time(reading: Reading) -> list[Part]:
    no_times = "There are no event times, so there is no curve of events."
    no_follow_up = (
        "How long people with the event would have been followed is not known, so recorded events cannot be "
        "compared with the length of follow-up."
    )
    return [
        (events.event_curve(reading), no_times if reading.curve is None else TOO_FEW),
        (labels.labels_by_follow_up(reading), no_follow_up if reading.cohort.follow_up is None else TOO_FEW),
    ]


def _drivers(reading: Reading) -> list[Part]:
    no_driver = "No single feature was found to drive event times or follow-up."
    return [] if reading.evidence.dependence is None else [(drivers.driver_chart(reading), no_driver)]


def _validity(reading: Reading) -> list[Part]:
    record, dependence = reading.told.backtest, reading.evidence.dependence
    depends = dependence is not None and dependence.follow_up.rejects()
    no_record = (
        f"The method was not checked at an earlier date: {NO_BACKTEST[reading.analysis.no_backtest]}."
        if record is None
        else "How the method did at an earlier date is not told: too few people with or without the event were scored."
    )
    chart = None if record is None else validity.backtest_chart(record, follow_up_depends=depends, unit=reading.unit)
    return [
        (validity.calibration(reading), f"Whether the model describes these people cannot be drawn. {TOO_FEW}"),
        (agreement.agreement_chart(reading), ""),
        (chart, no_record),
        (risks.identifiability(reading), TOO_FEW if reading.risk_bins is None else risks.why_not_apart(reading)),
    ]


def _features(reading: Reading) -> list[Part]:
    summary = effects.coefficient_table(reading)
    if summary is not None:
        return [(chart, "") for chart in effects.ratio_charts(reading, summary)]
    leaning = effects.importance_chart(reading, np.random.default_rng(0))
    return [(leaning, ""), (local_effects.effect_chart(reading), "")]


def _people(reading: Reading) -> list[Part]:
    return [(risks.distribution(reading), TOO_FEW)]


def _assumptions(reading: Reading) -> list[Part]:
    moved, why = reading.told.sensitivity, NO_SENSITIVITY.get(reading.analysis.no_sensitivity)
    absent = TOO_FEW if why is None else f"No other assumptions were tried: {why}."
    return [
        (assumptions.mean_risk_chart(reading), absent),
        (None if moved is None else assumptions.band_chart(moved, reading.disclosure), ""),
    ]


def _publication(reading: Reading) -> list[Part]:
    return [(None, f"{title}. {text}") for title, text in paragraph_lines(reading.words)]


SECTIONS: Outline = (
    ("groups", "Group by group", _groups),
    ("when", "How soon", _when),
    ("time", "When events come, and who is seen", _time),
    ("checks", "Does it hold up?", _validity),
    ("features", "What goes with the risk", _features),
    ("people", "The people", _people),
    ("assumptions", "If something else were assumed", _assumptions),
)
# What few ask for stands at the end of the page.
APPENDIX: Outline = (
    ("drivers", "Features that decide when", _drivers),
    ("publication", "Paragraphs for a publication", _publication),
)
