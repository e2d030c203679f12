"""lifelines: its documentation's recipe for a mixture cure model with regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from whether.study.peers.adapter import Array, Labels, PeerClassifier, standardize


class WeibullMixture(PeerClassifier):
    """A Weibull mixture cure model: all features in incidence and in times, scaled; penalized only where it fails."""

    def fit(self, X: Array, y: Labels, *, time: Array, follow_up: Array) -> WeibullMixture:
        """Fit to the event times."""
        import pandas as pd
        from lifelines.exceptions import ConvergenceError

        self.center_, self.spread_ = standardize(X)
        names = [f"x{column}" for column in range(X.shape[1])]
        frame = pd.DataFrame((X - self.center_) / self.spread_, columns=names)
        # Its optimizer begins at times of order one, or not at all.
        self.unit_ = float(np.median(time))
        frame["time"], frame["event"] = time / self.unit_, y
        formula = " + ".join(names)
        regressors = {"beta_": formula, "lambda_": formula, "rho_": "1"}
        self.names_, self.penalizer_ = names, 0.0
        try:
            self.model_ = _make_recipe().fit(frame, "time", "event", regressors=regressors)
        except ConvergenceError:
            # What its message then advises.
            self.penalizer_ = 0.01
            self.model_ = _make_recipe(penalizer=0.01).fit(frame, "time", "event", regressors=regressors)
        return self

    def _ever(self, X: Array) -> Array:
        return 1 - self._parts(X)[0]

    def predict_label_proba(self, X: Array, follow_up: Array) -> Array:
        """Return the probability of the event within a person's follow-up."""
        cured, scale, shape = self._parts(X)
        return (1 - cured) * -np.expm1(-((follow_up / self.unit_ / scale) ** shape))

    def predict_survival(self, X: Array, times: ArrayLike) -> Array:
        """Return the probability of no event by each of the times."""
        cured, scale, shape = (part[:, None] for part in self._parts(X))
        return cured + (1 - cured) * np.exp(-((np.asarray(times) / self.unit_ / scale) ** shape))

    def _parts(self, X: Array) -> tuple[Array, Array, Array]:
        """Cured fraction, scale and shape of each person's times."""
        design = np.column_stack([np.ones(X.shape[0]), (X - self.center_) / self.spread_])
        terms = ["Intercept", *self.names_]
        logit, log_scale = (design @ self.model_.params_[part][terms].to_numpy() for part in ("beta_", "lambda_"))
        shape = np.exp(self.model_.params_["rho_"]["Intercept"])
        return 1 / (1 + np.exp(logit)), np.exp(log_scale), np.full(X.shape[0], shape)


def _make_recipe(penalizer: float = 0.0) -> Any:
    import autograd.numpy as anp
    from autograd.scipy.special import expit
    from lifelines.fitters import ParametricRegressionFitter

    class CureModel(ParametricRegressionFitter):
        _fitted_parameter_names = ("lambda_", "beta_", "rho_")

        def _cumulative_hazard(self, params: Any, T: Any, Xs: Any) -> Any:
            p = expit(anp.dot(Xs["beta_"], params["beta_"]))
            scale, shape = (anp.exp(anp.dot(Xs[name], params[name])) for name in ("lambda_", "rho_"))
            return -anp.log((1 - p) + p * anp.exp(-((T / scale) ** shape)))

    return CureModel(penalizer=penalizer)
