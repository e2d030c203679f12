"""From a chart to pictures for a page: drawn twice, for wide and narrow screens, with what a pointer may read in them.

Everything that has a colour has a marker, a line or a hatch of its own too.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whether.telling.words import Name, clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Widths in pixels of the two pictures; an inch is 72 pixels in them.
WIDE, NARROW = 720, 340
PIXELS = 72

# Colours that people with any colour vision tell apart (Okabe and Ito), dark enough for thin lines.
INK, GREY, BLUE, ORANGE, GREEN, SKY = "#1a1a1a", "#6b6b6b", "#0072B2", "#B84A00", "#00775A", "#56B4E9"

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
    "grid.color": "#e3e3e3",
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

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_FONT = re.compile(r"font:\s*(?:(?P<weight>bold|\d{3})\s+)?(?P<size>[\d.]+)px\s[^;]*")


@dataclass(frozen=True)
class Mark:
    """A place in a picture that has something to say.

    Attributes
    ----------
    ax : matplotlib axes
    x, y : float
        Where it is, in the units of the axes.
    text : str
        What it says.
    """

    ax: Axes
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Table:
    """The numbers of a chart, as text.

    Attributes
    ----------
    header : sequence of str
    rows : sequence of sequences of str or Name
    note : str
        What was left out.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str | Name]]
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """A picture, what it shows, and how to read it.

    Attributes
    ----------
    key : str
        Unique on the page.
    title : str
    alt : str
        What it shows, for who does not see it.
    reading : str
        How to read it, in plain words.
    draw : callable
        Draws into a figure, told whether it is narrow, and returns the marks.
    table : Table
    height : tuple of int
        Pixels, wide and narrow.
    note : str
        What was left out, or has to be known.
    pointing : str
        By what a pointer finds a mark: "x" along a curve, "y" among rows, "both" in a cloud.
    """

    key: str
    title: str
    alt: str
    reading: str
    draw: Callable[[Figure, bool], list[Mark]]
    table: Table
    height: tuple[int, int] = (360, 300)
    note: str = ""
    pointing: str = "both"


@dataclass(frozen=True)
class Picture:
    """A chart as markup.

    Attributes
    ----------
    chart : Chart
    wide, narrow : str
        The drawings, SVG.
    points : list
        For each mark its pixels in the wide and in the narrow drawing, and its text.
    """

    chart: Chart
    wide: str
    narrow: str
    points: list[dict[str, Any]] = field(repr=False)


def render(chart: Chart) -> Picture:
    """Draw a chart for wide and for narrow screens.

    Parameters
    ----------
    chart : Chart
    """
    wide, wide_marks = _draw(chart, narrow=False)
    narrow, narrow_marks = _draw(chart, narrow=True)
    points = [
        {"wide": there[:2], "narrow": here[:2], "text": there[2]}
        for there, here in zip(wide_marks, narrow_marks, strict=True)
    ]
    return Picture(chart, wide, narrow, points)


def _draw(chart: Chart, *, narrow: bool) -> tuple[str, list[tuple[float, float, str]]]:
    import matplotlib
    from matplotlib.figure import Figure

    width, height = (NARROW, chart.height[1]) if narrow else (WIDE, chart.height[0])
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # A letter that the font lacks is drawn by the reader's browser, which has it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        figure = Figure(figsize=(width / PIXELS, height / PIXELS), dpi=PIXELS, layout="constrained")
        marks = chart.draw(figure, narrow)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        places = []
        for mark in marks:
            x, y = mark.ax.transData.transform((mark.x, mark.y))
            places.append((round(float(x), 1), round(height - float(y), 1), clean(mark.text)))
    prefix = f"{chart.key}-{'narrow' if narrow else 'wide'}"
    return tidy_svg(buffer.getvalue(), prefix, (width, height)), places


def tidy_svg(text: str, prefix: str, size: tuple[int, int]) -> str:
    """Make a drawing of matplotlib's fit to stand in a page beside others.

    Ids are made its own, or dropped where nothing refers to them; so are metadata and rules that would hold for the
    whole page. Text stays text and takes the page's font.

    Parameters
    ----------
    text : str
    prefix : str
    size : tuple of int
        Width and height in pixels.
    """
    root = ElementTree.fromstring(text)
    wanted = set(re.findall(r"(?:url\(#|href=\"#)([^\")]+)", text))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{_SVG}style" or child.tag.endswith("}metadata"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        _tidy_attributes(element, prefix, wanted)
    root.attrib.clear()
    root.set("viewBox", f"0 0 {size[0]} {size[1]}")
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    return ElementTree.tostring(root, encoding="unicode")


def _tidy_attributes(element: ElementTree.Element, prefix: str, wanted: set[str]) -> None:
    found = element.attrib.pop("id", None)
    if found in wanted:
        element.set("id", f"{prefix}-{found}")
    link = element.attrib.pop(_LINK, None)
    if link is not None:
        element.set("href", f"#{prefix}-{link[1:]}")
    for key, value in list(element.attrib.items()):
        value = value.replace("url(#", f"url(#{prefix}-")
        element.set(key, _FONT.sub(_font, value) if key == "style" else value)


def _font(found: re.Match[str]) -> str:
    weight = f"; font-weight: {found['weight']}" if found["weight"] else ""
    return f"font-size: {found['size']}px{weight}"


def percent_axis(axis: Any) -> None:
    """Print shares on an axis as percent, without the sign, which belongs into its label.

    Parameters
    ----------
    axis : matplotlib axis
    """
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}"))


def legend_above(ax: Axes, narrow: bool) -> None:
    """Put the legend over the axes, where it covers nothing: in a row on wide screens, else in a column.

    Parameters
    ----------
    ax : matplotlib axes
    narrow : bool
    """
    handles, labels = ax.get_legend_handles_labels()
    figure = ax.get_figure()
    assert figure is not None
    figure.legend(handles, labels, loc="outside upper left", ncols=1 if narrow else len(labels), borderaxespad=0)


def log_axis(ax: Axes) -> None:
    """Make the horizontal axis logarithmic, with plain numbers on it.

    Parameters
    ----------
    ax : matplotlib axes
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
