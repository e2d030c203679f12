"""Likelihood ratios against those of drawn cohorts: as many draws as the answer needs."""

import numpy as np
import pytest
from scipy.stats import chi2

import whether as wh
from whether.advise.evidence.drawn_ratio import FEWEST_DRAWS, MOST_DRAWS, ratio_test
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import NO_COLUMNS, fit_probe, logistic_candidates

DEGREES = 8


@pytest.fixture(scope="module")
def cohort():
    found = wh.simulate("feature-independent", n=200, seed=0)
    return gather(found.X, found.y).cohort


@pytest.fixture(scope="module")
def tied(cohort):
    return fit_probe(cohort, logistic_candidates(False), NO_COLUMNS)


def run(cohort, tied, own, drawn):
    """Test of a cohort's own ratio against one that every draw has, and how many were drawn."""
    asked = []

    def ratio(people):
        asked.append(people)
        return (own if people is cohort else drawn), tied

    test = ratio_test("no slopes", cohort, ratio, DEGREES, "", np.random.default_rng(0))
    return test, len(asked) - 1


@pytest.mark.parametrize(
    ("own", "drawn", "n_draws"),
    [
        (chi2.isf(0.06, DEGREES), 8.0, 0),  # chi-squared does not reject
        (200.0, 8.0, FEWEST_DRAWS),  # far beyond the draws
        (20.0, 16.0, FEWEST_DRAWS),  # as in the draws
        (20.0, 8.0, MOST_DRAWS),  # near the level
        (20.0, 4.0, MOST_DRAWS),  # draws below chi-squared's mean do not speak for slopes
    ],
)
def test_draws_end_where_the_answer_is_clear(cohort, tied, own, drawn, n_draws):
    test, n_found = run(cohort, tied, own, drawn)
    assert n_found == n_draws
    assert test.statistic == pytest.approx(own if n_draws == 0 else own / max(drawn / DEGREES, 1.0))
    assert test.p_value >= chi2.sf(own, DEGREES)
    if n_draws == FEWEST_DRAWS:
        assert not 1e-6 < test.p_value < 0.3
