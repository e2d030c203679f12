"""scikit-learn classifiers, one per restriction on the labeling propensity."""

from whether.estimators.aft import AFTClassifier
from whether.estimators.base import CensoredClassifier
from whether.estimators.cure import DiscreteTimeCureClassifier, FollowUpCureClassifier, MixtureCureClassifier
from whether.estimators.label_only import ElkanNotoClassifier, LabelClassifier, SARPUClassifier, UnbiasedPUClassifier

__all__ = [
    "AFTClassifier",
    "CensoredClassifier",
    "DiscreteTimeCureClassifier",
    "ElkanNotoClassifier",
    "FollowUpCureClassifier",
    "LabelClassifier",
    "MixtureCureClassifier",
    "SARPUClassifier",
    "UnbiasedPUClassifier",
]
