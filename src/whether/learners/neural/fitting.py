"""How fitted networks come about: folds, kinds of networks, and the choice among them.

Networks add to what is there without them: a linear model, or constants. The propensity's predictors are tied to the
outcome's index,

    predictor = base + level + sign * kappa * (outcome network) + delta(features),

where a penalty on the size of delta keeps the time part close to the index unless held-out likelihood wants it free.
Another keeps the outcome close to the linear model's, where there is one: a flexible time part would else make itself
comfortable in it. People are dealt to folds; each network has one fold held out and stops where that is best, and the
networks that differ in their fold only are averaged. Used by `whether.learners.neural.learner`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from whether.cohort import Cohort
from whether.learners.fit_result import FitResult, StartResult, Status, correlation
from whether.learners.folds import deal_folds, in_spreads
from whether.learners.linear.learner import LinearFit, LinearLearner
from whether.learners.linear.nonnegative import fit_nonnegative
from whether.learners.neural.architectures import Architecture, Perceptrons, load_torch, own_modules
from whether.learners.neural.batches import Batch, Split, likelihood_of
from whether.learners.neural.kinds import Kind, kinds_of_networks, plan_networks, rank
from whether.learners.neural.model import Base, NeuralFit, side_by_side
from whether.learners.neural.outputs import OutputLayout
from whether.learners.neural.screen import MANY_FEATURES, Screen
from whether.learners.neural.training import Schedule, Trained, Training, TrainingPlan
from whether.propensity import Propensity
from whether.risk import NonNegativeRisk

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# Fewest folds that people are dealt to.
FEWEST_FOLDS = 3
# People on which the answers of kinds are compared.
COMPARED = 2_000


class TrainedKind(NamedTuple):
    """A trained kind of network with the log-likelihood of each person held out."""

    fit: NeuralFit
    values: Array
    start: StartResult


class NeuralFitting:
    """One fit of a `NeuralLearner`.

    Parameters
    ----------
    learner : NeuralLearner
        Settings.
    cohort : Cohort
        Labeled people first.
    candidates, columns, has_outcome, known
        As in `Learner.fit`.
    """

    def __init__(
        self,
        learner: Any,
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
        self.n_events = int(np.count_nonzero(cohort.labeled))
        # People are dealt in the order of label and time, so that all folds have their share of each.
        n_folds = max(1, min(max(learner.n_networks, FEWEST_FOLDS), self.n_events, cohort.n - self.n_events))
        self.fold = deal_folds(cohort.labeled, candidates[0].observe(cohort), in_spreads(cohort.features), n_folds)
        # With a single event nobody can be held out, and nothing is trained.
        self.held_out = np.arange(min(learner.n_networks, n_folds)) if n_folds > 1 else np.array([-1])
        self.screen = Screen(cohort.features) if self.mean.size > MANY_FEATURES and learner.module is None else None
        torch = load_torch()
        automatic = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(automatic if learner.device == "auto" else learner.device)

    def fit(self, rng: np.random.Generator) -> NeuralFit:
        """Fit the linear model, if there is to be one, and networks under the most likely candidate."""
        if self.learner.linear is None:  # each candidate is trained
            fits = [self._train(candidate, [], rng) for candidate in self.candidates]
            likelihoods = {fit.propensity.name: -fit.result.starts[0].objective for fit in fits}
            best = max(fits, key=lambda fit: likelihoods[fit.propensity.name])
            best.result.distributions.update(likelihoods if len(fits) > 1 else {})
            return best
        everybody, learner = np.arange(self.cohort.n), replace(self.learner.linear, sandwich=False)
        linear = self._fit_linear(everybody, learner, self.candidates, rng)
        assert linear.linear is not None
        propensity = linear.linear.propensity if len(self.candidates) > 1 else self.candidates[0]
        # Without each fold once more, whose likelihood the model would else know.
        learner = linear.linear.settled(learner)
        parts = [self._fit_linear(self._training_rows(fold), learner, [propensity], rng) for fold in self.held_out]
        fit = self._train(propensity, [linear, *parts], rng)
        fit.result.distributions.update(linear.linear.result.distributions)
        return fit

    def _training_rows(self, fold: int) -> Rows:
        return np.flatnonzero(self.fold != fold)

    def _fit_linear(
        self, rows: Rows, learner: LinearLearner, candidates: Sequence[Propensity], rng: np.random.Generator
    ) -> Base:
        """Fit the linear model to some of the people, with the features that matter to them."""
        cohort, constants = self.cohort.take(rows), self._constants(candidates[0])
        columns, kept = self.columns, None
        if self.screen is not None:
            kept = self._screened(rows, Base(constants), candidates[0])
            names = tuple(cohort.names[column] for column in kept)
            cohort = replace(cohort, features=cohort.features[:, kept], names=names)
            columns = np.flatnonzero(np.isin(kept, self.columns))
        return Base(constants, self._fit_linear_to(cohort, learner, candidates, columns, rng), kept)

    def _fit_linear_to(
        self,
        cohort: Cohort,
        learner: LinearLearner,
        candidates: Sequence[Propensity],
        columns: Rows,
        rng: np.random.Generator,
    ) -> LinearFit:
        if isinstance(candidates[0], NonNegativeRisk):
            return fit_nonnegative(learner, cohort, candidates[0].label_frequency)
        settings: dict[str, Any] = {"has_outcome": self.has_outcome, "known": self.known}
        return learner.fit(cohort, candidates, columns=columns, rng=rng, **settings)

    def _screened(self, rows: Rows, base: Base, propensity: Propensity) -> Rows:
        """Features that matter to some of the people."""
        assert self.screen is not None
        layout = self._layout(propensity)
        batch = Batch(rows[None], int(np.count_nonzero(self.cohort.labeled[rows])))
        likelihood = likelihood_of(self.cohort, propensity, self.has_outcome)
        predictors = base.predictors(self.cohort.features[rows])
        chosen = self.screen.choose(predictors, batch, likelihood, layout)
        named = self.columns if layout.restricted else np.empty(0, dtype=np.intp)
        return np.union1d(chosen, named)

    def _layout(self, propensity: Propensity) -> OutputLayout:
        return OutputLayout(propensity, self.has_outcome, self.mean.size, self.columns, tuple(self.known))

    def _train(self, propensity: Propensity, linear: list[Base], rng: np.random.Generator) -> NeuralFit:
        """Train networks of every kind, and keep the best kind.

        ``linear`` holds the linear model of everybody and those without each held-out fold.
        """
        groups = kinds_of_networks(self._layout(propensity), bool(linear), self.screen is not None)
        with _own_random_state(rng, self.learner.module, self.device):
            trained = [self._train_group(kinds, propensity, linear, rng) for kinds in groups]
        candidates = [candidate for group in trained for candidate in group]
        ranked = [candidates[number] for number in rank([candidate.values for candidate in candidates])]
        some = self.cohort.features[:: max(1, self.cohort.n // COMPARED)]
        first = [candidate.fit.predictors(some)[:, 0] for candidate in ranked]
        starts = tuple(
            replace(candidate.start, agreement=correlation(first[0], predicted))
            for candidate, predicted in zip(ranked, first, strict=True)
        )
        fit, total = ranked[0].fit, self._log_likelihood(ranked[0].fit)
        n_draft = self._training_rows(self.held_out[0]).size
        result = FitResult(starts[0].status, starts[0].n_steps, total, -total, fit.parameters.size, starts, n_draft)
        return replace(fit, result=result)

    def _train_group(
        self, kinds: list[Kind], propensity: Propensity, linear: list[Base], rng: np.random.Generator
    ) -> list[TrainedKind]:
        """Train one network of each of some kinds for every held-out fold."""
        layout, constants = self._layout(propensity), Base(self._constants(propensity))
        bases, plan = [constants, *linear[1:]], plan_networks(kinds, self.held_out, layout)
        architecture = self._architecture(layout, [kinds[number] for number in plan.kind], plan, bases)
        kappas = np.array([base.kappa for base in bases])[plan.base]
        levels = np.zeros((plan.size, len(layout.trained)))
        likelihood = likelihood_of(self.cohort, propensity, self.has_outcome)
        split = Split(self.cohort.labeled, self.fold, plan.held_out)
        training = Training(layout, architecture, likelihood, split, self.device)
        features = self.cohort.features
        training.load((features - self.mean) / self.scale, np.stack([base.predictors(features) for base in bases]))
        start = np.column_stack([architecture.draw(plan.size, rng), levels, kappas])
        trained = training.run(start, plan, self._schedule(), rng)
        candidates, unfinished = [], cast(Any, None)
        for number, kind in enumerate(kinds):
            own = np.flatnonzero(plan.kind == number)
            base, kept = linear[0] if kind.from_linear else constants, architecture.keep(own, trained.parameters)
            parameters = trained.parameters[own]
            fit = NeuralFit(propensity, unfinished, base, layout, kept, parameters, self.mean, self.scale)
            candidates.append(TrainedKind(fit, trained.values[own].ravel(), _start_result(kind.name, trained, own)))
        return candidates

    def _log_likelihood(self, fit: NeuralFit) -> float:
        """Log-likelihood of everybody."""
        everybody = Batch(np.arange(self.cohort.n)[None], self.n_events)
        likelihood = likelihood_of(self.cohort, fit.propensity, self.has_outcome)
        return float(likelihood.values(side_by_side(*fit.predict(self.cohort.features))[None], everybody).sum())

    def _schedule(self) -> Schedule:
        learner = self.learner
        epochs = learner.max_epochs if self.held_out[0] >= 0 else 0
        return Schedule(learner.learning_rate, learner.weight_decay, epochs, learner.patience, learner.batch_size)

    def _constants(self, propensity: Propensity) -> Array:
        """Predictors that everybody has without features."""
        labeled, weight = self.cohort.labeled, self.cohort.weight
        observed = propensity.observe(self.cohort)[..., labeled]
        levels = propensity.start(observed, None if weight is None else weight[labeled])
        for predictor, value in self.known.items():
            levels[predictor] = value
        # Half of the positives unlabeled doubles the odds.
        rate = float(np.clip(np.average(labeled, weights=weight), 1e-3, 1 - 1e-3))
        outcome = np.log(rate / (1 - rate)) + np.log(2.0) * bool(propensity.predictors)
        return np.concatenate([[outcome] * self.has_outcome, levels])

    def _architecture(
        self, layout: OutputLayout, kinds: list[Kind], plan: TrainingPlan, bases: list[Base]
    ) -> Architecture:
        """Networks without parameters; of those that are screened, each sees what matters to its people."""
        if self.learner.module is not None:
            return own_modules(self.learner.module, layout, plan.size, self.cohort.features[:2], self.device)
        if not kinds[0].screened:
            return Perceptrons(layout, self.learner.hidden)
        seen = []
        for fold, number in zip(plan.held_out, plan.base, strict=True):
            rows, own = self._training_rows(fold), (bases[0], bases[number])
            seen.append(np.union1d(*(self._screened(rows, base, layout.propensity) for base in own)))
        return Perceptrons(layout, self.learner.hidden, seen)


def _start_result(name: str, trained: Trained, own: Rows) -> StartResult:
    status = Status.MAX_EPOCHS if trained.exhausted[own].any() else Status.STOPPED
    return StartResult(name, -float(trained.values[own].sum()), status, int(trained.n_epochs[own].max()), 1.0)


@contextmanager
def _own_random_state(rng: np.random.Generator, module: Any, device: Any) -> Iterator[None]:
    """Seed PyTorch while a user's module is made and trained; its random state is then as it was."""
    if module is None:  # nothing is drawn by PyTorch
        yield
        return
    torch = load_torch()
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(int(rng.integers(2**31)))
        yield
