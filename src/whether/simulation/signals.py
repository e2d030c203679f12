"""Functions of the features: what drives outcomes, event times and follow-up."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from whether.simulation.streams import FloatArray
from whether.validate import ArgumentError


def column(name: str) -> int:
    """Return the column index of a feature: 0 for "x1"."""
    return int(name.removeprefix("x")) - 1


@dataclass(frozen=True)
class Linear:
    """A weighted sum of the features named; zero without any."""

    features: tuple[str, ...] = ()
    coefficients: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse weights that do not pair up with the features."""
        if len(self.features) != len(self.coefficients):
            raise ArgumentError(f"{len(self.features)} features but {len(self.coefficients)} coefficients")

    def __call__(self, X: FloatArray) -> FloatArray:
        """Evaluate on the rows of a feature matrix."""
        total = np.zeros(len(X))
        for name, coefficient in zip(self.features, self.coefficients, strict=True):
            total += coefficient * X[:, column(name)]
        return total


@dataclass(frozen=True)
class Curve:
    """A non-linear function of two features, which takes their columns in the order of the names."""

    features: tuple[str, str]
    function: Callable[[FloatArray, FloatArray], FloatArray]

    def __call__(self, X: FloatArray) -> FloatArray:
        """Evaluate on the rows of a feature matrix."""
        first, second = self.features
        return self.function(X[:, column(first)], X[:, column(second)])


Signal = Linear | Curve


def steep_wave_and_steep_valley(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return a sine of the first plus a kink in the second, both of height 3."""
    return 3 * np.sin(2 * first) + 3 * (np.abs(second) - 0.8)


def steep_wave_and_valley(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return a sine of height 3 in the first plus a kink of slope 2."""
    return 3 * np.sin(2 * first) + 2 * (np.abs(second) - 0.8)


def wave_and_valley(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return a sine of height 2 in the first plus a kink of slope 2."""
    return 2 * np.sin(2 * first) + 2 * (np.abs(second) - 0.8)


def pure_product(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return four times the product: neither feature matters on its own."""
    return 4 * first * second


def product_and_first(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return twice the product plus the first."""
    return 2 * first * second + first
