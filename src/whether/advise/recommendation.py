"""The recommendation: rules applied to the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from whether.advise.evidence import WIDTH, Evidence, examine
from whether.advise.follow_up import ratio_text
from whether.advise.results import p_text, to_plain, wrap
from whether.advise.rules import CHANGES, FLAGS, METHOD_RULES, REFUSALS
from whether.advise.situation import Situation
from whether.estimators import CensoredClassifier
from whether.methods import METHODS


@dataclass(frozen=True, eq=False)
class Recommendation:
    """Which restriction and learner, what is assumed, why, and what would change the answer.

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
    assumption : str
        The assumption that is bought.
    reasons : tuple of str
        Why, with numbers.
    refusals : tuple of str
        What no method can say from these data.
    flags : tuple of str
        Where the answer may mislead.
    changes : tuple of str
        What would change the answer.
    rule : str
        Name of the rule that decided.
    evidence : Evidence
    """

    method: str
    restriction: str
    learner: str
    features: tuple[str, ...] | None
    assumption: str
    reasons: tuple[str, ...]
    refusals: tuple[str, ...]
    flags: tuple[str, ...]
    changes: tuple[str, ...]
    rule: str
    evidence: Evidence = field(repr=False)

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
        """Times and follow-up as examined, for the estimator's ``fit``; follow-up may come from dates of entry."""
        cohort = self.evidence.material.cohort
        known = {"time": cohort.time, "follow_up": cohort.follow_up}
        return {name: values for name, values in known.items() if values is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return the recommendation, with the evidence's numbers, as plain Python objects."""
        plain = to_plain(self)
        assert isinstance(plain, dict)
        about = {"classifier": type(self.estimator).__name__, "refused": self.refused}
        return {**plain, **about, "evidence": self.evidence.to_dict()}

    def to_text(self, width: int = WIDTH) -> str:
        """Return the recommendation with all that goes with it.

        Parameters
        ----------
        width : int
            Of a line.
        """
        called = type(self.estimator).__name__
        named = "" if self.features is None else f", features [{', '.join(self.features)}]"
        head = [f"Recommended: {called} ({self.method}{named}, learner={self.learner!r})"]
        parts = (
            ("Refused", self.refusals),
            ("It assumes that", (self.assumption + ".",)),
            ("Because", self.reasons),
            ("Beware", self.flags),
            ("What would change the answer", self.changes),
        )
        for title, sentences in parts:
            if sentences:
                head.append(title)
            for sentence in sentences:
                head += wrap(sentence, width, "  ")
        return "\n".join(head)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def recommend(
    X: Any,
    y: ArrayLike | None = None,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    entry: ArrayLike | None = None,
    random_state: int = 0,
) -> Recommendation:
    """Recommend a method for a cohort, with reasons.

    Parameters
    ----------
    X : array-like, data frame or Evidence
        Features, or what `examine` returned.
    y, time, follow_up, propensity_features, entry, random_state
        See `examine`; not needed where X is the evidence.

    Returns
    -------
    Recommendation

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("batch-reporting", n=2000, seed=0)
    >>> advice = wh.recommend(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    >>> advice.method
    'FUMC-F'
    >>> advice.estimator.fit(cohort.X, cohort.y, **advice.fit_parameters).converged_
    True
    """
    if isinstance(X, Evidence):
        return advise(X)
    if y is None:
        raise ValueError("recommend needs y, the labels: recommend(X, y, ...), or recommend(examine(X, y, ...)).")
    evidence = examine(
        X,
        y,
        time=time,
        follow_up=follow_up,
        propensity_features=propensity_features,
        entry=entry,
        random_state=random_state,
    )
    return advise(evidence)


def advise(evidence: Evidence) -> Recommendation:
    """Apply the rules to the evidence.

    Parameters
    ----------
    evidence : Evidence
    """
    situation = Situation(evidence)
    rule = next(rule for rule in METHOD_RULES if rule.applies(situation))
    method = METHODS[rule.method]
    # A constant is a propensity that depends on no feature.
    restricted = tuple(situation.named) if method.feature_parameter else None
    return Recommendation(
        method=rule.method,
        restriction="constant" if restricted == () else method.restriction,
        learner=_choose_learner(evidence),
        features=restricted,
        assumption=rule.assumption,
        reasons=(rule.reason(situation), *_further_reasons(evidence)),
        refusals=tuple(remark.sentence(situation) for remark in REFUSALS if remark.applies(situation)),
        flags=tuple(remark.sentence(situation) for remark in FLAGS if remark.applies(situation)),
        changes=tuple(remark.sentence(situation) for remark in CHANGES if remark.applies(situation)),
        rule=rule.name,
        evidence=evidence,
    )


_CURVE = {
    "levels off": "The curve of events levels off",
    "unclear": "The curve of events may or may not level off",
    "goes on": "The curve of events goes on falling",
}


def _choose_learner(evidence: Evidence) -> str:
    return "auto" if evidence.linearity is not None and evidence.linearity.is_curved else "linear"


def _further_reasons(evidence: Evidence) -> list[str]:
    reasons = []
    found = evidence.dependence
    if found is not None and found.event_times.was_run:
        verb = "depend" if found.event_times.rejects() else "are not found to depend"
        reasons.append(
            f"Event times {verb} on features ({p_text(found.event_times.p_value)}); "
            f"{100 * found.selection_share:.0f} % of the variation in the labels is selection, so that logistic "
            "regression on the labels would learn "
            + ("in part who is seen." if found.selection_share > 0.05 else "mostly who is positive.")
        )
    if evidence.follow_up is not None:
        reading = evidence.follow_up.reading(trust_times=evidence.times_trusted)
        fraction = evidence.follow_up.cure_fraction(trust_times=evidence.times_trusted)
        if fraction is not None:
            reasons.append(
                f"{_CURVE[reading]} (ratio {ratio_text(fraction.ratio)}, {100 * fraction.cured:.0f} % never have "
                "the event by a model without features)."
            )
    if evidence.linearity is not None and evidence.linearity.is_curved:
        test = min(evidence.linearity.outcome, evidence.linearity.propensity, key=lambda test: test.p_value)
        reasons.append(f"Straight lines are not enough ({p_text(test.p_value)}): the learner is chosen by likelihood.")
    return reasons
