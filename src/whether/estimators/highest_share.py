"""The least that a constant propensity can be: the labeled share of the group in which it is largest.

Pr(labeled | x) = c p(x) never exceeds c, so that the labeled share of any group bounds c from below, whatever the shape
of p. A group that was looked for among the same people would be too good to be true. Here one half of the people
chooses the group, and the other half is counted: the limit then holds for any group, and the median of the limits of
several divisions holds as often as it says, if each of them is allowed to fail half as often (Meinshausen, Meier and
Buehlmann 2009).
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import beta

from whether.arrays import Array, Flags, Rows
from whether.cohort import Cohort
from whether.learners import LinearLearner, Task
from whether.learners.linear.ridge import label_logits_left_out, settle_ridge
from whether.propensity import Certain

# Rows that are read at most, divisions into halves, and the smallest groups that are counted.
MOST_ROWS, N_DIVISIONS, SMALLEST_GROUP = 20_000, 3, 20
# The forest that looks for groups which no line finds.
N_TREES, SMALLEST_LEAF = 20, 20


def bound_frequency(cohort: Cohort, confidence: float, rng: np.random.Generator, *, by_trees: bool = True) -> float:
    """Return a lower confidence limit of the label frequency that needs nothing but a constant propensity.

    Without trees it is had at once, and lower where no line finds the group.
    """
    part, limits = cohort.thin(MOST_ROWS), []
    for _ in range(N_DIVISIONS):
        side = divide(part, rng)
        for choosing in (side, ~side):
            chosen = choose_group(part, np.flatnonzero(choosing), np.flatnonzero(~choosing), rng if by_trees else None)
            limits.append(least_share(part.take(np.flatnonzero(~choosing)[chosen]), (1 + confidence) / 2))
    return float(np.median(limits))


def divide(cohort: Cohort, rng: np.random.Generator) -> Flags:
    """Draw one half of the people, with their share of the labeled."""
    side = np.empty(cohort.n, dtype=bool)
    for group in (np.flatnonzero(cohort.labeled), np.flatnonzero(~cohort.labeled)):
        side[rng.permutation(group)] = np.arange(group.size) % 2 == 0
    return side


def choose_group(cohort: Cohort, inside: Rows, outside: Rows, rng: np.random.Generator | None) -> Flags:
    """Who of those outside scores as high as those inside among whom the largest share is surely labeled.

    Scores are those of a line or, with a generator, of a forest, whichever finds the better group.
    """
    people, others, found = cohort.take(inside), cohort.features[outside], []
    scores = [_score_by_line(people, others)]
    if rng is not None:
        scores.append(_score_by_forest(people, others, rng))
    for own, new in scores:
        share, cut = _best_cut(own, people)
        found.append((share, new >= cut))
    return max(found, key=lambda one: one[0])[1]


def least_share(people: Cohort, confidence: float) -> float:
    """Lower limit of the labeled share of a group (Clopper and Pearson); unequal weights count for fewer people."""
    weights = people.weights
    if not people.n or not weights.sum() > 0:
        return 0.0
    n = float(weights.sum() ** 2 / (weights**2).sum())
    seen = n * float(np.average(people.labeled, weights=weights))
    return float(beta.ppf(1 - confidence, seen, n - seen + 1)) if seen > 0 else 0.0


def _best_cut(scores: Array, people: Cohort) -> tuple[float, float]:
    """Where to cut scores so that the lower limit (Wilson) of the labeled share above is largest, and that limit."""
    order = np.argsort(-scores, kind="stable")
    count = np.cumsum(people.weights[order])
    share = np.cumsum((people.weights * people.labeled)[order]) / np.maximum(count, 1e-300)
    spread = np.sqrt(share * (1 - share) / count + 1 / count**2)
    limit = (share + 2 / count - 2 * spread) / (1 + 4 / count)
    is_last = np.append(np.diff(scores[order]) < 0, True)  # people with one score are on one side of the cut
    large = is_last & (np.arange(1, order.size + 1) >= min(SMALLEST_GROUP, order.size))
    best = int(np.flatnonzero(large)[np.argmax(limit[large])])
    return float(limit[best]), float(scores[order[best]])


def _score_by_line(people: Cohort, others: Array) -> tuple[Array, Array]:
    """Log odds of a label, of the people each without that person, and of others."""
    kept = np.flatnonzero(np.ptp(people.features, axis=0) > 0)
    ridge, part = settle_ridge("auto", people.select(kept)), people.select(kept)
    fit = LinearLearner(ridge=ridge).fit(Task(part, [Certain()]))
    return label_logits_left_out(part, ridge), np.asarray(fit.predict(others[:, kept])[0])


def _score_by_forest(people: Cohort, others: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Share of a label by the trees that did not learn from a person, and of others by all trees."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(
        N_TREES, min_samples_leaf=SMALLEST_LEAF, oob_score=True, random_state=int(rng.integers(2**31 - 1))
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
        forest.fit(people.features, people.labeled, sample_weight=people.weights)
    left_out = np.nan_to_num(np.asarray(forest.oob_decision_function_)[:, 1])
    return left_out, forest.predict_proba(others)[:, 1]
