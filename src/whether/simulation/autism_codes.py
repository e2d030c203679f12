"""Codes in the health record of a simulated child before its second birthday, as a mean embedding.

What a child's factors do to its codes is fixed: vocabulary, loadings and embedding are drawn from a seed of their own,
as if they had been learned elsewhere long before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whether.simulation.streams import FloatArray, Streams

N_FACTORS = 16
N_CODES = 1200
N_DIMENSIONS = 256
ACCESS = 3  # the factor that stands for access to care

_FIXED_SEED = 256_1200_16
_SHARE_TOUCHED = 0.1
_CHUNK = 2000


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Log base rates of the codes, the change of each per unit of a factor, and their embedding."""

    base: FloatArray
    loadings: FloatArray
    embedding: NDArray[np.float32]


@lru_cache(maxsize=1)
def fixed_vocabulary() -> Vocabulary:
    """Return the one vocabulary of all cohorts."""
    base = 1.2 * _normals("base", N_CODES)
    loadings = 0.9 * (0.6 + 0.8 * _normals("loadings", N_CODES * N_FACTORS).reshape(N_CODES, N_FACTORS))
    order = Streams(_FIXED_SEED, N_CODES * N_FACTORS).uniforms("touched").reshape(N_CODES, N_FACTORS)
    rank = np.argsort(np.argsort(order, axis=0), axis=0)
    loadings[rank >= int(_SHARE_TOUCHED * N_CODES)] = 0.0
    projection = _normals("projection", N_FACTORS * N_DIMENSIONS).reshape(N_FACTORS, N_DIMENSIONS)
    own = 0.6 * _normals("code", N_CODES * N_DIMENSIONS).reshape(N_CODES, N_DIMENSIONS)
    embedding = (loadings @ projection + own) / np.sqrt(N_DIMENSIONS)
    return Vocabulary(base, loadings, embedding.astype(np.float32))


def _normals(name: str, size: int) -> FloatArray:
    return np.asarray(special.ndtri(Streams(_FIXED_SEED, size).uniforms(name)), dtype=np.float64)


def count_codes(access: FloatArray, streams: Streams) -> NDArray[np.int64]:
    """Return how many codes each child has: three at least, and more with better access to care."""
    activity = 0.5 * special.gammaincinv(2.0, streams.uniforms("activity"))
    mean = 60.0 * np.exp(0.35 * access) * activity
    return np.maximum(3, _poisson_quantile(streams.uniforms("number of codes"), mean))


def _poisson_quantile(levels: FloatArray, mean: FloatArray) -> NDArray[np.int64]:
    """Return the smallest count whose cumulative probability reaches the level."""
    # pdtrik inverts the distribution function continued between whole numbers; rounding up may be off by one.
    count = np.ceil(special.pdtrik(levels, mean))
    count = np.where(np.isfinite(count), count, 0.0)
    count = np.where(special.pdtr(count, mean) < levels, count + 1, count)
    too_many = (count > 0) & (special.pdtr(np.maximum(count - 1, 0), mean) >= levels)
    return np.asarray(count - too_many, dtype=np.int64)


def average_embedding(
    factors: FloatArray, n_codes: NDArray[np.int64], seed: int | np.random.SeedSequence
) -> NDArray[np.float32]:
    """Draw every child's codes and return the mean of their embeddings.

    The draws of a child follow those of the children before it, whatever is done with these afterwards.
    """
    vocabulary = fixed_vocabulary()
    ends = np.cumsum(n_codes)
    draws = Streams(seed, int(ends[-1])).uniforms("codes")
    means = np.empty((n_codes.size, N_DIMENSIONS), dtype=np.float32)
    for first in range(0, n_codes.size, _CHUNK):
        rows = slice(first, min(first + _CHUNK, n_codes.size))
        part = draws[ends[first] - n_codes[first] : ends[rows.stop - 1]]
        counts = _draw_counts(vocabulary, factors[rows], n_codes[rows], part)
        means[rows] = counts @ vocabulary.embedding / n_codes[rows, None]
    return means


def _draw_counts(
    vocabulary: Vocabulary, factors: FloatArray, n_codes: NDArray[np.int64], draws: FloatArray
) -> NDArray[np.float32]:
    """Return how often each child has each code."""
    log_rates = vocabulary.base + factors @ vocabulary.loadings.T
    rates = np.exp(log_rates - log_rates.max(axis=1, keepdims=True))
    cumulative = np.cumsum(rates, axis=1)
    cumulative /= cumulative[:, -1:]
    child = np.repeat(np.arange(n_codes.size), n_codes)
    # One sorted table for all children: each child's distribution function, raised by its number.
    table = (cumulative + np.arange(n_codes.size)[:, None]).ravel()
    place = np.searchsorted(table, child + draws, side="right")
    place = np.clip(place, child * N_CODES, child * N_CODES + N_CODES - 1)
    counts = np.bincount(place, minlength=table.size).astype(np.float32)
    return counts.reshape(n_codes.size, N_CODES)
