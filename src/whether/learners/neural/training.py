"""Training several networks at a time on the likelihood that all learners share.

The slope of the likelihood in the predictors is computed in NumPy, as for every learner, and handed to PyTorch, which
takes it through the networks. Each network has people of its own held out; it is done when their likelihood stops
rising, and goes back to where that was highest. What is judged, and kept, is the average of the parameters over the
last steps, which is steadier than where the last step happened to end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whether.arrays import Array, Flags, Rows
from whether.learners.linear.index import LARGEST_KAPPA, LOWEST_KAPPA
from whether.learners.neural.architectures import Architecture, Network, load_torch
from whether.learners.neural.batches import Batch, BatchCriterion, Split
from whether.learners.neural.outputs import OutputLayout
from whether.learners.progress import progress

if TYPE_CHECKING:
    from whether.learners.neural.neural_learner import NeuralLearner

# Constants of AdamW, and the share of the latest parameters in their average.
MOMENTUM, SPREAD_MEMORY, SMALL = 0.9, 0.999, 1e-8
AVERAGING = 0.05
# Longest gradient of one network that is believed.
LARGEST_GRADIENT = 1.0
# Rise of the held-out likelihood per person that is worth waiting for.
TOLERANCE = 1e-4
# A kind of network that is so many standard errors behind another, after so many steps and passes, will not catch up.
HOPELESS, EARLIEST_STEP, EARLIEST_PASS = 4.0, 200, 3


class TrainingPlan(NamedTuple):
    """The networks to be trained; all arrays have one entry for each.

    The penalties are on the mean square of what a network adds to the outcome logit, and of what it adds to the
    propensity's predictors besides the index; in units of one person's log-likelihood.
    """

    kind: Rows  # networks of one kind differ in their held-out people only
    held_out: Rows  # the fold that is held out; of -1 none is
    base: Rows  # which of several starting predictors it adds to
    outcome_penalty: Array
    departure_penalty: Array


# Not torch.optim: networks are rows of one matrix, which are clipped and dropped one by one, and only a part of the
# columns decays; its state would have to be cut by hand.
class AdamW:
    """The optimizer for a matrix of parameters, one network per row, with an average of the last steps."""

    def __init__(self, parameters: Any, rate: float, decay: Any) -> None:
        self.parameters, self.average = parameters, parameters.clone()
        self._drift, self._spread = parameters * 0, parameters * 0
        self._rate, self._decay, self._n_steps = rate, decay, 0

    def step(self, gradient: Any) -> None:
        """Move against a gradient."""
        rate, steps = self._rate, self._n_steps + 1
        gradient.mul_(LARGEST_GRADIENT / gradient.norm(dim=1, keepdim=True).clamp(min=LARGEST_GRADIENT))
        self._drift.lerp_(gradient, 1 - MOMENTUM)
        self._spread.lerp_(gradient.square(), 1 - SPREAD_MEMORY)
        size = (self._spread / (1 - SPREAD_MEMORY**steps)).sqrt_().add_(SMALL)
        self.parameters.mul_(1 - rate * self._decay)
        self.parameters.addcdiv_(self._drift, size, value=-rate / (1 - MOMENTUM**steps))
        self.average.lerp_(self.parameters, max(AVERAGING, 1 / (steps + 1)))
        self._n_steps = steps

    def keep(self, rows: Any) -> None:
        """Go on with some of the networks only."""
        for name in ("parameters", "average", "_drift", "_spread"):
            setattr(self, name, getattr(self, name)[rows].clone())


@dataclass
class Trained:
    """Where each network was best."""

    parameters: Array  # of shape (networks, size)
    values: Array  # of shape (networks, people): weighted log-likelihood of those held out from each
    n_epochs: Rows  # passes over the training people
    exhausted: Flags  # whether the held-out likelihood was still rising at the last pass


class Training:
    """The training of several networks on one cohort."""

    def __init__(
        self, layout: OutputLayout, architecture: Architecture, likelihood: BatchCriterion, split: Split, device: Any
    ) -> None:
        self.likelihood, self.split, self.device = likelihood, split, device
        self.network = Network(layout, architecture, self._tensor)

    def load(self, features: Array, bases: Array) -> None:
        """Take features, standardised, and the predictors to which networks add, shape (bases, n, P)."""
        self.features, self.bases = self._tensor(features), self._tensor(bases)

    def _tensor(self, values: Array) -> Any:
        torch = load_torch()
        return torch.as_tensor(values, dtype=torch.float32, device=self.device)

    def run(self, start: Array, plan: TrainingPlan, learner: NeuralLearner, rng: np.random.Generator) -> Trained:
        """Train networks from these parameters until nothing is gained any more."""
        decay = self._tensor(self.network.decays) * learner.weight_decay
        optimizer = AdamW(self._tensor(start), learner.learning_rate, decay)
        alive, waited = np.arange(plan.kind.size), np.zeros(plan.kind.size, dtype=int)
        best = Trained(start.copy(), self._held_out(optimizer.average, alive, plan), alive * 0, alive < 0)
        n_batches = max(1, round(self.split.n_training / learner.batch_size))
        max_epochs = learner.max_epochs if plan.held_out[0] >= 0 else 0
        with progress(max_epochs, "Epochs") as bar:
            for _ in range(max_epochs):
                self._pass(optimizer, alive, plan, n_batches, rng)
                waited[alive] = np.where(self._note(best, optimizer.average, alive, plan), 0, waited[alive] + 1)
                best.n_epochs[alive] += 1
                going = waited[alive] < learner.patience
                if best.n_epochs.max() >= max(EARLIEST_PASS, EARLIEST_STEP / n_batches):
                    going &= ~_hopeless(best, plan.kind)[alive]
                bar.advance()
                if not going.any():
                    return best
                if not going.all():
                    alive = alive[going]
                    optimizer.keep(load_torch().as_tensor(going, device=self.device))
        best.exhausted[alive] = True
        return best

    def _pass(
        self, optimizer: AdamW, alive: Rows, plan: TrainingPlan, n_batches: int, rng: np.random.Generator
    ) -> None:
        """One pass over the training people."""
        self.network.architecture.train(True)
        level_slopes: Any = None
        for batch in self.split.batches(alive, n_batches, rng):
            parameters = optimizer.parameters.requires_grad_()
            predictors, outputs = self._forward(parameters, alive, plan, batch.rows)
            values = predictors.detach().cpu().double().numpy()
            if level_slopes is None:
                # Once a pass is enough: the penalty is weak, and levels move slowly.
                level_slopes = self.likelihood.level_slopes(values, batch)
            slopes = self._tensor(self.likelihood.slopes(values, batch) + level_slopes)
            gradient = self._gradient(parameters, (predictors, slopes), outputs, plan, alive)
            optimizer.parameters = parameters.detach()
            optimizer.step(gradient)

    def _gradient(
        self, parameters: Any, predictors: tuple[Any, Any], outputs: Any, plan: TrainingPlan, alive: Rows
    ) -> Any:
        """Gradient in the parameters, with the penalties on the size of outputs and on kappa."""
        torch, layout, people = load_torch(), self.network.layout, self.likelihood.people
        targets, slopes = [predictors[0]], [predictors[1]]
        if outputs is not None:
            first = int(layout.has_outcome)
            strength = np.zeros((alive.size, outputs.shape[2]))
            strength[:, :first] = plan.outcome_penalty[alive, None]
            strength[:, first:] = plan.departure_penalty[alive, None]
            targets.append(outputs)
            slopes.append(outputs.detach() * self._tensor(strength[:, None] / (people * outputs.shape[1])))
        (gradient,) = torch.autograd.grad(targets, [parameters], slopes)
        if layout.indexed:
            kappa = parameters.detach()[:, -1]
            largest = torch.where(kappa >= 0, LARGEST_KAPPA, LOWEST_KAPPA)
            gradient[:, -1] += kappa / (largest**2 * people)
        return gradient

    def _forward(self, parameters: Any, alive: Rows, plan: TrainingPlan, rows: Rows) -> tuple[Any, Any]:
        torch = load_torch()
        people, base = (torch.as_tensor(part, device=self.device) for part in (rows, plan.base[alive, None]))
        return self.network.predictors(parameters, alive, self.features[people], self.bases[base, people])

    def _held_out(self, parameters: Any, alive: Rows, plan: TrainingPlan) -> Array:
        """Weighted log-likelihood of the people held out from each network."""
        self.network.architecture.train(False)
        batch = Batch(self.split.held_out.rows[alive], self.split.held_out.n_labeled)
        with load_torch().no_grad():
            predictors, _ = self._forward(parameters, alive, plan, batch.rows)
        return self.likelihood.values(predictors.cpu().double().numpy(), batch)

    def _note(self, best: Trained, parameters: Any, alive: Rows, plan: TrainingPlan) -> Flags:
        """Remember networks that are better than ever; return which of them are so by a margin."""
        values = self._held_out(parameters, alive, plan)
        rise = values.sum(axis=1) - best.values[alive].sum(axis=1)
        better = rise > 0
        best.values[alive[better]] = values[better]
        best.parameters[alive[better]] = parameters.cpu().double().numpy()[better]
        return np.asarray(rise > TOLERANCE * values.shape[1])


def _hopeless(best: Trained, kinds: Rows) -> Flags:
    """Networks of kinds that are far behind the best kind."""
    values = [best.values[kinds == kind].ravel() for kind in range(kinds.max() + 1)]
    leader = values[int(np.argmax([one.sum() for one in values]))]
    behind = [leader - one for one in values]
    lost = [gap.sum() > HOPELESS * np.sqrt(gap.size) * gap.std() for gap in behind]
    return np.asarray(lost)[kinds]
