"""What may be shown: no count, bin or step that stands for fewer people than a threshold.

Nobody and many people point at no person; a few do. Zero is therefore shown, and so is what reaches the threshold.
What lies between is merged with its neighbours or left out, together with whatever a total would give it back from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

# Words after a number that make it a count of people or of what happened to them.
_COUNTED = "people|persons?|patients?|rows?|events?|gaps?|cells?|values?|unlabeled|labeled|positives?|negatives?|ends?"
_SMALL_NUMBER = re.compile(rf"(?<![\d.,])(\d{{1,3}})(?= (?:[a-z-]+ )?(?:{_COUNTED})\b)")


@dataclass(frozen=True)
class Disclosure:
    """The rule for small counts.

    Attributes
    ----------
    fewest : int
        Smallest number of people that is shown; 0 and 1 show everything.
    """

    fewest: int = 11

    @property
    def is_on(self) -> bool:
        """Whether anything is held back."""
        return self.fewest > 1

    def allows(self, *counts: float) -> bool:
        """Whether each of the counts is zero or large enough."""
        return all(count == 0 or count >= self.fewest for count in counts)

    def count(self, number: float) -> str:
        """Return a number of people as it may be shown.

        Parameters
        ----------
        number : float
        """
        whole = round(number)
        return f"{whole:,}" if self.allows(whole) else f"<{self.fewest}"

    def merge(self, counts: Counts) -> list[slice]:
        """Merge neighbouring bins until each kind of person is absent from a bin or frequent enough in it.

        Parameters
        ----------
        counts : ndarray of shape (n_bins, n_kinds)

        Returns
        -------
        list of slice
            Runs of bins, in order and without gaps; empty where not even all bins together may be shown.
        """
        runs: list[slice] = []
        start = 0
        for stop in range(1, len(counts) + 1):
            if self.allows(*counts[start:stop].sum(axis=0)):
                runs.append(slice(start, stop))
                start = stop
        # What is left over at the end goes to the runs before it, as far back as it takes.
        while start < len(counts):
            if not runs:
                return []
            start = runs.pop().start
            if self.allows(*counts[start:].sum(axis=0)):
                runs.append(slice(start, len(counts)))
                break
        return runs

    def hide_cells(self, counts: Counts) -> NDArray[np.bool_]:
        """Cells of a table that are not shown: the small ones, and more until the total does not give them back.

        Parameters
        ----------
        counts : ndarray of any shape
        """
        hidden = (counts > 0) & (counts < self.fewest)
        while hidden.any() and counts[hidden].sum() < self.fewest:
            rest = np.where(hidden | (counts == 0), np.iinfo(np.int64).max, counts)
            if rest.min() == np.iinfo(np.int64).max:
                break
            hidden.flat[int(rest.argmin())] = True
        return np.asarray(hidden)

    def coarsen(self, time: float) -> float:
        """Round a time that belongs to one person, such as the last event, so that it points at nobody.

        Parameters
        ----------
        time : float
        """
        return float(f"{time:.2g}") if self.is_on else time

    def scrub(self, text: str, times: Sequence[float] = ()) -> str:
        """Take small counts and single persons' times out of a sentence that was written elsewhere.

        Parameters
        ----------
        text : str
        times : sequence of float
            Times of single persons that the sentence may hold, printed with four digits.
        """
        if not self.is_on:
            return text
        for time in times:
            exact, coarse = f"{time:.4g}", f"{self.coarsen(time):g}"
            if exact != coarse:
                text = re.sub(rf"(?<![\d.]){re.escape(exact)}(?![\d]|\.\d)", f"about {coarse}", text)
        return _SMALL_NUMBER.sub(lambda found: self.count(int(found[1])), text)
