"""Worlds in which more is known of people than a label and a time.

There are deaths of other causes, late entry, visits, known negatives and clusters. People, risks, event times and
follow-up are those of a simulated world; a record world says what else happens and what of it is written down.
Everything is log-normal and linear, so that a mixture cure model that reads the records is right.
"""

from dataclasses import dataclass, replace

from whether.family import MIXTURE
from whether.simulation.noise import Noise, NormalNoise, UniformNoise
from whether.simulation.signals import Linear, Signal
from whether.simulation.worlds import World, vary
from whether.validate import ArgumentError


@dataclass(frozen=True)
class Deaths:
    """Deaths of other causes.

    Parameters
    ----------
    signal, noise, shift : Signal, Noise, float
        The log time of death is their sum.
    latent : bool
        True: everybody has a time of death, independent of event and follow-up given the features, and what comes first
        is seen. The risk in a world without deaths is the outcome's, and a model that takes deaths as the end of
        follow-up is right; the event comes before death with a lower probability. False: people are divided into those
        who will have the event, with a time of it, and those who will die without it, with a time of death (Larson and
        Dinse). Only the lifetime question has an answer, the outcome's risk; a model that takes the dead as negatives
        with a time part of their own is right.
    """

    signal: Signal
    noise: Noise
    shift: float
    latent: bool


@dataclass(frozen=True)
class Clusters:
    """Two to five rows belong together (the last cluster may be cut short); features and chance are shared.

    Each cluster has a random effect on the outcome and an independent one on the event time. They act on the normal
    scores of the draws, so that for a single row risk and event times are exactly those of the world: the marginal
    truth is that of independent rows.

    Parameters
    ----------
    features : tuple of str
        Features that are the same in all rows of a cluster.
    correlation : float
        Correlation of the normal scores of two rows of a cluster.
    """

    features: tuple[str, ...]
    correlation: float


@dataclass(frozen=True)
class RecordWorld:
    """One world with further records.

    Parameters
    ----------
    name, title : str
        Short name, the key in `RECORD_WORLDS`, and name for tables.
    people : World
        Features, risks, event times and follow-up.
    deaths : Deaths, optional
        Deaths of other causes.
    entry : UniformNoise, optional
        Time at which people come under observation, from the start where it is below zero. Those whose event, death or
        end of follow-up came before do not come in.
    visit_gap : float, optional
        People are asked at visits so far apart, the first at random, and at the end of follow-up: the event is known to
        lie between two visits.
    exact_share : float
        Share of the events whose date is known all the same.
    registered_share : float
        Share of people who are past the age of risk in a registry that misses no event: it reports theirs even after
        the end of follow-up, and the others are known negatives.
    clusters : Clusters, optional
        Rows that belong together.
    """

    name: str
    title: str
    people: World
    deaths: Deaths | None = None
    entry: UniformNoise | None = None
    visit_gap: float | None = None
    exact_share: float = 0.0
    registered_share: float = 0.0
    clusters: Clusters | None = None

    def __post_init__(self) -> None:
        """Refuse what the truth of a record world does not reckon with."""
        plain = replace(self.people, family=MIXTURE, event_hump=0.0, frailty_sd=0.0, reporting="exact")
        if self.people != plain:
            raise ArgumentError(f"the people of {self.name!r} must be a mixture without humps, frailty or misreporting")
        if self.deaths is not None and self.registered_share:
            raise ArgumentError(f"world {self.name!r} has deaths and a registry that goes on after them; leave one out")

    @property
    def n(self) -> int:
        """Usual number of people."""
        return self.people.n

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.people.n_features

    @property
    def propensity_features(self) -> tuple[str, ...]:
        """Names of the features behind event times or follow-up."""
        return self.people.propensity_features


_PEOPLE = World(
    "people", "People", n=2000, outcome=Linear(("x1", "x2"), (1.0, -1.0)), outcome_intercept=-0.4,
    event=Linear(("x2", "x3"), (0.4, 0.5)), event_noise=NormalNoise(0.6), censoring_noise=UniformNoise(-1.5, 1.5),
)  # fmt: skip
_LONGER = replace(_PEOPLE, censoring_shift=0.5)
_ENTRY = UniformNoise(-0.5, 1.5)
_BY_RISK = Deaths(Linear(("x1", "x2"), (-0.5, 0.4)), NormalNoise(0.7), shift=0.5, latent=False)
_LATE = RecordWorld("late-entry", "Late entry", _LONGER, entry=_ENTRY)
_DEATHS = RecordWorld("deaths", "Deaths", _PEOPLE, deaths=Deaths(Linear(), NormalNoise(0.7), shift=0.5, latent=True))

# fmt: off
RECORD_WORLDS: dict[str, RecordWorld] = {
    world.name: world
    for world in (
        _DEATHS,
        vary(_DEATHS, "deaths-by-risk", "Deaths that go with the risk", deaths=_BY_RISK),
        vary(_DEATHS, "deaths-by-risk-latent", "Latent deaths that go with the risk",
             deaths=replace(_BY_RISK, latent=True)),
        _LATE,
        RecordWorld("visits", "Visits", _PEOPLE, visit_gap=1.0, exact_share=0.3),
        RecordWorld("never-after", "Past an age of risk", _PEOPLE, registered_share=0.25),
        RecordWorld("clusters", "Clusters", _PEOPLE, clusters=Clusters(("x1", "x3"), correlation=0.5)),
        vary(_LATE, "late-entry-deaths", "Late entry and deaths", deaths=_BY_RISK),
        vary(_LATE, "visits-late-entry", "Visits and late entry", visit_gap=1.0, exact_share=0.3),
    )
}
# fmt: on
