"""What a cohort allows one to learn: all the evidence in one object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from whether.advise.bounds import BoundsEvidence, CountEvidence, bound, count
from whether.advise.dependence import DependenceEvidence, examine_dependence
from whether.advise.exchange import ExchangeEvidence, examine_exchange
from whether.advise.follow_up import FollowUpEvidence, examine_follow_up
from whether.advise.linearity import LinearityEvidence, examine_linearity
from whether.advise.material import Material, gather
from whether.advise.results import Section, to_plain, wrap
from whether.advise.scar import ScarEvidence, examine_scar
from whether.advise.shape import ShapeEvidence, examine_shape
from whether.advise.time_trust import TrustEvidence, examine_time_trust

WIDTH = 112


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was found out about a cohort, topic by topic; printing it shows everything.

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
    scar : ScarEvidence
        Whether labeling is completely at random.
    exchange : ExchangeEvidence or None
        Whether outcome and propensity could be exchanged; None where events are too few to fit anything.
    linearity : LinearityEvidence or None
        Whether straight lines are enough; None where nothing tells outcome and propensity apart.
    """

    counts: CountEvidence
    bounds: BoundsEvidence
    follow_up: FollowUpEvidence | None
    dependence: DependenceEvidence | None
    trust: TrustEvidence | None
    shape: ShapeEvidence | None
    scar: ScarEvidence
    exchange: ExchangeEvidence | None
    linearity: LinearityEvidence | None
    material: Material = field(repr=False)

    def sections(self) -> dict[str, Section]:
        """Return the topics on which there is evidence, by their titles."""
        titles = {
            "Cohort": self.counts,
            "Follow-up": self.follow_up,
            "Dependence on features": self.dependence,
            "Event times": self.trust,
            "Shape of event times": self.shape,
            "Labeling at random": self.scar,
            "Outcome or propensity": self.exchange,
            "Linearity": self.linearity,
            "Bounds": self.bounds,
        }
        return {title: section for title, section in titles.items() if section is not None}

    @property
    def times_trusted(self) -> bool:
        """Whether there are event times and nothing contradicts them."""
        return self.trust is not None and self.trust.reading != "contradicted"

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain Python objects."""
        plain = to_plain(self)
        assert isinstance(plain, dict)
        return plain

    def plot(self, *, suppress_below: int = 11) -> Any:
        """Draw the curve of events, labels by follow-up, and what drives times, as the report does; needs matplotlib.

        Parameters
        ----------
        suppress_below : int
            Smallest number of people that is shown; 0 shows everything.

        Returns
        -------
        matplotlib Figure
        """
        return import_module("whether.telling").draw(self, suppress_below)

    def to_text(self, width: int = WIDTH) -> str:
        """Return what was found, topic by topic.

        Parameters
        ----------
        width : int
            Of a line.
        """
        lines: list[str] = []
        for title, section in self.sections().items():
            lines.append(title)
            for sentence in section.sentences():
                lines += wrap(sentence, width, "  ")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__


def examine(
    X: Any,
    y: ArrayLike,
    *,
    time: ArrayLike | None = None,
    follow_up: ArrayLike | None = None,
    propensity_features: Sequence[str | int] | None = None,
    entry: ArrayLike | None = None,
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
    random_state : int
        Seed of the simulated critical value and of the bootstrap test.

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
    material = gather(X, y, time=time, follow_up=follow_up, propensity_features=propensity_features, entry=entry)
    return examine_material(material, np.random.default_rng(random_state))


def examine_material(material: Material, rng: np.random.Generator) -> Evidence:
    """Examine a checked cohort.

    Parameters
    ----------
    material : Material
    rng : numpy.random.Generator
    """
    trust = examine_time_trust(material)
    trusted = trust is not None and trust.reading != "contradicted"
    return Evidence(
        counts=count(material),
        bounds=bound(material, trust_times=trusted),
        follow_up=examine_follow_up(material, rng),
        dependence=examine_dependence(material, trust_times=trusted),
        trust=trust,
        shape=examine_shape(material),
        scar=examine_scar(material, rng),
        exchange=examine_exchange(material),
        linearity=examine_linearity(material),
        material=material,
    )
