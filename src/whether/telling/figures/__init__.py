"""One function per picture, from facts: the report draws it for the page, `draw` for whoever calls from Python."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from whether.advise import Backtest, Evidence, Recommendation, Sensitivity
from whether.evaluate.calibration import CalibrationCurve
from whether.telling.disclosure import Disclosure, disclose
from whether.telling.figures.assumptions import band_chart
from whether.telling.figures.drawing import Chart, make_figure
from whether.telling.figures.drivers import driver_chart
from whether.telling.figures.events import event_curve
from whether.telling.figures.labels import labels_by_follow_up
from whether.telling.figures.validity import backtest_chart, calibration_chart, told_groups
from whether.telling.reading import EvidenceReading
from whether.validate import DataError


def draw(fact: Any, suppress_below: int) -> Any:
    """Return pictures of a fact, side by side, as a matplotlib figure."""
    return make_figure([chart for chart in _charts(fact, disclose(fact, suppress_below)) if chart is not None])


@singledispatch
def _charts(fact: Any, disclosure: Disclosure) -> list[Chart | None]:
    raise TypeError(f"There is no picture of {type(fact).__name__}.")


@_charts.register
def _(fact: Evidence, disclosure: Disclosure) -> list[Chart | None]:
    if fact.follow_up is None:
        raise DataError("There are no times and no follow-up in this evidence: nothing to draw.")
    reading = EvidenceReading(fact, disclosure)
    return [event_curve(reading), labels_by_follow_up(reading), driver_chart(reading)]


@_charts.register
def _(fact: Recommendation, disclosure: Disclosure) -> list[Chart | None]:
    return _charts(fact.evidence, disclosure)


@_charts.register
def _(fact: Backtest, disclosure: Disclosure) -> list[Chart | None]:
    return [backtest_chart(disclosure.tell(fact))]


@_charts.register
def _(fact: Sensitivity, disclosure: Disclosure) -> list[Chart | None]:
    return [band_chart(disclosure.tell(fact), disclosure)]


@_charts.register
def _(fact: CalibrationCurve, disclosure: Disclosure) -> list[Chart | None]:
    shown = told_groups(fact, disclosure)
    return [None if shown is None else calibration_chart(shown)]
