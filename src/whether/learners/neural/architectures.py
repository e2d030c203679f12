"""From features to predictors by networks: perceptrons, which predict without PyTorch, or modules of the user's own.

Several networks of one shape are computed at a time. Their parameters are the rows of one matrix, so that training can
treat them alike and drop some of them. What is done with parameters is written once, for PyTorch's tensors during
training and for NumPy's arrays in predictions.
"""

from __future__ import annotations

import copy
import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

from whether.arrays import Array, Rows
from whether.learners.neural.outputs import OutputLayout
from whether.validate import ArgumentError


def load_torch() -> Any:
    """Return PyTorch, or say how to get it."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise ImportError('The neural learner needs PyTorch: pip install "whether[neural]".') from None


class Architecture(ABC):
    """Networks of one shape without parameters; the parameters of each are a row of a matrix."""

    sizes: list[int]

    @property
    def size(self) -> int:
        """Number of parameters of one network."""
        return sum(self.sizes)

    @abstractmethod
    def draw(self, n_networks: int, rng: np.random.Generator) -> Array:
        """Parameters to start from, shape (n_networks, size)."""

    @abstractmethod
    def outputs(self, pieces: Sequence[Any], networks: Rows, inputs: Any) -> Any:
        """Outputs of networks, shape (networks, people, outputs); None if there are none."""

    def train(self, training: bool) -> None:  # noqa: B027 (perceptrons do the same in both cases)
        """Say whether parameters are being trained or judged."""

    def keep(self, networks: Rows, parameters: Array) -> Architecture:
        """Some of the networks."""
        return self


@dataclass(frozen=True)
class View:
    """Which features networks see; those of a network that sees fewer than others are filled up to the same width."""

    columns: Rows | None  # of shape (networks or 1, width); None for all
    used: Array | None  # of shape (networks or 1, 1, width), 0 for columns that only fill up
    width: int

    @classmethod
    def of(cls, n_features: int, seen: list[Rows]) -> View:
        """View of these features by each network, or by all of them alike."""
        if len(seen) == 1 and seen[0].size == n_features:
            return cls(None, None, n_features)
        width = max(1, *(one.size for one in seen)) if seen else 1
        used = np.array([np.arange(width) < one.size for one in seen], dtype=float)
        columns = np.zeros((len(seen), width), dtype=np.intp)
        for row, one in zip(columns, seen, strict=True):
            row[: one.size] = one
        return cls(columns, used[:, None], width)

    def look(self, inputs: Any, networks: Rows) -> Any:
        """What networks see of their inputs, shape (networks or 1, people, width)."""
        if self.columns is None or self.used is None:
            return inputs
        own = slice(None) if self.columns.shape[0] == 1 else networks
        columns, used = self.columns[own, None], self.used[own]
        if isinstance(inputs, np.ndarray):
            return np.take_along_axis(inputs, columns, axis=2) * used
        torch = load_torch()
        tensors = torch.as_tensor(columns, device=inputs.device), torch.as_tensor(used).to(inputs)
        return torch.take_along_dim(inputs, tensors[0], dim=2) * tensors[1]

    def take(self, networks: Rows) -> View:
        """View of some of the networks."""
        if self.columns is None or self.used is None or self.columns.shape[0] == 1:
            return self
        return View(self.columns[networks], self.used[networks], self.width)


class Perceptrons(Architecture):
    """A perceptron for the outcome and one for the propensity, whose outputs start at zero."""

    def __init__(self, layout: OutputLayout, hidden: Sequence[int], seen: list[Rows] | None = None) -> None:
        every = np.arange(layout.n_features)
        views = [View.of(layout.n_features, seen or [every])] * layout.has_outcome
        if layout.sloped:
            views.append(View.of(layout.n_features, [np.intersect1d(one, layout.columns) for one in seen or [every]]))
        self.views = views
        n_out = [1] * layout.has_outcome + [len(layout.sloped)] * bool(layout.sloped)
        self.layers = [list(pairwise([view.width, *hidden, n])) for view, n in zip(views, n_out, strict=True)]
        self.sizes = [size for layers in self.layers for n_in, n_out in layers for size in (n_in * n_out, n_out)]

    def draw(self, n_networks: int, rng: np.random.Generator) -> Array:
        """Uniform weights, as PyTorch's layers have them, and zeros in the last layer."""
        parts = [np.empty((n_networks, 0))]
        for layers in self.layers:
            for n_in, n_out in layers[:-1]:
                parts.append(rng.uniform(-1, 1, (n_networks, (n_in + 1) * n_out)) / math.sqrt(n_in))
            parts.append(np.zeros((n_networks, (layers[-1][0] + 1) * layers[-1][1])))
        return np.concatenate(parts, axis=1)

    def outputs(self, pieces: Sequence[Any], networks: Rows, inputs: Any) -> Any:
        """Outputs of both, side by side."""
        result, remaining = [], iter(pieces)
        for view, layers in zip(self.views, self.layers, strict=True):
            values = view.look(inputs, networks)
            for number, (n_in, n_out) in enumerate(layers):
                weight, bias = next(remaining).reshape(-1, n_in, n_out), next(remaining)[:, None]
                values = (_silu(values) if number else values) @ weight + bias
            result.append(values)
        return _join(result)

    def keep(self, networks: Rows, parameters: Array) -> Perceptrons:
        """Some of the networks."""
        kept = copy.copy(self)
        kept.views = [view.take(networks) for view in self.views]
        return kept


class Modules(Architecture):
    """Modules of the user's own. Parameters that are to be trained are in the matrix, the rest stays in the modules."""

    def __init__(self, modules: list[Any]) -> None:
        self.modules = modules
        self.shapes = {name: part.shape for name, part in modules[0].named_parameters() if part.requires_grad}
        self.sizes = [math.prod(shape) for shape in self.shapes.values()]

    def draw(self, n_networks: int, rng: np.random.Generator) -> Array:
        """The parameters that the modules were made with."""
        rows = [[module.get_parameter(name).detach().cpu().numpy() for name in self.shapes] for module in self.modules]
        return np.stack([np.concatenate([part.ravel() for part in row]) for row in rows]).astype(float)

    def outputs(self, pieces: Sequence[Any], networks: Rows, inputs: Any) -> Any:
        """Outputs of each module."""
        torch, result = load_torch(), []
        if isinstance(inputs, np.ndarray):
            tensors = [torch.as_tensor(piece, dtype=torch.float32) for piece in (*pieces, inputs)]
            with torch.no_grad():
                return self.outputs(tensors[:-1], networks, tensors[-1]).double().numpy()
        for row, network in enumerate(networks):
            parts = zip(pieces, self.shapes.items(), strict=True)
            parameters = {name: piece[row].reshape(shape) for piece, (name, shape) in parts}
            values = inputs[row if inputs.shape[0] > 1 else 0]
            result.append(torch.func.functional_call(self.modules[network], parameters, (values,)))
        return torch.stack(result)

    def train(self, training: bool) -> None:
        """Switch dropout and the like on or off."""
        for module in self.modules:
            module.train(training)

    def keep(self, networks: Rows, parameters: Array) -> Modules:
        """Some of the modules, on the CPU and with these parameters in them, ready to predict."""
        torch, kept = load_torch(), [copy.deepcopy(self.modules[network]).cpu().eval() for network in networks]
        for module, row in zip(kept, parameters[networks], strict=True):
            pieces = np.split(row[: self.size], np.cumsum(self.sizes)[:-1])
            with torch.no_grad():
                for piece, (name, shape) in zip(pieces, self.shapes.items(), strict=True):
                    module.get_parameter(name).copy_(torch.as_tensor(piece.reshape(shape)))
        return Modules(kept)


class Network:
    """Features in, predictors out: a row of parameters holds those of the architecture, then the levels, then kappa."""

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


def own_modules(module: Any, layout: OutputLayout, n_networks: int, features: Array, device: Any) -> Modules:
    """Copies of a module, or as many as a function makes, once it is clear that they fit."""
    torch, wanted = load_torch(), len(layout.outputs)
    if layout.restricted:
        raise ArgumentError("A module sees all features: the propensity cannot be restricted to some of them.")
    is_module = isinstance(module, torch.nn.Module)
    made = [copy.deepcopy(module) if is_module else module() for _ in range(n_networks)]
    with torch.no_grad():
        shape = tuple(made[0].cpu().eval()(torch.as_tensor(features, dtype=torch.float32)).shape)
    if shape != (features.shape[0], wanted):
        raise ArgumentError(
            f"The module must return {wanted} output{'s' * (wanted != 1)} per person ({', '.join(layout.outputs)}):"
            f" shape ({features.shape[0]}, {wanted}) for {features.shape[0]} people, got {shape}."
        )
    return Modules([one.to(device) for one in made])


def _silu(values: Any) -> Any:
    """The activation x * expit(x), of arrays and of tensors."""
    return values * expit(values) if isinstance(values, np.ndarray) else load_torch().nn.functional.silu(values)


def _join(parts: list[Any]) -> Any:
    """Arrays or tensors joined along their last axis; None if there are none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return np.concatenate(parts, axis=-1) if isinstance(parts[0], np.ndarray) else load_torch().cat(parts, dim=-1)


def _split(parameters: Any, sizes: Sequence[int]) -> Sequence[Any]:
    """Cut a matrix of parameters into columns of these widths."""
    if isinstance(parameters, np.ndarray):
        return np.split(parameters, np.cumsum(sizes)[:-1], axis=1)
    pieces: Sequence[Any] = parameters.split(sizes, dim=1)
    return pieces
