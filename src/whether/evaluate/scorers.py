"""The metrics as scorers for scikit-learn's cross-validation and searches.

Times reach a scorer by scikit-learn's metadata routing, which slices them with the folds::

    sklearn.set_config(enable_metadata_routing=True)
    model = wh.MixtureCureClassifier().set_fit_request(time=True)
    cross_val_score(model, X, y, scoring=ipcw_auc_scorer(horizon=10), params={"time": time})
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import MetadataRequest

from whether.evaluate.discrimination import imputed_auc, ipcw_auc, ipcw_brier, posterior_auc, pu_auc
from whether.validate import ArgumentError


class CensoredScorer:
    """A scorer ``(estimator, X, y, **metadata) -> float``; higher is better.

    Parameters
    ----------
    judge : callable
        ``(estimator, X, y, risk, metadata) -> float``.
    name : str
        How it is shown.
    needs : tuple of str
        Names of the metadata it asks for: one array entry per person.
    """

    def __init__(self, judge: Callable[..., float], name: str, needs: tuple[str, ...] = ()) -> None:
        self.judge = judge
        self.name = name
        self.needs = needs

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, **metadata: Any) -> float:
        """Score a fitted classifier."""
        missing = [name for name in self.needs if metadata.get(name) is None]
        if missing:
            raise ArgumentError(
                f"{self.name} needs {', '.join(missing)}. Pass params={{{missing[0]!r}: ...}} with scikit-learn's "
                "metadata routing enabled, or call the scorer with it."
            )
        return self.judge(estimator, X, y, estimator.predict_proba(X)[:, 1], metadata)

    def get_metadata_routing(self) -> MetadataRequest:
        """What the scorer asks scikit-learn to hand on."""
        request = MetadataRequest(owner=self)
        for name in self.needs:
            request.score.add_request(param=name, alias=True)
        return request

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, needs={self.needs})"


def ipcw_auc_scorer(horizon: float | None = None) -> CensoredScorer:
    """Scorer of `ipcw_auc`; it needs ``time``.

    Parameters
    ----------
    horizon : float, optional
        The same for all folds. Default: the last event of each fold.
    """
    return CensoredScorer(
        lambda estimator, X, y, risk, extra: ipcw_auc(y, risk, time=extra["time"], horizon=horizon),
        "ipcw_auc",
        ("time",),
    )


def ipcw_brier_scorer(horizon: float | None = None) -> CensoredScorer:
    """Scorer of minus `ipcw_brier`; it needs ``time``.

    Parameters
    ----------
    horizon : float, optional
        See `ipcw_auc_scorer`.
    """
    return CensoredScorer(
        lambda estimator, X, y, risk, extra: -ipcw_brier(y, risk, time=extra["time"], horizon=horizon),
        "neg_ipcw_brier",
        ("time",),
    )


def pu_auc_scorer(prevalence: float) -> CensoredScorer:
    """Scorer of `pu_auc` under a constant propensity; it needs nothing but labels.

    Parameters
    ----------
    prevalence : float
        Share of positives in the cohort.
    """
    return CensoredScorer(
        lambda estimator, X, y, risk, extra: pu_auc(y, risk, prevalence=max(prevalence, float(np.mean(y)))), "pu_auc"
    )


def imputed_auc_scorer(cutoff: float, reference: Any = None) -> CensoredScorer:
    """Scorer of `imputed_auc`; it needs ``time``.

    Parameters
    ----------
    cutoff : float
        How long somebody has to be followed event-free to be taken for negative.
    reference : fitted classifier, optional
        Whose risks are imputed, for all models that are compared. Default: the judged model's own.
    """

    def judge(estimator: Any, X: Any, y: ArrayLike, risk: Any, extra: dict[str, Any]) -> float:
        imputed = None if reference is None else reference.predict_proba(X)[:, 1]
        return imputed_auc(y, risk, time=extra["time"], cutoff=cutoff, reference=imputed)

    return CensoredScorer(judge, "imputed_auc", ("time",))


def posterior_auc_scorer(reference: Any = None) -> CensoredScorer:
    """Scorer of `posterior_auc`; it needs ``time``, the end of follow-up of unlabeled people.

    Parameters
    ----------
    reference : fitted classifier with ``predict_proba_event_free(X, time)``, optional
        Whose posterior is used, for all models that are compared. Default: the judged model's own.
    """

    def judge(estimator: Any, X: Any, y: ArrayLike, risk: Any, extra: dict[str, Any]) -> float:
        model = estimator if reference is None else reference
        return posterior_auc(y, risk, model.predict_proba_event_free(X, extra["time"]))

    return CensoredScorer(judge, "posterior_auc", ("time",))
