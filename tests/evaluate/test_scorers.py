import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_val_score

import whether as wh
from whether.evaluate import (
    imputed_auc,
    imputed_auc_scorer,
    ipcw_auc,
    ipcw_auc_scorer,
    ipcw_brier_scorer,
    posterior_auc,
    posterior_auc_scorer,
    pu_auc,
    pu_auc_scorer,
)


@pytest.fixture(scope="module")
def fitted():
    cohort = wh.simulate("partially-dependent", n=800, seed=3)
    model = wh.MixtureCureClassifier("lognormal", shrinkage=1.0).fit(cohort.X, cohort.y, time=cohort.time)
    return cohort, model


def test_scorers_agree_with_their_metrics(fitted):
    cohort, model = fitted
    risk, time = model.predict_proba(cohort.X)[:, 1], cohort.time
    posterior = model.predict_proba_event_free(cohort.X, time)
    pairs = [
        (ipcw_auc_scorer(), ipcw_auc(cohort.y, risk, time=time)),
        (pu_auc_scorer(0.5), pu_auc(cohort.y, risk, prevalence=0.5)),
        (imputed_auc_scorer(20.0), imputed_auc(cohort.y, risk, time=time, cutoff=20.0)),
        (posterior_auc_scorer(), posterior_auc(cohort.y, risk, posterior)),
        (posterior_auc_scorer(model), posterior_auc(cohort.y, risk, posterior)),
    ]
    for scorer, expected in pairs:
        assert scorer(model, cohort.X, cohort.y, time=time) == expected


def test_a_scorer_reaches_times_by_routing_in_cross_validation(fitted):
    cohort, _ = fitted
    with sklearn.config_context(enable_metadata_routing=True):
        model = wh.MixtureCureClassifier("lognormal", shrinkage=1.0).set_fit_request(time=True)
        scores = cross_val_score(
            model, cohort.X, cohort.y, cv=2, scoring=ipcw_auc_scorer(5.0), params={"time": cohort.time}
        )
    assert np.all((scores > 0.5) & (scores <= 1))


def test_a_scorer_chooses_settings_in_a_search(fitted):
    cohort, _ = fitted
    search = GridSearchCV(wh.ElkanNotoClassifier(), {"ridge": [1.0, 1e6]}, cv=2, scoring=pu_auc_scorer(0.5))
    assert search.fit(cohort.X, cohort.y).best_params_["ridge"] == 1.0


def test_a_lower_brier_score_is_a_higher_score(fitted):
    cohort, _ = fitted
    oracle = wh.LabelClassifier().fit(cohort.X, cohort.positive)
    constant = wh.LabelClassifier(ridge=1e9).fit(cohort.X, cohort.positive)
    scorer = ipcw_brier_scorer(10.0)
    better, worse = (scorer(m, cohort.X, cohort.y, time=cohort.time) for m in (oracle, constant))
    assert 0 > better > worse


def test_a_scorer_without_its_times_says_which_are_missing(fitted):
    cohort, model = fitted
    with pytest.raises(ValueError, match="ipcw_auc needs time"):
        ipcw_auc_scorer()(model, cohort.X, cohort.y)
