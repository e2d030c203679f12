"""How the risk moves when what is assumed moves: bands, not a point."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import spearmanr

from whether.advise.applicable import applicable_answers, find_unread
from whether.advise.evidence.whole import Evidence
from whether.advise.recommendation import Recommendation, recommend
from whether.advise.situation import Situation
from whether.advise.standing import object_to
from whether.advise.trials import Trial, list_trials
from whether.cohort import Cohort, known_of
from whether.estimators import ElkanNotoClassifier
from whether.facts import Groups, RestsOn, Told
from whether.learners.parallel import in_processes
from whether.learners.progress import progress, reporting
from whether.methods import ENPU, METHODS
from whether.validate import ArgumentError

Array = NDArray[np.float64]

KINDS = ("restriction", "label frequency", "prevalence", "follow-up horizon")


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to fit."""

    kind: str  #: What was moved: "restriction", "label frequency", "prevalence" or "follow-up horizon".
    #: To what: the name of a method, a share, or a time of two digits.
    value: Annotated[str | float, RestsOn(("events",))]
    mean_risk: Annotated[float, RestsOn(("events",))]
    rank_correlation: float  #: Of its risks with the recommended method's.
    risks: Array = field(repr=False)  #: One per person asked for.
    note: str = field(default="", repr=False)  #: Why it could not be fitted; empty if it could.
    #: What the evidence says against it, by its name in `whether.advise.standing`; empty where it is left standing.
    objection: str = ""

    @property
    def failed(self) -> bool:
        """Whether it could not be fitted."""
        return bool(self.note)

    @property
    def stands(self) -> bool:
        """Whether it could be fitted, and the evidence does not speak against it."""
        return not self.failed and not self.objection


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Told):
    """Risks under different assumptions; printing it tells the means.

    What the evidence speaks against is listed with its objection, and counts neither in a range nor in a band.

    Attributes
    ----------
    recommended : str
        The method the advice is for.
    risks : ndarray
        Its risks.
    variants : tuple of Variant
    refused : bool
        Whether the advice refused to settle on one number.
    groups : mapping
        Sizes of the groups of which numbers may tell.
    unread : dict of str to tuple of str
        What is known of these people, and the methods that were left out because they cannot read it.
    """

    recommended: str
    risks: Array = field(repr=False)
    variants: tuple[Variant, ...]
    refused: bool
    groups: Groups = field(repr=False, default_factory=dict)
    unread: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def own_mean(self) -> float:
        """Mean risk of the recommended method."""
        return float(self.risks.mean())

    @property
    def others(self) -> tuple[Variant, ...]:
        """Everything that could be fitted besides the recommended method."""
        return tuple(v for v in self.variants if not v.failed and v.value != self.recommended)

    @property
    def standing(self) -> tuple[Variant, ...]:
        """Other methods that the evidence leaves standing."""
        return tuple(v for v in self.others if v.kind == "restriction" and v.stands)

    @property
    def left_out(self) -> tuple[Variant, ...]:
        """Other methods that the evidence speaks against."""
        return tuple(v for v in self.others if v.kind == "restriction" and v.objection)

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest mean risk by the recommended method and others that are left standing."""
        means = [self.own_mean, *(variant.mean_risk for variant in self.standing)]
        return min(means), max(means)

    def band(self, *kinds: str) -> tuple[Array, Array]:
        """Lowest and highest risk of each person over the variants left standing, the recommended one included.

        Parameters
        ----------
        *kinds : str
            What may move. Default: everything.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise ArgumentError(f"{unknown[0]!r} is none of {', '.join(KINDS)}.")
        rows = [v.risks for v in self.variants if v.stands and (not kinds or v.kind in kinds)]
        stacked = np.stack([self.risks, *rows])
        return stacked.min(axis=0), stacked.max(axis=0)


def sensitivity(
    X: Any,
    y: ArrayLike | None = None,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    entry: ArrayLike | None = None,
    at: Any = None,
    label_frequency: Sequence[float] | None = None,
    prevalence: Sequence[float] | None = None,
    learner: Any = "linear",
    random_state: int = 0,
    verbose: int = 0,
    **records: Any,
) -> Sensitivity:
    """Fit under different assumptions and see how the risk moves.

    Moved are the restriction on the propensity (every method that applies), the share of positives that is labeled and
    the share of people that is positive (under a constant propensity, where one implies the other; a ``prevalence``
    that is given, under the recommended restriction), and the horizon: follow-up is cut so that only a part of the
    events is seen. That is some twenty fits, which take a while on a large
    cohort and show their progress.

    Parameters
    ----------
    X : array-like, data frame or Evidence
        Features, or what `examine` returned.
    y, time, follow_up, propensity_features, entry, random_state
        See `examine`; not needed where X is the evidence.
    at : array-like or data frame, optional
        People whose risks are asked for. Default: the cohort.
    label_frequency, prevalence : sequence of float, optional
        Values to try. Default: five each, over what the labels allow under a constant propensity; see `BoundsEvidence`.
    learner : str, Learner or classifier
        For all methods.
    verbose : int
        1 reports progress everywhere, not on a terminal only.
    **records
        ``known_negative``, ``time_lower``, ``entry_time``, ``competing`` and ``question``; see `examine`.

    Returns
    -------
    Sensitivity

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("partially-dependent", n=1000, seed=0)
    >>> moved = wh.sensitivity(cohort.X, cohort.y, follow_up=cohort.follow_up)
    >>> lower, upper = moved.band("restriction")
    >>> bool((lower <= moved.risks).all() and (moved.risks <= upper).all())
    True
    """
    if y is None and not isinstance(X, Evidence):
        raise ArgumentError(
            "sensitivity needs y, the labels: sensitivity(X, y, ...), or sensitivity(examine(X, y, ...))."
        )
    named: dict[str, Any] = {"propensity_features": propensity_features, "entry": entry, **records}
    with reporting(verbose):
        advice = recommend(X, y, time=time, follow_up=follow_up, **named, random_state=random_state)
        cohort = advice.evidence.material.cohort
        people = cohort.features if at is None else np.asarray(at, dtype=float)
        return vary(advice, cohort, people, label_frequency=label_frequency, prevalence=prevalence, learner=learner)


def vary(
    advice: Recommendation,
    cohort: Cohort,
    people: Array,
    *,
    label_frequency: Sequence[float] | None = None,
    prevalence: Sequence[float] | None = None,
    learner: Any = "linear",
) -> Sensitivity:
    """Fit what was advised, and all else that may be assumed, to a cohort; risks come from the features of people."""
    trials = list(list_trials(advice, cohort, label_frequency, prevalence, learner))
    advised = advice.estimator.set_params(learner=learner)
    risks, judged = _predict(advised, cohort, people), advice.evidence.material.cohort.features
    variants, situation = [], Situation(advice.evidence, advice.known_share)
    is_fitted = [seen is cohort and _are_alike(model, advised) for _, _, model, seen in trials]
    others = (trial for trial, known in zip(trials, is_fitted, strict=True) if not known)
    found = in_processes(partial(_try, people, judged, risks), others, cohort.features.size)
    with progress(len(trials), "Variants") as bar:
        for (kind, value, model, _), known in zip(trials, is_fitted, strict=True):
            # The evidence is about the cohort, the risks may be of others.
            variant, level = (_compare(kind, value, risks, risks), _level(advised, judged)) if known else next(found)
            if not variant.failed and value != advice.method:
                variant = replace(variant, objection=_object_to(variant, model, level, situation, advice))
            variants.append(variant)
            bar.advance()
    unread = find_unread(
        applicable_answers(cohort, has_named=advice.evidence.material.propensity_columns is not None), cohort
    )
    return Sensitivity(advice.method, risks, tuple(variants), advice.refused, advice.groups, unread)


def _predict(model: Any, cohort: Cohort, people: Array) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where answers mislead is what the bands show
        return np.asarray(fit_to(cohort, model).predict_proba(people)[:, 1])


def fit_to(cohort: Cohort, model: Any, X: Any = None, sample_weight: Array | None = None) -> Any:
    """Fit a classifier to what is known of a cohort, whose features may have names in X."""
    features, labels = cohort.features if X is None else X, cohort.labeled.astype(int)
    return model.fit(features, labels, **known_of(cohort), sample_weight=sample_weight)


def _try(people: Array, judged: Array, reference: Array, trial: Trial) -> tuple[Variant, float]:
    """Risks of people under other assumptions, and the mean risk of those whom the evidence is about."""
    kind, value, model, cohort = trial
    try:
        risks = _predict(model, cohort, people)
    except (ValueError, np.linalg.LinAlgError) as error:
        return Variant(kind, value, math.nan, math.nan, np.full(reference.size, math.nan), str(error)), math.nan
    return _compare(kind, value, risks, reference), _level(model, judged)


def _level(model: Any, people: Array) -> float:
    return float(model.predict_proba(people)[:, 1].mean())


def _compare(kind: str, value: str | float, risks: Array, reference: Array) -> Variant:
    constant = min(np.ptp(risks), np.ptp(reference)) < 1e-12
    correlation = math.nan if constant else float(spearmanr(risks, reference).statistic)
    return Variant(kind, value, float(risks.mean()), correlation, risks)


def _object_to(variant: Variant, model: Any, mean_risk: float, situation: Situation, advice: Recommendation) -> str:
    """What the evidence says against a variant; shorter follow-up is not judged: it is meant to show less."""
    if variant.kind == "follow-up horizon":
        return ""
    method = METHODS[str(variant.value)] if variant.kind == "restriction" else METHODS[advice.method]
    return object_to(ENPU if isinstance(model, ElkanNotoClassifier) else method, mean_risk, situation)


def _are_alike(model: Any, other: Any) -> bool:
    return type(model) is type(other) and model.get_params(deep=False) == other.get_params(deep=False)
