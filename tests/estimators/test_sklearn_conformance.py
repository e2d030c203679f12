"""scikit-learn's own estimator checks, on every classifier.

Checks call ``fit(X, y)``. Classifiers that need times get them through adapters that read a time off each row of X, so
that permuted, repeated and weighted rows keep theirs. The adapters also translate the labels 1 and 2, which some checks
use, so that these checks test what they are about; without an adapter they meet the refusal of such labels.

Constant and duplicate columns are errors in this library. No check feeds them, so none has to be excused for it.
"""

import importlib.util

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import whether as wh
from whether.learners import BoostedLearner, EMLearner, NeuralLearner

# Small learners: the checks ask how a classifier behaves, not what it finds.
NETWORK = NeuralLearner(hidden=(4,), max_epochs=3, n_networks=2)
HAS_TORCH = importlib.util.find_spec("torch") is not None
TREES = BoostedLearner(max_rounds=5)
FOREST = RandomForestClassifier(n_estimators=5, min_samples_leaf=3)
HISTOGRAM = HistGradientBoostingClassifier(max_iter=5)

# On the checks' data, noise of 10 to 300 rows, these warnings are right and beside the point.
pytestmark = [
    pytest.mark.filterwarnings("ignore::whether.IdentifiabilityWarning"),
    pytest.mark.filterwarnings("ignore::whether.FollowUpWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def times_of_rows(X):
    """A positive number per row that depends on nothing else; None where X is not a table of numbers."""
    try:
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X)
        rows = rows.astype(float) if rows.dtype.kind in "iufbO" else np.empty(0)
    except (TypeError, ValueError):
        return None  # validation refuses this X before it asks for times
    if rows.ndim != 2 or np.isinf(rows).any():
        return None
    return 2 + np.sin(np.nan_to_num(rows) @ np.cos(np.arange(1, rows.shape[1] + 1)))


def translate_labels(y):
    """0 and 1 for the labels 1 and 2, everything else as it is."""
    labels = np.asarray(y)
    return labels - 1 if labels.dtype.kind == "i" and set(labels.ravel().tolist()) == {1, 2} else y


class TranslatedLabel(wh.LabelClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), sample_weight=sample_weight)


class TranslatedElkanNoto(wh.ElkanNotoClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), sample_weight=sample_weight)


class TranslatedUnbiasedPU(wh.UnbiasedPUClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), sample_weight=sample_weight)


class TranslatedProportional(wh.ProportionalPUClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), sample_weight=sample_weight)


class TranslatedSARPU(wh.SARPUClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), sample_weight=sample_weight)


class FollowUpFromRows(wh.FollowUpCureClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), follow_up=times_of_rows(X), sample_weight=sample_weight)


class MixtureFromRows(wh.MixtureCureClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), time=times_of_rows(X), sample_weight=sample_weight)


class DiscreteFromRows(wh.DiscreteTimeCureClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), time=times_of_rows(X), sample_weight=sample_weight)


class CoxFromRows(wh.CoxCureClassifier):
    def fit(self, X, y, sample_weight=None):
        # Rounded: sums over a row differ in the last digit from place to place, and ties would no longer be ties.
        time = times_of_rows(X)
        time = None if time is None else np.round(time, 9)
        return super().fit(X, translate_labels(y), time=time, sample_weight=sample_weight)


class PromotionFromRows(wh.PromotionTimeClassifier):
    def fit(self, X, y, sample_weight=None):
        times = {self.clock: times_of_rows(X)}
        return super().fit(X, translate_labels(y), sample_weight=sample_weight, **times)


class AFTFromRows(wh.AFTClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, translate_labels(y), time=times_of_rows(X), sample_weight=sample_weight)


class HindsightFromRows(wh.HindsightClassifier):
    def fit(self, X, y, sample_weight=None):
        times = times_of_rows(X)
        clocks = {"time": times, "follow_up": None if times is None else times + 1}
        return super().fit(X, translate_labels(y), sample_weight=sample_weight, **clocks)


STRING_LABELS = "y is 0/1 by contract: of two strings nobody can tell which is the event"
LABELS_1_AND_2 = "y is 0/1 by contract: of 1 and 2 nobody can tell which is the event"

WEIGHTS_IN_BATCHES = (
    "mini-batches and held-out folds are made of rows: a row of weight 2 is in one, two rows may be in two"
)
NO_FEATURES = "a linear model without features is a model: intercepts only"
WEIGHTS = "check_sample_weight_equivalence_on_dense_data"

CHECKS_WITH_LABELS_1_AND_2 = (
    "check_estimators_dtypes",
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_classifier_data_not_an_array",
    "check_fit2d_1feature",
)

# Every class once, and every kind of learner once without times and once with them.
LABEL_ONLY = [
    wh.LabelClassifier(),
    wh.ElkanNotoClassifier(),
    wh.UnbiasedPUClassifier(nonnegative=True),
    wh.ProportionalPUClassifier(),
    wh.SARPUClassifier(),
    wh.LabelClassifier(learner=TREES),
    wh.ElkanNotoClassifier(learner=FOREST),
]

TRANSLATED = [
    TranslatedLabel(),
    TranslatedElkanNoto(),
    TranslatedUnbiasedPU(nonnegative=True),
    TranslatedProportional(),
    TranslatedSARPU(),
    TranslatedLabel(learner=TREES),
    TranslatedElkanNoto(learner=FOREST),
]

WITH_TIMES = [
    FollowUpFromRows(shrinkage=100.0),
    MixtureFromRows(shrinkage=100.0),
    DiscreteFromRows(shrinkage=1.0),
    CoxFromRows(shrinkage=100.0),
    PromotionFromRows(),
    AFTFromRows(),
    HindsightFromRows(n_steps=4),
    MixtureFromRows(learner=TREES, shrinkage=100.0),
    FollowUpFromRows(learner=EMLearner(HISTOGRAM, max_iter=3), shrinkage=100.0),
]

if HAS_TORCH:
    LABEL_ONLY += [wh.SARPUClassifier(learner=NETWORK)]
    TRANSLATED += [TranslatedSARPU(learner=NETWORK)]
    WITH_TIMES += [DiscreteFromRows(learner=NETWORK, n_bins=4, shrinkage=1.0)]


def expected_failures(estimator):
    is_linear = {"check_estimators_empty_data_messages": NO_FEATURES} if estimator.learner == "linear" else {}
    return {"check_classifiers_classes": STRING_LABELS, **is_linear}


def expected_failures_without_adapter(estimator):
    expected = {**expected_failures(estimator), **dict.fromkeys(CHECKS_WITH_LABELS_1_AND_2, LABELS_1_AND_2)}
    if isinstance(estimator.learner, NeuralLearner):
        expected[WEIGHTS] = WEIGHTS_IN_BATCHES
    return expected


def expected_failures_with_times(estimator):
    expected = expected_failures(estimator)
    if isinstance(estimator.learner, NeuralLearner):
        expected[WEIGHTS] = WEIGHTS_IN_BATCHES
    return expected


def checks_with_labels_1_and_2():
    for classifier in TRANSLATED:
        for estimator, check in estimator_checks_generator(classifier):
            name = check.func.__name__
            if name in CHECKS_WITH_LABELS_1_AND_2:
                yield pytest.param(estimator, check, id=f"{estimator}-{name}")


@parametrize_with_checks(LABEL_ONLY, expected_failed_checks=expected_failures_without_adapter)
def test_classifier_of_labels_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("estimator", "check"), list(checks_with_labels_1_and_2()))
def test_check_with_labels_1_and_2_passes_once_they_are_translated(estimator, check):
    check(estimator)


@parametrize_with_checks(WITH_TIMES, expected_failed_checks=expected_failures_with_times)
def test_classifier_with_times_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
