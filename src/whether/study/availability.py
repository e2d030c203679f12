"""Which cells can run with the packages that are installed; what cannot is said, never dropped in silence."""

from __future__ import annotations

from collections.abc import Sequence

from whether.study.errors import RunError
from whether.study.plan import Cell
from whether.study.survset_cohorts import SURVSET_WORLDS, has_survset

_ADVICE = "pip install 'whether[peers]'"


def keep_runnable(cells: Sequence[Cell]) -> tuple[list[Cell], list[str]]:
    """Return the cells that can run, and a line for each package whose absence costs some."""
    lines = {}
    kept = []
    without_cohorts = not has_survset()
    for cell in cells:
        package = cell.entry.missing_package
        if without_cohorts and cell.world in SURVSET_WORLDS:
            lines["SurvSet"] = f"SurvSet is not installed: its cohorts are left out ({_ADVICE})."
        elif package:
            lines[package] = f"{package} is not installed: its methods are left out ({_ADVICE})."
        else:
            kept.append(cell)
    if cells and not kept:
        raise RunError(" ".join(["Nothing can be run.", *lines.values()]))
    return kept, list(lines.values())
