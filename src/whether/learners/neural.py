"""The neural learner: features to predictors by a network, trained on the same likelihood as the linear learner.

The likelihood and its gradient are computed per person in NumPy, as for every learner, and carried across to PyTorch;
the network only has to turn features into predictors. The propensity's predictors start as constants and are tied to
the outcome's index,

    predictor = level + sign * kappa * (outcome logit, centered) + delta(features),

where a penalty on the size of delta keeps the time part close to the index unless held-out likelihood wants it free.
PyTorch is imported only when a network is fitted or asked for predictions.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from whether.cohort import Cohort
from whether.learners.base import FittedModel, Learner
from whether.learners.fit_result import FitResult, StartResult, correlation
from whether.learners.folds import deal_folds
from whether.learners.linear import LinearFit, LinearLearner
from whether.learners.network import WORST, BatchLikelihood, Layout, Network, carried_loss, load_torch, perceptron
from whether.learners.optimize import Status
from whether.learners.parallel import one_blas_thread
from whether.propensity import Propensity

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# Penalties on the mean square of delta, in units of one person's log-likelihood: starts alternate between the two.
# The first keeps the time part close to the outcome's index, the second lets it go almost anywhere.
DEPARTURE_PENALTIES = {"index": 100.0, "free": 1.0}
# The loose penalty is taken where its held-out likelihood is better by so many standard errors of the difference.
STANDARD_ERRORS = 1.0
LARGEST_GRADIENT = 1.0
# Rows of a prediction that go through the network at a time.
CHUNK = 20_000


@dataclass(frozen=True)
class NeuralFit(FittedModel):
    """A fitted network.

    Attributes
    ----------
    propensity : Propensity
        The chosen one of the candidates.
    result : FitResult
        How training went; a start's objective is minus its held-out log-likelihood.
    network : object
        The trained modules are in ``network.parts``.
    mean, scale : ndarray
        Standardisation of the features.
    start : ndarray
        Predictors (outcome logit first) to which the network adds, where there is no linear model.
    linear : LinearFit or None
        The linear model to which the network adds.
    """

    propensity: Propensity
    result: FitResult
    network: Network
    mean: Array
    scale: Array
    start: Array
    linear: LinearFit | None

    @property
    def kappa(self) -> float | None:
        """How strongly the network's outcome logit drives the time part; None where they are not tied."""
        return float(self.network.parts.kappa.detach()) if self.network.layout.indexed else None

    def predict(self, features: Array) -> tuple[Array | None, Array]:
        """Outcome logit (None without an outcome part) and propensity predictors of new people."""
        torch, parts = load_torch(), self.network.parts
        outputs = np.empty((features.shape[0], parts.places.shape[1]))
        for first in range(0, features.shape[0], CHUNK):
            tensors = [torch.as_tensor(part).to(parts.places) for part in self.tensors(features[first : first + CHUNK])]
            with torch.no_grad():
                outputs[first : first + CHUNK] = self.network.outputs(tensors[:-1], tensors[-1])[0].numpy()
        n_outcome = int(self.network.layout.has_outcome)
        return (outputs[:, 0].copy() if n_outcome else None), np.ascontiguousarray(outputs[:, n_outcome:].T)

    def tensors(self, features: Array) -> list[Array]:
        """Inputs of the modules, and last the predictors to which their outputs are added, shape (n, P)."""
        base = np.repeat(self.start[None], features.shape[0], axis=0)
        if self.linear is not None:
            base = _side_by_side(*self.linear.predict(features))
        layout, n_bodies = self.network.layout, len(self.network.parts.bodies)
        return [*layout.inputs((features - self.mean) / self.scale, n_bodies), base]


class NeuralLearner(Learner, BaseEstimator):
    """Settings of the neural learner.

    A share of the people is held out; each start trains on the others until the held-out likelihood stops rising, and
    the best network is kept. With the same ``rng`` a fit on a CPU is the same.

    Parameters
    ----------
    hidden : sequence of int
        Widths of the hidden layers of the outcome's network, and of the propensity's.
    learning_rate, weight_decay : float
        Of the AdamW optimizer.
    max_epochs : int
        Largest number of passes over the training people.
    patience : int
        Passes without a better held-out likelihood after which training ends.
    batch_size : int
    n_starts : int
        Number of networks trained. They differ in their random weights and, in turn, in how freely the time part may
        leave the outcome's index.
    validation_share : float
        Share of the people held out; at most a half.
    device : str
        Where to train: "cpu", "cuda", ...; "auto" takes a GPU if there is one. Predictions are made on the CPU.
    module : torch.nn.Module or callable, optional
        Network of your own instead of ``hidden``, or a function without arguments that makes one. It is called with
        the features as they are, not standardised, and returns one column for the outcome logit followed by one for
        each propensity predictor that follows the features.
    linear : LinearLearner, optional
        Learner of a linear model to start from. Networks with and without it compete by held-out likelihood.
    """

    def __init__(
        self,
        *,
        hidden: Sequence[int] = (32, 32),
        learning_rate: float = 3e-3,
        weight_decay: float = 0.1,
        max_epochs: int = 200,
        patience: int = 15,
        batch_size: int = 256,
        n_starts: int = 2,
        validation_share: float = 0.2,
        device: str = "auto",
        module: Any = None,
        linear: LinearLearner | None = None,
    ) -> None:
        self.hidden, self.learning_rate, self.weight_decay = hidden, learning_rate, weight_decay
        self.max_epochs, self.patience, self.batch_size = max_epochs, patience, batch_size
        self.n_starts, self.validation_share = n_starts, validation_share
        self.device, self.module, self.linear = device, module, linear

    def fit(
        self,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        *,
        columns: Rows,
        rng: np.random.Generator,
        has_outcome: bool = True,
        known: dict[int, float] | None = None,
    ) -> NeuralFit:
        """Train networks and keep the one with the highest held-out likelihood; parameters as for `Learner.fit`."""
        load_torch()
        if cohort.weight is not None:
            cohort = cohort.take(np.flatnonzero(cohort.weight > 0))
        with one_blas_thread(), _one_torch_thread(self.module is None):
            return _Training(self, cohort, candidates, columns, has_outcome, known or {}).fit(rng)


@contextmanager
def _one_torch_thread(wanted: bool) -> Iterator[None]:
    """Keep PyTorch to one thread for small networks, whose threads would mostly wait for each other."""
    torch = load_torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1 if wanted else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Run(NamedTuple):
    """A trained network, with the weighted log-likelihood of each held-out person."""

    name: str
    fit: NeuralFit
    held_out: Array
    status: Status
    n_epochs: int


class _Training:
    """One fit: the split, and the training of each start."""

    def __init__(
        self,
        learner: NeuralLearner,
        cohort: Cohort,
        candidates: Sequence[Propensity],
        columns: Rows,
        has_outcome: bool,
        known: dict[int, float],
    ) -> None:
        self.learner, self.cohort, self.candidates = learner, cohort, candidates
        self.columns, self.has_outcome, self.known = columns, has_outcome, known
        self.mean, self.scale = np.zeros(cohort.features.shape[1]), np.ones(cohort.features.shape[1])
        if learner.module is None:
            self.mean = np.average(cohort.features, axis=0, weights=cohort.weight)
            spread = np.sqrt(np.average((cohort.features - self.mean) ** 2, axis=0, weights=cohort.weight))
            self.scale = np.where(spread > 0, spread, 1.0)
        automatic = "cuda" if load_torch().cuda.is_available() else "cpu"
        self.device = load_torch().device(automatic if learner.device == "auto" else learner.device)
        # People are dealt in the order of label and time, so that both parts have their share of each.
        every = max(2, round(1 / learner.validation_share))
        fold = deal_folds(cohort.labeled, candidates[0].observe(cohort), cohort.features, every)
        self.training, self.held_out = np.flatnonzero(fold != every // 2), np.flatnonzero(fold == every // 2)

    def fit(self, rng: np.random.Generator) -> NeuralFit:
        """Train the starts of the best candidate."""
        linear, candidates, likelihoods = None, self.candidates, {}
        if self.learner.linear is not None:
            # Without the held-out people, whose likelihood would else favour it.
            rows = self.cohort.take(self.training)
            linear = self.learner.linear.fit(
                rows, candidates, columns=self.columns, rng=rng, has_outcome=self.has_outcome, known=self.known
            )
            candidates, likelihoods = [linear.propensity], linear.result.distributions
        seeds = [int(seed) for seed in rng.integers(2**31, size=self.learner.n_starts)]
        first = [self._run(candidate, None, 0, seeds[0]) for candidate in candidates]
        if len(candidates) > 1:
            likelihoods = {run.fit.propensity.name: float(run.held_out.sum()) for run in first}
        runs = [max(first, key=lambda run: float(run.held_out.sum()))]
        propensity = runs[0].fit.propensity
        # With a linear model to start from, one network without it is enough to tell whether it helps.
        again = range(1, len(seeds)) if linear is None else range(len(seeds))
        runs += [self._run(propensity, linear, number, seeds[number]) for number in again]
        return self._finish(_ranked(runs), likelihoods)

    def _layout(self, propensity: Propensity) -> Layout:
        trained = tuple(k for k in range(len(propensity.predictors)) if k not in self.known)
        sloped = tuple(k for k in trained if propensity.sloped[k]) if self.columns.size else ()
        restricted = bool(sloped) and self.columns.size < self.mean.size
        if self.learner.module is not None and restricted:
            raise ValueError("A module sees all features: the propensity cannot be restricted to some of them.")
        return Layout(propensity, self.has_outcome, self.columns, sloped, trained, restricted)

    def _start(self, propensity: Propensity) -> Array:
        """Predictors that everybody has before training."""
        labeled, weight = self.cohort.labeled, self.cohort.weight
        observed = propensity.observe(self.cohort)[..., labeled]
        levels = propensity.start(observed, None if weight is None else weight[labeled])
        for predictor, value in self.known.items():
            levels[predictor] = value
        # Half of the positives unlabeled doubles the odds.
        rate = float(np.clip(np.average(labeled, weights=weight), 1e-3, 1 - 1e-3))
        outcome = np.log(rate / (1 - rate)) + np.log(2.0) * bool(propensity.predictors)
        return np.concatenate([[outcome] * self.has_outcome, levels])

    def _bodies(self, layout: Layout) -> list[Any]:
        torch, module, wanted = load_torch(), self.learner.module, len(layout.outputs)
        if module is None:
            sizes = [(self.mean.size, 1)] * self.has_outcome
            sizes += [(layout.columns.size, len(layout.sloped))] if layout.sloped else []
            return [perceptron(n_in, self.learner.hidden, n_out) for n_in, n_out in sizes]
        body = copy.deepcopy(module) if isinstance(module, torch.nn.Module) else module()
        with torch.no_grad():
            shape = tuple(body(torch.as_tensor(self.cohort.features[:2], dtype=torch.float32)).shape)
        if shape != (2, wanted):
            raise ValueError(
                f"The module must return {wanted} output{'s' * (wanted != 1)} per person ({', '.join(layout.outputs)}):"
                f" shape (2, {wanted}) for 2 people, got {shape}."
            )
        return [body]

    def _run(self, propensity: Propensity, linear: LinearFit | None, number: int, seed: int) -> _Run:
        """Train one start from its seed; the random state of PyTorch is left as it was."""
        torch, name = load_torch(), list(DEPARTURE_PENALTIES)[number % 2]
        with torch.random.fork_rng(devices=[self.device] if self.device.type == "cuda" else []):
            torch.manual_seed(seed)
            layout = self._layout(propensity)
            network = Network(layout, self._bodies(layout), (linear and linear.kappa) or 0.0)
            unfinished: Any = None
            fit = NeuralFit(propensity, unfinished, network, self.mean, self.scale, self._start(propensity), linear)
            network.parts.to(self.device)
            data = [torch.as_tensor(part).to(network.parts.places) for part in fit.tensors(self.cohort.features)]
            departure = DEPARTURE_PENALTIES[name] / propensity.slope_unit**2
            held_out, status, n_epochs = self._train(network, data, departure, seed)
        network.parts.cpu().eval()
        if self.learner.module is None:
            network.parts.double()  # so that a prediction does not depend on who else is predicted
        return _Run(f"{name}-{number // 2 + 1}" + "-linear" * (linear is not None), fit, held_out, status, n_epochs)

    def _train(self, network: Network, data: list[Any], departure: float, seed: int) -> tuple[Array, Status, int]:
        """Train until the held-out likelihood stops rising, and go back to where it was highest."""
        torch, learner, parts = load_torch(), self.learner, network.parts
        likelihood = BatchLikelihood(self.cohort, network.layout.propensity, self.has_outcome)
        numbers = {"params": [parts.levels, parts.kappa], "weight_decay": 0.0}
        groups = [{"params": list(parts.bodies.parameters()), "weight_decay": learner.weight_decay}, numbers]
        optimizer = torch.optim.AdamW(groups, lr=learner.learning_rate)
        order, n_batches = np.random.default_rng(seed), max(1, round(self.training.size / learner.batch_size))
        best, state, since, epoch = self._held_out_values(network, data, likelihood), _state(network), 0, 0
        while since < learner.patience and epoch < learner.max_epochs:
            parts.train()
            for rows in np.array_split(order.permutation(self.training), n_batches):
                optimizer.zero_grad()
                outputs, raw = network.outputs([part[rows] for part in data[:-1]], data[-1][rows])
                penalty = network.penalty(raw, departure) / likelihood.weight.sum()
                (carried_loss(outputs, likelihood, rows) + penalty).backward()
                torch.nn.utils.clip_grad_norm_(parts.parameters(), LARGEST_GRADIENT)
                optimizer.step()
            values, since, epoch = self._held_out_values(network, data, likelihood), since + 1, epoch + 1
            if values.sum() > best.sum():
                best, state, since = values, _state(network), 0
        parts.load_state_dict(state)
        return best, Status.MAX_EPOCHS if since < learner.patience else Status.CONVERGED, epoch

    def _held_out_values(self, network: Network, data: list[Any], likelihood: BatchLikelihood) -> Array:
        rows = self.held_out
        network.parts.eval()
        with load_torch().no_grad(), np.errstate(over="ignore", invalid="ignore"):
            outputs, _ = network.outputs([part[rows] for part in data[:-1]], data[-1][rows])
            values, _ = likelihood.row_terms(outputs.cpu().double().numpy(), rows)
        return np.asarray(likelihood.weight[rows] * np.nan_to_num(values, nan=WORST, neginf=WORST))

    def _finish(self, runs: list[_Run], likelihoods: dict[str, float]) -> NeuralFit:
        """Say how the starts compare, the chosen one first."""
        predicted = [_side_by_side(*run.fit.predict(self.cohort.features)) for run in runs]
        likelihood = BatchLikelihood(self.cohort, runs[0].fit.propensity, self.has_outcome)
        total = float(likelihood.weight @ likelihood.row_terms(predicted[0], np.arange(self.cohort.n))[0])
        agreement = [correlation(predicted[0][:, 0], outputs[:, 0]) for outputs in predicted]
        starts = [
            StartResult(run.name, -float(run.held_out.sum()), run.status, run.n_epochs, agreed)
            for run, agreed in zip(runs, agreement, strict=True)
        ]
        fit = runs[0].fit
        size = sum(part.numel() for part in fit.network.parts.parameters() if part.requires_grad)
        steps, draft = runs[0].n_epochs, self.training.size
        result = FitResult(runs[0].status, steps, total, -total, size, tuple(starts), draft, likelihoods)
        return replace(fit, result=result)


def _ranked(runs: list[_Run]) -> list[_Run]:
    """Runs with the chosen one first: a free time part has to be better by more than chance."""
    ranked = sorted(runs, key=lambda run: -float(run.held_out.sum()))
    tied = next(run for run in ranked if run.name.startswith("index"))
    gain = ranked[0].held_out - tied.held_out
    chosen = ranked[0] if gain.sum() > STANDARD_ERRORS * np.sqrt(gain.size) * gain.std() else tied
    return [chosen, *(run for run in ranked if run is not chosen)]


def _side_by_side(eta: Array | None, v: Array) -> Array:
    return np.column_stack([v.T] if eta is None else [eta, v.T])


def _state(network: Network) -> Any:
    return copy.deepcopy(network.parts.state_dict())
