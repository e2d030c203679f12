"""How an optimum was reached: what `fit_result_` on an estimator holds."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np

from whether.arrays import Array, Flags


class Status(enum.Enum):
    """How an optimizer ended, with the sentence that tells a person."""

    CONVERGED = "The optimum was reached: a further step would not change the fit."
    STOPPED = "Training went on until the likelihood of held-out people stopped rising."
    FLAT = "No step improves the objective any more, to the precision of the arithmetic."
    STALLED = (
        "No step improves the objective, and yet it has a slope: the likelihood has no maximum that can be computed."
    )
    MAX_STEPS = "The maximum number of steps was reached before the optimum: raise max_iter or the ridge penalty."
    MAX_ROUNDS = "Held-out likelihood was still improving at the last round of boosting: raise max_rounds."
    MAX_EPOCHS = "Held-out likelihood was still improving at the last epoch: raise max_epochs."
    MAX_EM_ROUNDS = "The likelihood was still rising at the last round of EM: raise max_iter of the EMLearner."
    NOT_FINITE = "The objective is not finite at the start: look for extreme feature values."

    def __reduce__(self) -> tuple[type[Status], tuple[str]]:
        """How it is made again, where `__reduce_ex__` is not asked: by skops."""
        return Status, (self.value,)

    @property
    def converged(self) -> bool:
        """Whether the result may be used without a warning."""
        return self in (Status.CONVERGED, Status.STOPPED, Status.FLAT)


@dataclass(frozen=True)
class StartResult:
    """Where one start of the optimizer ended.

    Attributes
    ----------
    name : str
        What the start assumes; see `whether.learners.linear.starts`.
    objective : float
        Penalised negative log-likelihood reached; comparable between starts of one fit.
    status : Status
    n_steps : int
    agreement : float
        Correlation of its outcome logits with those of the chosen optimum.
    """

    name: str
    objective: float
    status: Status
    n_steps: int
    agreement: float


# A simpler learner is given up before all folds are done only where it is so many standard errors behind.
FAR_BEHIND = 2.0


@dataclass(frozen=True)
class Selection:
    """How a learner was chosen.

    Attributes
    ----------
    learners : tuple of str
        From the simplest on.
    log_likelihood : ndarray
        Held-out log-likelihood per person; of a learner that was left out early, the best one's less its lead.
    standard_error : ndarray
        Standard error of the difference from the best, with what different people to learn from would change in it.
    n_people : tuple of int
        Number of people on whom each learner was judged.
    chosen : str
        The simplest within one standard error of the best.
    """

    learners: tuple[str, ...]
    log_likelihood: Array
    standard_error: Array
    n_people: tuple[int, ...]
    chosen: str

    def may_win(self, name: str) -> bool:
        """Whether a learner may still be chosen when more people are held out.

        A simpler one than the chosen needs only to come near the best again; others would have to overtake it.
        """
        row = self.learners.index(name)
        errors = FAR_BEHIND if row < self.learners.index(self.chosen) else 1.0
        return bool(close_to_best(self.log_likelihood.max() - self.log_likelihood, errors * self.standard_error)[row])

    def __str__(self) -> str:
        lines = [f"{'learner':10s} {'held-out log-likelihood':>24s} {'behind the best by':>20s} {'people':>19s}"]
        behind = self.log_likelihood.max() - self.log_likelihood
        rows = zip(self.learners, self.log_likelihood, behind, self.standard_error, self.n_people, strict=True)
        for name, value, lead, error, people in rows:
            mark = " *" if name == self.chosen else ""
            lines.append(f"{name:10s} {value:24.5f} {lead:20.5f} (se {error:.5f}) {people:7,d}{mark}")
        return "\n".join([*lines, "* the simplest within one standard error of the best"])


@dataclass(frozen=True)
class FitResult:
    """How the optimum of a fit was reached.

    Attributes
    ----------
    status : Status
        How the final optimization ended; ``status.value`` is the sentence.
    n_steps : int
        Steps of the final optimization.
    log_likelihood : float
        Log-likelihood at the optimum, without penalties.
    objective : float
        Penalised negative log-likelihood at the optimum.
    n_parameters : int
    starts : tuple of StartResult
        All starts, the chosen one first; on large cohorts they were run on a part of the rows.
    n_draft : int
        Number of rows on which the starts were run.
    distributions : dict
        Penalised log-likelihood by residual distribution, where several were compared.
    selection : Selection or None
        How the learner was chosen, where several were compared.
    """

    status: Status
    n_steps: int
    log_likelihood: float
    objective: float
    n_parameters: int
    starts: tuple[StartResult, ...]
    n_draft: int
    distributions: dict[str, float] = field(default_factory=dict)
    selection: Selection | None = None

    @classmethod
    def of_one_start(
        cls, name: str, status: Status, n_steps: int, log_likelihood: float, n_parameters: int = 0, n_draft: int = 0
    ) -> FitResult:
        """Return the result of a fit from one start and without penalties."""
        start = StartResult(name, -log_likelihood, status, n_steps, 1.0)
        return cls(status, n_steps, log_likelihood, -log_likelihood, n_parameters, (start,), n_draft)

    @property
    def converged(self) -> bool:
        """Whether the optimum was reached."""
        return self.status.converged

    @property
    def message(self) -> str:
        """What happened, in a sentence."""
        return self.status.value

    def rivals(self, tolerance: float = 0.5) -> tuple[StartResult, ...]:
        """Starts that ended within ``tolerance`` log-likelihood units of the chosen optimum."""
        best = self.starts[0].objective
        return tuple(start for start in self.starts if start.objective <= best + tolerance)

    @property
    def least_agreement(self) -> float:
        """Smallest correlation of the predictions of equally likely optima with the chosen one's; 1 is agreement."""
        return min(start.agreement for start in self.rivals())


def correlation(first: Array, second: Array) -> float:
    """Correlation of two predictors; 1 if both are constant, 0 if one is."""
    spread = float(np.std(first)), float(np.std(second))
    if min(spread) < 1e-12:
        return float(max(spread) < 1e-12)
    return float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))


def close_to_best(behind: Array, error: Array) -> Flags:
    """Which learners are not behind the best by more than an error."""
    # Boosting without a single tree is the linear model, but for the last digits.
    return np.asarray(behind <= error + 1e-9)
