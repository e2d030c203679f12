"""Restrictions on the labeling propensity: the only place where the methods differ."""

from whether.propensity.base import Propensity
from whether.propensity.discrete_time import DiscreteTimePropensity, equal_event_edges
from whether.propensity.label_only import Certain, LogisticPropensity
from whether.propensity.survival_time import EventTimePropensity, FollowUpPropensity, SurvivalTimePropensity

__all__ = [
    "Certain",
    "DiscreteTimePropensity",
    "EventTimePropensity",
    "FollowUpPropensity",
    "LogisticPropensity",
    "Propensity",
    "SurvivalTimePropensity",
    "equal_event_edges",
]
