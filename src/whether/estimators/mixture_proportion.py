"""Class priors from the labels alone: the share c of the positives that is labeled, by methods of their own literature.

Under a constant propensity the labeled share of any group of people is c times the share of its positives. It is c
itself in a group of positives only, and c is the largest of all groups' labeled shares if there is such a group. The
methods below differ in how they look for that group. Where there is none, all of them estimate something smaller: c
times the share of positives in the purest group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d
from sklearn.tree import DecisionTreeClassifier

from whether.arrays import Array, Flags, Rows
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.learners.linear.ridge import label_logits_left_out, settle_ridge

# Best bin: chance that the bound on the ratio does not hold, and its slack.
BOUND_LEVEL, SLACK = 0.1, 0.01
# Trees: folds that take turns, rounds of the bound, depth and smallest groups.
N_FOLDS, N_ROUNDS, DEEPEST, SMALLEST_GROUP = 5, 4, 6, 10
# Densities of scores are computed at this many places, and proportions are tried at this many.
N_PLACES, N_PROPORTIONS = 512, 500


class Found(NamedTuple):
    """A label frequency, and how much each person counts in the group of positives it rests on, if it needs one."""

    frequency: float
    rests_on: Array | None


def elkan_noto(cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> Found:
    """Mean over labeled people of Pr(labeled | x), each predicted without that person (Elkan and Noto 2008).

    Under a constant propensity Pr(labeled | x) = c p(x), which is c wherever p(x) = 1: the rule assumes that labeled
    people are nearly certain positives, and estimates too small a c where they are not. Leaving a person out is done
    by one Newton step, so that nothing is drawn at random.
    """
    seen = cohort.weights * cohort.labeled
    return Found(float(np.average(softplus_expit(_scores(cohort, ridge))[1], weights=seen)), seen)


def best_bin(cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> Found:
    """Labeled share of the people with the highest scores (best bin estimation, Garg et al. 2021).

    The cut is where an upper confidence bound of the ratio of both groups above it, the unlabeled and the labeled, is
    smallest: high enough for a pure group, low enough for a large one.
    """
    scores = _scores(cohort, ridge)
    order = np.argsort(-scores, kind="stable")
    seen = np.cumsum((cohort.weights * cohort.labeled)[order])
    unseen = np.cumsum((cohort.weights * ~cohort.labeled)[order])
    is_last = np.append(np.diff(scores[order]) < 0, True)  # people with one score are on one side of the cut
    places = np.flatnonzero(is_last & (seen > 0))
    margin = sum(np.sqrt(np.log(4 / BOUND_LEVEL) / (2 * total[-1])) for total in (seen, unseen))
    bound = (unseen[places] / unseen[-1] + (1 + SLACK) * margin) / (seen[places] / seen[-1])
    cut = places[int(np.argmin(np.round(bound, 12)))]
    above = np.where(scores >= scores[order[cut]], cohort.weights, 0.0)
    return Found(float(seen[cut] / (seen[cut] + unseen[cut])), above)


def tree_induction(cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> Found:
    """Largest lower bound of c over the groups of decision trees (TIcE, Bekker and Davis 2018).

    Each tree is grown on one fold, and the groups are counted in the others. The bound is that of the paper, by
    Chebyshev's inequality; trees are scikit-learn's, split by the Gini index.
    """
    fold, bounds, rests_on = rng.permutation(cohort.n) % N_FOLDS, [], np.zeros(cohort.n)
    for number in range(N_FOLDS):
        inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        groups = _grow_groups(cohort, inside, outside, rng)
        bound, group = _largest_bound(cohort.take(outside), groups)
        bounds.append(bound)
        rests_on[outside] += cohort.weights[outside] * group
    return Found(float(np.mean(bounds)), rests_on)


def _grow_groups(cohort: Cohort, inside: Rows, outside: Rows, rng: np.random.Generator) -> Flags:
    """Who of those outside is in which group of a tree grown inside: one column per group, the first is everybody."""
    tree = DecisionTreeClassifier(
        max_depth=DEEPEST, min_samples_leaf=SMALLEST_GROUP, random_state=int(rng.integers(2**31 - 1))
    )
    tree.fit(cohort.features[inside], cohort.labeled[inside], sample_weight=cohort.weights[inside])
    return np.asarray(tree.decision_path(cohort.features[outside]).toarray(), dtype=bool)


def _largest_bound(people: Cohort, groups: Flags) -> tuple[float, Flags]:
    """Largest lower bound of c over groups, and who is in that group."""
    total, seen = people.weights @ groups, (people.weights * people.labeled) @ groups
    some = np.flatnonzero(total >= SMALLEST_GROUP)
    total, seen = total[some], seen[some]
    chance, c, best = max(0.025, 1 / (1 + 0.004 * float(people.weights.sum()))), 0.5, 0
    for _ in range(N_ROUNDS):
        bound = seen / total - np.sqrt(c * (1 - c) * (1 - chance) / (chance * total))
        best = int(np.argmax(bound))
        c = float(np.clip(bound[best], 0.0, 1.0))
    return c, groups[:, some[best]]


def density_ratio(cohort: Cohort, ridge: float | str, rng: np.random.Generator) -> Found:
    """Share of positives that the densities of scores allow among the unlabeled (DEDPUL, Ivanov 2020).

    With r the ratio of the density of labeled people's scores to that of unlabeled people's, a r is the probability of
    being positive where a is the share of positives among the unlabeled. Clipped at 1 its mean falls short of a as
    soon as a is too large: the share is where that shortfall bends most.
    """
    scores, weights = _scores(cohort, ridge), cohort.weights
    ratio = _score_density_ratio(scores, cohort.labeled, weights)
    unseen = weights * ~cohort.labeled
    grid = np.arange(1, N_PROPORTIONS) / N_PROPORTIONS
    shortfall = grid - np.array([np.average(np.minimum(a * ratio, 1.0), weights=unseen) for a in grid])
    bend = np.diff(gaussian_filter1d(shortfall, N_PROPORTIONS / 50, mode="nearest"), 2)
    share = float(grid[1 + int(np.argmax(bend))])
    missed = share * float(unseen.sum())
    seen = float(weights[cohort.labeled].sum())
    return Found(seen / (seen + missed), weights * (share * ratio >= 0.95) + 1e-12 * weights)


def _score_density_ratio(scores: Array, labeled: Flags, weights: Array) -> Array:
    """Density of the scores of labeled people over that of unlabeled people, at every score, made to rise with it."""
    places = np.linspace(scores.min(), scores.max(), N_PLACES)
    step = places[1] - places[0] or 1.0
    both = []
    for group in (labeled, ~labeled):
        weight, own = weights[group], scores[group]
        spread = np.sqrt(np.average((own - np.average(own, weights=weight)) ** 2, weights=weight))
        width = 1.06 * max(float(spread), step) * float(weight.sum()) ** -0.2
        counts = np.histogram(own, bins=N_PLACES, range=(places[0] - step / 2, places[-1] + step / 2), weights=weight)
        both.append(gaussian_filter1d(counts[0], width / step, mode="constant", truncate=6) / weight.sum())
    ratio = np.maximum.accumulate(both[0] / np.maximum(both[1], 1e-12))
    return np.interp(scores, places, ratio)


def _scores(cohort: Cohort, ridge: float | str) -> Array:
    """Log odds of everybody's label by the logistic regression on the labels of all others."""
    return label_logits_left_out(cohort, settle_ridge(ridge, cohort))
