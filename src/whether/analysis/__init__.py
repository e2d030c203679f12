"""The whole answer for one cohort: evidence, recommendation, fitted model, backtest and sensitivity in one object."""

from whether.analysis.result import Analysis, Note, Origin
from whether.analysis.table_input import analyze

__all__ = ["Analysis", "Note", "Origin", "analyze"]
