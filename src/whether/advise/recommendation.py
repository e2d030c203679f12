"""The recommendation: rules applied to the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from whether.advise.evidence.whole import Evidence, examine
from whether.advise.rules import CHANGES, FLAGS, METHOD_RULES, REASONS, REFUSALS, Remark
from whether.advise.situation import Situation
from whether.cohort import known_of
from whether.estimators import CensoredClassifier
from whether.facts import Groups, Told
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
        return METHODS[self.method].build(positions, learner=self.learner, random_state=0)

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
    **records
        ``known_negative``, ``time_lower``, ``entry_time``, ``competing`` and ``question``; see `examine`.

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
        return advise(X)
    if y is None:
        raise ArgumentError("recommend needs y, the labels: recommend(X, y, ...), or recommend(examine(X, y, ...)).")
    known: dict[str, Any] = {"time": time, "follow_up": follow_up, "entry": entry, **records}
    return advise(examine(X, y, **known, propensity_features=propensity_features, random_state=random_state))


def advise(evidence: Evidence) -> Recommendation:
    """Apply the rules to the evidence."""
    situation = Situation(evidence)
    rule = next(rule for rule in METHOD_RULES if rule.applies(situation))

    def found(remarks: Sequence[Remark]) -> tuple[str, ...]:
        return tuple(remark.name for remark in remarks if remark.applies(situation))

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
    )
