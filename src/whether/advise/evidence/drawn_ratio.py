"""Likelihood ratios set against their mean under the null, where chi-squared is too small.

Where two parts of a model are seen only through their product they determine each other badly, and the ratio for slopes
in one of them is up to twice as large as a chi-squared number. By how much depends on the cohort, and is seen in
cohorts whose labels are drawn from the fit without slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from scipy.stats import f

from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.probes import FEWEST_EVENTS, ProbeFit
from whether.cohort import Cohort
from whether.likelihood import Likelihood

# Cohorts that are drawn at most and at least, and rows that they have at most: with fewer people less is determined, on
# the safe side.
MOST_DRAWS, FEWEST_DRAWS = 10, 2
MOST_ROWS = 5_000
# P-values beyond which further draws would not change what is read: clear either way.
REJECTED, NOT_REJECTED = 1e-6, 0.3

# Twice the gain in log-likelihood by slopes, and the fit without.
Ratio = Callable[[Cohort], tuple[float, ProbeFit]]


def ratio_test(
    null: str, cohort: Cohort, ratio: Ratio, degrees: int, note: str, rng: np.random.Generator
) -> HypothesisTest:
    """Likelihood-ratio test by Bartlett's correction: the ratio over its mean in draws, never below chi-squared's.

    Draws only make the p-value larger, so that none are made where chi-squared does not reject. Of a multiple of a
    chi-squared number, over the mean of draws of it, Fisher's F is the distribution, however many the draws: few are
    enough where the answer is clear.
    """
    value, tied = ratio(cohort)
    test = HypothesisTest.of(null, value, degrees, note)
    if not test.rejects():
        return test
    found, drawn = test, []
    for draw in _draw_cohorts(cohort, tied, rng):
        drawn.append(ratio(draw)[0])
        found = set_against(test, drawn)
        if is_clear(found, len(drawn)):
            break
    return found


def is_clear(found: HypothesisTest, n_drawn: int, rejected: float = REJECTED) -> bool:
    """Whether so many draws are enough: what is read would not change with more."""
    return n_drawn >= FEWEST_DRAWS and not rejected < found.p_value < NOT_REJECTED


def set_against(test: HypothesisTest, drawn: list[float]) -> HypothesisTest:
    """Return the test of a statistic that is set against those of draws."""
    statistic = test.statistic / max(float(np.mean(drawn)) / test.degrees, 1.0)
    p_value = float(f.sf(statistic / test.degrees, test.degrees, len(drawn) * test.degrees))
    return replace(test, statistic=statistic, p_value=p_value)


def _draw_cohorts(cohort: Cohort, tied: ProbeFit, rng: np.random.Generator) -> Iterator[Cohort]:
    """Cohorts of the same people whose labels are drawn from a fit that does not read event times."""
    eta, v = tied.predictors
    chance = np.empty(cohort.n)
    log_chance, _ = Likelihood(tied.fit.propensity).slopes(eta, v, tied.people.observed, labeled=True)
    chance[tied.people.order] = np.exp(log_chance)
    rows = np.arange(0, cohort.n, -(-cohort.n // MOST_ROWS))
    part = cohort.take(rows)
    for _ in range(MOST_DRAWS):
        draw = replace(part, labeled=rng.random(rows.size) < chance[rows])
        if FEWEST_EVENTS // 2 < np.count_nonzero(draw.labeled) < draw.n - FEWEST_EVENTS // 2:
            yield draw
