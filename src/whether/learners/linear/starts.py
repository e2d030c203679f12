"""Where the optimizer starts, and what each start assumes.

The likelihood of p and e together can have several optima, and with the same features in both parts at least two: p and
e exchanged. Which one is reached is decided by the start, so each start is a stated belief:

``labels``
    Who has the event explains the labels: outcome slopes from logistic regression on the labels, constant propensity.
``timing``
    Who is seen explains the labels: the same slopes in the propensity, constant outcome probability.
``neutral``
    Nothing is known: no slopes anywhere.
``random-k``
    Slopes drawn from a normal distribution.
"""

from collections.abc import Iterator
from itertools import count, islice

import numpy as np

from whether.arrays import Array
from whether.learners.linear.objective import LinearObjective
from whether.learners.linear.optimize import MANY_PARAMETERS, lbfgs, newton
from whether.likelihood import Likelihood
from whether.propensity import Certain


def label_coefficients(objective: LinearObjective) -> Array:
    """Intercept and slopes of the logistic regression on the labels, on the objective's features."""
    naive = objective.under(Likelihood(Certain()))
    naive.share = None  # it is that of positives, not of labels
    start = np.zeros(naive.layout.size)
    if start.size > MANY_PARAMETERS:
        return lbfgs(naive.value_and_gradient, start, tolerance=0.1, max_steps=80).parameters
    return newton(naive.evaluate, start, tolerance=0.1, max_steps=8).parameters


def starting_points(
    objective: LinearObjective, levels: Array, n_starts: int, rng: np.random.Generator
) -> list[tuple[str, Array]]:
    """Return ``n_starts`` named starting coefficients; one where the problem has only one optimum."""
    neutral = np.zeros(objective.layout.size)
    neutral[objective.layout.first : objective.layout.n_predictors] = levels
    if not (objective.has_outcome and objective.layout.n_shared):
        return [("neutral", neutral)]
    return list(islice(_named_points(objective, neutral, rng), n_starts))


def _named_points(objective: LinearObjective, neutral: Array, rng: np.random.Generator) -> Iterator[tuple[str, Array]]:
    layout, sign = objective.layout, objective.propensity.index_sign
    labels = label_coefficients(objective)
    point = neutral.copy()
    # Half of the positives unlabeled doubles the odds.
    point[0] = objective.criterion.family.from_log_odds(labels[0] + np.log(2.0))
    point[layout.outcome] = labels[1:]
    yield "labels", point
    yield "neutral", neutral
    point = neutral.copy()
    by_feature = np.concatenate([np.zeros(layout.n_skipped), labels[1:]])
    point[layout.shared] = sign * 0.5 * by_feature[layout.of_shared]
    yield "timing", point
    for number in count(1):
        point = neutral.copy()
        slopes = rng.normal(size=layout.size - layout.n_predictors)
        point[layout.n_predictors :] = slopes / np.sqrt(objective.features.shape[0])
        yield f"random-{number}", point
