"""The whole answer for one cohort: evidence, recommendation, fitted model, backtest and sensitivity in one object."""

from whether.analysis.analyze import analyze
from whether.analysis.result import Analysis, Origin

__all__ = ["Analysis", "Origin", "analyze"]
