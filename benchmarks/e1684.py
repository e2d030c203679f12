"""The E1684 trial beside the published fit of the R package smcure.

The published model has logistic incidence and *proportional hazards* latency with a free baseline that is a step
function and drops to zero at the last event. Ours has the same incidence part and another latency:

- Weibull is a proportional hazards model too (log hazard ratio = -coefficient / scale), with the baseline restricted;
- log-normal and log-logistic are not proportional hazards models;
- discrete time leaves the baseline free, on the odds scale of each bin's hazard, and lets events fall evenly within a
  bin where a step function has them all at its end.

So the coefficients can't be equal, and the column "PH, EM" shows that nothing else is behind the differences: it is the
published model itself, fitted here by the EM algorithm to the same table and with the same E-step (posterior of being
uncured) that the likelihood of this package has.
"""

import warnings

import numpy as np
import pandas as pd

import whether as wh
from whether.simulation.real_tables import data_folder

PUBLISHED = {
    "incidence": {"intercept": 1.36493, "treatment": -0.58848, "sex_female": -0.08696, "age_centered": 0.02034},
    "latency": {"treatment": -0.15360, "sex_female": 0.09946, "age_centered": -0.00766},
}


def fit_all():
    table = pd.read_parquet(data_folder() / "e1684.parquet")
    X = table[["treatment", "age_centered", "sex_female"]].astype(float)
    y, time = table["event"].astype(int), table["time"]
    settings = {"shrinkage": 0.0, "ridge": 0.0}
    models = {name: wh.MixtureCureClassifier(name, **settings) for name in ("weibull", "lognormal", "loglogistic")}
    models["discrete (20)"] = wh.DiscreteTimeCureClassifier(20, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: model.fit(X, y, time=time).summary() for name, model in models.items()}


def proportional_hazards_em(X, event, time, n_steps=1000):
    """Logistic incidence and Cox latency with Breslow's baseline, zero after the last event, by EM."""
    order = np.argsort(time)
    X, event, time = X[order], event[order].astype(bool), time[order]
    design = np.column_stack([np.ones(len(time)), X])
    uncured, incidence, latency = event.astype(float), np.zeros(design.shape[1]), np.zeros(X.shape[1])
    event_times = np.unique(time[event])
    for _ in range(n_steps):
        p = 1 / (1 + np.exp(-design @ incidence))
        incidence = incidence + np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design, design.T @ (uncured - p))
        latency, hazards = _cox_step(X, event, time, uncured, latency, event_times)
        cumulative = np.concatenate([[0.0], np.cumsum(hazards)])[np.searchsorted(event_times, time, side="right")]
        survival = np.where(time >= event_times[-1], 0.0, np.exp(-cumulative * np.exp(X @ latency)))
        p = 1 / (1 + np.exp(-design @ incidence))
        posterior = np.where(event, 1.0, p * survival / (1 - p + p * survival))
        if np.max(np.abs(posterior - uncured)) < 1e-9:
            break
        uncured = posterior
    return incidence, latency


def _cox_step(X, event, time, weight, latency, event_times):
    risk = weight * np.exp(X @ latency)
    gradient, information = np.zeros(X.shape[1]), np.zeros((X.shape[1], X.shape[1]))
    for at in event_times:
        at_risk, dying = time >= at, (time == at) & event
        total = risk[at_risk].sum()
        mean = risk[at_risk] @ X[at_risk] / total
        gradient += X[dying].sum(axis=0) - dying.sum() * mean
        spread = (X[at_risk] * risk[at_risk, None]).T @ X[at_risk] / total - np.outer(mean, mean)
        information += dying.sum() * spread
    latency = latency + np.linalg.solve(information, gradient)
    risk = weight * np.exp(X @ latency)
    hazards = np.array([((time == at) & event).sum() / risk[time >= at].sum() for at in event_times])
    return latency, hazards


def coefficients(summary, part):
    return {row.term: row.estimate for row in summary.coefficients if row.part == part}


def main(arguments):
    summaries = fit_all()
    table = pd.read_parquet(data_folder() / "e1684.parquet")
    terms = ["treatment", "age_centered", "sex_female"]
    incidence, latency = proportional_hazards_em(
        table[terms].to_numpy(float), table["event"].to_numpy(), table["time"].to_numpy()
    )
    by_em = dict(zip(["intercept", *terms], incidence, strict=True))
    print(f"{'':14s} {'published':>10s} {'PH, EM':>8s} " + " ".join(f"{name:>22s}" for name in summaries))
    for term, published in PUBLISHED["incidence"].items():
        cells = []
        for summary in summaries.values():
            row = next(r for r in summary.coefficients if r.part == "outcome" and r.term == term)
            cells.append(f"{row.estimate:+.3f} (se {row.standard_error:.3f})")
        print(f"{term:14s} {published:+10.3f} {by_em[term]:+8.3f} " + " ".join(f"{cell:>22s}" for cell in cells))
    print("log hazard ratio among the uncured")
    by_em = dict(zip(terms, latency, strict=True))
    for term, published in PUBLISHED["latency"].items():
        cells = []
        for name, summary in summaries.items():
            if name == "weibull":
                scale = np.exp(coefficients(summary, "log scale")["intercept"])
                cells.append(f"{-coefficients(summary, 'location')[term] / scale:+.3f}")
            elif name.startswith("discrete"):
                cells.append(f"{coefficients(summary, 'hazard')[term]:+.3f} (log odds)")
            else:
                cells.append("not proportional")
        print(f"{term:14s} {published:+10.3f} {by_em[term]:+8.3f} " + " ".join(f"{cell:>22s}" for cell in cells))
    for name, summary in summaries.items():
        print(f"{name}: log-likelihood {summary.facts['log-likelihood']}, converged {summary.facts['converged']}")
