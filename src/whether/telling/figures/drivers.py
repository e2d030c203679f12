"""Chart of the features that decide when the event comes and how long people are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whether.advise.evidence.dependence import Driver
from whether.telling.figures.drawing import BLUE, GREY, ORANGE, Chart, Mark, Table, legend_above
from whether.telling.figures.effects import may_be_named
from whether.telling.page.reading import Reading
from whether.telling.words import name, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DRAWN = 12
# z scores beyond this are drawn at the edge.
LARGEST = 30.0
_KINDS = (("event times", "o", BLUE), ("follow-up", "s", ORANGE))


def driver_chart(reading: Reading) -> Chart | None:
    """Features that were found to drive event times or follow-up; None where there are none.

    Parameters
    ----------
    reading : Reading
    """
    found = reading.analysis.evidence.dependence
    if found is None:
        return None
    scores = [_scores(reading, drivers) for drivers in (found.time_drivers, found.follow_up_drivers)]
    features = sorted({*scores[0], *scores[1]}, key=lambda feature: -max(abs(one.get(feature, 0.0)) for one in scores))
    if not features:
        return None
    drawn = features[:MOST_DRAWN][::-1]

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        marks = []
        for (kind, marker, color), values in zip(_KINDS, scores, strict=True):
            rows = [y for y, feature in enumerate(drawn) if feature in values]
            at = [float(np.clip(values[drawn[y]], -LARGEST, LARGEST)) for y in rows]
            ax.plot(at, rows, linestyle="", marker=marker, color=color, markersize=8, label=kind)
            marks += [
                Mark(ax, x, y, f"{drawn[y]}: {kind}, {_score(values, drawn[y])}") for x, y in zip(at, rows, strict=True)
            ]
        ax.axvline(0, color=GREY, linewidth=1.2, linestyle="--")
        ax.axvspan(-2, 2, color=GREY, alpha=0.15, linewidth=0)
        ax.set_yticks(range(len(drawn)), [name(feature, 16 if narrow else 34).short for feature in drawn])
        ax.set_ylim(-0.7, len(drawn) - 0.3)
        ax.margins(x=0.12)
        ax.set_xlabel(
            "z score (grey: within chance)"
            if narrow
            else "z score: effect over its standard error (grey: within chance)"
        )
        ax.grid(axis="y", visible=False)
        legend_above(ax, narrow)
        return marks

    return Chart(
        "drivers",
        "Which features decide when, and for how long",
        f"Points of z scores for {len(drawn)} features that go with event times or with follow-up. The clearest is "
        f"{features[0]}.",
        "Right of the grey area the event (circles) or the end of follow-up (squares) comes later with more of the "
        "feature, left of it sooner. Where such features exist, recorded events alone are a skewed sample of all "
        "events.",
        draw,
        Table(
            ("feature", "event times", "follow-up"),
            [(name(feature), _score(scores[0], feature), _score(scores[1], feature)) for feature in features[:60]],
        ),
        height=(120 + 27 * len(drawn), 125 + 27 * len(drawn)),
        pointing="y",
    )


def _scores(reading: Reading, drivers: tuple[Driver, ...]) -> dict[str, float]:
    columns = {column: i for i, column in enumerate(reading.cohort.names)}
    return {
        name(driver.feature, 200).short: driver.z
        for driver in drivers
        if may_be_named(reading, reading.cohort.features[:, columns[driver.feature]])
    }


def _score(values: dict[str, float], feature: str) -> str:
    return f"z = {signed(float(np.clip(values[feature], -99, 99)), 1)}" if feature in values else "not found"
