"""Named random streams, so that worlds share the draws they do not change."""

from collections.abc import Callable
from typing import TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Candidates = TypeVar("Candidates")

# Zero would become minus infinity under most quantile functions. Half the
# spacing of the generator's grid is positive and never drawn otherwise.
_SMALLEST_UNIFORM = 2.0**-54


class Streams:
    """Uniform draws, one independent stream per name.

    The key of a stream is a checksum of its name, so a stream depends on the seed and its own name only: not on which
    other streams are read, nor in which order. The first draws of a stream do not depend on how many follow. A seed
    sequence is read, never advanced, so the same object gives the same draws each time; an int is the same as the
    sequence made from it.
    """

    def __init__(self, seed: int | np.random.SeedSequence, n: int) -> None:
        self._root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._n = n

    def uniforms(self, name: str) -> FloatArray:
        """Draw one number in (0, 1) per person, the same whenever the name is the same."""
        child = np.random.SeedSequence(
            entropy=self._root.entropy,
            spawn_key=(*self._root.spawn_key, crc32(name.encode())),
            pool_size=self._root.pool_size,
        )
        return np.maximum(np.random.default_rng(child).random(self._n), _SMALLEST_UNIFORM)


def draw_until(
    draw: Callable[[int], Candidates], n: int, rule: Callable[[Candidates], NDArray[np.bool_]]
) -> tuple[Candidates, NDArray[np.intp]]:
    """Draw ever more candidates until n of them meet the rule; more candidates leave the first ones as they are."""
    size = n + n // 20 + 100
    while True:
        candidates = draw(size)
        rows = np.flatnonzero(rule(candidates))
        if rows.size >= n:
            return candidates, rows[:n]
        size = 1 + int(1.05 * size * n / max(rows.size, 1))
