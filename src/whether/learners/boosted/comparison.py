"""Which of several offsets trees had better start from."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array
from whether.learners.boosted.trees import Growth

# The offsets are told apart when their held-out likelihoods differ by so many standard errors.
STANDARD_ERRORS = 2.0


class OffsetComparison:
    """Offsets compared on held-out people, fold by fold.

    Attributes
    ----------
    values : dict of str to list of ndarray
        Weighted log-likelihood of each held-out person at the best round, by offset and fold.
    rounds : dict of str to list of int
        The best round, by offset and fold.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.values: dict[str, list[Array]] = {name: [] for name in names}
        self.rounds: dict[str, list[int]] = {name: [] for name in names}

    def add(self, name: str, growth: Growth) -> None:
        """Take in how one offset did on one fold."""
        self.values[name].append(growth.best_values)
        self.rounds[name].append(growth.best_round)

    @property
    def leader(self) -> str:
        """The offset with the highest held-out likelihood so far."""
        return max(self.values, key=lambda name: float(np.concatenate(self.values[name]).sum()))

    @property
    def decided(self) -> bool:
        """Whether chance is an unlikely reason for the leader's advantage over each of the others."""
        best = np.concatenate(self.values[self.leader])
        leads = [best - np.concatenate(values) for name, values in self.values.items() if name != self.leader]
        return all(lead.sum() > STANDARD_ERRORS * np.sqrt(lead.size) * lead.std() for lead in leads)

    @property
    def winner(self) -> str:
        """The leader if the comparison is decided, else the first, the linear model: small cohorts rarely say more."""
        return self.leader if self.decided else next(iter(self.values))

    def best_round(self, name: str) -> float:
        """Best number of rounds, averaged over the folds."""
        return float(np.mean(self.rounds[name]))

    def exhausted(self, max_rounds: int) -> bool:
        """Whether some growth was still improving at the last round allowed."""
        return max(max(rounds) for rounds in self.rounds.values()) >= max_rounds - 1
