"""Small cohorts, tables of three kinds, and every classifier with what its ``fit`` needs."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import whether as wh

CLASSIFIERS = {
    "LabelClassifier": wh.LabelClassifier(),
    "ElkanNotoClassifier": wh.ElkanNotoClassifier(prevalence=0.6),
    "UnbiasedPUClassifier": wh.UnbiasedPUClassifier(label_frequency=0.7),
    "UnbiasedPUClassifier-nonnegative": wh.UnbiasedPUClassifier(nonnegative=True, label_frequency=0.7),
    "SARPUClassifier": wh.SARPUClassifier(propensity_features=[2, 3]),
    "FollowUpCureClassifier": wh.FollowUpCureClassifier("lognormal", shrinkage=100.0),
    "MixtureCureClassifier": wh.MixtureCureClassifier("lognormal", shrinkage=100.0),
    "DiscreteTimeCureClassifier": wh.DiscreteTimeCureClassifier(n_bins=4, shrinkage=1.0),
    "PromotionTimeClassifier": wh.PromotionTimeClassifier("time", "lognormal", [2, 3]),
    "PromotionTimeClassifier-follow-up": wh.PromotionTimeClassifier("follow_up", "lognormal"),
    "AFTClassifier": wh.AFTClassifier("lognormal"),
}
NEEDS = {
    "FollowUpCureClassifier": ("follow_up",),
    "MixtureCureClassifier": ("time",),
    "DiscreteTimeCureClassifier": ("time",),
    "PromotionTimeClassifier": ("time",),
    "PromotionTimeClassifier-follow-up": ("follow_up",),
    "AFTClassifier": ("time",),
}
LABEL_ONLY = tuple(name for name in CLASSIFIERS if name not in NEEDS)
CURE_MODELS = tuple(name for name in NEEDS if name != "AFTClassifier")
SHRUNKEN = tuple(name for name in CURE_MODELS if "Promotion" not in name)


# Every classifier takes arrays, and one of them takes every kind of table: all read tables in the same place.
CLASSIFIERS_AND_KINDS = [
    *((name, "array") for name in CLASSIFIERS),
    ("LabelClassifier", "pandas"),
    ("FollowUpCureClassifier", "polars"),
]


def pytest_generate_tests(metafunc):
    chosen = any("kind" in marker.args[0] for marker in metafunc.definition.iter_markers("parametrize"))
    if "kind" in metafunc.fixturenames and not chosen:
        if "classifier" in metafunc.fixturenames:
            metafunc.parametrize(("classifier", "kind"), CLASSIFIERS_AND_KINDS, indirect=True)
            return
        metafunc.parametrize("kind", ["array", "pandas", "polars"], indirect=True)
    for fixture, names in (
        ("classifier", tuple(CLASSIFIERS)),
        ("label_only_classifier", LABEL_ONLY),
        ("time_classifier", tuple(NEEDS)),
        ("shrunken_classifier", SHRUNKEN),
        ("fitted", tuple(CLASSIFIERS)),
        ("fitted_label_only", LABEL_ONLY),
        ("fitted_with_times", tuple(NEEDS)),
        ("fitted_cure", CURE_MODELS),
        ("fitted_shrunken", SHRUNKEN),
    ):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, names, indirect=True)


def _unfitted(name):
    from sklearn.base import clone

    return clone(CLASSIFIERS[name])


@pytest.fixture
def classifier(request):
    """Each classifier in turn, unfitted."""
    return _unfitted(request.param)


label_only_classifier = time_classifier = shrunken_classifier = classifier


@pytest.fixture(scope="session")
def cohort():
    """A well-specified cohort: noisy event times that depend on x3 and x4, risk on x1 and x2."""
    return wh.simulate("partially-dependent", n=300, seed=0)


@pytest.fixture(scope="session")
def needed_times(cohort):
    """The times that a classifier needs, as keywords of its ``fit``."""

    def of(classifier):
        return {name: getattr(cohort, name) for name in classifier._needs}

    return of


@pytest.fixture(scope="session")
def _fit_once(cohort, needed_times):
    cache = {}

    def fit(name):
        if name not in cache:
            classifier = _unfitted(name)
            cache[name] = classifier.fit(cohort.X, cohort.y, **needed_times(classifier))
        return cache[name]

    return fit


@pytest.fixture
def fitted(request, _fit_once):
    """Each classifier in turn, fitted to ``cohort``; shared between tests, so not to be changed."""
    return _fit_once(request.param)


fitted_label_only = fitted_with_times = fitted_cure = fitted_shrunken = fitted


def _pandas_table(X, names):
    import pandas

    return pandas.DataFrame(X, columns=list(names))


def _polars_table(X, names):
    import polars

    return polars.DataFrame(np.asarray(X), schema=list(names), orient="row")


def _pandas_column(values):
    import pandas

    return pandas.Series(values)


def _polars_column(values):
    import polars

    return polars.Series(values)


@pytest.fixture
def kind(request):
    """The three kinds of tables that people have."""
    return request.param


@pytest.fixture
def as_table(kind):
    """Function that makes a table of this kind from an array and column names."""
    return {"array": lambda X, names: np.asarray(X), "pandas": _pandas_table, "polars": _polars_table}[kind]


@pytest.fixture
def as_column(kind):
    """Function that makes a column of this kind from values."""
    return {"array": np.asarray, "pandas": _pandas_column, "polars": _polars_column}[kind]


@pytest.fixture
def refused(cohort):
    """Function that fits, expects an error that matches, and makes sure that nothing was fitted."""

    def check(classifier, message, X=None, y=None, error=ValueError, **times):
        with pytest.raises(error, match=message):
            classifier.fit(cohort.X if X is None else X, cohort.y if y is None else y, **times)
        with pytest.raises(NotFittedError):
            check_is_fitted(classifier)
        with pytest.raises(NotFittedError):
            classifier.predict_proba(cohort.X)

    return check
