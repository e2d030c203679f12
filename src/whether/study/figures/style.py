"""What all figures share: sizes, hatches of the learners, and how they are saved. Methods bring their own looks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from whether.files.whole_files import atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Width in inches of one column and of two with the gap between them, as most journals have them.
WIDTHS = {"column": 3.4, "page": 7.0}
DPI = 300

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


HATCHES = {"linear": "", "neural": "////", "boosted": "xxxx", "auto": "...."}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a width and height in inches that lays itself out."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as PNG and as SVG, the same bytes each time."""
    paths = []
    for ending, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        path = folder / f"{name}.{ending}"
        with atomic_path(path) as unfinished:
            figure.savefig(unfinished, format=ending, dpi=DPI, metadata=metadata)
        paths.append(path)
    return paths
