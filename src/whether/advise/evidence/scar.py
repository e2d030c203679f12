"""Whether labeling is completely at random: every positive with the same chance to be seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from whether.advise.evidence.drawn_ratio import ratio_test
from whether.advise.evidence.hypothesis import LATE_ENTRY, HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import (
    NO_COLUMNS,
    ProbeFit,
    all_columns,
    design_probe,
    fit_probe,
    logistic_candidates,
    widen_probe,
)
from whether.advise.evidence.seen_longer import NULL as SEEN_LONGER
from whether.advise.evidence.seen_longer import check_seen_longer
from whether.cohort import Cohort
from whether.distributions import softplus_expit
from whether.estimators.priors import estimate_frequency
from whether.facts import RestsOn

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

N_RESAMPLES = 500
# Rows on which the published test is run at most, and unlabeled positives it looks for at least.
MOST_ROWS = 5_000
FEWEST_POSITIVES = 10


@dataclass(frozen=True)
class ScarEvidence:
    """Whether the propensity is constant, from labels and features alone: not with late entry."""

    #: A constant against a logistic propensity, of the named features or else of all, the outcome being logistic in
    #: both, by `ratio_test`. Under the null it rejects in 4 and 2 % of 100 runs at the nominal 5 % in two worlds where
    #: chi-squared would have it reject in 58 and 70 % (`python -m benchmarks evidence levels 100 scar-lr`). It rests on
    #: the logistic shape of the outcome: a curved risk looks like selection.
    likelihood_ratio: HypothesisTest
    #: The published bootstrap test (Teisseyre, Furmanczyk and Mielniczuk 2024). It does not keep its level here: under
    #: the null it rejects in 97.2 % of runs at the nominal 5 % (same command), because the unlabeled people it takes
    #: for positive are those most like the labeled ones.
    bootstrap: HypothesisTest
    #: Share of positives that is labeled, by maximum likelihood under a constant propensity.
    label_frequency: Annotated[float, RestsOn(("events",))]
    elkan_noto: Annotated[float, RestsOn(("events",))]  #: The same by Elkan and Noto's rule.
    #: Score test that labels do not go with the length of follow-up, given the features: no method without a clock is
    #: right where it rejects.
    follow_up: HypothesisTest


def examine_scar(material: Material, rng: np.random.Generator) -> ScarEvidence:
    """Return the evidence on a constant propensity."""
    cohort = material.cohort
    if material.enters_late:
        test = HypothesisTest("labeling is completely at random", note=LATE_ENTRY)
        return ScarEvidence(test, test, math.nan, math.nan, replace(test, null=SEEN_LONGER))
    ratio, frequency = check_constant(material, rng.spawn(1)[0])
    return ScarEvidence(
        likelihood_ratio=ratio,
        bootstrap=bootstrap_scar_test(cohort, frequency, rng),
        label_frequency=frequency,
        elkan_noto=estimate_frequency("elkan-noto", cohort, 1.0, rng),
        follow_up=check_seen_longer(material),
    )


def check_constant(material: Material, rng: np.random.Generator) -> tuple[HypothesisTest, float]:
    """Likelihood-ratio test of a constant propensity, by `ratio_test`, and the constant."""
    null = "labeling is completely at random"
    cohort = material.cohort
    constant = fit_probe(cohort, logistic_candidates(False), NO_COLUMNS, ridge=1.0)
    frequency = float(softplus_expit(constant.fit.coefficients[1:2])[1][0])
    # Labels cannot be fewer than they are: the frequency is at least the share labeled.
    frequency = min(max(frequency, float(cohort.labeled.mean())), 1.0)
    named = material.propensity_columns
    if named is not None and 0 < named.size < cohort.features.shape[1]:
        design, columns, note = cohort, named, f"in {', '.join(material.named or [])}"
    else:
        probe = design_probe(cohort, logistic_candidates(True))
        if probe.cohort is None:
            return HypothesisTest(null, note=probe.note), frequency
        design, columns, note = probe.cohort, all_columns(probe.cohort), probe.note

    def ratio(people: Cohort) -> tuple[float, ProbeFit]:
        tied = fit_probe(people, logistic_candidates(False), NO_COLUMNS)
        free = widen_probe(tied, people, logistic_candidates(True)[0], columns, n_starts=3)
        return 2 * (free.log_likelihood - tied.log_likelihood), tied

    return ratio_test(null, design, ratio, columns.size, note, rng), frequency


def bootstrap_scar_test(cohort: Cohort, frequency: float, rng: np.random.Generator) -> HypothesisTest:
    """Published bootstrap test of a constant propensity (Teisseyre, Furmanczyk and Mielniczuk 2024).

    A classifier of the labels ranks unlabeled people; as many of the first as the label frequency implies are taken for
    positive. These and the labeled are the estimated positives, among whom labels are drawn anew with that frequency.
    The statistic is the sum over features of Kolmogorov and Smirnov's distance between labeled and estimated positives.
    """
    null = "labeling is completely at random"
    part = cohort.thin(MOST_ROWS)
    labeled = part.labeled
    events = int(np.count_nonzero(labeled))
    if min(events, part.n - events) < FEWEST_POSITIVES:
        return HypothesisTest(null, note="too few events")
    positives = _likely_positives(part, frequency)
    features, seen = part.features[positives], labeled[positives]
    observed = _distance(features, seen[None, :])[0]
    drawn = rng.random((N_RESAMPLES, seen.size)) < frequency
    simulated = np.concatenate([_distance(features, block) for block in np.array_split(drawn, 20)])
    return HypothesisTest(null, float(observed), 0, float(np.mean(simulated > observed)))


def _likely_positives(cohort: Cohort, frequency: float) -> NDArray[np.intp]:
    """Labeled people, and the unlabeled whose probability of a label is highest."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    x = StandardScaler().fit_transform(cohort.features)
    score = LogisticRegression(max_iter=200).fit(x, cohort.labeled).decision_function(x)
    share = float(cohort.labeled.mean())
    wanted = max(FEWEST_POSITIVES, int(cohort.n * (share / frequency - share)))
    unlabeled = np.flatnonzero(~cohort.labeled)
    chosen = unlabeled[np.argsort(-score[unlabeled], kind="stable")[:wanted]]
    return np.concatenate([np.flatnonzero(cohort.labeled), chosen])


def _distance(features: Array, seen: Flags) -> Array:
    """Sum over features of the largest gap between the distributions of those seen and of all, per row of ``seen``."""
    n, total = features.shape[0], np.zeros(seen.shape[0])
    count = np.maximum(seen.sum(axis=1, keepdims=True), 1)
    for values in features.T:
        order = np.argsort(values, kind="stable")
        ends = np.append(values[order][1:] != values[order][:-1], True)  # the last of each group of ties
        gap = np.cumsum(seen[:, order], axis=1) / count - np.arange(1, n + 1) / n
        total += np.abs(gap[:, ends]).max(axis=1)
    return total
