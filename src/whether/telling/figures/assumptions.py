"""Charts of how the answer moves when what is assumed moves."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whether.advise.variants import KINDS, Sensitivity, Variant
from whether.palette import BLUE, DARK_GREEN, DARK_RED, GREY, INK, PALE_BLUE
from whether.telling.advice_words import OBJECTIONS
from whether.telling.check_words import MOVED
from whether.telling.disclosure import Disclosure, is_told
from whether.telling.figures.drawing import Chart, Mark, Table, legend_above, name_rows, percent_axis
from whether.telling.figures.groups import split_evenly
from whether.telling.reading import Reading
from whether.telling.words import percent, percent_range, places_of, points

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

Array = NDArray[np.float64]

N_GROUPS = 20


class Moved(NamedTuple):
    """What is moved: in a title, in front of a value, the same for narrow screens, the marker and its colour."""

    title: str
    words: str
    short: str
    marker: str
    color: str


_MOVED = dict(
    zip(
        KINDS,
        (
            Moved("method", f"other {MOVED['restriction']}", "", "o", BLUE),
            Moved("share that is seen", MOVED["label frequency"], "seen: ", "s", DARK_RED),
            Moved("share that is positive", MOVED["prevalence"], "positive: ", "D", DARK_GREEN),
            Moved("length of follow-up", MOVED["follow-up horizon"], "cut at ", "^", INK),
        ),
        strict=True,
    )
)


def mean_risk_chart(reading: Reading) -> Chart | None:
    """Mean risk under each variant; None without a sensitivity analysis."""
    found = reading.analysis.sensitivity
    # Some variants have the share of people with a recorded event as their mean risk.
    if found is None or not reading.tells_events:
        return None
    variants = [variant for kind in KINDS for variant in found.others if variant.kind == kind]
    if not variants:
        return None
    values = [_value(reading, variant) for variant in variants]
    labels = [_MOVED[variant.kind].words + value for variant, value in zip(variants, values, strict=True)]
    one, ends = reading.words.ends_of_methods(found)
    standing = f"By the methods that these data do not rule out it {'is' if one else 'goes from'} {ends}"
    if not found.standing:
        standing = "No other method is left to compare with"
    here = _own_mean(reading, found.own_mean)
    own = percent(here, places_of(here))
    is_crossed = any(variant.objection for variant in variants)
    grey = ", grey where they do not count" if is_crossed else ""
    crossed = " Crosses in grey do not count, and the table says why." if is_crossed else ""
    return Chart(
        "variants",
        "The mean risk under other assumptions",
        f"Points of the mean risk under {len(variants)} other assumptions{grey}. {standing}, "
        f"with a dashed line at that of this report’s method, {own}.",
        f"Each point is the mean risk had something else been assumed: another method, a share known from elsewhere, "
        f"or shorter follow-up. {standing}; the dashed line is this report’s method, {own}.{crossed}",
        partial(_draw_means, variants[::-1], values[::-1], here),
        Table(
            (
                "what is assumed instead",
                "mean risk",
                "rank correlation with the risks by this report’s method",
                "why it does not count",
            ),
            [
                (label, percent(v.mean_risk, 1), f"{v.rank_correlation:.2f}", OBJECTIONS.get(v.objection, ""))
                for label, v in zip(labels, variants, strict=True)
            ],
            text=(3,),
        ),
        height=(100 + 24 * len(variants), 100 + 24 * len(variants)),
        note=_own_note(reading, here),
        pointing="y",
    )


def _draw_means(
    variants: list[Variant], values: list[str], here: float, figure: FigureBase, narrow: bool
) -> list[Mark]:
    ax = figure.subplots()
    ax.axvline(
        here, color=GREY, linewidth=1.4, linestyle="--", label=f"this report’s method, {percent(here, places_of(here))}"
    )
    labels, marks = [], []
    for y, (variant, value) in enumerate(zip(variants, values, strict=True)):
        look, against = _MOVED[variant.kind], OBJECTIONS.get(variant.objection, "")
        marker, color = ("x", GREY) if against else (look.marker, look.color)
        ax.plot([variant.mean_risk], [y], linestyle="", marker=marker, color=color, markersize=7, clip_on=False)
        labels.append((look.short if narrow else look.words) + value)
        told = f"{look.words}{value}: mean risk {percent(variant.mean_risk, 1)}"
        marks.append(Mark(ax, variant.mean_risk, y, f"{told}; does not count: {against}" if against else told))
    name_rows(ax, labels)
    for text, variant in zip(ax.get_yticklabels(), variants, strict=True):
        text.set_color(GREY if variant.objection else INK)
    ax.set(xlim=(0, 1), xlabel="mean risk (%)")
    percent_axis(ax.xaxis)
    legend_above(ax, narrow)
    return marks


def _own_mean(reading: Reading, here: float) -> float:
    """The mean risk by the method of the report as fitted here: that of the report, if they are nearly the same."""
    own = float(reading.analysis.risks.mean())
    return own if percent(own, 1) == percent(here, 1) else here


def _own_note(reading: Reading, here: float) -> str:
    """What explains that the method of the report has another mean risk here."""
    own = float(reading.analysis.risks.mean())
    if own == here or reading.analysis.kind != "estimate":
        return ""
    why = " ".join(note for note in reading.words.notes() if note.startswith("Backtest and sensitivity"))
    return f"{why} The fit of this report says {percent(own, 1)}, its method here {percent(here, 1)}.".strip()


def _value(reading: Reading, variant: Variant) -> str:
    """To what something was moved: a method, a share, or a time that is nobody's own."""
    if variant.kind == "restriction":
        return str(variant.value)
    if variant.kind == "follow-up horizon":
        return reading.length(float(variant.value))
    return percent(float(variant.value))


class Bands(NamedTuple):
    """Groups of people from the lowest to the highest risk: place in that order, size, mean risk, and its ranges."""

    place: Array
    size: NDArray[np.int64]
    risk: Array
    ranges: dict[str, tuple[Array, Array]]


def band_chart(found: Sensitivity, disclosure: Disclosure) -> Chart | None:
    """Range of risks of people with similar risk, by what is moved; None where there is nothing that may be shown."""
    bands = _bands(found, disclosure)
    if bands is None or not all(is_told(variant.mean_risk) for variant in found.variants):
        return None
    kinds = list(bands.ranges)
    width = {kind: float(np.average(b - a, weights=bands.size)) for kind, (a, b) in bands.ranges.items()}
    widest = max(width, key=lambda kind: width[kind])
    title = _MOVED[widest].title
    ranks = np.linspace(0, 1, bands.size.size + 1)
    return Chart(
        "bands",
        "Each person’s risk under other assumptions",
        f"{len(kinds)} panels of a rising line, the risk by this report’s method from the lowest to the highest, with "
        f"a band of risks under other assumptions. The widest band is that of {title}.",
        "The line is the risk by this report’s method, people sorted from the lowest to the highest; the hatched band "
        f"is how far it moves. It moves most with the {title}, over {points(width[widest])} percentage points on "
        "average.",
        partial(_draw_bands, bands),
        Table(
            ("people, from the lowest risk", "number", "risk", *(f"varying: {_MOVED[kind].title}" for kind in kinds)),
            [
                (
                    percent_range(*ends), disclosure.count(n), percent(y),
                    *(percent_range(lower[i], upper[i]) for lower, upper in bands.ranges.values()),
                )
                for i, (ends, n, y) in enumerate(zip(pairwise(ranks), bands.size, bands.risk, strict=True))
            ],
        ),
        height=(140 + 190 * -(-len(kinds) // 2), 90 + 165 * len(kinds)),
    )  # fmt: skip


def _bands(found: Sensitivity, disclosure: Disclosure) -> Bands | None:
    kinds = [kind for kind in KINDS if any(v.kind == kind and v.stands for v in found.variants)]
    n_groups = min(N_GROUPS, found.risks.size // max(disclosure.fewest, 1))
    if n_groups < 3 or not kinds:
        return None
    groups = split_evenly(found.risks, n_groups)
    size = np.array([group.size for group in groups])

    def average(values: Array) -> Array:
        # What is drawn is no finer than what is told: sums over groups would differ from other sums by single persons.
        return np.array([values[group].mean() for group in groups]).round(2)

    ranges = {}
    for kind in kinds:
        lower, upper = (average(end) for end in found.band(kind))
        if np.any(lower < upper):  # what nothing moves needs no picture
            ranges[kind] = lower, upper
    if not ranges:
        return None
    return Bands((np.cumsum(size) - size / 2) / size.sum(), size, average(found.risks), ranges)


def _draw_bands(bands: Bands, figure: FigureBase, narrow: bool) -> list[Mark]:
    columns = 1 if narrow else min(2, len(bands.ranges))
    n_rows = -(-len(bands.ranges) // columns)
    axes = list(figure.subplots(n_rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    marks = []
    for (kind, (lower, upper)), ax in zip(bands.ranges.items(), axes, strict=False):
        title = _MOVED[kind].title
        ax.fill_between(bands.place, lower, upper, facecolor=PALE_BLUE, edgecolor=BLUE, linewidth=1.0, hatch="//")
        ax.plot(bands.place, bands.risk, color=INK, linewidth=2)
        ax.set_title(f"varying: {title}")
        ax.set(xlim=(0, 1), ylim=(0, 1))
        percent_axis(ax.xaxis)
        percent_axis(ax.yaxis)
        marks += [
            Mark(ax, float(x), float(y), f"{title}: risk {percent(y)}, from {percent(a)} to {percent(b)}")
            for x, y, a, b in zip(bands.place, bands.risk, lower, upper, strict=True)
        ]
    for ax in axes[len(bands.ranges) :]:
        ax.set_visible(False)
    figure.supxlabel("people, from the lowest to the highest risk (%)", fontsize=12.5)
    figure.supylabel("risk (%)", fontsize=12.5)
    return marks
