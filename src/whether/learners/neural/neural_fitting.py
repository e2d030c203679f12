"""How fitted networks come about: folds, kinds of networks, and the choice among them.

Networks add to what is there without them: a linear model, or constants. The propensity's predictors are tied to the
outcome's index,

    predictor = base + level + sign * kappa * (outcome network) + delta(features),

where a penalty on the size of delta keeps the time part close to the index unless held-out likelihood wants it free.
Another keeps the outcome close to the linear model's, where there is one: a flexible time part would else make itself
comfortable in it. People are dealt to folds; each network has one fold held out and stops where that is best, and the
networks that differ in their fold only are averaged.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from whether.arrays import Array, Rows
from whether.learners.fit_result import FitResult, Status, correlation
from whether.learners.linear import LinearLearner
from whether.learners.neural.architectures import Architecture, Perceptrons, load_torch, own_modules
from whether.learners.neural.batches import Batch, Split, batch_criterion
from whether.learners.neural.neural_fit import Base, NeuralFit
from whether.learners.neural.outputs import OutputLayout
from whether.learners.neural.screen import MANY_FEATURES, Screen
from whether.learners.neural.training import Trained, Training, TrainingPlan
from whether.learners.rows import deal_folds, in_spreads
from whether.learners.task import Task

# Fewest folds that people are dealt to.
FEWEST_FOLDS = 3
# People on which the answers of kinds are compared.
COMPARED = 2_000
# Penalties on the mean square of delta, in units of one person's log-likelihood. The first keeps the time part close to
# the outcome's index, the second lets it go almost anywhere.
DEPARTURE_PENALTIES = {"index": 100.0, "free": 1.0}
# The same on what a network adds to the outcome logit of a linear model.
OUTCOME_PENALTY = 30.0
# A less simple kind is taken where its held-out likelihood is better by so many standard errors of the difference.
STANDARD_ERRORS = 1.0


class Kind(NamedTuple):
    """Networks that are compared with others."""

    freedom: str  # of the time part
    from_linear: bool  # whether they add to the linear model
    screened: bool  # whether they see only features that matter by themselves

    @property
    def name(self) -> str:
        """Name in the list of starts."""
        return self.freedom + "-linear" * self.from_linear + "-screened" * self.screened


class NeuralFitting:
    """One fit of a `NeuralLearner` to a task whose labeled people come first."""

    def __init__(self, learner: Any, task: Task) -> None:
        self.learner, self.task = learner, task
        cohort = self.cohort = task.cohort
        self.mean, self.scale = np.zeros(cohort.features.shape[1]), np.ones(cohort.features.shape[1])
        if learner.module is None:
            self.mean = np.average(cohort.features, axis=0, weights=cohort.weight)
            spread = np.sqrt(np.average((cohort.features - self.mean) ** 2, axis=0, weights=cohort.weight))
            self.scale = np.where(spread > 0, spread, 1.0)
        self.n_events = int(np.count_nonzero(cohort.labeled))
        # People are dealt in the order of label and time, so that all folds have their share of each.
        n_folds = max(1, min(max(learner.n_networks, FEWEST_FOLDS), self.n_events, cohort.n - self.n_events))
        known = cohort.labeled, task.propensity.observe(cohort).ranks(), in_spreads(cohort.features)
        self.fold = deal_folds(*known, n_folds, groups=cohort.groups)
        # With a single event nobody can be held out, and nothing is trained.
        self.held_out = np.arange(min(learner.n_networks, n_folds)) if n_folds > 1 else np.array([-1])
        self.screen = Screen(cohort.features) if self.mean.size > MANY_FEATURES and learner.module is None else None
        torch = load_torch()
        automatic = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(automatic if learner.device == "auto" else learner.device)

    def fit(self) -> NeuralFit:
        """Fit the linear model, if there is to be one, and networks under the most likely candidate."""
        task = self.task
        if self.learner.linear is None:  # each candidate is trained
            fits = [self._train(task.under(candidate), []) for candidate in task.candidates]
            likelihoods = {fit.propensity.name: -fit.result.starts[0].objective for fit in fits}
            best = max(fits, key=lambda fit: likelihoods[fit.propensity.name])
            best.result.distributions.update(likelihoods if len(fits) > 1 else {})
            return best
        learner = replace(self.learner.linear, sandwich=False)
        linear = self._fit_linear(np.arange(self.cohort.n), learner, task)
        assert linear.linear is not None
        task = task.under(linear.linear.propensity)
        # Without each fold once more, whose likelihood the model would else know.
        learner = learner.settled(linear.linear)
        parts = [self._fit_linear(self._training_rows(fold), learner, task) for fold in self.held_out]
        fit = self._train(task, [linear, *parts])
        fit.result.distributions.update(linear.linear.result.distributions)
        return fit

    def _training_rows(self, fold: int) -> Rows:
        return np.flatnonzero(self.fold != fold)

    def _fit_linear(self, rows: Rows, learner: LinearLearner, task: Task) -> Base:
        """Fit the linear model to some of the people, with the features that matter to them."""
        constants, some, kept = self._constants(task), task.take(rows), None
        if self.screen is not None:
            kept = self._screened(rows, Base(constants), task)
            some = some.select(kept)
        return Base(constants, learner.fit(some), kept)

    def _screened(self, rows: Rows, base: Base, task: Task) -> Rows:
        """Features that matter to some of the people."""
        assert self.screen is not None
        layout = OutputLayout.of(task)
        batch = Batch(rows[None], int(np.count_nonzero(self.cohort.labeled[rows])))
        predictors = base.predictors(self.cohort.features[rows])
        chosen = self.screen.choose(predictors, batch, batch_criterion(task), layout)
        named = task.columns if layout.restricted else np.empty(0, dtype=np.intp)
        return np.union1d(chosen, named)

    def _train(self, task: Task, linear: list[Base]) -> NeuralFit:
        """Train networks of every kind, and keep the best kind.

        ``linear`` holds the linear model of everybody and those without each held-out fold.
        """
        groups = kinds_of_networks(OutputLayout.of(task), bool(linear), self.screen is not None)
        with _own_random_state(task.rng, self.learner.module, self.device):
            trained = [self._train_group(kinds, task, linear) for kinds in groups]
        kinds = [kind for group in trained for kind in group]
        ranked = [kinds[number][0] for number in rank([values for _, values in kinds])]
        some = self.cohort.features[:: max(1, self.cohort.n // COMPARED)]
        first = [fit.predictors(some)[:, 0] for fit in ranked]
        starts = tuple(
            replace(fit.result.starts[0], agreement=correlation(first[0], predicted))
            for fit, predicted in zip(ranked, first, strict=True)
        )
        fit, everybody = ranked[0], Batch(np.arange(self.cohort.n)[None], self.n_events)
        total = float(batch_criterion(task).values(fit.predictors(self.cohort.features)[None], everybody).sum())
        return replace(fit, result=replace(fit.result, log_likelihood=total, objective=-total, starts=starts))

    def _train_group(self, kinds: list[Kind], task: Task, linear: list[Base]) -> list[tuple[NeuralFit, Array]]:
        """Train one network of each kind for every held-out fold; return fits and likelihoods of people held out."""
        layout, constants = OutputLayout.of(task), Base(self._constants(task))
        bases, plan = [constants, *linear[1:]], plan_networks(kinds, self.held_out, layout)
        architecture = self._architecture(task, [kinds[number] for number in plan.kind], plan, bases)
        kappas = np.array([base.kappa for base in bases])[plan.base]
        levels = np.zeros((plan.kind.size, len(layout.trained)))
        split = Split(self.cohort.labeled, self.fold, plan.held_out)
        training = Training(layout, architecture, batch_criterion(task), split, self.device)
        features = self.cohort.features
        training.load((features - self.mean) / self.scale, np.stack([base.predictors(features) for base in bases]))
        start = np.column_stack([architecture.draw(plan.kind.size, task.rng), levels, kappas])
        trained = training.run(start, plan, self.learner, task.rng)
        finished = []
        for number, kind in enumerate(kinds):
            own = np.flatnonzero(plan.kind == number)
            base, kept = linear[0] if kind.from_linear else constants, architecture.keep(own, trained.parameters)
            parameters, result = trained.parameters[own], self._held_out_result(kind.name, trained, own)
            fit = NeuralFit(layout.propensity, result, base, layout, kept, parameters, self.mean, self.scale)
            finished.append((fit, trained.values[own].ravel()))
        return finished

    def _held_out_result(self, name: str, trained: Trained, own: Rows) -> FitResult:
        """How the networks of one kind did on the people held out from them."""
        status = Status.MAX_EPOCHS if trained.exhausted[own].any() else Status.STOPPED
        value, n_steps = float(trained.values[own].sum()), int(trained.n_epochs[own].max())
        n_parameters, n_draft = trained.parameters[own].size, self._training_rows(self.held_out[0]).size
        return FitResult.of_one_start(name, status, n_steps, value, n_parameters, n_draft)

    def _constants(self, task: Task) -> Array:
        """Predictors that everybody has without features."""
        # Half of the positives unlabeled doubles the odds.
        rate = float(np.clip(np.average(self.cohort.labeled, weights=self.cohort.weight), 1e-3, 1 - 1e-3))
        log_odds = np.log(rate / (1 - rate)) + np.log(2.0) * bool(task.propensity.predictors)
        outcome = float(task.family.from_log_odds(log_odds))
        return np.concatenate([[outcome] * task.has_outcome, task.levels()])

    def _architecture(self, task: Task, kinds: list[Kind], plan: TrainingPlan, bases: list[Base]) -> Architecture:
        """Networks without parameters; of those that are screened, each sees what matters to its people."""
        layout = OutputLayout.of(task)
        if self.learner.module is not None:
            return own_modules(self.learner.module, layout, plan.kind.size, self.cohort.features[:2], self.device)
        if not kinds[0].screened:
            return Perceptrons(layout, self.learner.hidden)
        seen = []
        for fold, number in zip(plan.held_out, plan.base, strict=True):
            rows, own = self._training_rows(fold), (bases[0], bases[number])
            seen.append(np.union1d(*(self._screened(rows, base, task) for base in own)))
        return Perceptrons(layout, self.learner.hidden, seen)


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


def kinds_of_networks(layout: OutputLayout, has_linear: bool, many: bool) -> list[list[Kind]]:
    """Kinds that can differ, the simplest first, in groups that see as many features."""
    # A time part that is not tied to the index is free anyway.
    freedoms = list(DEPARTURE_PENALTIES) if layout.indexed else ["index"]
    kinds = [Kind(freedom, has_linear, many) for freedom in freedoms]
    # With a linear model to start from, one kind without it is enough to tell whether it helps.
    kinds += [Kind("index", False, many)] * has_linear
    return [kinds, [Kind("index", has_linear, False)]] if many else [kinds]


def plan_networks(kinds: list[Kind], held_out: Rows, layout: OutputLayout) -> TrainingPlan:
    """One network of every kind for every held-out fold; base 0 is constant, the others leave out a fold each."""
    kind = np.repeat(np.arange(len(kinds)), held_out.size)
    number = np.tile(np.arange(held_out.size), len(kinds))
    from_linear = np.array([one.from_linear for one in kinds])[kind]
    departure = np.array([DEPARTURE_PENALTIES[one.freedom] for one in kinds])[kind] / layout.propensity.slope_unit**2
    outcome = np.where(from_linear, OUTCOME_PENALTY, 0.0)
    return TrainingPlan(
        kind, held_out[number], np.where(from_linear, 1 + number, 0), outcome, departure * layout.indexed
    )


def rank(values: list[Array]) -> list[int]:
    """Numbers of the kinds: the simplest that is not behind the best by more than chance, then from the best on."""
    ranked = sorted(range(len(values)), key=lambda number: -float(values[number].sum()))
    behind = [values[ranked[0]] - one for one in values]
    error = [STANDARD_ERRORS * np.sqrt(gap.size) * gap.std() for gap in behind]
    chosen = next(number for number, gap in enumerate(behind) if gap.sum() <= error[number])
    return [chosen, *(number for number in ranked if number != chosen)]
