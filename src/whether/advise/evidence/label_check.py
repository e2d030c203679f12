"""Whether recorded event times agree with labels and follow-up, given the features.

If times are right and follow-up is independent of the event given the features, then of people with the same features
who are event-free and still followed at t those with a long follow-up ahead are as likely to have the event next as
those with a short one: follow-up says how long events can be seen, not when they come. Records that are late, noisy or
batched put events near the end of follow-up, where a short one has more of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.hypothesis import LATE_ENTRY, NOT_EXACT, HypothesisTest
from whether.advise.evidence.own_follow_up import OwnFollowUp
from whether.advise.evidence.probes import (
    EVENTS_PER_FEATURE,
    EventTimeFits,
    ProbeFit,
    all_columns,
    event_time_candidates,
    fit_probe,
    promising_columns,
)
from whether.cohort import Cohort
from whether.propensity.survival_time import SurvivalTimePropensity

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

NULL = "event times agree with labels and follow-up"
# Rows on which the test is made at most.
MOST_ROWS = 20_000
# Shapes of follow-up on which events might depend, and events for each; below the third number there is no test.
N_SHAPES = 2
EVENTS_PER_SHAPE = 40
FEWEST_EVENTS = 20
# Intervals of time, which hold as many events each.
N_INTERVALS = 50
# Spread of follow-up that the features leave open, in that of log follow-up, below which there is nothing to compare.
LITTLE_OWN = 0.05
# People who decide, below which no statistic is near chi-squared, and people per term that is taken out.
FEWEST_DECIDING = 10
PEOPLE_PER_TERM = 10
# How fast the second shape falls with the rank of what is left of follow-up.
NEARNESS = 9
# What stands for a probability of zero.
LEAST_LIKELY = 1e-12


def check_labels_against_times(cohort: Cohort, fits: EventTimeFits) -> HypothesisTest:
    """Test whether, given the features, events come at recorded times whatever the follow-up.

    The statistic sums over people and intervals of time (events - expected events) times what each one's follow-up has
    of its own: shapes of its rank, minus their mean among people with the same features who are followed beyond the
    start of the interval. Expected events are those of the event-time model. The sum has mean zero if that model is
    right, whatever becomes of follow-up; it has mean zero if follow-up is predicted well, whatever the model; and where
    both are off, by the product of the two errors. So it needs no correction for having estimated either.

    Under the null it rejects in 3.2 to 7.0 % of 500 runs at the nominal 5 % in each of 28 worlds, in 19 of which
    follow-up depends on features (`python -m benchmarks evidence levels 500 labels-vs-times`), and with late, noisy and
    batched records in all of 200 (`... levels 200 labels-vs-times`). It also rejects where follow-up goes with the
    event for reasons that are not in the features. Kin to it is the local covariance measure of Christgau, Petersen and
    Hansen (2023).
    """
    if cohort.time_lower is not None or cohort.entry_time is not None:
        return HypothesisTest(NULL, note=LATE_ENTRY if cohort.time_lower is None else NOT_EXACT)
    part = cohort.thin(MOST_ROWS)
    events = int(np.count_nonzero(part.labeled))
    if min(events, part.n - events) < FEWEST_EVENTS:
        return HypothesisTest(NULL, note="too few events")
    follow_up = part.required("follow_up")
    if not np.ptp(follow_up) > 0:
        return HypothesisTest(NULL, note="everybody is followed equally long")
    own = OwnFollowUp.given(part.features, follow_up)
    if own.spread < LITTLE_OWN * float(np.std(np.log(follow_up))):
        return HypothesisTest(NULL, note="features tell follow-up nearly without noise")
    n_shapes = max(1, min(N_SHAPES, events // EVENTS_PER_SHAPE))
    per_person = _compare(part, _event_time_model(part, events, fits), own, n_shapes)
    squares = per_person**2
    if np.any(squares.sum(axis=1) ** 2 < FEWEST_DECIDING * (squares**2).sum(axis=1)):
        return HypothesisTest(NULL, note="follow-up differs among too few people")
    total = per_person.sum(axis=1)
    # Of proportional shapes one direction is enough.
    solved, _, used, _ = np.linalg.lstsq(per_person @ per_person.T, total, rcond=1e-8)
    return HypothesisTest.of(NULL, float(total @ solved), int(used))


def _event_time_model(cohort: Cohort, events: int, fits: EventTimeFits) -> ProbeFit:
    """The event-time model with all features, or with the most promising ones where events are few."""
    most = max(1, min(events, cohort.n - events) // EVENTS_PER_FEATURE)
    if cohort.features.shape[1] <= most:
        return fits.of(cohort)
    part = cohort.select(promising_columns(cohort, most))
    return fit_probe(part, event_time_candidates(part), all_columns(part))


def _compare(cohort: Cohort, fit: ProbeFit, own: OwnFollowUp, n_shapes: int) -> Array:
    """Each person's part in the sum, one row per shape."""
    time, follow_up, labeled = cohort.required("time"), cohort.required("follow_up"), cohort.labeled
    model = _Model(fit)
    indices = _indices(np.vstack([own.indices, model.logit, model.location]))
    ends = np.unique(np.quantile(time[labeled], np.linspace(0, 1, N_INTERVALS + 1)[1:]))
    total, start, free = np.zeros((n_shapes, time.size)), 0.0, np.ones(time.size)
    for end in np.append(ends, np.inf):
        left = model.event_free(np.minimum(follow_up, end))
        excess = np.where(time > start, (labeled & (time <= end)) - (1 - left / free), 0.0)
        shapes = _shapes(own, start)[:n_shapes]
        # What can be told by the indices is taken out of both: it has been predicted badly, or expected wrongly.
        rest = _residual(np.vstack([shapes, excess]), indices, follow_up > start)
        total += rest[:-1] * rest[-1]
        start, free = float(end), left
    return total


def _shapes(own: OwnFollowUp, start: float) -> Array:
    """What each one's follow-up has of its own at that time, in shapes of mean zero: how near its end is, and rank."""
    followed = own.still_followed(start)
    rank = own.rank_among(followed)
    return np.stack([followed * (rank - 0.5), (1 - rank) ** NEARNESS - 1 / (NEARNESS + 1)])


class _Model:
    """The share of the event-free by a mixture cure model, people in the order of the cohort."""

    def __init__(self, fit: ProbeFit) -> None:
        assert isinstance(fit.fit.propensity, SurvivalTimePropensity)
        self._propensity = fit.fit.propensity
        back = np.argsort(fit.people.order, kind="stable")
        self._v, self._risk = fit.predictors[1][:, back], fit.risks[back]
        self.logit, self.location = fit.predictors[0][back], self._v[0]

    def event_free(self, until: Array) -> Array:
        """Probability of each person to be event-free at a time of its own."""
        later = np.exp(self._propensity.log_missed(self._v, self._propensity.locate(until)).value)
        return np.asarray(np.maximum(1 - self._risk * (1 - later), LEAST_LIKELY))


def _indices(rows: Array) -> Array:
    """One, the rows, their squares and products; one row per person."""
    centered = rows - rows.mean(axis=1, keepdims=True)
    x = centered / np.maximum(centered.std(axis=1, keepdims=True), 1e-9)
    first, second = np.triu_indices(len(x))
    return np.vstack([np.ones(x.shape[1]), x, x[first] * x[second]]).T


def _residual(values: Array, indices: Array, people: Flags) -> Array:
    """Values minus their regression, among these people, on the indices; zero for everybody else."""
    known, wanted = indices[people], values[:, people]
    if known.shape[0] >= PEOPLE_PER_TERM * known.shape[1]:
        slopes = np.linalg.lstsq(known.T @ known, known.T @ wanted.T, rcond=1e-8)[0]
        wanted = wanted - (known @ slopes).T
    rest = np.zeros_like(values)
    rest[:, people] = wanted
    return rest
