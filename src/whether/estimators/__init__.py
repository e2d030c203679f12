"""scikit-learn classifiers, one per restriction on the labeling propensity."""

from whether.estimators.censored import CensoredClassifier
from whether.estimators.constant import ElkanNotoClassifier, UnbiasedPUClassifier
from whether.estimators.cox import CoxCureClassifier
from whether.estimators.cure import DiscreteTimeCureClassifier, FollowUpCureClassifier, MixtureCureClassifier
from whether.estimators.hindsight import HindsightClassifier
from whether.estimators.label_only import LabelClassifier, LabelOnlyClassifier, SARPUClassifier
from whether.estimators.likelihood_ratio import LikelihoodRatioTest, likelihood_ratio_test
from whether.estimators.priors import LabelFrequency, label_frequency
from whether.estimators.promotion import PromotionTimeClassifier
from whether.estimators.proportional import ProportionalPUClassifier
from whether.estimators.time_model import AFTClassifier
from whether.estimators.whole_cohort import Cohort

__all__ = [
    "AFTClassifier",
    "CensoredClassifier",
    "Cohort",
    "CoxCureClassifier",
    "DiscreteTimeCureClassifier",
    "ElkanNotoClassifier",
    "FollowUpCureClassifier",
    "HindsightClassifier",
    "LabelClassifier",
    "LabelFrequency",
    "LabelOnlyClassifier",
    "LikelihoodRatioTest",
    "MixtureCureClassifier",
    "PromotionTimeClassifier",
    "ProportionalPUClassifier",
    "SARPUClassifier",
    "UnbiasedPUClassifier",
    "label_frequency",
    "likelihood_ratio_test",
]
