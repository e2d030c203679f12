"""Restrictions on the labeling propensity: the only place where the methods differ."""

from whether.propensity.base import Propensity, Terms
from whether.propensity.clockless import Certain, KnownFrequency, KnownPropensity, LogisticPropensity
from whether.propensity.discrete_time import DiscreteTimePropensity, equal_event_edges
from whether.propensity.observed import Observed
from whether.propensity.proportional_hazards import CoxPropensity, FreeBaseline
from whether.propensity.survival_time import EventTimePropensity, FollowUpPropensity, SurvivalTimePropensity
from whether.propensity.two_sided import TwoSidedPropensity

__all__ = [
    "Certain",
    "CoxPropensity",
    "DiscreteTimePropensity",
    "EventTimePropensity",
    "FollowUpPropensity",
    "FreeBaseline",
    "KnownFrequency",
    "KnownPropensity",
    "LogisticPropensity",
    "Observed",
    "Propensity",
    "SurvivalTimePropensity",
    "Terms",
    "TwoSidedPropensity",
    "equal_event_edges",
]
