"""What all figures share: sizes, colours, markers, and how they are saved.

Colours are those of Okabe and Ito, which people with any colour vision tell apart. Whatever has a colour of its own has
a marker, a line or a hatch of its own too, so that a figure can be read in black and white.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whether.files.atomic_file import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Width in inches of one column and of two with the gap between them, as most journals have them.
WIDTHS = {"column": 3.4, "page": 7.0}
DPI = 300

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip

SETTINGS: Any = {
    "font.size": 7.0,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.0,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.5,
    "boxplot.whiskers": (0, 100),
    "svg.hashsalt": "whether",
}


@dataclass(frozen=True)
class Look:
    """How a restriction on the propensity looks in every figure.

    Attributes
    ----------
    title : str
        What it is called in legends.
    color : str
    marker : str
    line : str or tuple
    """

    title: str
    color: str
    marker: str
    line: Any


LOOKS = {
    "oracle": Look("oracle", BLACK, "|", "-"),
    "LR": Look("none (LR)", "#666666", "x", ":"),
    "ENPU": Look("constant (ENPU)", ORANGE, "v", (0, (3, 1, 1, 1))),
    "uPU": Look("constant (uPU)", YELLOW, "^", (0, (3, 1, 1, 1, 1, 1))),
    "nnPU": Look("constant (nnPU)", YELLOW, "<", (0, (1, 1))),
    "SARPU-F": Look("all features (SARPU-F)", PINK, "P", "--"),
    "SARPU-R": Look("named features (SARPU-R)", GREEN, "s", "--"),
    "FUMC-F": Look("follow-up (FUMC-F)", BLUE, "o", "-"),
    "FUMC-R": Look("follow-up, named features (FUMC-R)", BLUE, "D", "-"),
    "AFTMC-F": Look("event times (AFTMC-F)", RED, "D", "-."),
    "AFTMC-R": Look("event times, named features (AFTMC-R)", RED, "d", "-."),
    "DTMC": Look("event times in bins (DTMC)", SKY, "h", "-."),
    "AFT": Look("event times, all positive (AFT)", "#999999", "*", ":"),
}

HATCHES = {"linear": "", "neural": "////", "boosted": "xxxx", "auto": "...."}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that lays itself out.

    Parameters
    ----------
    width, height : float
        In inches.
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and as SVG, the same bytes each time.

    Parameters
    ----------
    figure : Figure
    folder : Path
    name : str
        Name of the files without the ending.
    """
    paths = []
    for ending, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        path = folder / f"{name}.{ending}"
        with atomic_path(path) as unfinished:
            figure.savefig(unfinished, format=ending, dpi=DPI, metadata=metadata)
        paths.append(path)
    return paths
