"""Whether the event-time model and the follow-up model, which needs no event times, agree on the mean risk.

Both are consistent if times and model are right. The variance of their difference is that of the difference of both
influence functions on the same people. With few events for so many coefficients it is often too small; by how much is
seen in cohorts whose events are drawn from the event-time model, in which both models are right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from whether.advise.evidence.dependence import LARGE_UNSEEN_SHARE
from whether.advise.evidence.drawn_ratio import MOST_ROWS, is_clear, set_against
from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import (
    FEWEST_EVENTS,
    EventTimeFits,
    ProbeFit,
    all_columns,
    fit_probe,
    follow_up_candidates,
)
from whether.cohort import Cohort
from whether.evaluate.bootstrap import Interval
from whether.propensity.survival_time import SurvivalTimePropensity

NULL = "event-time and follow-up model agree on the mean risk"
# Events, all and per feature, that two unpenalised models with all features in both parts need before they can be
# compared: the follow-up model learns little from each.
FEWEST_COMPARED, EVENTS_PER_FEATURE = 500, 60
# Noise in log event times, in parts of their spread, below which the two models cannot be compared: labels then jump
# where follow-up reaches the event time, and the maximum of the follow-up model lies at the far side of the gap. With
# times that have no noise at all a test that is run anyway rejects in 12 % of the baseline's replicates, not 5 %.
LITTLE_NOISE = 0.05
# Cohorts that are drawn at most, and a p-value below which no more are: the advice asks for 0.1 %.
MOST_DRAWS, REJECTED = 20, 1e-4


def compare_models(
    material: Material, fits: EventTimeFits, rng: np.random.Generator
) -> tuple[HypothesisTest, Interval | None]:
    """Hausman-type comparison of mean risk by the event-time and the follow-up model, on the same people."""
    cohort = material.cohort
    scarce = min(material.n_events, cohort.n - material.n_events)
    if scarce < max(FEWEST_COMPARED, EVENTS_PER_FEATURE * cohort.features.shape[1]):
        return HypothesisTest(NULL, note="too few events to compare two models"), None
    by_time = fits.of(cohort)
    unseen = by_time.unseen_share(float(cohort.required("follow_up").max()))
    if unseen > LARGE_UNSEEN_SHARE:
        return HypothesisTest(NULL, note="both models extrapolate"), None
    if by_time.noise < LITTLE_NOISE:
        return HypothesisTest(NULL, note="features tell event times nearly without noise"), None
    difference, error = _difference(cohort, by_time)
    if not error > 0:
        return HypothesisTest(NULL, note="the difference has no variance"), _interval(difference, error)
    plain = HypothesisTest.of(NULL, (difference / error) ** 2, 1)
    test = _test_by_draws(plain, cohort, by_time, rng) if plain.rejects() else plain
    return test, _interval(difference, error * math.sqrt(plain.statistic / test.statistic))


def _difference(cohort: Cohort, by_time: ProbeFit) -> tuple[float, float]:
    """Mean risk by event times minus that by follow-up, and its standard error."""
    # The same residual distribution in both: it is the times that are in question.
    by_follow_up = fit_probe(cohort, follow_up_candidates(cohort, (by_time.distribution,)), all_columns(cohort))
    (risk, influence), (other, other_influence) = by_time.mean_risk(), by_follow_up.mean_risk()
    return risk - other, float(np.sqrt(((influence - other_influence) ** 2).sum()))


def _interval(difference: float, error: float) -> Interval:
    return Interval(difference, difference - 1.96 * error, difference + 1.96 * error, error)


def _test_by_draws(
    plain: HypothesisTest, cohort: Cohort, by_time: ProbeFit, rng: np.random.Generator
) -> HypothesisTest:
    """Set the statistic against its mean in draws, as `ratio_test` does; they can only make the p-value larger."""
    found, drawn = plain, list[float]()
    for draw in _draw_cohorts(cohort, by_time, rng):
        difference, error = _difference(draw, EventTimeFits(draw).of(draw))
        if error > 0:
            drawn.append((difference / error) ** 2)
            found = set_against(plain, drawn)
        if is_clear(found, len(drawn), REJECTED):
            break
    return found


def _draw_cohorts(cohort: Cohort, by_time: ProbeFit, rng: np.random.Generator) -> Iterator[Cohort]:
    """Cohorts of the same people with the same follow-up, whose events are drawn from the event-time model."""
    propensity, back = by_time.fit.propensity, np.argsort(by_time.people.order, kind="stable")
    assert isinstance(propensity, SurvivalTimePropensity)
    rows = np.arange(0, cohort.n, -(-cohort.n // MOST_ROWS))
    part = replace(cohort.take(rows), time_lower=None)
    risk, v = by_time.risks[back][rows], by_time.predictors[1][:, back][:, rows]
    follow_up = part.required("follow_up")
    over = 1 - np.exp(propensity.log_missed(v, propensity.locate(follow_up)).value)
    before = np.zeros(rows.size)
    if part.entry_time is not None:
        entered = part.entry_time > 0
        place = propensity.locate(np.where(entered, part.entry_time, follow_up))
        before = np.where(entered, 1 - np.exp(propensity.log_missed(v, place).value), 0.0)
    chance = risk * (over - before) / (1 - risk * before)
    for _ in range(MOST_DRAWS):
        labeled = rng.random(rows.size) < chance
        share = before + rng.random(rows.size) * (over - before)
        place = propensity.quantile(v, np.clip(share, np.finfo(float).tiny, 1 - 1e-15))
        event = np.exp(propensity.center + propensity.spread * place)
        time = np.where(labeled, np.clip(event, np.finfo(float).tiny, follow_up), follow_up)
        if FEWEST_EVENTS < np.count_nonzero(labeled) < rows.size - FEWEST_EVENTS:
            yield replace(part, labeled=labeled, time=time)
