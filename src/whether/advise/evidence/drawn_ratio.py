"""Likelihood ratios set against their mean under the null, where chi-squared is too small.

Where two parts of a model are seen only through their product they determine each other badly, and the ratio for slopes
in one of them is up to twice as large as a chi-squared number. By how much depends on the cohort, and is seen in
cohorts whose labels are drawn from the fit without slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import f

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.probes import FEWEST_EVENTS, ProbeFit
from whether.cohort import Cohort
from whether.likelihood import Likelihood

# Cohorts that are drawn, and rows that they have at most: with fewer people less is determined, on the safe side.
N_DRAWS = 10
MOST_ROWS = 5_000

# Twice the gain in log-likelihood by slopes, and the fit without.
Ratio = Callable[[Cohort], tuple[float, ProbeFit]]


def ratio_test(
    null: str, cohort: Cohort, ratio: Ratio, degrees: int, note: str, rng: np.random.Generator
) -> HypothesisTest:
    """Likelihood-ratio test by Bartlett's correction: the ratio over its mean in draws, never below chi-squared's.

    Draws only make the p-value larger, so that none are made where chi-squared does not reject. Of a multiple of a
    chi-squared number, over the mean of draws of it, Fisher's F is the distribution.
    """
    value, tied = ratio(cohort)
    test = HypothesisTest.of(null, value, degrees, note)
    if not test.rejects():
        return test
    mean = max(_mean_of_draws(cohort, ratio, tied, rng) / degrees, 1.0)
    p_value = float(f.sf(test.statistic / mean / degrees, degrees, N_DRAWS * degrees))
    return replace(test, statistic=test.statistic / mean, p_value=p_value)


def _mean_of_draws(cohort: Cohort, ratio: Ratio, tied: ProbeFit, rng: np.random.Generator) -> float:
    """Mean ratio in cohorts of the same people whose labels are drawn from a fit that does not read event times."""
    eta, v = tied.predictors
    chance = np.empty(cohort.n)
    log_chance, _ = Likelihood(tied.fit.propensity).slopes(eta, v, tied.people.observed, labeled=True)
    chance[tied.people.order] = np.exp(log_chance)
    rows = np.arange(0, cohort.n, -(-cohort.n // MOST_ROWS))
    ratios = []
    for _ in range(N_DRAWS):
        part = replace(cohort.take(rows), labeled=rng.random(rows.size) < chance[rows])
        if FEWEST_EVENTS // 2 < np.count_nonzero(part.labeled) < part.n - FEWEST_EVENTS // 2:
            ratios.append(ratio(part)[0])
    return float(np.mean(ratios)) if ratios else 0.0
