"""Fit time as a ratio to LogisticRegression on the same rows in the same run, and peak memory."""

import gc
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import whether as wh

SIZES = ((4_000, 4), (100_000, 20), (1_000_000, 20))
LIMITS = {"given": (15, 5, 3), "cv": (150, 25, 6)}
# A free baseline has a jump at every event.
COX_SIZES, COX_LIMIT = ((4_000, 4), (10_000, 5)), 40


def make_cohort(n, d, seed=0):
    """People with noisy event times; the first two features drive the outcome, the next two the times."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    positive = rng.random(n) < 1 / (1 + np.exp(-(X[:, 0] - X[:, 1])))
    event = np.exp(0.7 * X[:, 2] - 0.7 * X[:, 3] + rng.standard_normal(n))
    follow_up = np.exp(1.5 * rng.standard_normal(n))
    labeled = positive & (event <= follow_up)
    return X, labeled.astype(int), np.where(labeled, event, follow_up), follow_up


def models(shrinkage):
    return {
        "MixtureCure": wh.MixtureCureClassifier(shrinkage=shrinkage),
        "FollowUpCure": wh.FollowUpCureClassifier(shrinkage=shrinkage),
    }


def fastest(fit, repeats, clock=time.perf_counter):
    times = []
    for _ in range(repeats):
        start = clock()
        fit()
        times.append(clock() - start)
    return float(np.median(times))


def measure(n, d, limit_index, repeats):
    X, y, event_time, follow_up = make_cohort(n, d)
    baseline = fastest(lambda: LogisticRegression().fit(X, y), repeats)
    print(f"\n{n:,} x {d}: LogisticRegression {baseline:.4f} s (median of {repeats})")
    print(f"{'model':16s} {'shrinkage':>9s} {'seconds':>9s} {'ratio':>7s} {'limit':>6s}")
    runs = [(name, "given", model) for name, model in models(100.0).items()]
    runs.append(("SARPU subset", "given", wh.SARPUClassifier(propensity_features=[2, 3])))
    runs += [(name, "cv", model) for name, model in models("cv").items()]
    for name, kind, model in runs:
        seconds = fastest(lambda model=model: model.fit(X, y, time=event_time, follow_up=follow_up), repeats)
        # The baseline is taken again beside each model: on a noisy machine a ratio is only fair within a moment.
        beside = fastest(lambda: LogisticRegression().fit(X, y), repeats)
        limit = LIMITS[kind][limit_index]
        print(f"{name:16s} {kind:>9s} {seconds:9.4f} {seconds / min(baseline, beside):7.1f} {limit:6d}")


def measure_cox(n, d, repeats=7):
    """The Cox mixture cure model, by processor time."""
    X, y, event_time, _ = make_cohort(n, d)
    baseline = fastest(lambda: LogisticRegression().fit(X, y), 3 * repeats, time.process_time)
    print(f"\n{n:,} x {d}: LogisticRegression {baseline:.4f} s of one processor")
    for kind, settings in (("maximum likelihood", {"penalty": None}), ("given", {"shrinkage": 100.0}), ("cv", {})):
        model = wh.CoxCureClassifier(**settings)
        seconds = fastest(lambda model=model: model.fit(X, y, time=event_time), repeats, time.process_time)
        print(f"CoxCure, {kind:18s} {seconds:9.4f} {seconds / baseline:7.1f} {COX_LIMIT:6d}")


def peak_resident():
    """Highest resident memory since the last reset, in KiB (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


def peak_memory(model_name):
    """Peak memory above the input while fitting a million rows, measured in a process of its own."""
    X, y, event_time, follow_up = make_cohort(1_000_000, 20)
    wh.MixtureCureClassifier(shrinkage=100.0).fit(X[:2000], y[:2000], time=event_time[:2000])  # load everything first
    model = {**models(100.0), **{f"{name}-cv": cv for name, cv in models("cv").items()}}[model_name]
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of making the data
    before = peak_resident()
    model.fit(X, y, time=event_time, follow_up=follow_up)
    above = peak_resident() - before
    inputs = sum(array.nbytes for array in (X, y, event_time, follow_up)) / 1024
    print(f"{model_name:16s} input {inputs / 1024:.0f} MiB, peak above it {above / 1024:.0f} MiB, "
          f"ratio {above / inputs:.2f} (limit 2)")  # fmt: skip


def main(arguments):
    warnings.simplefilter("ignore")
    if arguments[:1] == ["--memory-of"]:
        peak_memory(arguments[1])
        return
    for n, d in COX_SIZES:
        measure_cox(n, d)
    if arguments[:1] == ["--cox"]:
        return
    for index, (n, d) in enumerate(SIZES):
        measure(n, d, index, repeats=(15, 5, 3)[index])
    print("\nPeak memory at 1,000,000 x 20")
    for name in ("MixtureCure", "FollowUpCure", "MixtureCure-cv"):
        subprocess.run([sys.executable, "-m", "benchmarks", "speed", "--memory-of", name], check=True)
