"""The parts of the neural learner that know PyTorch: a loss carried across from NumPy, and the network's layout.

The likelihood and its gradient are computed per person in NumPy, as for every learner; an ``autograd.Function`` carries
them across, so that any network can be trained under any propensity. Used by `whether.learners.neural`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.learners.index import LARGEST_KAPPA, LOWEST_KAPPA
from whether.propensity import Propensity

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# Stands for a log-likelihood that is not finite.
WORST = -1e6


def load_torch() -> Any:
    """Return PyTorch, or say how to get it."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise ImportError('The neural learner needs PyTorch: pip install "whether[neural]".') from None


class BatchLikelihood:
    """Mean negative log-likelihood of any rows of a cohort in their predictors, with the gradient.

    Predictors have one row per person here, as in PyTorch, and the outcome logit, where there is one, comes first.
    """

    def __init__(self, cohort: Cohort, propensity: Propensity, has_outcome: bool) -> None:
        self.propensity, self.first = propensity, int(has_outcome)
        self.labeled, self.observed = cohort.labeled, propensity.observe(cohort)
        self.weight = np.ones(cohort.n) if cohort.weight is None else cohort.weight

    def row_terms(self, outputs: Array, rows: Rows) -> tuple[Array, Array]:
        """Log-likelihood of each row, shape (n,), and its gradient in the predictors, shape (n, P)."""
        value, gradient = np.empty(rows.size), np.empty(outputs.shape)
        for wanted, of_rows in ((True, self.propensity.labeled_rows), (False, self.propensity.unlabeled_rows)):
            part = np.flatnonzero(self.labeled[rows] == wanted)
            if part.size:
                predictors = np.ascontiguousarray(outputs[part].T)
                eta = predictors[0] if self.first else None
                terms = of_rows(eta, predictors[self.first :], self.observed[..., rows[part]])
                value[part], gradient[part] = terms.value, terms.gradient.T
        return value, gradient

    def loss(self, outputs: Array, rows: Rows) -> tuple[float, Array]:
        """Weighted mean of the negative log-likelihood, with the penalty on the levels, and its gradient."""
        weight, people = self.weight[rows] / self.weight[rows].sum(), self.weight.sum()
        with np.errstate(over="ignore", invalid="ignore"):
            value, gradient = self.row_terms(outputs, rows)
        penalty, by_level, _ = self.propensity.penalty(weight @ outputs[:, self.first :])
        gradient[:, self.first :] -= by_level / people
        # A network may stray where the likelihood overflows; such rows then only lose their say in this step.
        by_output = np.nan_to_num(-weight[:, None] * gradient, nan=0.0, posinf=0.0, neginf=0.0)
        return float(penalty / people - weight @ value), by_output


def carried_loss(outputs: Any, likelihood: BatchLikelihood, rows: Rows) -> Any:
    """Return the loss of a batch, whose predictors are a tensor, as a tensor through which gradients flow."""
    return _carrier().apply(outputs, likelihood, rows)


@functools.cache
def _carrier() -> Any:
    torch = load_torch()

    function: Any = torch.autograd.Function

    class Carrier(function):
        @staticmethod
        def forward(ctx: Any, outputs: Any, likelihood: BatchLikelihood, rows: Rows) -> Any:
            value, gradient = likelihood.loss(outputs.detach().cpu().double().numpy(), rows)
            ctx.save_for_backward(torch.from_numpy(gradient).to(outputs))
            return outputs.new_tensor(value)

        @staticmethod
        def backward(ctx: Any, above: Any) -> Any:
            return above * ctx.saved_tensors[0], None, None

    return Carrier


@dataclass(frozen=True)
class Layout:
    """What the network has to put out, and which propensity predictors have a level to train."""

    propensity: Propensity
    has_outcome: bool
    columns: Rows
    sloped: tuple[int, ...]
    trained: tuple[int, ...]
    restricted: bool

    @property
    def indexed(self) -> bool:
        """Whether the propensity is tied to the outcome's index."""
        return self.has_outcome and bool(self.sloped) and not self.restricted

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs that depend on features."""
        return ("outcome logit",) * self.has_outcome + tuple(self.propensity.predictors[k] for k in self.sloped)

    def inputs(self, standard: Array, n_bodies: int) -> list[Array]:
        """Features that each part of a network gets: outcome first, then the propensity; all, for a single module."""
        parts = [standard] * self.has_outcome + ([standard[:, self.columns]] if self.sloped else [])
        return parts[:n_bodies]


class Network:
    """Modules and the numbers around them; a plain object, so that it can be pickled."""

    def __init__(self, layout: Layout, bodies: list[Any], kappa: float) -> None:
        torch = load_torch()
        first, size = int(layout.has_outcome), int(layout.has_outcome) + len(layout.propensity.predictors)
        everything, sloped = torch.eye(size), [first + k for k in layout.sloped]
        self.layout, self.parts = layout, torch.nn.Module()
        self.parts.bodies = torch.nn.ModuleList(bodies)
        self.parts.levels = torch.nn.Parameter(torch.zeros(len(layout.trained)))
        self.parts.kappa = torch.nn.Parameter(torch.tensor(float(kappa)), requires_grad=layout.indexed)
        self.parts.register_buffer("places", everything[[*range(first), *sloped]])
        self.parts.register_buffer("selected", everything[[first + k for k in layout.trained]])
        self.parts.register_buffer("tied", layout.propensity.index_sign * everything[sloped].sum(dim=0))

    def outputs(self, inputs: list[Any], base: Any) -> tuple[Any, Any]:
        """Predictors, shape (n, P), and the raw outputs behind them."""
        parts = self.parts
        raw = [body(values) for body, values in zip(parts.bodies, inputs, strict=True)]
        predictors = base + parts.levels @ parts.selected
        if not raw:
            return predictors, predictors[:, :0]
        together = load_torch().cat(raw, dim=1)
        predictors = predictors + together @ parts.places
        if self.layout.indexed:
            predictors = predictors + parts.kappa * together[:, :1] * parts.tied
        return predictors, together

    def penalty(self, raw: Any, departure: float) -> Any:
        """Penalty on departures from the index and on kappa, in units of one person's log-likelihood."""
        if not self.layout.indexed:
            return 0.0
        largest = LARGEST_KAPPA if self.parts.kappa.item() >= 0 else LOWEST_KAPPA
        return 0.5 * (departure * raw[:, 1:].square().mean(dim=0).sum() + (self.parts.kappa / largest) ** 2)


def perceptron(n_in: int, hidden: Sequence[int], n_out: int) -> Any:
    """Layers of a network whose outputs start at zero."""
    nn, sizes = load_torch().nn, [n_in, *hidden]
    layers = [layer for pair in pairwise(sizes) for layer in (nn.Linear(*pair), nn.SiLU())]
    last = nn.Linear(sizes[-1], n_out)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*layers, last)
