"""Real cohorts and the published fit of a trial; skipped where the tables are not at hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import whether as wh

PUBLISHED_INCIDENCE = {"intercept": 1.36493, "treatment": -0.58848, "sex_female": -0.08696, "age_centered": 0.02034}


@pytest.mark.parametrize("distribution", ["weibull", "lognormal", "loglogistic"])
def test_incidence_of_the_e1684_trial_agrees_with_the_published_fit(shared_data, distribution):
    table = pd.read_parquet(shared_data / "e1684.parquet")
    X = table[["treatment", "age_centered", "sex_female"]].astype(float)
    model = wh.MixtureCureClassifier(distribution, shrinkage=0.0, ridge=0.0)
    model.fit(X, table["event"].astype(int), time=table["time"])
    rows = {row.term: row for row in model.summary().coefficients if row.part == "outcome"}
    # The published latency is a proportional hazards model, so only the incidence part is the same model.
    for term, published in PUBLISHED_INCIDENCE.items():
        assert abs(rows[term].estimate - published) < rows[term].standard_error


@pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")
@pytest.mark.parametrize("model", [wh.MixtureCureClassifier(), wh.FollowUpCureClassifier()], ids=str)
def test_masked_rotterdam_is_ranked_better_than_by_logistic_regression_on_the_labels(shared_data, model):
    table = pd.read_parquet(shared_data / "rotterdam.parquet").drop(columns="entry_year")
    X = pd.get_dummies(table.drop(columns=["event", "time"]), columns=["size"], drop_first=True).astype(float)
    event, time = table["event"].to_numpy(bool), table["time"].to_numpy()
    rng = np.random.default_rng(0)
    endpoint = rng.uniform(0, 5, size=time.size)
    y, observed = (event & (time <= endpoint)).astype(int), np.minimum(time, endpoint)
    follow_up = np.where(event, endpoint, observed)
    training, scorable = rng.random(time.size) < 0.7, event | (time >= 10)
    test = ~training & scorable
    model.fit(X[training], y[training], time=observed[training], follow_up=follow_up[training])
    naive = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[training], y[training])
    better, worse = (roc_auc_score(event[test], fit.decision_function(X[test])) for fit in (model, naive))
    assert better > worse
