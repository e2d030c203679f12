"""A network of your own: a GRU that reads each person's visits.

Features are a table, so the visits of a person, 8 of them with 3 measurements each, are passed as one flattened row,
and the module folds them back. The risk depends on how often two measurements were raised at the same visit, which no
linear model of the flattened row can see. Follow-up hides about half of the events.

Run with: python examples/sequence_encoder.py
"""

from __future__ import annotations

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from whether.distributions import DISTRIBUTIONS
from whether.learners import NeuralLearner
from whether.propensity import FollowUpPropensity
from whether.validate import check_cohort

N_VISITS, N_MEASUREMENTS = 8, 3


class VisitEncoder(torch.nn.Module):
    """A GRU over the visits; its last state gives the outcome logit and the location of the log event time."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.encoder = torch.nn.GRU(N_MEASUREMENTS, width, batch_first=True)
        self.head = torch.nn.Linear(width, 2)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Turn flattened visits into two outputs per person."""
        _, last = self.encoder(features.reshape(-1, N_VISITS, N_MEASUREMENTS))
        return self.head(last[0])


def simulate_visits(n: int, seed: int) -> dict[str, np.ndarray]:
    """Visits, who ever has the event, and what a limited follow-up shows of it."""
    rng = np.random.default_rng(seed)
    visits = rng.normal(size=(n, N_VISITS, N_MEASUREMENTS))
    together = (visits[:, :, 0] * visits[:, :, 1]).sum(axis=1)
    positive = rng.random(n) < 1 / (1 + np.exp(-0.8 * together))
    event_time = np.exp(0.2 * visits[:, -1, 2] + 0.6 * rng.normal(size=n))
    follow_up = np.exp(0.8 * rng.normal(size=n))
    seen = positive & (event_time <= follow_up)
    return {"X": visits.reshape(n, -1), "y": seen.astype(int), "follow_up": follow_up, "positive": positive}


def main() -> None:
    """Train on censored labels and compare with the truth that the simulation knows."""
    torch.set_num_threads(1)  # a network this small only waits for further threads
    train, fresh = simulate_visits(4000, seed=0), simulate_visits(5000, seed=1)
    names = [f"visit {i + 1}, measurement {j + 1}" for i in range(N_VISITS) for j in range(N_MEASUREMENTS)]
    cohort = check_cohort(train["X"], train["y"], names=names, follow_up=train["follow_up"])
    recorded = np.log(train["follow_up"])
    propensity = FollowUpPropensity(DISTRIBUTIONS["lognormal"], recorded.mean(), recorded.std())
    # A function that makes the module lets every start draw weights of its own.
    learner = NeuralLearner(module=VisitEncoder, learning_rate=1e-2, max_epochs=40, patience=6)
    columns = np.arange(cohort.features.shape[1])
    model = learner.fit(cohort, [propensity], columns=columns, rng=np.random.default_rng(0))
    logit, _ = model.predict(fresh["X"])
    naive = LogisticRegression(max_iter=1000).fit(train["X"], train["y"])
    print(f"events seen: {train['y'].sum()} of {train['positive'].sum()}")
    print(f"AUC for who ever has the event, GRU:                 {roc_auc_score(fresh['positive'], logit):.3f}")
    print(
        "AUC for who ever has the event, logistic regression: "
        f"{roc_auc_score(fresh['positive'], naive.decision_function(fresh['X'])):.3f}"
    )
    print(f"mean probability {np.mean(1 / (1 + np.exp(-logit))):.3f}, true share {fresh['positive'].mean():.3f}")


if __name__ == "__main__":
    main()
