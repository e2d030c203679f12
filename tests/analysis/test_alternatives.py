"""Models that the data cannot tell apart, and how far they stretch an answer."""

import numpy as np
import pytest
from scipy.special import logit

import whether as wh
from whether.analysis.alternatives import MOST_INFORMATION, Alternatives, _weigh, fit_alternatives
from whether.family import MIXTURE
from whether.learners.linear.linear_fit import Standardization
from whether.validate import check_cohort


def alternatives(cohort, model):
    model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    names = list(cohort.feature_names)
    checked = check_cohort(cohort.X, cohort.y, names=names, time=cohort.time, follow_up=cohort.follow_up)
    return fit_alternatives(model, cohort.X, checked)


@pytest.mark.parametrize("model", [wh.MixtureCureClassifier(), wh.FollowUpCureClassifier()])
def test_every_tail_of_either_family_is_weighed(model):
    cohort = wh.simulate("partially-dependent", n=600, seed=0)
    found = alternatives(cohort, model)
    assert found.weights.size == 10
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.risks.shape == found.still.shape == (10, 600)
    assert np.all(found.still[:, cohort.y == 1] == 0)


def test_the_reference_is_the_model_itself():
    cohort, model = wh.simulate("partially-dependent", n=600, seed=0), wh.MixtureCureClassifier()
    found = alternatives(cohort, model)
    np.testing.assert_array_equal(found.reference_risks, model.predict_proba(cohort.X)[:, 1])


def test_a_family_that_fits_much_worse_hardly_counts(global_random_seed):
    """Event times without noise: hidden causes of one distribution are a loss of more than one unit a person."""
    cohort = wh.simulate("baseline", n=1000, seed=global_random_seed)
    found = alternatives(cohort, wh.MixtureCureClassifier())
    assert found.weights[1::2].sum() < 1e-6


def test_however_many_the_people_a_small_loss_leaves_a_model_standing():
    scores = np.array([-1.0, -1.01])
    weights = [_weigh(scores, n, MOST_INFORMATION) for n in (1_000, 1_000_000)]
    assert weights[1][1] == pytest.approx(1 / (1 + np.exp(0.01 * MOST_INFORMATION)), rel=1e-3)
    assert weights[0][1] > weights[1][1]


def test_an_answer_reaches_to_the_side_on_which_models_lie():
    shares = np.array([[0.2, 0.2], [0.4, 0.4]])
    still = np.array([[0.1, 0.0], [0.3, 0.0]])
    no_windows = np.empty((2, 0, 2), dtype=np.float32)
    reference = np.array([0.2, 0.2]), np.array([0.1, 0.0])
    found = Alternatives(np.array([0.5, 0.5]), shares, still, *reference, no_windows, no_windows[0])
    rows = np.arange(2)
    down, up = found.reach_of_mean_risk(rows)
    assert down == 0
    assert up == pytest.approx(logit(0.4) - logit(0.2))  # root of 2 * (1/2 * 0 + 1/2 * step^2)
    assert found.reach_of_unseen(np.array([0]))[1] == pytest.approx(logit(0.3) - logit(0.1))
    features = np.array([[0.0], [1.0]])
    every = Standardization(np.array([0]), np.zeros(1), np.ones(1))
    moves = found.moves_from(every, MIXTURE, features)
    np.testing.assert_allclose(moves.reach(features), np.stack([np.zeros(2), np.full(2, up)]), atol=1e-12)


def test_without_times_there_are_none():
    cohort = wh.simulate("partially-dependent", n=400, seed=0)
    with pytest.warns():
        model = wh.SARPUClassifier().fit(cohort.X, cohort.y)
    checked = check_cohort(cohort.X, cohort.y, names=list(cohort.feature_names), time=None, follow_up=None)
    assert fit_alternatives(model, cohort.X, checked) is None


def test_trees_are_compared_with_what_straight_lines_say():
    cohort = wh.simulate("partially-dependent", n=600, seed=1)
    model = wh.MixtureCureClassifier(learner="boosted", random_state=0)
    found = alternatives(cohort, model)
    straight = wh.MixtureCureClassifier(random_state=0).fit(cohort.X, cohort.y, time=cohort.time)
    np.testing.assert_allclose(found.reference_risks, straight.predict_proba(cohort.X)[:, 1])
