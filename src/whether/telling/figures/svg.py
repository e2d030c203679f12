"""From a chart to pictures for a page: for wide and for narrow screens, with what a pointer may read in them."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whether.palette import BLUE, DARK_GREEN, DARK_RED, GREY, INK, LIGHT_GREY, PALE_BLUE, PALE_GREY, SKY
from whether.telling.figures.drawing import NARROW, PIXELS, WIDE, Chart, drawing
from whether.telling.words import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_FONT = re.compile(r"font:\s*(?:(?P<weight>bold|\d{3})\s+)?(?P<size>[\d.]+)px\s[^;]*")
_FAMILY = re.compile(r"font-family:[^;]*(;\s*|$)")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}\b")
# Colours by the names under which the style of the page has them, for light and for dark screens.
_NAMED_COLORS = {
    INK: "ink", GREY: "grey", LIGHT_GREY: "light-grey", PALE_GREY: "pale-grey", BLUE: "blue", SKY: "sky",
    PALE_BLUE: "pale-blue", DARK_RED: "dark-red", DARK_GREEN: "dark-green", "#ffffff": "paper",
}  # fmt: skip
_VARIABLES = {color.lower(): f"var(--{name})" for color, name in _NAMED_COLORS.items()}


@dataclass(frozen=True)
class Picture:
    """A chart as markup: two drawings, and for each mark its pixels in both, and its text."""

    chart: Chart
    wide: str
    narrow: str
    points: list[dict[str, Any]] = field(repr=False)


def render(chart: Chart) -> Picture:
    """Draw a chart for wide and for narrow screens."""
    wide, wide_marks = _draw(chart, narrow=False)
    narrow, narrow_marks = _draw(chart, narrow=True)
    points = [
        {"wide": there[:2], "narrow": here[:2], "text": there[2]}
        for there, here in zip(wide_marks, narrow_marks, strict=True)
    ]
    return Picture(chart, wide, narrow, points)


def _draw(chart: Chart, *, narrow: bool) -> tuple[str, list[tuple[float, float, str]]]:
    from matplotlib.figure import Figure

    width, height = (NARROW, chart.height[1]) if narrow else (WIDE, chart.height[0])
    with drawing():
        figure = Figure(figsize=(width / PIXELS, height / PIXELS), dpi=PIXELS, layout="constrained")
        marks = chart.draw(figure, narrow)
        _lay_out(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        places = []
        for mark in marks:
            x, y = mark.ax.transData.transform((mark.x, mark.y))
            places.append((round(float(x), 1), round(height - float(y), 1), clean(mark.text)))
    prefix = f"{chart.key}-{'narrow' if narrow else 'wide'}"
    return tidy_svg(buffer.getvalue(), prefix, (width, height)), places


def _lay_out(figure: Figure) -> None:
    """Give axes their places once: where it is left to matplotlib, that draws everything an extra time."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    FigureCanvasSVG(figure)  # measures text as the drawing has it
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    figure.set_layout_engine(None)


def tidy_svg(text: str, prefix: str, size: tuple[int, int]) -> str:
    """Make a drawing of matplotlib's, of so many pixels, fit to stand in a page beside others.

    Ids are made its own, or dropped where nothing refers to them; so are metadata and rules that would hold for the
    whole page. Text stays text and takes the page's font; colours take those of the page, which a dark screen changes.
    Places are told to a hundredth of a pixel.
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
        element.tail = None
        element.text = element.text if element.tag in ("text", "tspan") else None
    _drop_groups(root)
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
        if key == "transform" and value.startswith("rotate(-0 "):
            del element.attrib[key]
            continue
        value = value.replace("url(#", f"url(#{prefix}-")
        if key == "fill":  # only a style has variables everywhere
            del element.attrib[key]
            key, value = "style", f"fill: {value}"
        if key == "style":
            value = _FAMILY.sub("", _FONT.sub(_font, value))
            value = _COLOR.sub(lambda color: _VARIABLES.get(color[0].lower(), color[0]), value)
        elif key != "id" and key != "href":
            value = " ".join(_NUMBER.sub(_shorten, value).split())
        element.set(key, value)


def _drop_groups(parent: ElementTree.Element) -> None:
    """Put what is in groups that say nothing in their place, and drop what is empty."""
    kept: list[ElementTree.Element] = []
    for child in list(parent):
        _drop_groups(child)
        is_plain = child.tag in ("g", "defs") and not child.attrib
        kept += list(child) if is_plain and (child.tag == "g" or not len(child)) else [child]
    parent[:] = kept


def _shorten(found: re.Match[str]) -> str:
    return f"{round(float(found[0]), 2):g}"


def _font(found: re.Match[str]) -> str:
    weight = f"; font-weight: {found['weight']}" if found["weight"] else ""
    return f"font-size: {found['size']}px{weight}"
