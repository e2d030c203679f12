"""From features to predictors by networks: what they put out, their parameters, and how these are used.

Several networks of one shape are computed at a time. Their parameters are the rows of one matrix, so that training can
treat them alike and drop some of them. What is done with parameters is written once, for PyTorch's tensors during
training and for NumPy's arrays in predictions: a fitted perceptron predicts without PyTorch. Used by
`whether.learners.neural` and `whether.learners.training`.
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
from numpy.typing import NDArray
from scipy.special import expit

from whether.propensity import Propensity

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def load_torch() -> Any:
    """Return PyTorch, or say how to get it."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise ImportError('The neural learner needs PyTorch: pip install "whether[neural]".') from None


@dataclass(frozen=True)
class Layout:
    """What networks have to put out, and which propensity predictors have a level to train.

    Attributes
    ----------
    propensity : Propensity
    has_outcome : bool
    n_features : int
    columns : ndarray of int
        Features that the propensity may use.
    known : tuple of int
        Propensity predictors whose level is known.
    """

    propensity: Propensity
    has_outcome: bool
    n_features: int
    columns: Rows
    known: tuple[int, ...] = ()

    @property
    def trained(self) -> tuple[int, ...]:
        """Propensity predictors with a level to train."""
        return tuple(k for k in range(len(self.propensity.predictors)) if k not in self.known)

    @property
    def sloped(self) -> tuple[int, ...]:
        """Propensity predictors that follow features."""
        return tuple(k for k in self.trained if self.propensity.sloped[k]) if self.columns.size else ()

    @property
    def restricted(self) -> bool:
        """Whether the propensity may use a part of the features only."""
        return bool(self.sloped) and self.columns.size < self.n_features

    @property
    def indexed(self) -> bool:
        """Whether the propensity is tied to the outcome's index."""
        return self.has_outcome and bool(self.sloped) and not self.restricted

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs that depend on features."""
        return ("outcome logit",) * self.has_outcome + tuple(self.propensity.predictors[k] for k in self.sloped)

    @property
    def n_predictors(self) -> int:
        """Number of predictors, the outcome logit included."""
        return int(self.has_outcome) + len(self.propensity.predictors)

    def places(self) -> Array:
        """Matrix from outputs to predictors."""
        first = int(self.has_outcome)
        return np.eye(self.n_predictors)[[*range(first), *(first + k for k in self.sloped)]]

    def levels(self) -> Array:
        """Matrix from trained levels to predictors."""
        return np.eye(self.n_predictors)[[int(self.has_outcome) + k for k in self.trained]]

    def tied(self) -> Array:
        """Predictors that follow the outcome's index, with their sign."""
        own = np.eye(self.n_predictors)[[int(self.has_outcome) + k for k in self.sloped]]
        return np.asarray(self.propensity.index_sign * own.sum(axis=0))


class Bodies(ABC):
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
        """Outputs of networks, shape (networks, people, outputs); None if there are none.

        Parameters
        ----------
        pieces : sequence of tensor or ndarray
            The matrix of parameters, split by ``sizes``.
        networks : ndarray of int
            Which networks the rows of parameters are.
        inputs : tensor or ndarray of shape (networks or 1, people, features)
            Features, standardised.
        """

    def train(self, training: bool) -> None:  # noqa: B027 (perceptrons do the same in both cases)
        """Say whether parameters are being trained or judged."""

    def keep(self, networks: Rows, parameters: Array) -> Bodies:
        """Some of the networks."""
        return self


@dataclass(frozen=True)
class View:
    """Which features networks see.

    Attributes
    ----------
    columns : ndarray of int, shape (networks or 1, width), or None
        None for all.
    used : ndarray of shape (networks or 1, 1, width), or None
        0 for columns that only fill up the row of a network that sees fewer than others.
    width : int
    """

    columns: Rows | None
    used: Array | None
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


class Perceptrons(Bodies):
    """A perceptron for the outcome and one for the propensity, whose outputs start at zero.

    Parameters
    ----------
    layout : Layout
    hidden : sequence of int
        Widths of the hidden layers of each.
    seen : list of ndarray of int, optional
        Features that each network sees; all unless given.
    """

    def __init__(self, layout: Layout, hidden: Sequence[int], seen: list[Rows] | None = None) -> None:
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


class Modules(Bodies):
    """Modules of the user's own. Parameters that are to be trained are in the matrix, the rest stays in the modules.

    Parameters
    ----------
    modules : list of torch.nn.Module
        One for each network.
    """

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


def own_modules(module: Any, layout: Layout, n_networks: int, features: Array, device: Any) -> Modules:
    """Copies of a module, or as many as a function makes, once it is clear that they fit.

    Parameters
    ----------
    module : torch.nn.Module or callable
    layout : Layout
    n_networks : int
    features : ndarray
        Of two people, to try it.
    device : torch.device
    """
    torch, wanted = load_torch(), len(layout.outputs)
    if layout.restricted:
        raise ValueError("A module sees all features: the propensity cannot be restricted to some of them.")
    is_module = isinstance(module, torch.nn.Module)
    made = [copy.deepcopy(module) if is_module else module() for _ in range(n_networks)]
    with torch.no_grad():
        shape = tuple(made[0].cpu().eval()(torch.as_tensor(features, dtype=torch.float32)).shape)
    if shape != (features.shape[0], wanted):
        raise ValueError(
            f"The module must return {wanted} output{'s' * (wanted != 1)} per person ({', '.join(layout.outputs)}):"
            f" shape ({features.shape[0]}, {wanted}) for {features.shape[0]} people, got {shape}."
        )
    return Modules([one.to(device) for one in made])


class Network:
    """Networks of one shape with the numbers around them: features in, predictors out.

    A row of parameters holds those of the bodies, then the levels, then kappa.

    Parameters
    ----------
    layout : Layout
    bodies : Bodies
    like : callable
        Turns an array into what the parameters are: a tensor, or itself.
    """

    def __init__(self, layout: Layout, bodies: Bodies, like: Callable[[Array], Any]) -> None:
        self.layout, self.bodies = layout, bodies
        self.sizes = [*bodies.sizes, len(layout.trained), 1]
        self._places, self._levels, self._tied = map(like, (layout.places(), layout.levels(), layout.tied()))

    @property
    def decays(self) -> Array:
        """1 for parameters of the bodies, to which weight decay applies, and 0 for the others."""
        return np.repeat([1.0, 0.0], [self.bodies.size, sum(self.sizes) - self.bodies.size])

    def predictors(self, parameters: Any, networks: Rows, inputs: Any, base: Any) -> tuple[Any, Any]:
        """Predictors, shape (networks, people, P), and the outputs behind them.

        Parameters
        ----------
        parameters : tensor or ndarray of shape (networks, size)
        networks, inputs
            As in `Bodies.outputs`.
        base : tensor or ndarray of shape (networks or 1, people, P)
            Predictors to which the networks add.
        """
        *pieces, levels, kappa = _split(parameters, self.sizes)
        outputs = self.bodies.outputs(pieces, networks, inputs)
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


def _silu(values: Any) -> Any:
    """The activation x * expit(x), of arrays and of tensors."""
    return values * expit(values) if isinstance(values, np.ndarray) else load_torch().nn.functional.silu(values)


def _join(parts: list[Any]) -> Any:
    """Arrays or tensors joined along their last axis; None if there are none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return np.concatenate(parts, axis=-1) if isinstance(parts[0], np.ndarray) else load_torch().cat(parts, dim=-1)
