"""Where trees start: offsets compared on held-out people, with trees grown from each."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array
from whether.learners.boosted.boosted_fit import Offset, halfway
from whether.learners.boosted.loop import Growth

# Where trees may start: from the linear model, or from no features at all.
OFFSETS = ("linear", "level")
# Held-out likelihoods tell them apart when they differ by so many standard errors, after any fold. A line that bends
# risks into times costs more than one that is missed, so it needs more. Trees improve on it when they gain so many.
STANDARD_ERRORS = {"linear": 3.0, "level": 2.0}
GAIN_ERRORS = 2.0
# Where both disagree by more on how many are positive, and held-out people do not lean to the line by so many standard
# errors, the line is not believed.
MOST_APART, LEANING = 0.12, 1.5
# From so many people on one fold says enough, and of trees that only say where to start and when to stop, ones that
# learn so many times faster do.
LARGE, LONG_STEPS = 5_000, 3.2


class OffsetComparison:
    """Offsets compared on held-out people, fold by fold: their log-likelihoods at the best round, and that round."""

    def __init__(self, n: int) -> None:
        self.is_large = n >= LARGE
        self.pace = LONG_STEPS if self.is_large else 1.0
        self.values: dict[str, list[Array]] = {name: [] for name in OFFSETS}
        self.rounds: dict[str, list[int]] = {name: [] for name in OFFSETS}
        self.paths: dict[str, list[list[tuple[int, Array]]]] = {name: [] for name in OFFSETS}
        self.without_trees: dict[str, list[Array]] = {name: [] for name in OFFSETS}

    def add(self, name: str, growth: Growth) -> None:
        """Take in how one offset did on one fold."""
        self.values[name].append(growth.best_values)
        self.rounds[name].append(growth.best_round)
        self.paths[name].append([step for step in growth.path if step[0] <= growth.best_round])
        self.without_trees[name].append(growth.first_values)

    @property
    def leader(self) -> str:
        """The offset with the highest held-out likelihood so far."""
        return max(self.values, key=lambda name: float(np.concatenate(self.values[name]).sum()))

    @property
    def decided(self) -> bool:
        """Whether chance is an unlikely reason for the leader's advantage over the other."""
        others = [values for name, values in self.values.items() if name != self.leader]
        return all(self._leads(values, STANDARD_ERRORS[self.leader]) for values in others)

    def _leads(self, values: list[Array], errors: float) -> bool:
        """Whether the leader predicts held-out people better than something else does, and not by chance."""
        lead = np.concatenate(self.values[self.leader]) - np.concatenate(values)
        return bool(lead.sum() > errors * np.sqrt(lead.size) * lead.std())

    def choose(self, linear: Offset, level: Offset, *, apart: float) -> Offset:
        """The leader if the comparison is decided.

        Else trees start from nothing where the line puts the mean risk far apart from that without features and is not
        clearly ahead, even if they hardly improve it: likelihoods of labels hardly tell that a line has taken times for
        risks. A line that is clearly ahead or not far apart, and that trees hardly improve, stays as it is. They start
        from nothing, too, where they say more than the line does. Else halfway.
        """
        if self.decided:
            return linear if self.leader == linear.name else level
        if apart > MOST_APART and not self._leads(self.values[level.name], LEANING):
            return level
        if not self._leads(self.without_trees[linear.name], GAIN_ERRORS):
            return linear
        nothing, line = (np.concatenate(self.without_trees[one.name]).sum() for one in (level, linear))
        best = np.concatenate(self.values[self.leader]).sum()
        return level if best - line > line - nothing else halfway(linear, level)

    def mean_round(self, name: str) -> float:
        """Best round from an offset, on average; from halfway, of both."""
        rounds = self.rounds.get(name) or [number for numbers in self.rounds.values() for number in numbers]
        return float(np.mean(rounds))

    def levels_at(self, name: str, number: int) -> Array:
        """Levels after so many rounds of trees that are kept, on average over folds; from halfway, of both offsets."""
        paths = self.paths.get(name) or [path for some in self.paths.values() for path in some]
        return np.asarray(np.mean([_between(path, number / self.pace) for path in paths], axis=0))

    @property
    def last_round(self) -> int:
        """The latest of the best rounds."""
        return max(max(rounds) for rounds in self.rounds.values())


def _between(path: list[tuple[int, Array]], number: float) -> Array:
    """Levels after so many rounds, between those of the rounds before and after it that were looked at."""
    rounds, levels = zip(*path, strict=True)
    return np.array([np.interp(number, rounds, level) for level in np.transpose(levels)])
