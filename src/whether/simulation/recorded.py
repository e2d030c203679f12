"""Draw a cohort from a record world."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whether.simulation.record_worlds import Clusters, Deaths, RecordWorld
from whether.simulation.simulated import SimulatedCohort, draw_features, draw_times
from whether.simulation.streams import FloatArray, Streams, draw_until
from whether.simulation.truth import label_rate, true_outcome_proba, true_propensity

BoolArray = NDArray[np.bool_]

# How long a registry that misses no event would have waited for one: hardly any takes longer.
_REGISTRY_END = 100.0


class ClusterStreams(Streams):
    """Streams in which rows of a cluster share some features and some of the chance behind outcome and event time."""

    def __init__(self, seed: int | np.random.SeedSequence, n: int, clusters: Clusters) -> None:
        super().__init__(seed, n)
        sizes = 2 + np.floor(4 * super().uniforms("cluster size")).astype(np.int64)
        self.groups: NDArray[np.int64] = np.repeat(np.arange(n), sizes)[:n]
        self._clusters, self._first_row = clusters, np.searchsorted(self.groups, self.groups)
        self._shared = {f"feature {name}" for name in clusters.features}

    def uniforms(self, name: str) -> FloatArray:
        """Draw one number in (0, 1) per person: shared, correlated or a row's own."""
        own = super().uniforms(name)
        if name in self._shared:
            return own[self._first_row]
        if name not in {"outcome", "event time"}:
            return own
        weight = self._clusters.correlation
        common = special.ndtri(super().uniforms(f"cluster {name}")[self.groups])
        return np.asarray(special.ndtr(np.sqrt(weight) * common + np.sqrt(1 - weight) * special.ndtri(own)))


@dataclass(frozen=True, eq=False)
class _People:
    """What happens to people, before anybody is left out."""

    X: FloatArray
    groups: NDArray[np.int64]
    positive: BoolArray
    event: FloatArray  # when the event happens; for negatives, when it would have
    death: FloatArray  # infinite for those who do not die of other causes
    last_contact: FloatArray  # the end of follow-up, or death
    planned: FloatArray  # end of follow-up, had the person lived
    entry: FloatArray
    registered: BoolArray
    visit_phase: FloatArray
    exact: BoolArray

    @property
    def came_in(self) -> BoolArray:
        """Whether a person was alive, event-free and under follow-up when observation began."""
        first = np.minimum(np.where(self.positive, self.event, np.inf), self.last_contact)
        return np.asarray(first > self.entry)

    def take(self, rows: NDArray[np.intp]) -> _People:
        """Return some of the people."""
        return _People(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def simulate_recorded(world: RecordWorld, n: int, seed: int | np.random.SeedSequence) -> SimulatedCohort:
    """Draw a cohort from a record world: people until n of them come in, then what is written down of each."""
    candidates, rows = draw_until(lambda size: _draw_people(world, seed, size), n, lambda drawn: drawn.came_in)
    people = candidates.take(rows)
    seen_until = np.where(people.registered, np.inf, people.last_contact)
    labeled = people.positive & (people.event <= seen_until)
    lower, upper = _record_events(world, people, seen_until)
    deaths, risk = world.deaths, true_outcome_proba(world.people, people.X)
    watched = np.where(people.registered, np.maximum(people.planned, _REGISTRY_END), people.planned)
    before_death = people.positive & (people.event < people.death)
    return SimulatedCohort(
        X=people.X,
        feature_names=world.people.feature_names,
        y=labeled.astype(np.int64),
        time=np.where(labeled, upper, people.last_contact),
        follow_up=np.where(labeled, np.maximum(upper, watched), watched),
        positive=people.positive.astype(np.int64),
        outcome_proba=risk,
        propensity=_propensity(world, people.X),
        event_time=people.event,
        world=world,
        time_lower=None if world.visit_gap is None else np.where(labeled, lower, np.nan),
        entry_time=None if world.entry is None else people.entry,
        known_negative=people.registered & ~people.positive if world.registered_share else None,
        competing=None if deaths is None else ~labeled & (people.death <= people.last_contact),
        groups=None if world.clusters is None else people.groups,
        lifetime_positive=None if deaths is None else before_death.astype(np.int64),
        lifetime_proba=None if deaths is None else risk * _before_death_rate(world, deaths, people.X),
        entry_proba=None if world.entry is None else _entry_proba(world, people.X, people.entry, risk),
    )


def _draw_people(world: RecordWorld, seed: int | np.random.SeedSequence, size: int) -> _People:
    """Draw people, each quantity from a stream of its own."""
    clustered = None if world.clusters is None else ClusterStreams(seed, size, world.clusters)
    streams = clustered or Streams(seed, size)
    X = draw_features(world.people, streams)
    positive = streams.uniforms("outcome") < true_outcome_proba(world.people, X)
    event, follow_up = draw_times(world.people, X, streams)
    death = np.full(size, np.inf)
    if world.deaths is not None:
        drawn = np.exp(_log_death(world.deaths, X) + world.deaths.noise.quantile(streams.uniforms("death")))
        death = drawn if world.deaths.latent else np.where(positive, np.inf, drawn)
    entry = np.zeros(size) if world.entry is None else world.entry.quantile(streams.uniforms("entry"))
    return _People(
        X=X,
        groups=np.arange(size) if clustered is None else clustered.groups,
        positive=positive,
        event=event,
        death=death,
        last_contact=np.minimum(follow_up, death),
        planned=follow_up,
        entry=np.maximum(entry, 0.0),
        registered=streams.uniforms("registry") < world.registered_share,
        visit_phase=streams.uniforms("visit"),
        exact=streams.uniforms("exact date") < world.exact_share,
    )


def _record_events(world: RecordWorld, people: _People, seen_until: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the visits between which an event lies, or twice its date; meaningful for the labeled only."""
    if world.visit_gap is None:
        return people.event, people.event
    number = np.ceil(people.event / world.visit_gap - people.visit_phase)
    upper = world.visit_gap * (number + people.visit_phase)
    # Whoever enters is asked, and so is whoever leaves.
    lower = np.maximum(upper - world.visit_gap, people.entry)
    upper = np.minimum(upper, seen_until)
    return np.where(people.exact, people.event, lower), np.where(people.exact, people.event, upper)


def _log_death(deaths: Deaths, X: FloatArray) -> FloatArray:
    """Return the mean log time of death at each row."""
    return deaths.signal(X) + deaths.shift


def _before_death_rate(world: RecordWorld, deaths: Deaths, X: FloatArray) -> FloatArray:
    """Return the probability that a positive's event comes before death, at each row."""
    if not deaths.latent:
        return np.ones(len(X))
    return label_rate(world.people.event_noise, deaths.noise, _log_death(deaths, X) - world.people.event(X))


def _propensity(world: RecordWorld, X: FloatArray) -> FloatArray | None:
    """Return the probability that a positive at each row is labeled, where that takes no further integral."""
    if world.entry is not None or (world.deaths is not None and world.deaths.latent):
        return None
    share = world.registered_share
    return share + (1 - share) * true_propensity(world.people, X)


def _entry_proba(world: RecordWorld, X: FloatArray, entry: FloatArray, risk: FloatArray) -> FloatArray:
    """Return the probability of being positive given that neither event nor death came before entry."""
    with np.errstate(divide="ignore"):
        log_entry = np.log(entry)
    positive = risk * (1 - world.people.event_noise.cdf(log_entry - world.people.event(X)))
    negative = 1 - risk
    if world.deaths is not None and not world.deaths.latent:
        negative = negative * (1 - world.deaths.noise.cdf(log_entry - _log_death(world.deaths, X)))
    return np.asarray(positive / (positive + negative))
