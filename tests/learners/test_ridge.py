"""The penalty on slopes where it is not given."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import whether as wh
from whether.learners.linear.ridge import EVENTS_PER_FEATURE, RIDGES, USUAL


def ridge_of(model):
    return model.model_.ridge


def test_one_person_where_events_are_plenty():
    cohort = wh.simulate("baseline", n=1000, seed=0)
    assert cohort.y.sum() > EVENTS_PER_FEATURE * 4
    assert ridge_of(wh.LabelClassifier().fit(cohort.X, cohort.y)) == USUAL


@pytest.mark.parametrize("seed", range(3))
def test_chosen_by_held_out_likelihood_where_features_are_many(seed):
    cohort = wh.simulate("wide-50", n=400, seed=seed)
    model = wh.LabelClassifier().fit(cohort.X, cohort.y)
    X = StandardScaler().fit_transform(cohort.X)
    scores = [
        cross_val_score(
            LogisticRegression(C=1 / ridge, max_iter=1000), X, cohort.y, scoring="neg_log_loss", cv=3
        ).mean()
        for ridge in RIDGES
    ]
    # Other folds, so not always the same penalty; but one that is hardly worse.
    assert scores[RIDGES.index(ridge_of(model))] > max(scores) - 0.02


def test_chosen_penalty_ranks_no_worse_than_the_usual_one():
    cohort, fresh = wh.simulate("wide-256", n=1000, seed=0), wh.simulate("wide-256", n=5000, seed=1)
    chosen, usual = wh.LabelClassifier(), wh.LabelClassifier(ridge=USUAL)
    aucs = [
        roc_auc_score(fresh.positive, model.fit(cohort.X, cohort.positive).decision_function(fresh.X))
        for model in (chosen, usual)
    ]
    assert ridge_of(chosen) > USUAL
    assert aucs[0] >= aucs[1]


def test_weights_count_as_people():
    cohort = wh.simulate("wide-50", n=300, seed=0)
    weight = np.full(300, 10.0)
    assert ridge_of(wh.LabelClassifier().fit(cohort.X, cohort.y, sample_weight=weight)) == USUAL
    assert ridge_of(wh.LabelClassifier().fit(cohort.X, cohort.y)) > USUAL
