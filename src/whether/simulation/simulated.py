"""Draw a cohort from a simulated world."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whether.family import MIXTURE
from whether.simulation.noise import NormalNoise
from whether.simulation.streams import FloatArray, Streams
from whether.simulation.truth import outcome_predictor, true_outcome_proba, true_propensity
from whether.simulation.worlds import FEATURE_DISTRIBUTION, World

if TYPE_CHECKING:
    import pandas as pd

    from whether.simulation.autism_children import AutismWorld
    from whether.simulation.diabetes import DiabetesWorld
    from whether.simulation.record_worlds import RecordWorld

# Heavy tails reach times no float can hold. No follow-up comes near these ends,
# so labels stay as they are, and the times are positive in single precision too.
_LOG_TIME_BOUND = 80.0


@dataclass(frozen=True, eq=False)
class SimulatedCohort:
    """A simulated cohort: what a study would see, and the truth behind it.

    Where people die of other causes there are two truths. `positive` and `outcome_proba` answer the net question, what
    happens if nobody dies first; `lifetime_positive` and `lifetime_proba` whether the event comes before death. In a
    world whose deaths are not latent there is no risk behind the deaths: all four answer the second question.

    Attributes
    ----------
    X : numpy.ndarray of shape (n, n_features)
        Features.
    feature_names : tuple of str
        Names of the columns of `X`.
    y : numpy.ndarray of int of shape (n,)
        Label: 1 if positive and the event came within follow-up.
    time : numpy.ndarray of shape (n,)
        Recorded event time if labeled, else the end of follow-up.
    follow_up : numpy.ndarray of shape (n,)
        How long each person was followed, labeled or not.
    positive : numpy.ndarray of int of shape (n,)
        Truth: 1 if the event happens at some time.
    outcome_proba : numpy.ndarray of shape (n,) or None
        Truth: probability of being positive given the features. None where outcomes are real.
    propensity : numpy.ndarray of shape (n,) or None
        Truth: probability of a label given the features, for a positive. None where it has no closed form.
    event_time : numpy.ndarray of shape (n,)
        Truth: when the event happens; for negatives, when it would have.
    world : World, RecordWorld, DiabetesWorld or AutismWorld
        The world the cohort was drawn from.
    time_lower : numpy.ndarray of shape (n,) or None
        For the labeled, the event came after this time and by `time`; equal to `time` where the date is exact, NaN for
        the others. Like all that follows, None in worlds without such a record.
    entry_time : numpy.ndarray of shape (n,) or None
        When each person came under observation; people whose event, death or end came before are not there.
    known_negative : numpy.ndarray of bool of shape (n,) or None
        Who is known never to have the event.
    competing : numpy.ndarray of bool of shape (n,) or None
        Who died at `time` without the event.
    groups : numpy.ndarray of int of shape (n,) or None
        Whose rows belong together.
    lifetime_positive : numpy.ndarray of int of shape (n,) or None
        Truth: 1 if the event happens before death.
    lifetime_proba : numpy.ndarray of shape (n,) or None
        Truth: probability of that given the features.
    entry_proba : numpy.ndarray of shape (n,) or None
        Truth: probability of being positive given the features and that the person came in, event-free, at
        `entry_time`. It is below `outcome_proba`, which counts from time zero: many positives never come in.
    """

    X: FloatArray
    feature_names: tuple[str, ...]
    y: NDArray[np.int64]
    time: FloatArray
    follow_up: FloatArray
    positive: NDArray[np.int64]
    outcome_proba: FloatArray | None
    propensity: FloatArray | None
    event_time: FloatArray
    world: "World | RecordWorld | DiabetesWorld | AutismWorld"
    time_lower: FloatArray | None = None
    entry_time: FloatArray | None = None
    known_negative: NDArray[np.bool_] | None = None
    competing: NDArray[np.bool_] | None = None
    groups: NDArray[np.int64] | None = None
    lifetime_positive: NDArray[np.int64] | None = None
    lifetime_proba: FloatArray | None = None
    entry_proba: FloatArray | None = None

    @property
    def records(self) -> dict[str, FloatArray | NDArray[np.bool_] | NDArray[np.int64]]:
        """What else is known of people than y, time and follow-up, by the name under which `fit` takes it."""
        return self._present("time_lower", "entry_time", "known_negative", "competing", "groups")

    def frame(self) -> "pd.DataFrame":
        """Return features, y, time, follow_up, other records and what is known of the truth as a data frame."""
        # Only this method needs pandas, which is slow to import.
        import pandas as pd

        table = pd.DataFrame(self.X, columns=list(self.feature_names))
        table = table.assign(y=self.y, time=self.time, follow_up=self.follow_up, **self.records)
        truth = ("positive", "outcome_proba", "lifetime_positive", "lifetime_proba", "entry_proba")
        return table.assign(**self._present(*truth))

    def _present(self, *names: str) -> dict[str, FloatArray | NDArray[np.bool_] | NDArray[np.int64]]:
        return {name: values for name in names if (values := getattr(self, name)) is not None}


def simulate_world(world: World, size: int, seed: int | np.random.SeedSequence) -> SimulatedCohort:
    """Draw a cohort from a world all of whose parts are simulated."""
    streams = Streams(seed, size)
    X = draw_features(world, streams)
    outcome_proba = true_outcome_proba(world, X)
    positive = streams.uniforms("outcome") < outcome_proba
    event_time, follow_up = draw_times(world, X, streams)
    labeled = positive & (event_time <= follow_up)
    recorded = _record(world, event_time, follow_up, streams)
    return SimulatedCohort(
        X=X,
        feature_names=world.feature_names,
        y=labeled.astype(np.int64),
        time=np.where(labeled, recorded, follow_up),
        follow_up=follow_up,
        positive=positive.astype(np.int64),
        outcome_proba=outcome_proba,
        propensity=true_propensity(world, X),
        event_time=event_time,
        world=world,
    )


def draw_features(world: World, streams: Streams) -> FloatArray:
    """Draw the features, each from a stream of its own."""
    columns = [FEATURE_DISTRIBUTION.quantile(streams.uniforms(f"feature {name}")) for name in world.feature_names]
    return np.column_stack(columns)


def draw_times(world: World, X: FloatArray, streams: Streams) -> tuple[FloatArray, FloatArray]:
    """Draw event time and follow-up for everybody, positive or not."""
    log_event = world.event(X) + world.event_noise.quantile(_event_levels(world, X, streams))
    log_event += np.where(streams.uniforms("hump") < 0.5, -world.event_hump, world.event_hump)
    log_follow_up = world.censoring(X) + world.censoring_shift
    log_follow_up += world.censoring_noise.quantile(streams.uniforms("censoring"))
    frailty = NormalNoise(world.frailty_sd).quantile(streams.uniforms("frailty"))
    event_time = np.exp(np.clip(log_event + frailty, -_LOG_TIME_BOUND, _LOG_TIME_BOUND))
    return event_time, np.exp(log_follow_up + frailty)


def _event_levels(world: World, X: FloatArray, streams: Streams) -> FloatArray:
    """Draw the level in the distribution of times at which everybody's event comes; that of the first of all causes."""
    levels = streams.uniforms("event time")
    if world.family == MIXTURE:
        return levels
    # Given at least one cause, none has come by the level u with probability (e^(-theta u) - e^-theta) / p.
    rate = -world.family.log_never(outcome_predictor(world, X)).value
    return np.asarray(-np.log1p(levels * np.expm1(-rate)) / rate)


def _record(world: World, event_time: FloatArray, follow_up: FloatArray, streams: Streams) -> FloatArray:
    """Return the event times as recorded, never beyond follow-up; meaningful for the labeled only."""
    levels, recorded = streams.uniforms("reporting"), event_time
    if world.reporting == "late":
        recorded = event_time + levels * (follow_up - event_time)
    elif world.reporting == "noisy":
        recorded = event_time * np.exp(NormalNoise(world.reporting_sd).quantile(levels))
    elif world.reporting == "batch":
        recorded = follow_up
    return np.minimum(recorded, follow_up)
