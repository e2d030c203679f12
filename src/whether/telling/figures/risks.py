"""Charts of individual predictions in bins: risks, and risks beside propensities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whether.telling.figures.drawing import BLUE, INK, ORANGE, SKY, Chart, Mark, Table, legend_above, percent_axis
from whether.telling.page.reading import Reading
from whether.telling.words import percent, percent_range, signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_BINS, N_CELLS = 20, 12


def distribution(reading: Reading) -> Chart | None:
    """How many people have which risk, with and without a recorded event.

    Parameters
    ----------
    reading : Reading
    """
    risks, labeled = reading.analysis.risks, reading.cohort.labeled
    fine = np.linspace(0, 1, N_BINS + 1)
    counts = np.column_stack([np.histogram(risks[who], fine)[0] for who in (labeled, ~labeled)])
    runs = reading.disclosure.merge(counts)
    if not runs:
        return None
    edges = fine[[0, *(run.stop for run in runs)]]
    merged = np.array([counts[run].sum(axis=0) for run in runs])
    width = np.diff(edges)
    per_bin = merged / (width[:, None] * N_BINS)
    kinds = ("event recorded", "no event recorded")

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        looks = ({"color": ORANGE, "hatch": "////"}, {"color": SKY, "hatch": ""})
        bottom = np.zeros(len(width))
        for kind, look, heights in zip(kinds, looks, per_bin.T, strict=True):
            ax.bar(
                edges[:-1], heights, width, bottom, align="edge", facecolor=look["color"], hatch=look["hatch"],
                edgecolor="white" if look["hatch"] else INK, linewidth=0.5, label=kind,
            )  # fmt: skip
            bottom = bottom + heights
        ax.set(xlim=(0, 1), xlabel="risk that the event ever happens (%)", ylabel="people per 5 % points of risk")
        ax.set_ylim(0, 1.06 * float(bottom.max()))
        ax.grid(axis="x", visible=False)
        percent_axis(ax.xaxis)
        legend_above(ax, narrow)
        return [
            Mark(ax, (a + b) / 2, float(top), f"risk {percent_range(a, b)}: {_people(reading, row)}")
            for a, b, top, row in zip(edges[:-1], edges[1:], bottom, merged, strict=True)
        ]

    high = float(np.mean(risks[~labeled] > 0.5))
    return Chart(
        "risks",
        "How the risks are spread",
        f"Bars of the number of people by predicted risk, in {len(runs)} bins. Among people without a recorded event "
        f"{_share(reading, high)} have a risk above 50 %.",
        f"The risk is the probability that the event ever happens, whether it was recorded or not. Among the people "
        f"without a recorded event {_share(reading, high)} have a risk above 50 %; the mean risk of everybody is "
        f"{percent(float(risks.mean()))}.",
        draw,
        Table(
            ("risk", *kinds),
            [
                (percent_range(a, b), *(reading.disclosure.count(count) for count in row))
                for a, b, row in zip(edges[:-1], edges[1:], merged, strict=True)
            ],
        ),
        note=_merged(reading, "bins of 5 % points", len(runs) < N_BINS),
        pointing="x",
    )


def _people(reading: Reading, row: NDArray[np.int64]) -> str:
    return (
        f"{reading.disclosure.count(row[0])} people with, {reading.disclosure.count(row[1])} without a recorded event"
    )


def _share(reading: Reading, share: float) -> str:
    """A share of the unlabeled, unless it is that of a few people."""
    unlabeled = reading.n - reading.n_events
    count = round(share * unlabeled)
    return percent(share) if reading.disclosure.allows(count, unlabeled - count) else "a few, or all but a few,"


def _merged(reading: Reading, what: str, was_merged: bool) -> str:
    if not (reading.disclosure.is_on and was_merged):
        return ""
    fewest = reading.disclosure.fewest
    return f"Neighbouring {what} were merged so that each stands for nobody or at least {fewest} people."


def identifiability(reading: Reading) -> Chart | None:
    """Risk beside propensity of everybody, in cells.

    Parameters
    ----------
    reading : Reading
    """
    risks, propensity = reading.analysis.risks[reading.rows], np.clip(reading.propensity, 0, 1)
    if np.ptp(propensity) < 1e-6:
        return None
    edges, levels = _edges(risks), _edges(propensity)
    counts = np.histogram2d(risks, propensity, [edges, levels])[0].astype(np.int64)
    shown = np.where(reading.disclosure.hide_cells(counts), 0, counts)
    if not shown.any():
        return None
    center, middle = (edges[:-1] + edges[1:]) / 2, (levels[:-1] + levels[1:]) / 2
    cells = [(center[i], middle[j], int(shown[i, j])) for i, j in zip(*np.nonzero(shown), strict=True)]
    most = max(count for *_, count in cells)
    correlation = float(np.corrcoef(np.argsort(np.argsort(risks)), np.argsort(np.argsort(propensity)))[0, 1])

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        side = (210 if narrow else 280) / N_CELLS
        x, y, count = (np.array(column) for column in zip(*cells, strict=True))
        ax.scatter(x, y, s=side**2 * count / most + 4, marker="s", color=BLUE, linewidth=0)
        ax.set(
            xlim=edges[[0, -1]], ylim=levels[[0, -1]], xlabel="risk (%)", ylabel="chance that a positive was seen (%)"
        )
        percent_axis(ax.xaxis)
        percent_axis(ax.yaxis)
        return [
            Mark(ax, x, y, f"{count:,} people: risk about {percent(x)}, chance to be seen about {percent(y)}")
            for x, y, count in cells
        ]

    half, tall = (edges[1] - edges[0]) / 2, (levels[1] - levels[0]) / 2
    hidden = bool((shown != counts).any())
    return Chart(
        "propensity",
        "Can “likely” be told from “likely to be seen”?",
        "Squares whose area is the number of people, by their risk and by the chance that a positive person like them "
        f"was seen. The two have a rank correlation of {signed(correlation)}.",
        "A label takes two things: the event has to happen, and it has to be seen in time. Each square is a group of "
        "people, its area their number. If all squares lay on one rising line, the two could be exchanged without any "
        f"trace in the labels. Here their rank correlation is {signed(correlation)}. {_exchange(reading)}",
        draw,
        Table(
            ("risk", "chance that a positive was seen", "people"),
            [(percent_range(x - half, x + half), percent_range(y - tall, y + tall), f"{n:,}") for x, y, n in cells],
        ),
        height=(420, 330),
        note=f"Cells with fewer than {reading.disclosure.fewest} people are left out." if hidden else "",
    )


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Edges of cells over the tens of percent that occur; finer ends would be one person's own."""
    low, high = np.floor(10 * values.min()) / 10, np.ceil(10 * values.max()) / 10
    return np.linspace(min(low, 0.8), max(high, min(low, 0.8) + 0.2), N_CELLS + 1)


def _exchange(reading: Reading) -> str:
    found = reading.analysis.evidence.exchange
    if found is None:
        return "There were too few events to test which is which."
    if found.restriction == "none":
        return "Nothing in these data tells which is which."
    told = "tells the two apart" if found.decided else "does not tell the two apart safely"
    return f"What is known besides the labels ({found.restriction}) {told}."
