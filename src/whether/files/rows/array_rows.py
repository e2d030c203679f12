"""Arrays as a source of rows, such as NumPy's memory maps of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whether.blocks import Blocks, LocalBlocks
from whether.cohort import Cohort
from whether.learners import RowSource
from whether.validate import check_features, check_rows, refuse_sparse

BLOCK_ROWS = 131_072


class ArrayRows(RowSource):
    """Rows of arrays, which may be memory maps of files (``numpy.load(path, mmap_mode="r")``), block by block.

    Parameters
    ----------
    X : array of shape (n, d)
        Features: numbers without missing values.
    y : array of shape (n,)
        1 if the event was seen, 0 if not (yet).
    names : sequence of str, optional
        Of the features; x0, x1, ... unless given.
    block_rows : int, default=131072
        Number of rows of a block.
    **known
        What else is known of people, by the names that ``fit`` takes: ``time``, ``follow_up``, ``sample_weight``, ...

    Examples
    --------
    >>> import whether as wh
    >>> cohort = wh.simulate("baseline", n=3000, seed=0)
    >>> rows = wh.ArrayRows(cohort.X, cohort.y, follow_up=cohort.follow_up, block_rows=1000)
    >>> wh.FollowUpCureClassifier().fit_rows(rows).n_people_
    3000.0
    """

    def __init__(
        self, X: Any, y: Any, *, names: Sequence[str] | None = None, block_rows: int = BLOCK_ROWS, **known: Any
    ) -> None:
        refuse_sparse(X, "ArrayRows")
        self.names = tuple(f"x{i}" for i in range(X.shape[1])) if names is None else tuple(names)
        self.is_named = names is not None
        self._X, self._y, self._known, self._block_rows = X, y, known, block_rows

    def blocks(self) -> Blocks[Cohort]:
        """Return the people, in blocks."""
        return LocalBlocks(range(0, self._X.shape[0], self._block_rows), self._read)

    def _read(self, start: int) -> list[Cohort]:
        rows = slice(start, start + self._block_rows)
        features = np.array(self._X[rows], dtype=float, order="F")  # of its own, and column by column, as files have it
        check_features(features, self.names)
        known = {name: np.asarray(values[rows]) for name, values in self._known.items()}
        return [check_rows(features, np.asarray(self._y[rows]), names=self.names, **known)]
