"""Charts of how the answer moves when what is assumed moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whether.advise.variants import KINDS, Sensitivity
from whether.telling.figures.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    Chart,
    Mark,
    Table,
    legend_above,
    percent_axis,
)
from whether.telling.page.reading import Reading
from whether.telling.words import percent, percent_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

# What is moved, in words, with the unit of its values, and its look.
_WORDS = {
    "restriction": ("other method", "", "o", BLUE),
    "label frequency": ("share of positives that is seen", "%", "s", ORANGE),
    "prevalence": ("share of people who are positive", "%", "D", GREEN),
    "follow-up horizon": ("follow-up cut at", "time", "^", INK),
}
# The same for narrow screens.
_SHORTER = {
    "other method: ": "",
    "share of positives that is seen": "seen",
    "share of people who are positive": "positive",
    "follow-up cut at": "cut at",
}
N_GROUPS = 20


def mean_risk_chart(reading: Reading) -> Chart | None:
    """Mean risk under each variant; None without a sensitivity analysis.

    Parameters
    ----------
    reading : Reading
    """
    found = reading.analysis.sensitivity
    # Some variants have the share of people with a recorded event as their mean risk.
    if found is None or not reading.tells_events:
        return None
    variants = [variant for variant in found.variants if not variant.note]
    variants = [variant for kind in KINDS for variant in variants if variant.kind == kind][::-1]
    if not variants:
        return None
    here = float(found.risks.mean())
    labels = [_label(reading, variant.kind, variant.value) for variant in variants]

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        ax = figure.subplots()
        ax.axvline(here, color=GREY, linewidth=1.4, linestyle="--", label=f"this report’s method, {percent(here)}")
        for kind in KINDS:
            rows = [y for y, variant in enumerate(variants) if variant.kind == kind]
            _, _, marker, color = _WORDS[kind]
            means = [variants[y].mean_risk for y in rows]
            ax.plot(means, rows, linestyle="", marker=marker, color=color, markersize=7)
        ax.set_yticks(range(len(labels)), [_short(label) if narrow else label for label in labels])
        ax.set(xlim=(0, 1), ylim=(-0.7, len(labels) - 0.3), xlabel="mean risk (%)")
        percent_axis(ax.xaxis)
        ax.grid(axis="y", visible=False)
        legend_above(ax, narrow)
        return [
            Mark(ax, variant.mean_risk, y, f"{label}: mean risk {percent(variant.mean_risk, 1)}")
            for y, (label, variant) in enumerate(zip(labels, variants, strict=True))
        ]

    means = [variant.mean_risk for variant in variants]
    low, high = min([here, *means]), max([here, *means])
    return Chart(
        "variants",
        "The mean risk under other assumptions",
        f"Points of the mean risk under {len(variants)} other assumptions, from {percent(low)} to {percent(high)}, "
        f"with a dashed line at that of this report, {percent(here)}.",
        f"Each point is the mean risk had something else been assumed: another method, a share known from elsewhere, "
        f"or shorter follow-up. It goes from {percent(low)} to {percent(high)}; this report’s method says "
        f"{percent(here)}. Not all of these assumptions are equally plausible: the advice above says which one these "
        "data support.",
        draw,
        Table(
            ("what is assumed instead", "mean risk", "rank correlation with this report's risks"),
            [
                (label, percent(variant.mean_risk, 1), f"{variant.rank_correlation:.2f}")
                for label, variant in zip(labels[::-1], variants[::-1], strict=True)
            ],
        ),
        height=(100 + 24 * len(variants), 100 + 24 * len(variants)),
        note=_learner_note(reading, here),
        pointing="y",
    )


def _learner_note(reading: Reading, here: float) -> str:
    """What explains that the method of the report has another mean risk here."""
    own = reading.analysis.mean_risk.estimate
    if abs(own - here) < 0.005:
        return ""
    return f"All of these are linear models, for speed; the model of this report is not, and says {percent(own)}."


def _label(reading: Reading, kind: str, value: str) -> str:
    words, unit, *_ = _WORDS[kind]
    if unit == "%":
        return f"{words}: {percent(float(value))}"
    if unit == "time":
        return f"{words} {reading.length(reading.disclosure.coarsen(float(value)))}"
    return f"{words}: {value}"


def _short(label: str) -> str:
    for long, short in _SHORTER.items():
        label = label.replace(long, short)
    return label


def band_chart(reading: Reading) -> Chart | None:
    """Range of risks of people with similar risk, by what is moved.

    Parameters
    ----------
    reading : Reading
    """
    found = reading.analysis.sensitivity
    if found is None or not reading.tells_events:
        return None
    kinds = [kind for kind in KINDS if any(v.kind == kind and not v.note for v in found.variants)]
    groups = _groups(reading, found)
    if len(groups) < 3 or not kinds:
        return None
    size = np.array([group.size for group in groups])
    share = (np.cumsum(size) - size / 2) / size.sum()
    middle = np.array([found.risks[group].mean() for group in groups])
    bands = {}
    for kind in kinds:
        lower, upper = found.band(kind)
        bands[kind] = tuple(np.array([edge[group].mean() for group in groups]) for edge in (lower, upper))

    def draw(figure: Figure, narrow: bool) -> list[Mark]:
        columns = 1 if narrow else 2
        rows = -(-len(kinds) // columns)
        axes = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
        marks = []
        for kind, ax in zip(kinds, axes, strict=False):
            lower, upper = bands[kind]
            ax.fill_between(share, lower, upper, facecolor="#cfe3f1", edgecolor=BLUE, linewidth=1.0, hatch="..")
            ax.plot(share, middle, color=INK, linewidth=2)
            ax.set_title(f"moving: {_TITLES[kind]}")
            ax.set(xlim=(0, 1), ylim=(0, 1))
            percent_axis(ax.xaxis)
            percent_axis(ax.yaxis)
            marks += [
                Mark(ax, float(x), float(y), f"{_TITLES[kind]}: risk {percent(y)}, from {percent(a)} to {percent(b)}")
                for x, y, a, b in zip(share, middle, lower, upper, strict=True)
            ]
        for ax in axes[len(kinds) :]:
            ax.set_visible(False)
        figure.supxlabel("people, from the lowest to the highest risk (%)", fontsize=12.5)
        figure.supylabel("risk (%)", fontsize=12.5)
        return marks

    width = {kind: float(np.average(upper - lower, weights=size)) for kind, (lower, upper) in bands.items()}
    widest = max(width, key=lambda kind: width[kind])
    return Chart(
        "bands",
        "Each person’s risk under other assumptions",
        f"{len(kinds)} panels of a rising line, the risk of this report from the lowest to the highest, with a band of "
        f"risks under other assumptions. The widest band is that of {_TITLES[widest]}.",
        "The line is the risk in this report, people sorted from the lowest to the highest; the dotted band is how far "
        f"it moves. It moves most with the {_TITLES[widest]}, over {100 * width[widest]:.0f} % points on average.",
        draw,
        Table(
            ("people, by risk", "people", "risk", *(f"moving: {_TITLES[kind]}" for kind in kinds)),
            [
                (
                    f"about {percent(x)}", reading.disclosure.count(n), percent(y),
                    *(percent_range(bands[kind][0][i], bands[kind][1][i]) for kind in kinds),
                )
                for i, (x, n, y) in enumerate(zip(share, size, middle, strict=True))
            ],
        ),
        height=(140 + 190 * -(-len(kinds) // 2), 90 + 165 * len(kinds)),
    )  # fmt: skip


_TITLES = {
    "restriction": "method",
    "label frequency": "share that is seen",
    "prevalence": "share that is positive",
    "follow-up horizon": "length of follow-up",
}


def _groups(reading: Reading, found: Sensitivity) -> list[NDArray[np.intp]]:
    fewest = max(reading.disclosure.fewest, 1)
    n_groups = min(N_GROUPS, found.risks.size // fewest)
    if n_groups < 1:
        return []
    return np.array_split(np.argsort(found.risks, kind="stable"), n_groups)
