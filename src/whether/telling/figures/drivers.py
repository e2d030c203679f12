"""Chart of the features that decide when the event comes and how long people are followed."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whether.advise.evidence.dependence import Driver
from whether.palette import BLUE, DARK_RED, GREY
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, name_features
from whether.telling.reading import CohortReading
from whether.telling.words import name, signed

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

MOST_DRAWN, MOST_LISTED = 12, 60
# z scores beyond this are drawn at the edge.
LARGEST = 30.0
# What a feature may drive, how it is drawn, and how it goes before "comes later".
_KINDS = (
    ("event times", "o", BLUE, "the event (circles)"),
    ("follow-up", "s", DARK_RED, "the end of follow-up (squares)"),
)

Scores = list[dict[str, float]]


def driver_chart(reading: CohortReading) -> Chart | None:
    """Features that were found to drive event times or follow-up; None where there are none."""
    found = reading.evidence.dependence
    if found is None:
        return None
    scores = [_scores(reading, drivers) for drivers in (found.time_drivers, found.follow_up_drivers)]
    features = sorted({*scores[0], *scores[1]}, key=lambda feature: -max(abs(one.get(feature, 0.0)) for one in scores))
    if not features:
        return None
    drawn = features[:MOST_DRAWN][::-1]
    kinds = zip(_KINDS, scores, strict=True)
    what = " or ".join(later for (*_, later), values in kinds if any(feature in values for feature in drawn))
    return Chart(
        "drivers",
        "Which features decide when, and for how long",
        f"Points of z scores for {len(drawn)} features that go with event times or with follow-up. The clearest is "
        f"{features[0]}.",
        f"Right of the grey area {what} comes later with more of the feature, left of it sooner. Where such features "
        "exist, recorded events alone are a skewed sample of all events.",
        partial(_draw, drawn, scores),
        Table(
            ("feature", *(kind for kind, *_ in _KINDS)),
            [(name(feature), *(_score(one, feature) for one in scores)) for feature in features[:MOST_LISTED]],
        ),
        height=(120 + 27 * len(drawn), 125 + 27 * len(drawn)),
        pointing="y",
    )


def _draw(drawn: list[str], scores: Scores, figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    marks = []
    for (kind, marker, color, _), values in zip(_KINDS, scores, strict=True):
        rows = [y for y, feature in enumerate(drawn) if feature in values]
        at = [float(np.clip(values[drawn[y]], -LARGEST, LARGEST)) for y in rows]
        if not rows:
            continue
        ax.plot(at, rows, linestyle="", marker=marker, color=color, markersize=8, label=kind)
        for x, y in zip(at, rows, strict=True):
            if abs(values[drawn[y]]) > LARGEST:  # drawn at the edge, with its value
                side = math.copysign(1.0, x)
                ax.annotate(
                    _score(values, drawn[y]), (x, y), (-8 * side, 0), textcoords="offset points",
                    ha="right" if side > 0 else "left", va="center", fontsize=11,
                )  # fmt: skip
        marks += [
            Mark(ax, x, y, f"{drawn[y]}: {kind}, {_score(values, drawn[y])}") for x, y in zip(at, rows, strict=True)
        ]
    ax.axvline(0, color=GREY, linewidth=1.2, linestyle="--")
    ax.axvspan(-2, 2, color=GREY, alpha=0.15, linewidth=0)
    name_features(ax, drawn, narrow)
    ax.margins(x=0.12)
    what = "z score" if narrow else "z score: effect over its standard error"
    ax.set_xlabel(f"{what} (grey: within chance)")
    legend_above(ax, narrow)
    return marks


def _scores(reading: CohortReading, drivers: tuple[Driver, ...]) -> dict[str, float]:
    return {
        name(reading.called(driver.feature), 200).short: driver.z
        for driver in drivers
        if reading.disclosure.allows_feature(driver.feature)
    }


def _score(values: dict[str, float], feature: str) -> str:
    return f"z = {signed(float(np.clip(values[feature], -99, 99)), 1)}" if feature in values else "not found"
