import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from whether.evaluate import (
    bootstrap_interval,
    imputed_auc,
    ipcw_auc,
    ipcw_brier,
    posterior_auc,
    pu_auc,
    weighted_auc,
)


def within_five_standard_errors(metric, *arrays, rng):
    """Whether a metric that should be zero is; false with a probability of about one in a million."""
    interval = bootstrap_interval(metric, *arrays, rng=rng, n_resamples=60)
    return abs(interval.estimate) < 5 * interval.standard_error


def test_with_weights_of_zero_and_one_it_is_the_ordinary_auc(world):
    positive = world.positive
    rounded = np.round(world.score, 1)  # with many ties
    assert weighted_auc(rounded, positive, 1 - positive) == pytest.approx(roc_auc_score(positive, rounded))


def test_soft_labels_count_each_pair_but_nobody_with_themselves():
    score, positive = np.array([0.2, 0.5, 0.5, 0.9]), np.array([0.1, 0.7, 0.4, 0.8])
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    wins = sum(positive[i] * (1 - positive[j]) * (np.sign(score[i] - score[j]) + 1) / 2 for i, j in pairs)
    total = sum(positive[i] * (1 - positive[j]) for i, j in pairs)
    assert weighted_auc(score, positive, 1 - positive) == pytest.approx(wins / total)


def test_posterior_weights_recover_the_auc(world):
    def gap(score, y, posterior, positive):
        return posterior_auc(y, score, posterior) - roc_auc_score(positive, score)

    assert within_five_standard_errors(gap, world.score, world.y, world.posterior, world.positive, rng=world.rng)


def test_one_reference_posterior_judges_all_models_alike(world):
    # A model that is sure of itself looks better in its own eyes than in those of the truth.
    sure = np.where(world.score > np.median(world.score), 0.999, 0.001)
    assert posterior_auc(world.y, sure, sure) > posterior_auc(world.y, sure, world.posterior) + 0.02


def test_imputation_recovers_the_auc_where_loss_says_nothing_of_the_outcome(lost_at_once):
    world = lost_at_once

    def gap(y, time, p, positive):
        return imputed_auc(y, p, time=time, cutoff=15.0) - roc_auc_score(positive, p)

    assert within_five_standard_errors(gap, world.y, world.time, world.p, world.positive, rng=world.rng)


def test_imputation_with_a_posterior_as_reference_recovers_the_auc(world):
    def gap(score, y, time, posterior, positive):
        imputed = imputed_auc(y, score, time=time, cutoff=15.0, reference=posterior)
        return imputed - roc_auc_score(positive, score)

    arrays = (world.score, world.y, world.time, world.posterior, world.positive)
    assert within_five_standard_errors(gap, *arrays, rng=world.rng)


@pytest.mark.parametrize("known", [False, True])
def test_censoring_weights_recover_the_auc_and_the_brier_score(world, known):
    def gap_auc(score, y, time, follow_up, positive):
        weighted = ipcw_auc(y, score, time=time, horizon=8.0, follow_up=follow_up if known else None)
        return weighted - roc_auc_score(positive, score)

    def gap_brier(score, y, time, follow_up, positive):
        weighted = ipcw_brier(y, score, time=time, horizon=8.0, follow_up=follow_up if known else None)
        return weighted - np.mean((score - positive) ** 2)

    arrays = (world.score, world.y, world.time, world.follow_up, world.positive)
    assert within_five_standard_errors(gap_auc, *arrays, rng=world.rng)
    assert within_five_standard_errors(gap_brier, *arrays, rng=world.rng)


@pytest.mark.parametrize("label_frequency", [0.2, 0.5, 0.8])
def test_pu_correction_with_the_share_of_the_cohort_recovers_the_auc(world, label_frequency):
    def gap(score, positive, y):
        return pu_auc(y, score, prevalence=positive.mean()) - roc_auc_score(positive, score)

    y = world.positive * (world.rng.random(world.y.size) < label_frequency)
    assert within_five_standard_errors(gap, world.score, world.positive, y, rng=world.rng)


def test_pu_correction_with_propensities_recovers_the_auc_where_labeling_depends_on_features(world):
    def gap(score, positive, y, propensity):
        prevalence = positive.mean()
        return pu_auc(y, score, prevalence=prevalence, propensity=propensity) - roc_auc_score(positive, score)

    propensity = 1 / (1 + np.exp(-1.5 * world.X[:, 0]))
    y = world.positive * (world.rng.random(world.y.size) < propensity)
    assert within_five_standard_errors(gap, world.score, world.positive, y, propensity, rng=world.rng)


def test_comparing_with_the_unlabeled_gives_the_same_pu_auc(world):
    y = world.positive * (world.rng.random(world.y.size) < 0.6)
    prevalence, labeled = world.positive.mean(), y.mean()
    among_unlabeled = (prevalence - labeled) / (1 - labeled)
    corrected = (roc_auc_score(y, world.score) - among_unlabeled / 2) / (1 - among_unlabeled)
    assert pu_auc(y, world.score, prevalence=prevalence) == pytest.approx(corrected, abs=2 / y.size)


def test_a_prevalence_below_the_share_labeled_is_refused(world):
    with pytest.raises(ValueError, match=r"prevalence must lie between the share labeled \(0\.\d+\) and 1, got 0\.01"):
        pu_auc(world.y, world.score, prevalence=0.01)


def test_a_horizon_nobody_reaches_is_refused(world):
    with pytest.raises(ValueError, match=r"At horizon=99 .* 0 followed event-free"):
        ipcw_auc(world.y, world.score, time=world.time, horizon=99.0)


def test_without_a_negative_there_is_nothing_to_compare():
    with pytest.raises(ValueError, match="no pair"):
        weighted_auc([0.1, 0.2], [1, 1], [0, 0])


def test_probabilities_out_of_range_are_refused(world):
    with pytest.raises(ValueError, match="posterior must be 4000 probabilities"):
        posterior_auc(world.y, world.score, world.posterior + 1)
