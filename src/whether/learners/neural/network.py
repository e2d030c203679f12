"""From features to predictors by networks: what they have to put out, and what is made of it.

Several networks of one shape are computed at a time. Their parameters are the rows of one matrix, so that training can
treat them alike and drop some of them. What is done with parameters is written once, for PyTorch's tensors during
training and for NumPy's arrays in predictions. Used by `model` and `training`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.neural.architectures import Architecture
from whether.learners.neural.outputs import OutputLayout


class Network:
    """Networks of one shape with the numbers around them: features in, predictors out.

    A row of parameters holds those of the architecture, then the levels, then kappa.
    """

    def __init__(self, layout: OutputLayout, architecture: Architecture, like: Callable[[Array], Any]) -> None:
        self.layout, self.architecture = layout, architecture
        self.sizes = [*architecture.sizes, len(layout.trained), 1]
        self._places, self._levels, self._tied = map(like, (layout.places(), layout.levels(), layout.tied()))

    @property
    def decays(self) -> Array:
        """1 for parameters of the architecture, to which weight decay applies, and 0 for the others."""
        return np.repeat([1.0, 0.0], [self.architecture.size, sum(self.sizes) - self.architecture.size])

    def predictors(self, parameters: Any, networks: Rows, inputs: Any, base: Any) -> tuple[Any, Any]:
        """Predictors, shape (networks, people, P), and the outputs behind them."""
        *pieces, levels, kappa = _split(parameters, self.sizes)
        outputs = self.architecture.outputs(pieces, networks, inputs)
        result = base + levels[:, None] @ self._levels
        if outputs is None:
            return result, None
        result = result + outputs @ self._places
        if self.layout.indexed:
            result = result + kappa[:, None] * outputs[..., :1] * self._tied
        return result, outputs


def _split(parameters: Any, sizes: Sequence[int]) -> Sequence[Any]:
    """Cut a matrix of parameters into columns of these widths."""
    if isinstance(parameters, np.ndarray):
        return np.split(parameters, np.cumsum(sizes)[:-1], axis=1)
    pieces: Sequence[Any] = parameters.split(sizes, dim=1)
    return pieces
