"""Dealing people to folds; used by everything that judges models on held-out people."""

from __future__ import annotations

import numpy as np

from whether.arrays import Array, Flags, Rows


def deal_folds(labeled: Flags, observed: Array, features: Array, n_folds: int) -> Rows:
    """Deal people to folds in the order of label and time, so that every fold has its share of both.

    Nothing is drawn at random: folds are the same in every run and for every order of the rows.
    """
    # Rounded, because the order of columns changes the last digits.
    tie_break = np.round(np.nansum(features, axis=1, dtype=float), 9)
    order = np.lexsort((tie_break, np.atleast_2d(observed).sum(axis=0), ~labeled))
    fold = np.empty(labeled.size, dtype=np.intp)
    fold[order] = np.arange(labeled.size) % n_folds
    return fold


def in_spreads(features: Array) -> Array:
    """Features in spreads around their means, so that dealing by them does not depend on their units."""
    spread = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
