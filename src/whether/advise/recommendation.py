"""The recommendation: rules applied to the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from whether.advise.evidence.whole import Evidence, examine
from whether.advise.known_share import check_known_share, reads_share, tell_share
from whether.advise.rules import CHANGES, FLAGS, METHOD_RULES, REASONS, REFUSALS, Remark
from whether.advise.situation import Situation
from whether.cohort import known_of
from whether.estimators import CensoredClassifier
from whether.facts import Groups, Told
from whether.learners.task import KnownShare
from whether.methods import METHODS
from whether.validate import ArgumentError


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Told):
    """Which restriction and learner, why, and what would change the answer; printing it tells all that in words.

    Attributes
    ----------
    method : str
        Name in the catalogue of methods.
    restriction : str
        What the method assumes of the labeling propensity.
    learner : str
        "linear", or "auto" where straight lines are not enough.
    features : tuple of str or None
        Named features to which the propensity is restricted.
    rule : str
        Name of the rule that decided; see `whether.advise.rules`, as for the names below.
    reasons : tuple of str
        Why, besides the rule.
    refusals : tuple of str
        What no method can say from these data.
    flags : tuple of str
        Where the answer may mislead.
    changes : tuple of str
        What would change the answer.
    evidence : Evidence
    known_share : KnownShare or None
        The share of positives with its standard error, where it was given as known from elsewhere.
    """

    method: str
    restriction: str
    learner: str
    features: tuple[str, ...] | None
    rule: str
    reasons: tuple[str, ...]
    refusals: tuple[str, ...]
    flags: tuple[str, ...]
    changes: tuple[str, ...]
    evidence: Evidence = field(repr=False)
    known_share: KnownShare | None = None

    @property
    def groups(self) -> Groups:
        """Sizes of the groups of which numbers may tell."""
        return self.evidence.groups

    @property
    def refused(self) -> bool:
        """Whether the data do not allow what was asked for; the estimator then gives a bound or a ranking."""
        return bool(self.refusals)

    @property
    def estimator(self) -> CensoredClassifier:
        """The recommended classifier, ready to fit."""
        names = self.evidence.material.cohort.names
        positions = None if self.features is None else [names.index(name) for name in self.features]
        model = METHODS[self.method].build(positions, learner=self.learner, random_state=0)
        told: CensoredClassifier = tell_share(model, self.known_share)
        return told

    @property
    def fit_parameters(self) -> dict[str, Any]:
        """Everything known of people as examined, for the estimator's ``fit``; follow-up may come from dates."""
        known = known_of(self.evidence.material.cohort)
        return {name: values for name, values in known.items() if values is not None}


def recommend(
    X: Any,
    y: ArrayLike | None = None,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    entry: ArrayLike | None = None,
    prevalence: float | None = None,
    prevalence_error: float | None = None,
    random_state: int = 0,
    **records: Any,
) -> Recommendation:
    """Recommend a method for a cohort, with reasons.

    Parameters
    ----------
    X : array-like, data frame or Evidence
        Features, or what `examine` returned.
    y, time, follow_up, propensity_features, entry, random_state
        See `examine`; not needed where X is the evidence.
    prevalence, prevalence_error : float, optional
        The share of positives among people like these, if it is known from elsewhere, and its standard error; without
        one it is taken as exact. The recommended classifier is told; where follow-up is short, that settles the level.
    **records
        ``known_negative``, ``time_lower``, ``entry_time``, ``competing``, ``question`` and ``groups``; see `examine`.

    Returns
    -------
    Recommendation

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("batch-reporting", n=2000, seed=0)
    >>> advice = wh.recommend(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    >>> print(advice.method)
    FUMC-F
    >>> advice.estimator.fit(cohort.X, cohort.y, **advice.fit_parameters).converged_
    True
    """
    if isinstance(X, Evidence):
        return advise(X, check_known_share(prevalence, prevalence_error, X))
    if y is None:
        raise ArgumentError("recommend needs y, the labels: recommend(X, y, ...), or recommend(examine(X, y, ...)).")
    known: dict[str, Any] = {"time": time, "follow_up": follow_up, "entry": entry, **records}
    evidence = examine(X, y, **known, propensity_features=propensity_features, random_state=random_state)
    return advise(evidence, check_known_share(prevalence, prevalence_error, evidence))


def advise(evidence: Evidence, share: KnownShare | None = None) -> Recommendation:
    """Apply the rules to the evidence, and to the share of positives where it is known from elsewhere."""
    situation = Situation(evidence, share)
    rule = next(rule for rule in METHOD_RULES if rule.applies(situation))

    def found(remarks: Sequence[Remark]) -> tuple[str, ...]:
        return tuple(remark.name for remark in remarks if remark.applies(situation))

    if share is not None and not reads_share(rule.method.build([] if rule.method.feature_parameter else None)):
        raise ArgumentError(
            "With recorded events alone, which not all people with the event are equally likely to have, no method can "
            "use a prevalence: it says how many people have the event, but not who. Leave it out, or name the features "
            "that decide whose event is recorded; ElkanNotoClassifier(prevalence=...) takes all to be equally likely."
        )
    restricted = tuple(situation.named) if rule.method.feature_parameter else None
    return Recommendation(
        method=rule.method.name,
        restriction="constant" if restricted == () else rule.method.restriction,
        learner="auto" if situation.is_curved else "linear",
        features=restricted,
        rule=rule.name,
        reasons=found(REASONS),
        refusals=found(REFUSALS),
        flags=found(FLAGS),
        changes=found(CHANGES),
        evidence=evidence,
        known_share=share,
    )
