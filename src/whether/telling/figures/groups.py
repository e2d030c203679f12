"""Groups of people in pictures: of about one size, each with nobody or enough people of each kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from whether.telling.disclosure import Disclosure

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def split_evenly(values: Array, n_groups: int) -> list[Rows]:
    """People from the lowest to the highest value, in groups of one size."""
    return np.array_split(np.argsort(values, kind="stable"), n_groups)


def join_bins(position: Rows, n_groups: int) -> list[Rows]:
    """People by the bin they are in, neighbouring bins joined until there are about so many groups of one size."""
    size = np.bincount(position)
    middle = np.cumsum(size) - size / 2
    group = (middle * n_groups / size.sum()).astype(int)[position]
    return [np.flatnonzero(group == number) for number in np.unique(group)]


def merge_groups(parts: list[Rows], kinds: Sequence[NDArray[np.bool_]], disclosure: Disclosure) -> list[Rows]:
    """Groups joined with their neighbours until they may be shown, given who is of which kind."""
    counts = np.array([[np.count_nonzero(kind[part]) for kind in kinds] for part in parts])
    return [np.concatenate(parts[run]) for run in disclosure.merge(counts)]
