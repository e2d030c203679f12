"""Advice from the data: what a cohort allows, which method, and does it hold up."""

from whether.advise.backtesting import backtest
from whether.advise.classifier import WhetherClassifier
from whether.advise.evidence.whole import Evidence, examine
from whether.advise.recommendation import Recommendation, recommend
from whether.advise.track_record import Backtest
from whether.advise.variants import Sensitivity, sensitivity

__all__ = [
    "Backtest",
    "Evidence",
    "Recommendation",
    "Sensitivity",
    "WhetherClassifier",
    "backtest",
    "examine",
    "recommend",
    "sensitivity",
]
