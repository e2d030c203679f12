"""The neural learner: features to predictors by networks, trained on the same likelihood as the linear learner.

What happens in a fit is in `neural_fitting`. PyTorch is imported only when a network is fitted.
"""

import math
import numbers
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from whether.learners.linear import LinearLearner
from whether.learners.neural.architectures import load_torch
from whether.learners.neural.neural_fit import NeuralFit
from whether.learners.neural.neural_fitting import NeuralFitting
from whether.learners.parallel import one_blas_thread
from whether.learners.rows import order_by_content
from whether.learners.task import Learner, Task
from whether.validate import ArgumentError, check_whole_number


class NeuralLearner(Learner, BaseEstimator):
    """Settings of the neural learner.

    Kinds of networks compete by held-out likelihood: with a time part that is close to the outcome's index or free, and
    added to a linear model or to constants. Of more than 30 features those are used that matter by themselves; networks
    on all of them compete too. With the same ``rng`` a fit on a CPU is the same, whatever the order of the rows.

    Parameters
    ----------
    hidden : sequence of int, default=(32, 32)
        Widths of the hidden layers of the outcome's network, and of the propensity's.
    learning_rate, weight_decay : float, default=0.01 and 0.1
        Of the AdamW optimizer.
    max_epochs : int, default=200
        Largest number of passes over the training people.
    patience : int, default=8
        Passes without a better held-out likelihood after which training ends.
    batch_size : int, default=256
    n_networks : int, default=3
        Number of networks that are averaged. Each has another part of the people held out.
    device : str, default="auto"
        Where to train: "cpu", "cuda", ...; "auto" takes a GPU if there is one. Predictions are made on the CPU.
    module : torch.nn.Module or callable, optional
        Network of your own instead of ``hidden``, or a function without arguments that makes one. It is called with
        the features as they are, not standardised, and returns one column for the outcome logit followed by one for
        each propensity predictor that follows the features.
    linear : LinearLearner, optional
        Learner of a linear model to start from. A classifier puts its own here.
    """

    unread = ("competing", "prevalence")  # its outputs are of positives alone, and its batches have no mean risk

    def __init__(
        self,
        *,
        hidden: Sequence[int] = (32, 32),
        learning_rate: float = 0.01,
        weight_decay: float = 0.1,
        max_epochs: int = 200,
        patience: int = 8,
        batch_size: int = 256,
        n_networks: int = 3,
        device: str = "auto",
        module: Any = None,
        linear: LinearLearner | None = None,
    ) -> None:
        self.hidden, self.learning_rate, self.weight_decay = hidden, learning_rate, weight_decay
        self.max_epochs, self.patience, self.batch_size = max_epochs, patience, batch_size
        self.n_networks, self.device, self.module, self.linear = n_networks, device, module, linear

    def fit(self, task: Task) -> NeuralFit:
        """Train networks and keep the kind with the highest held-out likelihood."""
        self.refuse_unread(task)
        load_torch()
        self._check()
        if task.cohort.weight is not None:
            task = task.take(np.flatnonzero(task.cohort.weight > 0))
        task = task.take(order_by_content(task.cohort))
        with one_blas_thread(), _one_torch_thread(self.module is None):
            return NeuralFitting(self, task).fit()

    def _check(self) -> None:
        """Refuse settings that make no sense."""
        for name in ("max_epochs", "patience", "batch_size", "n_networks"):
            check_whole_number(getattr(self, name), f"NeuralLearner.{name}", 1)
        for name, lowest in (("learning_rate", "> 0"), ("weight_decay", ">= 0")):
            value = getattr(self, name)
            number = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
            if not number or value < 0 or (value == 0 and lowest == "> 0"):
                raise ArgumentError(f"{name} of the NeuralLearner must be a finite number {lowest}, got {value!r}.")
        widths = self.hidden if isinstance(self.hidden, (Sequence, np.ndarray)) else [None]
        counts = [
            isinstance(width, numbers.Integral) and type(width) is not bool and int(width) >= 1 for width in widths
        ]
        if isinstance(self.hidden, str) or not all(counts):
            raise ArgumentError(
                f"hidden must be widths of hidden layers, such as (32, 32): whole numbers >= 1, got {self.hidden!r}."
            )
        if self.module is not None and not callable(self.module):
            raise ArgumentError(
                f"module must be a torch.nn.Module, or a function that makes one, got {self.module!r}: "
                "leave it out for a perceptron."
            )
        if self.linear is not None and not isinstance(self.linear, LinearLearner):
            raise ArgumentError(
                f"linear must be a LinearLearner, or None to start from constants, got {self.linear!r}."
            )
        _check_device(self.device)


def _check_device(device: Any) -> None:
    if device == "auto":
        return
    try:
        load_torch().empty(0, device=load_torch().device(device))
    except (RuntimeError, TypeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise ArgumentError(
            f"device must be 'auto', or one that PyTorch can use here, such as 'cpu', got {device!r} ({reason})."
        ) from None


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
