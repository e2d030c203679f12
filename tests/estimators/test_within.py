"""The probability of the event within a window, of every classifier with a model of times."""

import warnings

import numpy as np
import pytest

import whether as wh
from whether.estimators.time_model import TimeModelClassifier

WITH_TIMES = [name for name, method in wh.METHODS.items() if issubclass(method.estimator, TimeModelClassifier)]


@pytest.fixture(scope="module")
def people():
    """A cohort, and some of its people with the time for which they were seen without the event."""
    cohort = wh.simulate("partially-dependent", n=250, seed=3)
    return cohort, cohort.X[:40], cohort.follow_up[:40] / 2


@pytest.fixture(scope="module", params=WITH_TIMES)
def timed(request, people):
    cohort, method = people[0], wh.METHODS[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = method.build([0, 1] if method.feature_parameter else [], random_state=0)
        return model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)


@pytest.mark.filterwarnings("ignore:The window ends after")
def test_a_window_without_end_is_ever_and_one_without_length_is_never(timed, people):
    _, X, waited = people
    np.testing.assert_array_equal(
        timed.predict_proba_within(X, np.inf, waited), timed.predict_proba_event_free(X, waited)
    )
    np.testing.assert_array_equal(timed.predict_proba_within(X, 0, waited), 0.0)
    np.testing.assert_allclose(timed.predict_proba_within(X, np.inf), timed.predict_proba(X)[:, 1], rtol=1e-12)


@pytest.mark.filterwarnings("ignore:The window ends after")
def test_longer_windows_hold_more(timed, people):
    _, X, waited = people
    rising = np.array(
        [timed.predict_proba_within(X, within, waited) for within in (0, 0.01, 0.3, 1, 4, 50, 1e9, np.inf)]
    )
    assert np.isfinite(rising).all()
    assert np.all(np.diff(rising, axis=0) >= 0)


@pytest.mark.filterwarnings("ignore:The window ends after")
def test_it_is_what_the_survival_curve_loses(timed, people):
    _, X, _ = people
    before, after = timed.predict_survival(X, [0.4, 1.1]).T
    got = timed.predict_proba_within(X, 0.7, 0.4), timed.predict_proba_within(X, 1.1)
    np.testing.assert_allclose(got, [1 - after / before, 1 - after], rtol=1e-8, atol=1e-12)


def test_deaths_do_not_break_the_laws(quiet_deaths):
    model, X, waited = quiet_deaths
    ever, half = (model.predict_proba_within(X, within, waited) for within in (np.inf, 0.1))
    np.testing.assert_array_equal(ever, model.predict_proba_event_free(X, waited))
    assert np.all((half > 0) & (half < ever))


@pytest.fixture
def quiet_deaths():
    cohort = wh.simulate("deaths", n=300, seed=1)
    model = wh.MixtureCureClassifier(distribution="lognormal")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(cohort.X, cohort.y, time=cohort.time, **cohort.records)
    return model, cohort.X[:20], np.minimum(cohort.time[:20], 0.5)


@pytest.fixture(scope="module")
def model(people):
    cohort = people[0]
    return wh.MixtureCureClassifier(distribution="lognormal", shrinkage=1.0).fit(cohort.X, cohort.y, time=cohort.time)


def test_a_window_beyond_the_follow_up_is_warned_of(model, people):
    with pytest.warns(wh.FollowUpWarning, match=f"longest follow-up .{model.longest_follow_up_:.3g}."):
        model.predict_proba_within(people[1], 2 * model.longest_follow_up_)


@pytest.mark.parametrize(
    ("within", "waited", "said"),
    [(-1, None, "within must be >= 0"), (np.nan, None, "within must"),
     (1, np.inf, "event_free_for must be >= 0 and finite"),
     (1, [1, 2], "event_free_for must be one number, or one per person"), ("a", None, "within must be numbers")],
)  # fmt: skip
def test_lengths_that_are_none_are_refused(model, people, within, waited, said):
    with pytest.raises(wh.DataError, match=said):
        model.predict_proba_within(people[1], within, waited)
