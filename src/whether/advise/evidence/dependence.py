"""Whether event times and follow-up depend on the features, and how much of the label is selection."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from whether.advise.evidence.drawn_ratio import ratio_test
from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.material import Material
from whether.advise.evidence.probes import (
    EVENTS_PER_FEATURE,
    NO_COLUMNS,
    EventTimeFits,
    ProbeDesign,
    ProbeFit,
    design_probe,
    event_time_candidates,
    fit_probe,
    follow_up_candidates,
    loosen,
    widen_probe,
)
from whether.cohort import Cohort
from whether.facts import FEWEST, OfFeature
from whether.propensity.survival_time import SurvivalTimePropensity
from whether.survival import kaplan_meier

Array = NDArray[np.float64]

# Holm-adjusted level at which a feature is said to drive event times or follow-up.
DRIVER_LEVEL = 0.05
# Share of the expected positives after the longest follow-up that makes the mean risk an extrapolation.
LARGE_UNSEEN_SHARE = 0.1
# Points that stand for the follow-up of the cohort when a propensity is averaged over it.
N_POINTS = 20


class Selection(NamedTuple):
    """How much of the labels is selection, and what that costs; see the fields of `DependenceEvidence`."""

    selection_share: float = math.nan
    propensity_range: tuple[float, float] = (math.nan, math.nan)
    breadth: float = math.nan
    unseen_share: float = math.nan
    auc_by_risk: float = math.nan
    auc_by_labels: float = math.nan


@dataclass(frozen=True)
class Driver:
    """A feature's effect: in spreads of log time per standard deviation of the feature, with its z score."""

    feature: Annotated[str, OfFeature()]
    effect: float
    z: float


@dataclass(frozen=True)
class DependenceEvidence:
    """Whether labeling depends on the features, through event times and through follow-up."""

    #: Likelihood-ratio test of no slopes in the time part of a mixture cure model, the outcome part being free. From
    #: event times where they are known and not contradicted, else from labels and follow-up, by `ratio_test`. Under
    #: the null it rejects in 4.2 to 7.4 % of 500 runs at the nominal 5 % in five worlds; from labels in 4.5 and 5.5 %
    #: of 200, where chi-squared would have it reject in 9.8 and 12 % (`python -m benchmarks evidence levels 500
    #: times-lr times-lr-labels`).
    event_times: HypothesisTest
    source: str  #: "event times" or "recorded events and follow-up"
    #: Score test of Cox's model for the end of follow-up, events censoring it: does follow-up depend on features?
    follow_up: HypothesisTest
    #: Share of the variance of log follow-up (of unlabeled people, where that of the others is unknown) that the
    #: features explain. Near 1, people with the same features are all followed equally long, and what happens at other
    #: follow-ups is extrapolated. NaN with late entry: the table then lacks people by how long they were followed.
    follow_up_explained: float
    #: Features with an effect, Holm-adjusted, the strongest first; a positive z means later events, or a longer
    #: follow-up. None where the test of all features together does not reject.
    time_drivers: tuple[Driver, ...]
    follow_up_drivers: tuple[Driver, ...]
    #: Variance of the log propensity as a share of the variances of log risk and log propensity: 0 means that labels
    #: tell who is positive, 1 that they tell who is seen.
    selection_share: float
    propensity_range: tuple[float, float]  #: 10 % and 90 % quantiles of the propensity over people.
    #: Standard deviation of log follow-up over that of the predicted log event time: with a broad follow-up all
    #: positives have about the same chance to be seen.
    breadth: float
    #: Share of the expected positives whose event is predicted to come after the longest follow-up.
    unseen_share: float
    #: AUC, for who is positive, of ranking people by their risk, and by their probability of a label: both as expected
    #: by the fitted model. The difference is what learning from labels costs in ranking.
    auc_by_risk: float
    auc_by_labels: float


def examine_dependence(
    material: Material, fits: EventTimeFits, rng: np.random.Generator, *, trust_times: bool = True
) -> DependenceEvidence | None:
    """Return the evidence on dependence, from event times if these may be trusted; None without times and follow-up."""
    if not material.has_time and not material.has_follow_up:
        return None
    cohort = material.cohort
    use_times = material.has_time and (trust_times or not material.has_follow_up)
    candidates = (event_time_candidates if use_times else follow_up_candidates)(cohort)
    design = design_probe(cohort, candidates)
    test = check_event_times(design, candidates, rng)
    fit = None
    if design.cohort is not None:
        is_shared = use_times and not design.note
        fit = fits.of(design.cohort) if is_shared else fit_probe(design.cohort, candidates, design.columns)
    censoring, z = check_follow_up(material)
    # Cox's score is positive where follow-up is short.
    by_feature = [Driver(name, math.nan, -score) for name, score in zip(cohort.names, z.tolist(), strict=True)]
    selection = Selection() if fit is None else _selection(fit, material)
    return DependenceEvidence(
        event_times=test,
        source="event times" if use_times else "recorded events and follow-up",
        follow_up=censoring,
        follow_up_explained=_explained(material),
        # Of indices that others chose no feature can be named.
        time_drivers=_time_drivers(fit, cohort) if fit is not None and not design.note and test.rejects() else (),
        follow_up_drivers=_holm(by_feature) if censoring.rejects() else (),
        **selection._asdict(),
    )


def check_event_times(
    design: ProbeDesign, candidates: Sequence[SurvivalTimePropensity], rng: np.random.Generator
) -> HypothesisTest:
    """Likelihood-ratio test of no slopes in the time part.

    The penalty that keeps locations within reach of the follow-up keeps them there more easily with slopes than
    without, so that where follow-up is short it would speak for slopes. The test does without it. The
    residual distribution of the test is chosen without slopes: chosen with them it would speak for them too.
    From labels and follow-up the ratio is set against its mean in draws.
    """
    null = "event times do not depend on features"
    if design.cohort is None:
        return HypothesisTest(null, note=design.note)

    def ratio(people: Cohort) -> tuple[float, ProbeFit]:
        tied = fit_probe(people, loosen(candidates), NO_COLUMNS)
        free = widen_probe(tied, people, tied.fit.propensity, design.columns)
        return 2 * (free.log_likelihood - tied.log_likelihood), tied

    if candidates[0].needs_time:
        return HypothesisTest.of(null, ratio(design.cohort)[0], design.columns.size, design.note)
    return ratio_test(null, design.cohort, ratio, design.columns.size, design.note, rng)


def check_follow_up(material: Material) -> tuple[HypothesisTest, Array]:
    """Score test of Cox's model for the end of follow-up at no effect, and the z score of each feature by itself.

    Where potential follow-up is known everybody's end is; else events censor it. It is valid whatever the distribution
    of follow-up, if the event and the end of follow-up are independent given the features.
    """
    cohort = material.cohort
    if material.has_follow_up:
        end, ended = cohort.required("follow_up"), np.ones(cohort.n, dtype=bool)
    else:
        end, ended = cohort.required("time"), ~cohort.labeled
    score, variance = cox_score(cohort.features, end, ended, cohort.entry_time)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(np.diag(variance) > 0, score / np.sqrt(np.diag(variance)), 0.0)
    null = "follow-up does not depend on features"
    if int(ended.sum()) < EVENTS_PER_FEATURE * score.size:
        return HypothesisTest(null, note="too few ends of follow-up for so many features"), z
    if not np.ptp(end[ended]) > 0:
        return HypothesisTest(null, note="everybody is followed equally long"), z
    solved = np.linalg.lstsq(variance, score, rcond=1e-10)[0]
    return HypothesisTest.of(null, float(score @ solved), score.size), z


def _explained(material: Material) -> float:
    """Adjusted share of the variance of log follow-up that the features explain."""
    cohort = material.cohort
    rows = np.ones(cohort.n, dtype=bool) if material.has_follow_up else ~cohort.labeled
    values = np.log(cohort.required("follow_up" if material.has_follow_up else "time")[rows])
    x = cohort.features[rows] - cohort.features[rows].mean(axis=0)
    centered = values - values.mean()
    room = values.size - x.shape[1] - 1
    if room < 1 or not np.ptp(centered) > 0 or material.enters_late:
        return math.nan
    rest = centered - x @ np.linalg.lstsq(x, centered, rcond=1e-10)[0]
    return max(0.0, 1 - float(rest @ rest) / room / (float(centered @ centered) / (values.size - 1)))


def cox_score(
    features: Array, time: Array, ended: NDArray[np.bool_], entry: Array | None = None
) -> tuple[Array, Array]:
    """Score of Cox's partial likelihood at zero and its variance; not `ended` is censored.

    The score has ties as Breslow does. Its variance is that of drawing those who end without putting them back: where
    everybody who is left ends on one date, nothing can be learned from who does.
    """
    # By hand: one pass, and statsmodels would be a dependency for this and for Holm's rule alone.
    x = features - features.mean(axis=0)
    distinct, position = np.unique(time, return_inverse=True)
    count = np.bincount(position[ended], minlength=distinct.size).astype(float)
    at_risk, total = _sums_from(distinct, time, x)
    # Sum over ends of the covariance in the risk set: each person counts with the ends between entry and its own time.
    exposed = np.searchsorted(distinct, time, side="right")
    entered = np.zeros(time.size, dtype=np.intp)
    if entry is not None:
        later, of_later = _sums_from(distinct, entry, x)
        at_risk, total = at_risk - later, total - of_later
        entered = np.searchsorted(distinct, entry, side="right")
    mean = total / np.maximum(at_risk, 1.0)[:, None]
    score = ended @ x - count @ mean
    count *= np.maximum(at_risk - count, 0.0) / np.maximum(at_risk - 1, 1.0)
    so_far = np.concatenate([[0.0], np.cumsum(count / np.maximum(at_risk, 1.0))])
    variance = (x * (so_far[exposed] - so_far[entered])[:, None]).T @ x - (mean * count[:, None]).T @ mean
    return np.asarray(score), np.asarray(variance)


def _sums_from(distinct: Array, values: Array, x: Array) -> tuple[Array, Array]:
    """Number of people whose value is at least each of the distinct ones, and the sums of their features."""
    order = np.argsort(values, kind="stable")
    first = np.searchsorted(values[order], distinct, side="left")
    from_here = np.vstack([np.cumsum(x[order][::-1], axis=0)[::-1], np.zeros((1, x.shape[1]))])
    return (values.size - first).astype(float), from_here[first]


def _time_drivers(fit: ProbeFit, cohort: Cohort) -> tuple[Driver, ...]:
    """Features with a slope in the time part, by sandwich z scores."""
    slopes, errors = fit.fit.shared_slopes, fit.people.shared_slope_errors
    names = [cohort.names[column] for column in fit.fit.columns[: slopes.size]]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(errors > 0, slopes / errors, 0.0)
    return _holm(map(Driver, names, slopes.tolist(), z.tolist()))


def _holm(drivers: Iterable[Driver]) -> tuple[Driver, ...]:
    """Those that stand out at the family-wise level, the strongest first."""
    ranked = sorted(drivers, key=lambda driver: -abs(driver.z))
    kept = []
    for position, driver in enumerate(ranked):
        if 2 * norm.sf(abs(driver.z)) * (len(ranked) - position) > DRIVER_LEVEL:
            break
        kept.append(driver)
    return tuple(kept)


def _selection(fit: ProbeFit, material: Material) -> Selection:
    """Share of selection in the labels, range of propensities, breadth of follow-up, share unseen, cost in ranking."""
    propensity = fit.fit.propensity
    assert isinstance(propensity, SurvivalTimePropensity)
    step = max(1, fit.people.n // 5_000)
    risk, v = fit.risks[::step], fit.predictors[1][:, ::step]
    points, longest = _follow_up_points(material)
    grid = propensity.locate(points)
    missed = [np.exp(propensity.log_missed(v, np.full(risk.size, at)).value) for at in grid]
    seen = np.maximum(1 - np.mean(missed, axis=0), 1e-6)
    spread = float(np.var(np.log(seen))), float(np.var(np.log(np.maximum(risk, 1e-6))))
    location = float(np.std(v[0])) * propensity.spread
    return Selection(
        selection_share=spread[0] / max(sum(spread), 1e-12),
        propensity_range=(float(np.quantile(seen, 0.1)), float(np.quantile(seen, 0.9))),
        breadth=float(np.std(np.log(points))) / max(location, 1e-12),
        unseen_share=fit.unseen_share(longest),
        # A ranking by risks that may as well be equal costs nothing to lose.
        auc_by_risk=expected_auc(risk, risk) if fit.tells_risks_apart else math.nan,
        auc_by_labels=expected_auc(risk, risk * seen) if fit.tells_risks_apart else math.nan,
    )


def expected_auc(risk: Array, score: Array) -> float:
    """AUC of a score for who is positive, where each person is positive with a known probability.

    NaN where a few only are expected to be positive, or not to be.
    """
    if min(risk.sum(), risk.size - risk.sum()) < FEWEST:
        return math.nan
    outcome = np.repeat([1, 0], risk.size)
    return float(roc_auc_score(outcome, np.tile(score, 2), sample_weight=np.concatenate([risk, 1 - risk])))


def _follow_up_points(material: Material) -> tuple[Array, float]:
    """Quantiles of follow-up, and the longest."""
    shares = (np.arange(N_POINTS) + 0.5) / N_POINTS
    cohort = material.cohort
    if material.has_follow_up:
        known = cohort.required("follow_up")
        return np.quantile(known, shares), float(known.max())
    curve = kaplan_meier(cohort.labeled, cohort.required("time"), entry=cohort.entry_time, reverse=True)
    # The curve falls; where it does not reach a share, the longest follow-up stands for the rest.
    position = np.minimum(np.searchsorted(-curve.survival, shares - 1), curve.times.size - 1)
    return curve.times[position], float(curve.times[-1])
