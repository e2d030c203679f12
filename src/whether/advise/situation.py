"""The evidence boiled down to questions with an answer, which is what the rules read."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from whether.advise.evidence.whole import Evidence
from whether.learners.task import KnownShare

# Spread of log follow-up below which everybody is followed for about the same time: then it tells nothing of times.
SAME_FOLLOW_UP = 0.1
# Below these numbers most tests cannot be run.
FEW_EVENTS_PER_PARAMETER = 5.0
FEWEST_EVENTS = 30


@dataclass(frozen=True, eq=False)
class Situation:
    """The evidence as answers to the questions that rules ask."""

    evidence: Evidence
    share: KnownShare | None = None  # of positives, as known from elsewhere

    @property
    def level_is_known(self) -> bool:
        """Whether the share of positives is known well enough from elsewhere: then nothing of it is extrapolated."""
        return self.share is not None and self.share.settles_level

    @property
    def has_time(self) -> bool:
        """Whether there are event times."""
        return self.evidence.counts.has_time

    @property
    def times_usable(self) -> bool:
        """Whether there are event times that nothing contradicts."""
        return self.has_time and self.evidence.times_trusted

    @property
    def enters_late(self) -> bool:
        """Whether some people came under observation late: only a method with a clock can allow for that."""
        return self.evidence.material.enters_late

    @property
    def times_checked(self) -> bool:
        """Whether event times could be checked."""
        return self.evidence.trust is not None and self.evidence.trust.labels.was_run

    @property
    def follow_up_usable(self) -> bool:
        """Whether potential follow-up is known and differs between people."""
        known = self.evidence.material.cohort.follow_up
        return known is not None and float(np.std(np.log(known))) > SAME_FOLLOW_UP

    @property
    def reading(self) -> str:
        """Whether the curve of events levels off."""
        return self.evidence.plateau

    @property
    def named(self) -> list[str]:
        """Features named as driving labeling, where they are some but not all."""
        named = self.evidence.counts.named_features or []
        return named if len(named) < self.evidence.counts.n_features else []

    @property
    def unnamed_drivers(self) -> list[str]:
        """Features that drive event times or follow-up although others were named."""
        found = self.evidence.dependence
        if found is None or self.evidence.counts.named_features is None:
            return []
        drivers = {driver.feature for driver in (*found.time_drivers, *found.follow_up_drivers)}
        return sorted(drivers - set(self.evidence.counts.named_features))

    @property
    def restricts_times(self) -> bool:
        """Whether the named features can be relied on as the only ones behind event times."""
        return bool(self.named) and not self.unnamed_drivers

    @property
    def is_scar(self) -> bool:
        """Whether a constant propensity was tested and not rejected."""
        test = self.evidence.scar.likelihood_ratio
        return test.was_run and not test.rejects()

    @property
    def rejects_constant(self) -> bool:
        """Whether a constant propensity, one of 1 included, was tested and rejected."""
        return self.evidence.scar.likelihood_ratio.rejects()

    @property
    def is_seen_longer(self) -> bool:
        """Whether people who are followed longer have a recorded event more often, given their features."""
        return self.evidence.scar.follow_up.rejects()

    @property
    def shares_by_curve(self) -> tuple[float, float]:
        """Lowest and highest share of positives that the curve of events allows, where its times can be used.

        It bounds the share from above where it levels off: then those who are event-free at its end stay so.
        """
        bounds, found = self.evidence.bounds, self.evidence.follow_up
        lowest = bounds.lowest_by_times_limit if math.isfinite(bounds.lowest_by_times_limit) else bounds.lowest
        if not (self.times_usable and self.reading == "levels off" and found is not None and found.events is not None):
            return lowest, bounds.highest
        return lowest, max(1 - found.events.plateau.lower, lowest)

    @property
    def unseen_share(self) -> float:
        """Share of the expected positives after the longest follow-up; NaN where it is not known."""
        return math.nan if self.evidence.dependence is None else self.evidence.dependence.unseen_share

    @property
    def follow_up_explained(self) -> float:
        """Share of the variance of log follow-up that features explain; NaN where it is not known."""
        return math.nan if self.evidence.dependence is None else self.evidence.dependence.follow_up_explained

    @property
    def has_clock(self) -> bool:
        """Whether event times or follow-up can be used."""
        return self.times_usable or self.follow_up_usable

    @property
    def risk_difference(self) -> float:
        """Mean risk by the event-time minus that by the follow-up model, where clearly not zero; else zero."""
        trust = self.evidence.trust
        if trust is None or trust.risk_difference is None or not trust.hausman.rejects(0.001):
            return 0.0
        return trust.risk_difference.estimate

    @property
    def misplaced_share(self) -> float:
        """Share of the events that come when the event-time model does not expect them, where that is no chance."""
        found = self.evidence.shape
        return found.misplaced_share if found is not None and found.test.rejects(0.001) else 0.0

    @property
    def exchange_open(self) -> bool:
        """Whether a restriction is there and equally likely solutions differ all the same."""
        found = self.evidence.exchange
        return found is not None and found.restriction != "none" and not found.decided

    @property
    def few_events(self) -> bool:
        """Whether there are few events, or few for so many features."""
        counts = self.evidence.counts
        return counts.events_per_parameter < FEW_EVENTS_PER_PARAMETER or counts.n_events < FEWEST_EVENTS

    @property
    def dependence_tested(self) -> bool:
        """Whether it could be tested that event times depend on features."""
        return self.evidence.dependence is not None and self.evidence.dependence.event_times.was_run

    @property
    def is_curved(self) -> bool:
        """Whether straight lines are not enough."""
        return self.evidence.linearity is not None and self.evidence.linearity.is_curved

    @property
    def ranking_is_easy(self) -> bool:
        """Whether event times and follow-up were tested, and neither was found to depend on features.

        Not with late entry: whoever had the event early is not in the table, which labels alone cannot allow for.
        """
        found = self.evidence.dependence
        return (
            found is not None
            and not self.evidence.material.enters_late
            and found.event_times.was_run
            and found.follow_up.was_run
            and not found.event_times.rejects()
            and not found.follow_up.rejects()
        )
