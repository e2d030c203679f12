"""The level: number of unseen positives and mean risk beside the truth, and whether their intervals hold.

    python -m benchmarks level worlds [REPLICATES] [time|follow_up] [WORLD ...]
    python -m benchmarks level cohorts [SPLITS]

In worlds the truth is known: relative error of the number of unseen positives, coverage of the 95 % intervals of that
number, of the mean risk and, on average over people, of single risks. Real cohorts are put back in time, staggered and
by date, as in ``benchmarks cohorts``: mean risk minus the share known later (Kaplan and Meier at the horizon), and how
often its interval holds that share.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import expit
from sklearn.metrics import roc_auc_score

import whether as wh
from benchmarks.cohorts import event_free_share, load
from whether.advise.evidence.cure_fraction import estimate_cure_fraction
from whether.advise.evidence.follow_up import read_plateau
from whether.analysis.sums import take_sums
from whether.distributions import DISTRIBUTIONS
from whether.evaluate import impose_calendar_endpoint, impose_staggered_endpoint
from whether.simulation import PAPER_WORLDS, WORLDS
from whether.simulation.real_tables import data_folder
from whether.validate import check_cohort

STRESS = ("wide-50", "heavy-tails", "two-humps", "rare-5", "short-follow-up")
# Eight correlated features: distribution of the residual, how follow-up goes with the features, share positive.
CORRELATED = {
    "lognormal, follow-up apart": ("lognormal", 0.0, 0.0),
    "weibull, follow-up by features": ("weibull", 1.0, 0.0),
    "loglogistic, follow-up by features, few": ("loglogistic", 1.0, -1.2),
    "exponential, follow-up by features, many": ("exponential", 0.5, 1.0),
    "lognormal, follow-up by features": ("lognormal", 1.0, 0.0),
    "weibull, follow-up apart, few": ("weibull", 0.0, -1.2),
}
COHORTS = ("e1684", "hodgkin", "colon_ncctg", "rotterdam", "nwts", "melanoma_registry", "colon_registry", "fertility")
DATED = ("rotterdam", "nwts", "melanoma_registry", "colon_registry", "fertility")


def draw_correlated(name, seed, n=2_000):
    """Features, labels, times, follow-up, truth and risk in a world with eight correlated features."""
    residual, dependence, intercept = CORRELATED[name]
    rng = np.random.default_rng([seed, 15])
    X = rng.multivariate_normal(np.zeros(8), 0.5 ** np.abs(np.subtract.outer(np.arange(8), np.arange(8))), size=n)
    risk = expit(intercept + X @ [1.0, -0.8, 0.6, 0.0, 0.5, 0.0, -0.4, 0.0])
    positive = rng.random(n) < risk
    scale = 1.0 if residual == "exponential" else 0.8
    location = X @ [0.2, 0.4, -0.5, 0.5, 0.0, -0.3, 0.0, 0.2]
    event = np.exp(location + scale * DISTRIBUTIONS[residual].draw(rng.random(n)))
    driven = dependence * (X @ [0.0, 0.5, -0.3, 0.4, 0.0, 0.0, 0.3, 0.0])
    follow_up = np.exp(driven + 0.6 + 0.9 * rng.normal(size=n))
    labeled = positive & (event <= follow_up)
    return X, labeled, np.where(labeled, event, follow_up), follow_up, positive, risk


def draw(name, seed):
    if name in CORRELATED:
        return draw_correlated(name, seed)
    cohort = wh.simulate(name, n=min(WORLDS[name].n, 4_000), seed=seed)
    labeled, positive = cohort.y.astype(bool), cohort.positive.astype(bool)
    return cohort.X, labeled, cohort.time, cohort.follow_up, positive, cohort.outcome_proba


def measure(X, labeled, time, follow_up, clock, seed):
    """Fit the model of a clock, and return it with its sums."""
    model = wh.MixtureCureClassifier() if clock == "time" else wh.FollowUpCureClassifier()
    names = [f"x{i}" for i in range(X.shape[1])]
    cohort = check_cohort(X, labeled, names=names, time=time, follow_up=follow_up)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, labeled, time=time, follow_up=follow_up)
        return take_sums(model, X, cohort, None, 0.95, np.random.default_rng(seed))


def run_world(name, clock, seed):
    X, labeled, time, follow_up, positive, risk = draw(name, seed)
    sums = measure(X, labeled, time, follow_up, clock, seed)
    mean_risk, unseen = sums.measure(np.arange(labeled.size))
    truth = int(np.count_nonzero(positive & ~labeled))
    return (
        unseen.estimate / truth - 1,
        unseen.lower <= truth <= unseen.upper,
        mean_risk.lower <= positive.mean() <= mean_risk.upper,
        np.mean((sums.lower <= risk) & (risk <= sums.upper)),
        (unseen.upper - unseen.lower) / truth,
        roc_auc_score(positive, sums.risks),
        _is_flagged(labeled, time if clock == "time" else follow_up, clock),
    )


def _is_flagged(labeled, recorded, clock):
    """Whether the advice would say that the curve of events goes on, or may do so, after the end of follow-up."""
    return read_plateau(estimate_cure_fraction(labeled, recorded, from_labels=clock != "time")) != "levels off"


def worlds(arguments):
    n_replicates = int(arguments[0]) if arguments else 20
    clock = arguments[1] if len(arguments) > 1 else "time"
    names = arguments[2:] or (*PAPER_WORLDS, *STRESS, *CORRELATED)
    print(f"{n_replicates} replicates, {clock}; error and width relative to the true number; coverage in %")
    print(f"{'world':42s}    bias    rms  unseen   mean  single  width     AUC  flagged")
    for name in names:
        rows = Parallel(n_jobs=-1)(delayed(run_world)(name, clock, seed) for seed in range(n_replicates))
        error, unseen, mean, single, width, auc, flagged = np.array(rows, dtype=float).T
        holds = " ".join(f"{100 * share.mean():6.1f}" for share in (unseen, mean, single))
        print(
            f"{name:42s} {error.mean():+7.3f} {np.sqrt(np.mean(error**2)):6.3f}  {holds} {np.median(width):6.2f} "
            f"{auc.mean():7.4f} {100 * flagged.mean():7.0f}%",
            flush=True,
        )


def put_back(name, dated, seed):
    """Training rows of a cohort as known earlier, who can be scored now, and the share known now."""
    features, event, time, known_negative, group, about = load(name)
    rng, horizon = np.random.default_rng([seed, 2026]), about["horizon"]
    if dated:
        entry = pd.read_parquet(data_folder() / about["file"])["entry_year"].to_numpy(float)
        endpoint = about["endpoint"] or float(np.median((entry + time)[event]))
        then = impose_calendar_endpoint(
            event, time, entry, endpoint=endpoint, horizon=horizon, known_negative=known_negative
        )
    else:
        then = impose_staggered_endpoint(
            event, time, stagger=about["stagger"], horizon=horizon, rng=rng, known_negative=known_negative
        )
    members = np.unique(group)
    rows = np.flatnonzero((rng.random(members.size) < 0.7)[np.searchsorted(members, group)] & then.entered)
    X = features.to_numpy()[rows]
    share = 1 - event_free_share(event[then.entered], time[then.entered], horizon)
    return X[:, X.std(axis=0) > 0], then, rows, share


def run_cohort(name, dated, seed):
    X, then, rows, share = put_back(name, dated, seed)
    sums = measure(X, then.y[rows].astype(bool), then.time[rows], then.follow_up[rows], "time", seed)
    mean_risk, _ = sums.measure(np.arange(rows.size))
    scored = then.scorable[rows]
    auc = roc_auc_score(then.positive[rows][scored], sums.risks[scored], sample_weight=then.weight[rows][scored])
    held = mean_risk.lower <= share <= mean_risk.upper
    return mean_risk.estimate - share, held, mean_risk.upper - mean_risk.lower, auc, share


def cohorts(arguments):
    n_splits = int(arguments[0]) if arguments else 10
    print(f"{n_splits} splits; mean risk minus the share known later, and how often its 95 % interval holds that share")
    print(f"{'cohort':28s} {'share':>6s} {'bias':>7s} {'error':>6s} {'held':>6s} {'width':>6s} {'AUC':>7s}")
    errors, holds = [], []
    for name, dated in [(name, False) for name in COHORTS] + [(name, True) for name in DATED]:
        rows = Parallel(n_jobs=-1)(delayed(run_cohort)(name, dated, seed) for seed in range(n_splits))
        error, held, width, auc, share = np.array(rows, dtype=float).T
        errors.append(np.abs(error).mean())
        holds.append(held.mean())
        print(
            f"{name + (', by date' if dated else ''):28s} {share.mean():6.3f} {error.mean():+7.3f} {errors[-1]:6.3f} "
            f"{100 * held.mean():6.0f} {np.median(width):6.2f} {auc.mean():7.4f}",
            flush=True,
        )
    print(f"mean absolute error {np.mean(errors):.3f}, interval holds in {100 * np.mean(holds):.0f} %")


def main(arguments):
    {"worlds": worlds, "cohorts": cohorts}[arguments[0]](arguments[1:])
