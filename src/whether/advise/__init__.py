"""Advice from the data: what a cohort allows, which method, and does it hold up."""

from whether.advise.classifier import WhetherClassifier
from whether.advise.evidence import Evidence, examine
from whether.advise.recommend import Recommendation, recommend

__all__ = ["Evidence", "Recommendation", "WhetherClassifier", "examine", "recommend"]
