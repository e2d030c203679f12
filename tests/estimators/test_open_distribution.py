"""Event times whose residual distribution is left open."""

import numpy as np
import pytest
from scipy.special import expit

import whether as wh
from whether.open_residuals import OpenResiduals

OPEN = {"distribution": "open", "penalty": None}


def draw_people(seed, residual, n=600):
    """Features, label, time and true risk; the first feature drives the risk, the second the time."""
    rng = np.random.default_rng([seed, 72])
    x = rng.normal(size=(n, 2))
    risk = expit(x[:, 0])
    event = np.exp(0.5 * x[:, 1] + residual(rng, n))
    end = rng.uniform(0.2, 12.0, n)
    seen = (rng.random(n) < risk) & (event <= end)
    return x, seen.astype(int), np.where(seen, event, end), risk


def two_humps(rng, n):
    return np.where(rng.random(n) < 0.6, -1.5, 1.5) + 0.35 * rng.normal(size=n)


@pytest.fixture
def normal_people(global_random_seed):
    return draw_people(global_random_seed, lambda rng, n: rng.normal(size=n))


def estimates(model):
    table = model.summary().to_frame()
    table = table[(table.term != "intercept")]
    return table.estimate.to_numpy(), table.standard_error.to_numpy()


def test_value_and_slopes_belong_together():
    shares = np.array([0.2, 0.5, 0.1, 0.2])
    found = OpenResiduals(np.array([-1.0, 0.0, 1.0, 2.0]), shares, 0.6)
    z, step = np.linspace(-9, 9, 181), 1e-5
    for function in (found.log_density, found.log_survival, found.log_cdf):
        jet = function(z)
        slope = (function(z + step).value - function(z - step).value) / (2 * step)
        np.testing.assert_allclose(jet.first, slope, rtol=1e-5, atol=1e-7)
        slope = (function(z + step).first - function(z - step).first) / (2 * step)
        np.testing.assert_allclose(jet.second, slope, rtol=1e-4, atol=1e-7)
    total = np.exp(found.log_survival(z).value) + np.exp(found.log_cdf(z).value)
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)
    uniform = np.linspace(0.001, 0.999, 50)
    np.testing.assert_allclose(np.exp(found.log_cdf(found.draw(uniform)).value), uniform, atol=1e-5)
    assert np.isfinite(found.log_survival(np.array([1e200, -1e200])).value).all()


def test_log_normal_times_give_the_slopes_of_the_log_normal_model(normal_people):
    x, y, time, _ = normal_people
    named = wh.MixtureCureClassifier("lognormal", penalty=None).fit(x, y, time=time)
    left_open = wh.MixtureCureClassifier(**OPEN).fit(x, y, time=time)
    (one, error), (other, own) = estimates(named), estimates(left_open)
    assert left_open.converged_
    assert (np.abs(one - other) < 1.5 * error).all()
    assert (own > 0.5 * error).all()
    assert left_open.loglik_ > named.loglik_ - 3


def test_two_humps_are_found_and_what_they_say_of_slopes(global_random_seed):
    x, y, time, _ = draw_people(global_random_seed, two_humps)
    named = wh.MixtureCureClassifier("lognormal", penalty=None).fit(x, y, time=time)
    left_open = wh.MixtureCureClassifier(**OPEN).fit(x, y, time=time)
    assert left_open.loglik_ > named.loglik_ + 50
    found = left_open.model_.propensity.distribution
    middle, humps = found.log_density(np.array([-found.mean])).value, found.log_density(found.knots).value
    assert humps.max() - middle[0] > 0.5
    # Humps say of single people when their event was due, which one wide curve does not.
    (_, error), (slopes, own) = estimates(named), estimates(left_open)
    assert (own[2:] < 0.6 * error[2:]).all()
    assert abs(slopes[3] - 0.5) < 6 * own[3]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_runs_where_others_fail(global_random_seed):
    """Times without noise, which make a density unbounded; tied ones; and events that are all early."""
    world = wh.simulate("baseline", n=400, seed=global_random_seed)
    noiseless = wh.MixtureCureClassifier(**OPEN).fit(world.X, world.y, time=world.time)
    slopes, error = estimates(noiseless)
    assert noiseless.converged_
    assert (np.abs(slopes[4:] - [0, 0, 2, -2]) < 0.1).all()
    assert np.isfinite(error).all()
    x, y, time, _ = draw_people(global_random_seed, lambda rng, n: rng.normal(size=n) - 4, n=400)
    for times in (np.ceil(20 * time) / 20, np.where(y, np.minimum(time, 0.5), 12.0)):
        model = wh.MixtureCureClassifier("open").fit(x, y, time=times)
        assert np.isfinite(model.predict_proba(x)).all()
        assert model.unseen_share_ < 0.01


def test_nobody_followed_past_all_residuals_is_a_hidden_positive(normal_people):
    """The tail rule: no event after the largest residual that was seen."""
    x, y, time, _ = normal_people
    model = wh.MixtureCureClassifier(**OPEN).fit(x, y, time=time)
    assert model.predict_proba_event_free(x, time=1e4).max() < 1e-6


def test_short_follow_up_is_a_warning(global_random_seed):
    """No event comes after the last ones seen, so that few seem to be hidden."""
    x, y, time, _ = draw_people(global_random_seed, lambda rng, n: rng.normal(size=n) + 3)
    with pytest.warns(wh.FollowUpWarning, match="Follow-up looks too short"):
        model = wh.MixtureCureClassifier("open").fit(x, y, time=time)
    assert model.unseen_share_ > 0.1


def test_a_model_file_holds_the_grid_and_predicts_the_same(normal_people, tmp_path):
    x, y, time, _ = normal_people
    model = wh.MixtureCureClassifier("open").fit(x, y, time=time)
    wh.save_model(model, tmp_path / "model.whether", method="AFTMC-S")
    opened = wh.load_model(tmp_path / "model.whether").model
    assert (opened.predict_survival(x, [1.0, 5.0]) == model.predict_survival(x, [1.0, 5.0])).all()
    assert opened.model_.propensity.distribution.knots.size < 100
    assert "distribution of residuals" in " ".join(model.summary().notes)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (wh.MixtureCureClassifier("open", learner="boosted"), "is for learner='linear'"),
        (wh.AFTClassifier("open"), "use MixtureCureClassifier"),
        (wh.FollowUpCureClassifier("open"), "use MixtureCureClassifier"),
        (wh.MixtureCureClassifier(death_distribution="open"), "death_distribution must be"),
    ],
)
def test_others_refuse_it_and_say_what_to_do(model, text, normal_people):
    x, y, time, _ = normal_people
    with pytest.raises(wh.ArgumentError, match=text):
        model.fit(x, y, time=time, follow_up=np.full(time.size, 13.0))


def test_it_has_no_likelihood_ratio_test(normal_people):
    x, y, time, _ = normal_people
    named = wh.MixtureCureClassifier("lognormal", penalty=None).fit(x, y, time=time)
    with pytest.raises(wh.ArgumentError, match="no likelihood-ratio test"):
        wh.likelihood_ratio_test(named, wh.MixtureCureClassifier(**OPEN).fit(x, y, time=time))
