"""What the methods are for, on worlds with known truth: small versions of the tables that `benchmarks` prints."""

import pytest
from sklearn.metrics import roc_auc_score

import whether as wh
from whether.simulation import PAPER_WORLDS, WORLDS

pytestmark = pytest.mark.filterwarnings("ignore::whether.FollowUpWarning")


@pytest.mark.parametrize("world", PAPER_WORLDS)
@pytest.mark.parametrize("method", ["SARPU-R", "FUMC-F", "AFTMC-F"])
def test_restricted_methods_rank_people_as_well_as_the_oracle(world, method, global_random_seed):
    cohort = wh.simulate(world, n=int(0.8 * WORLDS[world].n), seed=global_random_seed)
    fresh = wh.simulate(world, n=20_000, seed=global_random_seed + 1_000)
    drivers = [cohort.feature_names.index(name) for name in WORLDS[world].propensity_features]
    model = wh.METHODS[method].build(drivers)
    model.fit(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    oracle = wh.LabelClassifier().fit(cohort.X, cohort.positive)
    gap = roc_auc_score(fresh.positive, oracle.decision_function(fresh.X)) - roc_auc_score(
        fresh.positive, model.decision_function(fresh.X)
    )
    # One replicate scatters around a mean gap of 0.002; the smallest cohort has 800 people.
    assert gap < (0.03 if world == "small-sample" else 0.015)


@pytest.mark.parametrize("world", ["late-reporting", "noisy-times", "batch-reporting"])
def test_follow_up_model_keeps_the_mean_risk_where_event_times_are_wrong(world, global_random_seed):
    cohort = wh.simulate(world, seed=global_random_seed)
    model = wh.FollowUpCureClassifier().fit(cohort.X, cohort.y, follow_up=cohort.follow_up)
    risk = model.predict_proba(cohort.X)[:, 1].mean()
    # Mean error -0.01; standard deviation over replicates 0.012.
    assert abs(risk - cohort.outcome_proba.mean()) < 0.06


def test_event_time_model_loses_the_mean_risk_where_events_are_reported_at_the_end(global_random_seed):
    cohort = wh.simulate("batch-reporting", seed=global_random_seed)
    model = wh.MixtureCureClassifier().fit(cohort.X, cohort.y, time=cohort.time)
    assert model.predict_proba(cohort.X)[:, 1].mean() - cohort.outcome_proba.mean() > 0.1
