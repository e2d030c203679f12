"""Centered distributions drawn by their quantile function.

Drawing by quantiles lets two worlds with different distributions use the same
uniforms: a person who is followed long in one is followed long in the other.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from whether.simulation.streams import FloatArray


@dataclass(frozen=True)
class NoNoise:
    """All the mass at zero."""

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Return zeros."""
        return np.zeros_like(levels)

    def cdf(self, values: FloatArray) -> FloatArray:
        """Return one from zero on."""
        return (values >= 0).astype(np.float64)


@dataclass(frozen=True)
class NormalNoise:
    """Normal around zero; with a cut, kept within plus or minus that."""

    sd: float
    cut: float | None = None

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Return the quantiles at the given levels."""
        if self.cut is None:
            return np.asarray(self.sd * special.ndtri(levels), dtype=np.float64)
        tail = self._tail()
        values = self.sd * special.ndtri(tail + levels * (1 - 2 * tail))
        # Rounding near the ends must not lead outside the truncation.
        return np.asarray(np.clip(values, -self.cut, self.cut), dtype=np.float64)

    def cdf(self, values: FloatArray) -> FloatArray:
        """Return the cumulative probability at the given values."""
        tail = self._tail()
        shares = (special.ndtr(values / self.sd) - tail) / (1 - 2 * tail)
        return np.asarray(np.clip(shares, 0.0, 1.0), dtype=np.float64)

    def _tail(self) -> float:
        """Return the mass that truncation takes off either side."""
        return 0.0 if self.cut is None else float(special.ndtr(-self.cut / self.sd))


@dataclass(frozen=True)
class UniformNoise:
    """Uniform between two ends."""

    low: float
    high: float

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Return the quantiles at the given levels."""
        return self.low + levels * (self.high - self.low)

    def cdf(self, values: FloatArray) -> FloatArray:
        """Return the cumulative probability at the given values."""
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)


@dataclass(frozen=True)
class StudentNoise:
    """Student t around zero, with unit scale: the fewer degrees of freedom, the heavier the tails."""

    degrees_of_freedom: float

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Return the quantiles at the given levels."""
        return np.asarray(special.stdtrit(self.degrees_of_freedom, levels), dtype=np.float64)

    def cdf(self, values: FloatArray) -> FloatArray:
        """Return the cumulative probability at the given values."""
        return np.asarray(special.stdtr(self.degrees_of_freedom, values), dtype=np.float64)


@dataclass(frozen=True)
class PieceNoise:
    """Uniform on pieces, with nothing between them; a piece without length is a date on which many events come.

    Parameters
    ----------
    pieces : tuple of (low, high, share)
        From the lowest to the highest; the shares add up to one.
    """

    pieces: tuple[tuple[float, float, float], ...]

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Return the quantiles at the given levels."""
        low, high, share = np.array(self.pieces).T
        ends = np.cumsum(share)
        piece = np.minimum(np.searchsorted(ends, levels), share.size - 1)
        within = np.clip((levels - (ends - share)[piece]) / share[piece], 0.0, 1.0)
        return np.asarray(low[piece] + within * (high - low)[piece], dtype=np.float64)

    def cdf(self, values: FloatArray) -> FloatArray:
        """Return the cumulative probability at the given values."""
        total = np.zeros_like(values, dtype=np.float64)
        for low, high, share in self.pieces:
            passed = np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else values >= low
            total += share * passed
        return total


Noise = NoNoise | NormalNoise | PieceNoise | UniformNoise | StudentNoise
