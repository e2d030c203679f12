"""What all pictures share: what a chart is, axes, and charts side by side as a matplotlib figure.

Everything that has a colour has a marker, a line or a hatch of its own too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whether.palette import GREY, INK, PALE_GREY
from whether.telling.words import Name, name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

# Widths in pixels of the two pictures of a chart; an inch is 72 pixels in them.
WIDE, NARROW = 720, 340
PIXELS = 72
# Height in pixels of a title above a chart.
TITLE = 30

SETTINGS: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 12.5,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12.5,
    "font.size": 12.0,
    "grid.color": PALE_GREY,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 0.8,
    "legend.fontsize": 12.0,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",
    "svg.hashsalt": "whether",
    # Names of columns may hold dollar signs, which are not formulas.
    "text.parse_math": False,
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 12.0,
    "ytick.color": INK,
    "ytick.labelsize": 12.0,
}
TOO_FEW = "Too few people or events to show anything without pointing at individuals."


@dataclass(frozen=True)
class Mark:
    """A place in a picture, in the units of its axes, that has something to say."""

    ax: Axes
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Table:
    """The numbers of a chart, as text, with a note on what was left out."""

    header: Sequence[str]
    rows: Sequence[Sequence[str | Name]]
    note: str = ""
    caption: str = ""  # where the title of the chart does not say what the numbers are
    text: Sequence[int] = ()  # columns of words, after the first: of numbers the ends stand below each other


@dataclass(frozen=True)
class Chart:
    """A picture, what it shows, and how to read it."""

    key: str  # unique on the page
    title: str
    alt: str  # what it shows, for who does not see it
    reading: str  # how to read it, in plain words
    # Draws into a figure, told whether it is narrow, and returns the marks.
    draw: Callable[[FigureBase, bool], list[Mark]]
    table: Table
    height: tuple[int, int] = (360, 300)  # pixels, wide and narrow
    note: str = ""  # what was left out, or has to be known
    shows_table: bool = False  # whether the numbers are shown without being asked for
    pointing: str = "both"  # by what a pointer finds a mark: "x" along a curve, "y" among rows, "both" in a cloud


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with our settings, whatever the user's are."""
    import matplotlib

    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # A letter that the font lacks is drawn by the reader's browser, which has it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        yield


def make_figure(charts: Sequence[Chart]) -> Figure:
    """Return charts side by side, each under its title, as a figure of pyplot's."""
    import matplotlib.pyplot as plt

    narrow = len(charts) > 1
    height = TITLE + max((chart.height[narrow] for chart in charts), default=60)
    width = NARROW * len(charts) if narrow else WIDE
    with drawing():
        figure = plt.figure(figsize=(width / PIXELS, height / PIXELS), layout="constrained")
        if not charts:
            figure.text(0.5, 0.5, TOO_FEW, horizontalalignment="center")
            return figure
        parts = figure.subfigures(2, len(charts), squeeze=False, height_ratios=(TITLE, height - TITLE))
        for chart, above, below in zip(charts, *parts, strict=True):
            above.text(0.02, 0.5, chart.title, verticalalignment="center")
            chart.draw(below, narrow)
    return figure


def percent_axis(axis: Any) -> None:
    """Print shares on an axis as percent, without the sign, which belongs into its label."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}".replace("-", "−")))


def log_axis(ax: Axes) -> None:
    """Make the horizontal axis logarithmic, with plain numbers on it."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def name_rows(ax: Axes, labels: Sequence[str]) -> None:
    """Put names beside rows that are numbered from the bottom."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(-0.7, len(labels) - 0.3)
    ax.grid(axis="y", visible=False)


def name_features(ax: Axes, features: Sequence[str], narrow: bool) -> None:
    """Put names of features beside rows; long ones are cut."""
    name_rows(ax, [name(feature, 16 if narrow else 34).short for feature in features])


def legend_above(ax: Axes, narrow: bool) -> None:
    """Put the legend over the axes, where it covers nothing: in a row on wide screens, else in a column."""
    handles, labels = ax.get_legend_handles_labels()
    figure = ax.get_figure()
    assert figure is not None
    figure.legend(handles, labels, loc="outside upper left", ncols=1 if narrow else len(labels), borderaxespad=0)
