"""lifelines, live: the models that both of us have, on tables that it ships and on simulated people."""

import numpy as np
import pandas as pd
import pytest

import whether as wh

lifelines = pytest.importorskip("lifelines")

pytestmark = pytest.mark.filterwarnings("ignore::whether.FollowUpWarning", "ignore:::lifelines", "ignore:::autograd")

# Parameters of its accelerated failure time models: the one of the location, and that of the scale with its sign.
AFT = {
    "weibull": ("WeibullAFTFitter", "lambda_", "rho_", -1),
    "lognormal": ("LogNormalAFTFitter", "mu_", "sigma_", 1),
    "loglogistic": ("LogLogisticAFTFitter", "alpha_", "beta_", -1),
}
FEATURES = ["x1", "x2"]
# By default it stops up to a thousandth of log-likelihood short of the maximum.
TIGHT = {"ftol": 1e-14}


@pytest.fixture(scope="module")
def frame():
    cohort = wh.simulate("partially-dependent", n=1500, seed=0)
    return pd.DataFrame({"x1": cohort.X[:, 0], "x2": cohort.X[:, 1], "time": cohort.time, "event": cohort.y})


def rows_of(model, part):
    """Coefficients and standard errors of a part, in the order of its terms."""
    table = model.summary().to_frame()
    return table.loc[table.part == part, ["estimate", "standard_error"]].to_numpy()


def rows_in(fitter, parameter, terms=("Intercept", *FEATURES)):
    return fitter.summary.loc[[(parameter, term) for term in terms], ["coef", "se(coef)"]].to_numpy()


@pytest.mark.parametrize("distribution", AFT)
def test_accelerated_failure_time_models_agree(distribution, frame):
    name, location, scale, sign = AFT[distribution]
    theirs = getattr(lifelines, name)().fit(frame, "time", "event", fit_options=TIGHT)
    ours = wh.AFTClassifier(distribution, penalty=None).fit(frame[FEATURES], frame.event, time=frame.time)
    assert ours.loglik_ == pytest.approx(theirs.log_likelihood_, abs=1e-4)
    np.testing.assert_allclose(rows_of(ours, "location"), rows_in(theirs, location), rtol=1e-3)
    (told,) = rows_in(theirs, scale, ["Intercept"])
    np.testing.assert_allclose(rows_of(ours, "log scale")[0], told * [sign, 1], rtol=1e-3)


@pytest.mark.parametrize(("distribution", "base"), [("weibull", "WeibullFitter"), ("lognormal", "LogNormalFitter")])
def test_cured_fractions_without_features_agree(distribution, base):
    from lifelines.datasets import load_gbsg2

    table = load_gbsg2()
    fitter = lifelines.MixtureCureFitter(base_fitter=getattr(lifelines, base)())
    theirs = fitter.fit(table.time, table.cens)
    ours = wh.MixtureCureClassifier(distribution, penalty=None)
    ours.fit(np.empty((len(table), 0)), table.cens, time=table.time)
    assert ours.loglik_ == pytest.approx(theirs.log_likelihood_, abs=1e-4)
    cured = ours.predict_proba(np.empty((1, 0)))[0, 0]
    assert cured == pytest.approx(theirs.cured_fraction_, rel=1e-3)
    logit_error = ours.summary().coefficients[0].standard_error
    assert cured * (1 - cured) * logit_error == pytest.approx(
        theirs.summary.loc["cured_fraction_", "se(coef)"], rel=1e-3
    )


def make_cure_model():
    """The recipe for a Weibull mixture cure model with regressors."""
    import autograd.numpy as anp
    from autograd.scipy.special import expit

    class CureModel(lifelines.fitters.ParametricRegressionFitter):
        _fitted_parameter_names = ["lambda_", "beta_", "rho_"]  # noqa: RUF012

        def _cumulative_hazard(self, params, T, Xs):
            p = expit(anp.dot(Xs["beta_"], params["beta_"]))
            scale, shape = (anp.exp(anp.dot(Xs[name], params[name])) for name in ("lambda_", "rho_"))
            return -anp.log((1 - p) + p * anp.exp(-((T / scale) ** shape)))

    return CureModel()


def test_cure_models_with_features_agree_where_regressors_are_in_alphabetical_order(frame):
    """Standard errors come in the alphabetical order of the parameters, whatever the order of the regressors."""
    regressors = {"beta_": "x1 + x2", "lambda_": "x1 + x2", "rho_": "1"}
    theirs = make_cure_model().fit(frame, "time", "event", regressors=regressors, fit_options=TIGHT)
    ours = wh.MixtureCureClassifier("weibull", penalty=None).fit(frame[FEATURES], frame.event, time=frame.time)
    assert ours.loglik_ == pytest.approx(theirs.log_likelihood_, abs=1e-4)
    np.testing.assert_allclose(rows_of(ours, "outcome"), rows_in(theirs, "beta_"), rtol=1e-3)
    np.testing.assert_allclose(rows_of(ours, "location"), rows_in(theirs, "lambda_"), rtol=1e-3)
