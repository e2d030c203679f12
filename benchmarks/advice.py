"""Advice against every method that applies: on worlds with known truth, and on real cohorts put back in time.

    python -m benchmarks advice worlds [replicates] [learner] [world ...] [--results FILE] [--jobs N]
    python -m benchmarks advice cohorts [splits] [cohort ...]

In a world the advice sees features, labels, times, follow-up and other records, and is not told which feature does
what. Learner is "linear" for all methods, or "advised" for the one that the advice asks for, again for all methods
alike; the best method is then the best with either. Replicates are appended to the file as they are done, one line
each, and those in it are not run again: who stops a run loses the replicate that was running, and a run with "advised"
takes the linear fits from a run with "linear". With 0 replicates the table of what is there is printed. The file knows
nothing of the program's version: begin a new one after a change.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import whether as wh
from benchmarks.cohorts import COHORTS, load
from benchmarks.kept_rows import append_row, read_rows
from whether.evaluate import evaluate_risks
from whether.simulation import DIABETES_WORLDS, PAPER_WORLDS, RECORD_WORLDS, STRESS_WORLDS

N_REPLICATES = 10
N_SPLITS = 10
N_FRESH = 20_000
N_RECORDED = 2_000  # people of worlds with records
# What is asked for: on average and in every world, and the mean risk where nothing is flagged or refused.
AVERAGE_GAP, WORST_GAP, RISK_ERROR = 0.01, 0.03, 0.05
# Methods that apply without names of features. AFT has no risk of its own and is not in the running.
APPLICABLE = [name for name, method in wh.METHODS.items() if not method.feature_parameter and name != "AFT"]
ALL_WORLDS = [*PAPER_WORLDS, *STRESS_WORLDS, *DIABETES_WORLDS, *RECORD_WORLDS]


def draw(world, seed):
    """People to learn from and people to be judged by."""
    if world in DIABETES_WORLDS:  # the table holds so many people with diabetes that a fifth is kept for judging
        cohort = wh.simulate(world, seed=seed)
        cut = int(0.8 * cohort.y.size)
        parts = [slice(0, cut), slice(cut, None)]
        training = {name: getattr(cohort, name)[parts[0]] for name in ("X", "y", "time", "follow_up")}
        return training, cohort.X[parts[1]], cohort.positive[parts[1]]
    if world in RECORD_WORLDS:
        return _draw_records(RECORD_WORLDS[world], seed)
    n = int(0.8 * wh.simulation.WORLDS[world].n)
    cohort, fresh = wh.simulate(world, n=n, seed=seed), wh.simulate(world, n=N_FRESH, seed=10_000 + seed)
    training = {name: getattr(cohort, name) for name in ("X", "y", "time", "follow_up")}
    return training, fresh.X, fresh.positive


def _draw_records(world, seed):
    """The same with all that is known of people; new ones come at time zero, and where some die first it is asked what
    comes before that."""
    cohort = wh.simulate(world, n=N_RECORDED, seed=seed)
    fresh = wh.simulate(replace(world, entry=None), n=N_FRESH, seed=10_000 + seed)
    training = {name: getattr(cohort, name) for name in ("X", "y", "time", "follow_up")}
    truth = fresh.positive if fresh.lifetime_positive is None else fresh.lifetime_positive
    return {**training, **cohort.records}, fresh.X, truth


def ask(known):
    """What is advised, with all that is said against it."""
    read = {name: values for name, values in known.items() if name not in ("X", "y", "groups")}
    found = wh.recommend(known["X"], known["y"], **read)
    return {name: getattr(found, name) for name in ("method", "learner", "refusals", "flags")}


def score(known, X, positive, method, learner):
    """AUC and error of the mean risk of every applicable method, and of the advised one if it is none of them."""
    scores = {}
    for name in dict.fromkeys([*APPLICABLE, method]):
        settings = {} if name == "nnPU" else {"learner": learner}  # it has a learner of its own
        named = [] if wh.METHODS[name].feature_parameter else None
        try:
            model = wh.METHODS[name].build(named, random_state=0, **settings).fit(**known)
        except ValueError:  # constant columns of a rare feature, say
            continue
        found = evaluate_risks(positive, model.predict_proba(X)[:, 1])
        scores[name] = {"auc": found["auc"], "mean_risk_error": found["mean_risk_error"]}
    return scores


class Results:
    """Replicates by world, seed and learner, kept in a file of one line each where one is named."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        for row in read_rows(path):
            self.rows[row["world"], row["seed"], row["learner"]] = row

    def add(self, row):
        self.rows[row["world"], row["seed"], row["learner"]] = row
        append_row(self.path, row)

    def missing(self, world, seed, learner):
        """Whether this replicate has still to be run, with or without the advised learner."""
        row = self.rows.get((world, seed, "linear"))
        return row is None or (learner == "advised" and (world, seed, row["advice"]["learner"]) not in self.rows)

    def merged(self, world, learner):
        """Replicates of a world that are complete: the advice, the advised scores, and the best AUC per method."""
        merged = []
        for seed in sorted(seed for name, seed, fitted in self.rows if (name, fitted) == (world, "linear")):
            if self.missing(world, seed, learner):
                continue
            row = self.rows[world, seed, "linear"]
            advised = self.rows[world, seed, row["advice"]["learner"]] if learner == "advised" else row
            every = {
                (name, kept["learner"]): found for kept in (row, advised) for name, found in kept["scores"].items()
            }
            merged.append({**row["advice"], "advised": advised["scores"][row["advice"]["method"]], "scores": every})
        return merged


def run(world, seed, learner, row):
    """Rows that a replicate lacks: the advice with linear fits, then fits with the advised learner."""
    warnings.simplefilter("ignore")
    known, X, positive = draw(world, seed)
    rows = []
    for fitted in ["linear", "advised"] if learner == "advised" else ["linear"]:
        if fitted == "linear" and row is not None:
            continue
        start = time.process_time()
        advice = ask(known) if row is None else row["advice"]
        chosen = "linear" if fitted == "linear" else advice["learner"]
        if row is not None and chosen == "linear":
            break
        scores = score(known, X, positive, advice["method"], chosen)
        row = {"world": world, "seed": seed, "learner": chosen, "advice": advice, "scores": scores,
               "cpu_seconds": round(time.process_time() - start, 2)}  # fmt: skip
        rows.append(row)
    return rows


def tabulate_world(world, replicates):
    """Print a world's row; return the gap to the best method and the error of the mean risk where nothing is said."""
    common = set.intersection(*(set(replicate["scores"]) for replicate in replicates))
    means = {key: np.mean([replicate["scores"][key]["auc"] for replicate in replicates]) for key in sorted(common)}
    best = max(means, key=means.get)
    auc = np.mean([replicate["advised"]["auc"] for replicate in replicates])
    errors = np.array([replicate["advised"]["mean_risk_error"] for replicate in replicates])
    refused = np.array([bool(replicate["refusals"]) for replicate in replicates])
    warned = refused | np.array([bool(replicate["flags"]) for replicate in replicates])
    methods = Counter(replicate["method"] for replicate in replicates).most_common()
    curved = np.mean([replicate["learner"] != "linear" for replicate in replicates])
    silent = errors[~warned]
    worst = f"{silent[np.argmax(np.abs(silent))]:+7.3f}" if silent.size else "      -"
    print(f"{world:28s} {len(replicates):2d} {', '.join(f'{name} {count}' for name, count in methods):20s} {auc:6.3f} "
          f"{' '.join(best):>14s} {means[best]:6.3f} {auc - means[best]:+7.3f} {errors.mean():+7.3f} {worst} "
          f"{100 * refused.mean():5.0f}% {100 * warned.mean():5.0f}% {100 * curved:5.0f}%",
          flush=True)  # fmt: skip
    return means[best] - auc, abs(silent.mean()) if silent.size else 0.0


def tabulate(results, learner, names):
    print(f"learner {learner}. gap: AUC of the advised method minus that of the best, means over n replicates;")
    print("risk: mean risk minus truth, mean and, among replicates without flag or refusal, the worst;")
    print("share of replicates refused, refused or flagged, and advised not to stay with straight lines")
    print(f"{'world':28s} {'n':>2s} {'advised':20s} {'AUC':>6s} {'best':>14s} {'AUC':>6s} {'gap':>7s} {'risk':>7s} "
          f"{'worst':>7s} {'refus.':>6s} {'warned':>6s} {'curved':>6s}")  # fmt: skip
    gaps, errors = {}, {}
    for world in names:
        if replicates := results.merged(world, learner):
            gaps[world], errors[world] = tabulate_world(world, replicates)
    if not gaps:
        sys.exit("nothing to tabulate")
    worst, largest = max(gaps, key=gaps.get), max(errors, key=errors.get)
    print(f"mean gap {-np.mean(list(gaps.values())):+.4f} (asked: {-AVERAGE_GAP}); "
          f"worst {-gaps[worst]:+.4f} in {worst} (asked: {-WORST_GAP})")  # fmt: skip
    print(f"largest error of the mean risk without flag or refusal, mean of replicates: {errors[largest]:.3f} in "
          f"{largest} (asked: {RISK_ERROR})")  # fmt: skip
    seconds = sum(row["cpu_seconds"] for row in results.rows.values())
    print(f"{seconds / 60:.1f} CPU minutes in {len(results.rows)} rows")


def worlds(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks advice worlds")
    parser.add_argument("replicates", type=int, nargs="?", default=N_REPLICATES)
    parser.add_argument("learner", choices=["linear", "advised"], nargs="?", default="linear")
    parser.add_argument("world", nargs="*", default=ALL_WORLDS)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_intermixed_args(arguments)
    results = Results(options.results)
    # All worlds once, then all again: a run that is stopped has about as many replicates of each.
    todo = [(world, seed) for seed in range(options.replicates) for world in options.world
            if results.missing(world, seed, options.learner)]  # fmt: skip
    jobs = (delayed(run)(*cell, options.learner, results.rows.get((*cell, "linear"))) for cell in todo)
    for number, rows in enumerate(Parallel(n_jobs=options.jobs, return_as="generator")(jobs), start=1):
        for row in rows:
            results.add(row)
        done = (
            " and ".join(f"{row['learner']} in {row['cpu_seconds']:.0f} CPU s" for row in rows) or "linear is advised"
        )
        print(f"{number}/{len(todo)} {' '.join(map(str, todo[number - 1]))}: {done}", file=sys.stderr, flush=True)
    tabulate(results, options.learner, options.world)


def cohorts(splits, names):
    warnings.simplefilter("ignore")
    for name in names or [*COHORTS, "e1684"]:
        X, event, time, known_negative, group, about = load(name)
        times = np.maximum(time, 1e-4)
        print(f"\n{'=' * 20} {name}\n{wh.recommend(X, event.astype(int), time=times)}\n", flush=True)
        record = wh.backtest(
            X, event.astype(int), time=times, stagger=about["stagger"], horizon=about["horizon"], groups=group,
            known_negative=known_negative, n_splits=splits,
        )  # fmt: skip
        print(record, flush=True)


def main(arguments):
    what = arguments[0] if arguments else "worlds"
    if what == "worlds":
        worlds(arguments[1:])
    elif what == "cohorts":
        cohorts(int(arguments[1]) if len(arguments) > 1 else N_SPLITS, arguments[2:])
    else:
        sys.exit(f"unknown part {what!r}: worlds or cohorts")
