"""The log-gamma distribution: special cases, a smooth shape, and values and derivatives with many digits."""

import numpy as np
import pytest

import whether as wh
from whether import log_gamma
from whether.distributions import DISTRIBUTIONS

GENGAMMA = DISTRIBUTIONS["gengamma"]
RESIDUALS = np.concatenate([np.linspace(-6, 6, 49), [-40.0, 40.0]])


@pytest.mark.parametrize("name", ["log_density", "log_survival", "log_cdf"])
@pytest.mark.parametrize(("shape", "special"), [(0.0, "lognormal"), (1.0, "weibull")])
def test_special_cases(name, shape, special):
    ours = getattr(GENGAMMA, name)(RESIDUALS, np.full(RESIDUALS.size, shape))
    expected = getattr(DISTRIBUTIONS[special], name)(np.minimum(RESIDUALS, 45.0))
    for part in ("value", "first", "second"):
        np.testing.assert_allclose(getattr(ours, part), getattr(expected, part), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("name", ["log_density", "log_survival", "log_cdf"])
def test_the_shape_passes_smoothly_through_zero(name):
    """Taylor's formula at 0 predicts the value at a small shape up to its third power."""
    z = np.linspace(-3, 3, 25)
    value = {q: getattr(GENGAMMA, name)(z, np.full(z.size, q)) for q in (-1e-3, 0.0, 1e-3)}
    for q in (-1e-3, 1e-3):
        at = value[0.0]
        predicted = at.value + q * at.shape.first + 0.5 * q**2 * at.shape.second
        np.testing.assert_allclose(value[q].value, predicted, rtol=0, atol=2e-8)
        np.testing.assert_allclose(value[q].first, at.first + q * at.shape.mixed, rtol=0, atol=1e-4)


def exact_log_survival(mpmath, w, q):
    k = 1 / q**2
    u = k * mpmath.exp(q * w)
    ends = (u, mpmath.inf) if q > 0 else (0, u)
    return mpmath.log(mpmath.gammainc(k, *ends, regularized=True))


@pytest.mark.parametrize("q", [-3.0, -0.83, -0.29, 0.31, 1.7])
@pytest.mark.parametrize("w", [-5.0, -0.7, 0.0, 0.4, 2.5, 8.0])
def test_values_and_derivatives_of_the_tail_have_eight_digits(w, q):
    mpmath = pytest.importorskip("mpmath")
    found = log_gamma.log_survival(np.array([w]), np.array([q]))
    with mpmath.workdps(40):
        h, w, q = mpmath.mpf("1e-9"), mpmath.mpf(w), mpmath.mpf(q)
        at = {(i, j): exact_log_survival(mpmath, w + i * h, q + j * h) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        exact = {
            "value": at[0, 0],
            "by_w": (at[1, 0] - at[-1, 0]) / (2 * h),
            "by_q": (at[0, 1] - at[0, -1]) / (2 * h),
            "by_ww": (at[1, 0] - 2 * at[0, 0] + at[-1, 0]) / h**2,
            "by_wq": (at[1, 1] - at[1, -1] - at[-1, 1] + at[-1, -1]) / (4 * h**2),
            "by_qq": (at[0, 1] - 2 * at[0, 0] + at[0, -1]) / h**2,
        }
    for name, value in exact.items():
        assert getattr(found, name)[0] == pytest.approx(float(value), rel=1e-8, abs=1e-13), name


@pytest.mark.parametrize("shape", [-0.9, 0.0, 0.6])
def test_people_drawn_with_a_shape_give_it_back(shape, global_random_seed):
    rng, n = np.random.default_rng(global_random_seed), 1500
    event_time = np.exp(0.3 + 0.8 * GENGAMMA.draw(rng.random(n), np.full(n, shape)))
    positive, follow_up = rng.random(n) < 0.7, rng.uniform(1, 60, n)
    y = positive & (event_time <= follow_up)
    time, nothing = np.where(y, event_time, follow_up), np.empty((n, 0))
    model = wh.MixtureCureClassifier("gengamma", penalty=None).fit(nothing, y.astype(int), time=time)
    truth = [np.log(0.7 / 0.3), 0.3, np.log(0.8), shape]
    for row, expected in zip(model.summary().coefficients, truth, strict=True):
        assert abs(row.estimate - expected) < 5 * row.standard_error
    special = wh.MixtureCureClassifier("lognormal", penalty=None).fit(nothing, y.astype(int), time=time)
    test = wh.likelihood_ratio_test(special, model)
    assert test.df == 1
    wald = model.summary().coefficients[-1].z ** 2
    assert test.statistic == pytest.approx(wald, rel=0.5, abs=1.0)
