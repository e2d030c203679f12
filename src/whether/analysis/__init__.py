"""The whole answer for one cohort: evidence, recommendation, fitted model, backtest and sensitivity in one object."""

from whether.analysis.group_levels import GroupLevel
from whether.analysis.result import Analysis, FitWarning, Note, Origin
from whether.analysis.whole_answer import analyze
from whether.analysis.windows import Window

__all__ = ["Analysis", "FitWarning", "GroupLevel", "Note", "Origin", "Window", "analyze"]
