"""What a cohort allows one to learn: all the evidence in one object."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from whether.advise.evidence.agreement import AgreementEvidence, examine_agreement
from whether.advise.evidence.bounds import BoundsEvidence, CountEvidence, bound, count
from whether.advise.evidence.deaths import DeathEvidence, examine_deaths
from whether.advise.evidence.dependence import DependenceEvidence, examine_dependence
from whether.advise.evidence.exchange import ExchangeEvidence, examine_exchange
from whether.advise.evidence.follow_up import FollowUpEvidence, examine_follow_up
from whether.advise.evidence.linearity import LinearityEvidence, examine_linearity
from whether.advise.evidence.material import Material, gather
from whether.advise.evidence.probes import EventTimeFits
from whether.advise.evidence.scar import ScarEvidence, examine_scar
from whether.advise.evidence.shape import ShapeEvidence, examine_shape
from whether.advise.evidence.time_trust import TrustEvidence, examine_time_trust
from whether.advise.evidence.watched import take_apart, watch_on
from whether.facts import Groups, Told


@dataclass(frozen=True, eq=False, repr=False)
class Evidence(Told):
    """What was found out about a cohort, topic by topic; printing it tells everything.

    Attributes
    ----------
    counts : CountEvidence
    bounds : BoundsEvidence
        What holds without any restriction.
    follow_up : FollowUpEvidence or None
        Follow-up, the curve of events and whether it levels off; None without times and follow-up.
    dependence : DependenceEvidence or None
        Whether event times and follow-up depend on the features.
    trust : TrustEvidence or None
        Whether event times can be trusted; None without any.
    shape : ShapeEvidence or None
        Whether event times have the shape of the event-time model; None without any.
    agreement : AgreementEvidence or None
        Whether its risks agree with curves without a model; None without event times.
    scar : ScarEvidence
        Whether labeling is completely at random.
    exchange : ExchangeEvidence or None
        Whether outcome and propensity could be exchanged; None where events are too few to fit anything.
    linearity : LinearityEvidence or None
        Whether straight lines are enough; None where nothing tells outcome and propensity apart.
    deaths : DeathEvidence or None
        Deaths before the event; None where nobody is said to have died.
    material : Material
        What was given.
    view : Material
        The same as curves saw it, and tests but for one row of each group; see `whether.advise.evidence.watched`.
    """

    counts: CountEvidence
    bounds: BoundsEvidence
    follow_up: FollowUpEvidence | None
    dependence: DependenceEvidence | None
    trust: TrustEvidence | None
    shape: ShapeEvidence | None
    agreement: AgreementEvidence | None
    scar: ScarEvidence
    exchange: ExchangeEvidence | None
    linearity: LinearityEvidence | None
    deaths: DeathEvidence | None
    material: Material = field(repr=False)
    view: Material = field(repr=False)

    @property
    def groups(self) -> Groups:
        """Sizes of the groups of which numbers may tell."""
        found = self.counts
        parts = {"events": found.n_events, "dead": found.n_died, "never": found.n_known_negative, "open": found.n_open}
        return {"people": (found.n, math.inf), **{name: (size, found.n) for name, size in parts.items()}}

    @property
    def times_trusted(self) -> bool:
        """Whether there are event times and nothing contradicts them."""
        return self.trust is not None and self.trust.reading != "contradicted"

    @property
    def plateau(self) -> str:
        """Whether the curve of events levels off: "levels off", "unclear", "goes on" or "unknown"."""
        return "unknown" if self.follow_up is None else self.follow_up.reading(trust_times=self.times_trusted)


def examine(
    X: Any,
    y: ArrayLike,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    entry: ArrayLike | None = None,
    known_negative: ArrayLike | None = None,
    time_lower: ArrayLike | None = None,
    entry_time: ArrayLike | None = None,
    competing: ArrayLike | None = None,
    question: str | None = None,
    groups: ArrayLike | None = None,
    random_state: int = 0,
) -> Evidence:
    """Examine what a cohort allows one to learn.

    Only linear models are fitted. Large cohorts are examined on a part of their rows where that is enough. People are
    not weighted: the tests count them.

    Parameters
    ----------
    X : array-like or data frame of shape (n, d)
        Features: numbers without missing values.
    y : array-like of 0 and 1
        Whether the event was seen.
    time : array-like, optional
        When it was seen, else the end of follow-up.
    follow_up : array-like, optional
        How long each person was, or would have been, under observation had the event not come.
    propensity_features : sequence of str or int, optional
        Features that are known to drive labeling.
    entry : array-like, optional
        Date of entry, a number in the unit of ``time``. Where nearly all unlabeled people were followed to a common
        end, it gives the potential follow-up.
    known_negative, time_lower, entry_time : array-like, optional
        Who is known never to have the event, after when an event came, and when people came under observation; see
        `CensoredClassifier.fit`. Tests that cannot allow for late entry are not run.
    competing : array-like of bool, optional
        Who of the unlabeled died at ``time`` of something else.
    question : {"lifetime", "net"}, optional
        Where some died: whether the event comes before death, or would come in a world without other deaths, in which
        a death is an end of follow-up. Default: "lifetime".
    groups : array-like, optional
        Rows that belong together: tests take one row of each group, unless groups have more than ten rows on average.
    random_state : int
        Seed of the simulated critical value, of the bootstrap test, of labels drawn for likelihood ratios, of how long
        the dead would have been followed and of the rows that stand for groups.

    Returns
    -------
    Evidence

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("batch-reporting", n=2000, seed=0)
    >>> evidence = wh.examine(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)
    >>> evidence.trust.reading
    'contradicted'
    """
    known: dict[str, Any] = {"time": time, "follow_up": follow_up, "entry": entry, "question": question}
    known |= {"known_negative": known_negative, "time_lower": time_lower, "entry_time": entry_time, "groups": groups}
    material = gather(X, y, **known, competing=competing, propensity_features=propensity_features)
    return examine_material(material, np.random.default_rng(random_state))


def examine_material(material: Material, rng: np.random.Generator) -> Evidence:
    """Examine a checked cohort: tests and curves on a view in which nobody is known to be negative."""
    view, negative = watch_on(material, rng), material.cohort.seen_negative
    apart = take_apart(view, rng.spawn(1)[0])
    fits = EventTimeFits(apart.cohort)
    trust = examine_time_trust(apart, fits, rng.spawn(1)[0])
    trusted = trust is not None and trust.reading != "contradicted"
    follow_up = examine_follow_up(view, rng, material.cohort)
    dependence = examine_dependence(apart, fits, rng.spawn(1)[0], trust_times=trusted)
    found = None if follow_up is None else follow_up.cure_fraction(trust_times=trusted)
    if dependence is not None and found is not None and negative is not None:
        dependence = replace(dependence, unseen_share=found.unseen)  # its fit does not see who dies first
    return Evidence(
        counts=count(material),
        bounds=bound(view, material.cohort, trust_times=trusted),
        follow_up=follow_up,
        dependence=dependence,
        trust=trust,
        shape=examine_shape(apart, fits),
        agreement=examine_agreement(apart, fits, some_died=material.cohort.competing is not None),
        scar=examine_scar(apart, rng),
        exchange=examine_exchange(view),
        linearity=examine_linearity(apart, fits, trust_times=trusted),
        deaths=examine_deaths(material),
        material=material,
        view=view,
    )
