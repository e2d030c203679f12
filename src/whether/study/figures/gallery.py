"""Draw every figure for which results are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from whether.study.errors import RunError
from whether.study.figures.autism_boxes import draw_autism
from whether.study.figures.calibration_panels import draw_calibration
from whether.study.figures.critical_difference import draw_ranks
from whether.study.figures.identifiability import draw_identifiability
from whether.study.figures.restrictions import draw_restrictions
from whether.study.figures.style import SETTINGS, WIDTHS, save
from whether.study.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A drawing takes the finished cells and a width in inches; it returns nothing where its cells are not stored.
Drawing = Callable[[Sequence[Row], float], "Figure | None"]

DRAWINGS: dict[str, Drawing] = {
    "identifiability": draw_identifiability,
    "restrictions": draw_restrictions,
    "calibration": draw_calibration,
    "field-auc": lambda rows, width: draw_ranks(rows, width, "auc"),
    "field-level": lambda rows, width: draw_ranks(rows, width, "population.level_error"),
    "field-labels": lambda rows, width: draw_ranks(rows, width, "labels.log_loss"),
    "autism-split": lambda rows, width: draw_autism(rows, width, "autism-split"),
    "autism-literal": lambda rows, width: draw_autism(rows, width, "autism-literal"),
}


def draw_all(rows: Sequence[Row], folder: Path) -> Iterator[Path]:
    """Draw what can be drawn of stored cells, at both widths, and yield the files."""
    import matplotlib

    done = [row for row in rows if row.status == "done"]
    drawn = 0
    with matplotlib.rc_context(SETTINGS):
        for name, draw in DRAWINGS.items():
            for size, width in WIDTHS.items():
                figure = draw(done, width)
                if figure is not None:
                    folder.mkdir(parents=True, exist_ok=True)
                    yield from save(figure, folder, f"{name}-{size}")
                    drawn += 1
    if not drawn:
        raise RunError("No stored cell belongs to a figure: run simulation, diabetes, stress, autism or field first.")
