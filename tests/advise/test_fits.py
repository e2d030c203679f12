from dataclasses import replace

import numpy as np
import pytest

import whether as wh
from whether.advise.evidence.dependence import check_event_times
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import (
    NO_COLUMNS,
    design_probe,
    event_time_candidates,
    fit_probe,
    follow_up_candidates,
    loosen,
    widen_probe,
)
from whether.learners import Task
from whether.learners.linear.linear_learner import embed
from whether.learners.linear.objective import LinearObjective

CANDIDATES = [event_time_candidates, follow_up_candidates]


def read(world, seed, n=1000):
    made = wh.simulate(world, n=n, seed=seed)
    return gather(made.X, made.y, time=made.time, follow_up=made.follow_up).cohort


@pytest.mark.parametrize("candidates", CANDIDATES)
def test_a_wider_model_can_be_the_narrower_one(candidates, global_random_seed):
    cohort = read("partially-dependent", global_random_seed)
    narrow = fit_probe(cohort, candidates(cohort, ("lognormal",)), np.array([2, 0]))
    added = np.random.default_rng(global_random_seed).normal(size=cohort.n)
    larger = replace(cohort, features=np.column_stack([cohort.features, added]), names=(*cohort.names, "added"))
    columns = np.array([4, 0, 1, 2])
    wide = LinearObjective(Task(larger, [narrow.fit.propensity], columns), 0.0)
    assert wide.row_values(embed(narrow.fit, wide)).sum() == pytest.approx(narrow.log_likelihood, abs=1e-6)
    assert widen_probe(narrow, larger, narrow.fit.propensity, columns).log_likelihood > narrow.log_likelihood - 1e-3


@pytest.mark.parametrize("candidates", CANDIDATES)
def test_slopes_never_make_event_times_less_likely(candidates):
    # Short follow-up has several summits: here the starts of the wider model all lead to one below the narrower model.
    cohort = read("short-follow-up-independent", 50_114, n=4000)
    tied = fit_probe(cohort, loosen(candidates(cohort)), NO_COLUMNS)
    alone = fit_probe(cohort, [tied.fit.propensity], np.arange(4))
    assert alone.log_likelihood < tied.log_likelihood
    test = check_event_times(design_probe(cohort, candidates(cohort)), candidates(cohort), np.random.default_rng(0))
    assert test.statistic > 0
