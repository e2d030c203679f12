"""Charts of individual predictions in bins: risks, and risks beside propensities."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from whether.palette import BLUE, DARK_RED, INK, SKY
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, percent_axis
from whether.telling.reading import Reading
from whether.telling.record_words import RISK_WORDS
from whether.telling.risk_bins import N_FINE, RiskBins, bin_of, count_by
from whether.telling.words import percent, percent_range, places_of, signed

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

# Squares along each axis, at most.
N_CELLS = 12
# Chances to be seen that differ by less are as good as the same; above the second, nearly all are seen.
SAME_CHANCE, ALL_SEEN = 0.005, 0.95
_KINDS = (("event recorded", DARK_RED, "////"), ("no event recorded", SKY, ""))


def distribution(reading: Reading) -> Chart | None:
    """How many people have which risk, with and without a recorded event."""
    bins = reading.risk_bins
    if bins is None:
        return None
    is_ranking = reading.analysis.kind == "ranking"
    ever = "is recorded" if is_ranking else RISK_WORDS[reading.question]
    seen = "" if is_ranking else ", whether it was recorded or not"
    risks, labeled, shown = reading.analysis.risks, reading.cohort.labeled, reading.disclosure.count
    counts = np.column_stack([count_by(risks[who], bins.coarse) for who in (labeled, ~labeled)])
    high = _high_risks(bins.coarse, counts[:, 1])
    # Where the answer is a range, no single mean stands beside it.
    is_estimate = reading.analysis.kind == "estimate"
    own = float(risks.mean())
    mean = f" The mean risk of everybody is {percent(own, places_of(own))}." if is_estimate else ""
    return Chart(
        "risks",
        "How the risks are spread",
        f"Bars of the number of people by predicted risk, in {len(counts)} bins.{high}",
        f"The risk is the probability that the event {ever}{seen}.{high}{mean}",
        partial(_draw_risks, bins, counts, ever),
        Table(
            ("risk", *(kind for kind, *_ in _KINDS)),
            [(percent_range(a, b), *map(shown, row)) for a, b, row in _rows(bins.coarse, counts)],
        ),
        note=_open_ends(bins, reading),
        pointing="x",
    )


def _open_ends(bins: RiskBins, reading: Reading) -> str:
    """What has to be known of bins that reach further than the others."""
    is_open = [round(N_FINE * size) > bins.width for size in np.diff(bins.coarse)[[0, -1]]]
    if not any(is_open):
        return ""
    first, last = percent(bins.coarse[1]), percent(bins.coarse[-2])
    ends = " and ".join(text for text, ends in zip((f"below {first}", f"from {last} on"), is_open, strict=True) if ends)
    others = "" if bins.coarse.size == 3 else f"All bars are {bins.width} percentage points wide, but "
    told = f"{others}everybody {ends} is in one bar{' each' if all(is_open) else ''}: a bar stands for"
    return f"{told[0].upper()}{told[1:]} nobody or at least {reading.disclosure.fewest} people of each kind."


def _rows(edges: Array, counts: NDArray[np.int64]) -> list[tuple[float, float, NDArray[np.int64]]]:
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts, strict=True))


def _high_risks(edges: Array, unlabeled: NDArray[np.int64]) -> str:
    """How many of the unlabeled have a risk above one half, or above the edge next to it."""
    if edges.size < 3:
        return ""
    edge = 1 + int(np.argmin(np.abs(edges[1:-1] - 0.5)))
    share = unlabeled[edge:].sum() / unlabeled.sum()
    return f" Among people with no recorded event, {percent(share)} have a risk of at least {percent(edges[edge])}."


def _draw_risks(bins: RiskBins, counts: NDArray[np.int64], ever: str, figure: FigureBase, narrow: bool) -> list[Mark]:
    """Draw bars of one width, of which the first and the last may stand for more than their width."""
    from matplotlib.ticker import StrMethodFormatter

    ax = figure.subplots()
    top = np.zeros(len(counts))
    for (kind, color, hatch), heights in zip(_KINDS, counts.T, strict=True):
        ax.bar(
            np.arange(len(counts)) + 0.5, heights, 1.0, top, facecolor=color, hatch=hatch,
            edgecolor="white" if hatch else INK, linewidth=0.5, label=kind,
        )  # fmt: skip
        top = top + heights
    filled = np.flatnonzero(top)
    what = "risk (%)" if narrow else f"risk that the event {ever} (%)"
    ax.set(xlim=(filled[0], filled[-1] + 1), xlabel=what, ylabel="people")
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_ylim(0, 1.06 * float(top.max()))
    ax.grid(axis="x", visible=False)
    _edge_ticks(ax, bins, narrow)
    legend_above(ax, narrow)
    return [
        Mark(
            ax, i + 0.5, height,
            f"risk {percent_range(a, b)}: {row[0]:,} people with, {row[1]:,} without a recorded event",
        )
        for i, ((a, b, row), height) in enumerate(zip(_rows(bins.coarse, counts), top.tolist(), strict=True))
    ]  # fmt: skip


def _edge_ticks(ax: Any, bins: RiskBins, narrow: bool) -> None:
    """Name the edges between bars; where the first or last bar is open, it is named in place of its outer edge."""
    edges = np.round(100 * bins.coarse).astype(int)
    ticks = {float(i): str(edge) for i, edge in enumerate(edges)}
    if edges[1] > bins.width:
        ticks = {0.5: f"<{edges[1]}"} | {place: text for place, text in ticks.items() if place > 1}
    if edges[-1] - edges[-2] > bins.width:
        last = len(edges) - 1
        ticks = {place: text for place, text in ticks.items() if place < last - 1} | {last - 0.5: f"≥{edges[-2]}"}
    low, high = ax.get_xlim()
    shown = {place: text for place, text in ticks.items() if low <= place <= high}
    every = -(-len(shown) // (6 if narrow else 12))
    kept = {place: text for place, text in shown.items() if place % 1 or int(place - low) % every == 0}
    ax.set_xticks(list(kept), list(kept.values()))


class Cell(NamedTuple):
    """People with similar risk and similar propensity: within which limits, what on average, and how many."""

    risks: tuple[float, float]
    chances: tuple[float, float]
    risk: float
    chance: float
    people: int


def identifiability(reading: Reading) -> Chart | None:
    """Risk beside propensity of everybody, in cells; None where one of them is the same for all."""
    risks, chance = reading.analysis.risks[reading.rows], np.clip(reading.propensity, 0, 1)
    if np.ptp(chance) < SAME_CHANCE or np.ptp(risks) < 1e-6 or reading.risk_bins is None:
        return None
    cells = _cells(reading, reading.risk_bins, risks, chance)
    correlation = signed(float(spearmanr(risks, chance).statistic))
    joined = (
        f"Neighbouring cells were joined so that each stands for at least {reading.disclosure.fewest} people. A square "
        "lies at their mean."
    )
    return Chart(
        "propensity",
        "Can “likely” be told from “likely to be seen”?",
        "Squares whose area is the number of people, by their risk and by the chance that a positive person like them "
        f"was seen. The two have a rank correlation of {correlation}.",
        "A recorded event takes two things: the event has to happen, and it has to be seen in time. Each square is a "
        "group of people, its area their number. If all squares lay on one rising line, the two could be exchanged "
        f"without any trace in the records. Here their rank correlation is {correlation}. {_exchange(reading)}",
        partial(_draw_cells, cells),
        Table(
            ("risk", "chance that a positive was seen", "people"),
            [(percent_range(*cell.risks), percent_range(*cell.chances), f"{cell.people:,}") for cell in cells],
        ),
        height=(420, 330),
        note=joined if reading.disclosure.is_on else "",
    )


def why_not_apart(reading: Reading) -> str:
    """Say why risk and propensity are not set against each other."""
    if reading.analysis.kind == "ranking":
        return "This method tells the probability of a recorded event, and no chance to be recorded beside it."
    chance = np.clip(reading.propensity, 0, 1)
    if np.ptp(chance) >= SAME_CHANCE:
        what = "By this method everybody has the same risk"
    elif chance.min() > ALL_SEEN:
        what = "By this method nearly every event is seen within follow-up"
    else:
        what = "By this method everybody with the event has about the same chance to be seen"
    return f"{what}: there is nothing to set the one against the other."


def _cells(reading: Reading, bins: RiskBins, risks: Array, chance: Array) -> list[Cell]:
    """Cells of nobody or enough people: bins between thresholds on the risk, each parted by propensity."""
    edges = np.unique(bins.fine[np.searchsorted(bins.fine, np.arange(11) / 10)])
    inside = count_by(risks, edges)
    # In a large cohort only some people are looked at; how many are not could be had from the thresholds.
    outside = count_by(reading.analysis.risks, edges) - inside
    runs = reading.disclosure.merge(np.column_stack([inside, outside]))
    edges, levels = edges[[0, *(run.stop for run in runs)]], _levels(chance)
    row, column = bin_of(risks, edges), bin_of(chance, levels)
    cells = []
    for i in range(edges.size - 1):
        counts = np.bincount(column[row == i], minlength=N_CELLS)
        for run in reading.disclosure.merge(counts[:, None]):
            members = (row == i) & (run.start <= column) & (column < run.stop)
            if members.any():
                means = float(risks[members].mean()), float(chance[members].mean())
                limits = (edges[i], edges[i + 1]), (levels[run.start], levels[run.stop])
                cells.append(Cell(*limits, *means, int(members.sum())))
    return cells


def _levels(chance: Array) -> Array:
    """Edges of cells over the tens of percent that occur; finer ends would be one person's own."""
    low, high = min(np.floor(10 * chance.min()) / 10, 0.8), np.ceil(10 * chance.max()) / 10
    return np.linspace(low, max(high, low + 0.2), N_CELLS + 1)


def _draw_cells(cells: list[Cell], figure: FigureBase, narrow: bool) -> list[Mark]:
    ax = figure.subplots()
    side = (210 if narrow else 280) / N_CELLS
    most = max(cell.people for cell in cells)
    sizes = [side**2 * cell.people / most + 4 for cell in cells]
    ax.scatter(
        [cell.risk for cell in cells], [cell.chance for cell in cells], s=sizes, marker="s", color=BLUE, linewidth=0
    )
    ax.margins(0.08)
    ax.set(xlabel="risk (%)", ylabel="chance that a positive was seen (%)")
    percent_axis(ax.xaxis)
    percent_axis(ax.yaxis)
    return [
        Mark(
            ax, cell.risk, cell.chance,
            f"{cell.people:,} people: risk about {percent(cell.risk)}, chance to be seen about {percent(cell.chance)}",
        )
        for cell in cells
    ]  # fmt: skip


def _exchange(reading: Reading) -> str:
    found = reading.evidence.exchange
    if found is None:
        if reading.enters_late:
            return "Which is which cannot be tested from recorded events alone where people enter late."
        return "There were too few events to test which is which."
    if found.restriction == "none":
        return "Nothing in these data tells which is which."
    told = "tells the two apart" if found.decided else "does not tell the two apart safely"
    return f"What is known besides recorded events ({found.restriction}) {told}."
