"""The level: number of unseen positives and mean risk beside the truth, and whether their intervals hold.

    python -m benchmarks level worlds [REPLICATES] [time|follow_up] [WORLD ...]
    python -m benchmarks level cohorts [SPLITS] [COHORT ...]

In worlds the truth is known: relative error of the number of unseen positives, coverage of the 95 % intervals of that
number, of the mean risk and, on average over people, of single risks. Real cohorts are put back in time, staggered and
by date, as in ``benchmarks cohorts``, and analyzed: mean risk minus the share known later (Kaplan and Meier at the
horizon), the same for the model's share with the event by the horizon, how often the interval or range of the mean risk
holds the share known later, and how often it was a range.
"""

import warnings

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score

import whether as wh
from benchmarks.cohorts import event_free_share, load
from benchmarks.level_worlds import OWN_WORLDS
from whether.advise.evidence.cure_fraction import estimate_cure_fraction
from whether.advise.evidence.follow_up import read_plateau
from whether.advise.evidence.material import ADMINISTRATIVE_SHARE
from whether.analysis.sums import take_sums
from whether.cohort import Cohort
from whether.estimators.time_model import TimeModelClassifier
from whether.evaluate import impose_calendar_endpoint, impose_staggered_endpoint
from whether.simulation import PAPER_WORLDS, WORLDS
from whether.simulation.real_tables import data_folder
from whether.validate import check_cohort

STRESS = ("wide-50", "heavy-tails", "two-humps", "rare-5", "short-follow-up")
COHORTS = ("e1684", "hodgkin", "colon_ncctg", "rotterdam", "nwts", "melanoma_registry", "colon_registry", "fertility")
BY_DATE = ", by date"
DATED = ("rotterdam", "nwts", "melanoma_registry", "colon_registry", "fertility")


def draw(name, seed):
    if name in OWN_WORLDS:
        return OWN_WORLDS[name](np.random.default_rng([seed, 15]))[:-1]
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
        levels_off = not _is_flagged(labeled, time if clock == "time" else follow_up, clock)
        return take_sums(model, X, cohort, 0.95, np.random.default_rng(seed), levels_off=levels_off)


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
    people = Cohort(np.empty((labeled.size, 0)), labeled, (), time=recorded, follow_up=recorded)
    return read_plateau(estimate_cure_fraction(people, from_labels=clock != "time")) != "levels off"


def worlds(arguments):
    n_replicates = int(arguments[0]) if arguments else 20
    clock = arguments[1] if len(arguments) > 1 else "time"
    names = arguments[2:] or (*PAPER_WORLDS, *STRESS, *OWN_WORLDS)
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
    """What `analyze` would have said then, and what is known now."""
    X, then, rows, share = put_back(name, dated, seed)
    known = {"follow_up": then.follow_up[rows]} if then.lost_share <= 1 - ADMINISTRATIVE_SHARE else {}
    answer = wh.analyze(X, then.y[rows].astype(int), time=then.time[rows], backtest=False, **known)
    scored = then.scorable[rows]
    auc = roc_auc_score(then.positive[rows][scored], answer.risks[scored], sample_weight=then.weight[rows][scored])
    error = answer.mean_risk.estimate - share
    by_then = error
    if isinstance(answer.model, TimeModelClassifier):
        horizon = load(name)[-1]["horizon"]
        by_then = 1 - answer.model.predict_survival(X, [horizon]).mean() - share
    held = answer.mean_risk.lower <= share <= answer.mean_risk.upper
    is_range = answer.recommendation.refused or not answer.settles
    return error, by_then, held, answer.mean_risk.upper - answer.mean_risk.lower, auc, share, is_range


def cohorts(arguments):
    n_splits = int(arguments[0]) if arguments else 10
    names = arguments[1:] or (*COHORTS, *(f"{name}{BY_DATE}" for name in DATED))
    print(f"{n_splits} splits; mean risk minus the share known later, and how often its 95 % interval holds that share")
    print(f"{'cohort':28s}  share    bias  error  by horizon   held  ranges  width     AUC")
    errors, holds, by_horizon = [], [], []
    for name in names:
        cohort, dated = name.removesuffix(BY_DATE), name.endswith(BY_DATE)
        rows = Parallel(n_jobs=-1)(delayed(run_cohort)(cohort, dated, seed) for seed in range(n_splits))
        error, by_then, held, width, auc, share, is_range = np.array(rows, dtype=float).T
        errors.append(np.abs(error).mean())
        by_horizon.append(np.abs(by_then).mean())
        holds.append(held.mean())
        print(
            f"{name:28s} {share.mean():6.3f} {error.mean():+7.3f} {errors[-1]:6.3f} {by_horizon[-1]:11.3f} "
            f"{100 * held.mean():5.0f}% {100 * is_range.mean():6.0f}% {np.median(width):6.2f} {auc.mean():7.4f}",
            flush=True,
        )
    print(
        f"mean absolute error {np.mean(errors):.3f}, of the share by the horizon {np.mean(by_horizon):.3f}; "
        f"interval holds in {100 * np.mean(holds):.0f} %"
    )


def main(arguments):
    {"worlds": worlds, "cohorts": cohorts}[arguments[0]](arguments[1:])
