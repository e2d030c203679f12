"""Class priors: how often the interval of the label frequency holds it, how wide it is, and what happens without SCAR.

    python -m benchmarks priors [replicates] [--worlds NAME ...] [--methods NAME ...] [--results FILE]

Cohorts of 2,000. In worlds "linear" a logistic model is right, and the slope says how sure the surest are; in "bounded"
nobody's risk exceeds 0.7; in "ring" no line tells positives from negatives; in "binary" all features are 0 or 1. Two
were made to differ in kind from those on which the rules were made: in "corners" the risk jumps between 0.03 and 0.96
where signs of two features change, and in "skewed" it is a complementary log-log function of correlated, log-normal
features. All are labeled completely at random, but for the last group. "Any shape" is the range from the lower limit
that a constant propensity alone allows up to 1. Rows are appended to the file and not run again.
"""

import argparse
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

import whether as wh
from benchmarks.kept_rows import append_row, read_rows
from whether.estimators.priors import ESTIMATORS

N = 2000


@dataclass(frozen=True)
class PriorWorld:
    """Who is positive, and which share of them is labeled."""

    name: str
    c: float = 0.5
    slope: float = 4.0
    d: int = 4
    level: float = 0.0
    kind: str = "linear"

    def draw(self, rng):
        X = rng.normal(size=(N, self.d))
        if self.kind == "binary":
            X = (X > 0).astype(float)
        if self.kind == "skewed":
            X = np.exp(0.6 * X + 0.6 * X[:, :1])
        positive = rng.random(N) < self.risk(X)
        return X, (positive & (rng.random(N) < self.c)).astype(int), self.c

    def risk(self, X):
        if self.kind == "corners":
            return np.where((X[:, 0] > 0) == (X[:, 1] > 0.3), 0.96, 0.03)
        if self.kind == "skewed":
            return -np.expm1(-np.exp(-2.5 + np.log(X[:, 1]) + 0.8 * np.log(X[:, 2]) + 1.5 * np.log(X[:, 0])))
        used = min(self.d, 4)
        index = (X - X.mean(axis=0))[:, :used] @ np.resize([1.0, -1.0], used) / (np.sqrt(used) * X.std())
        if self.kind == "ring":
            index = 1.2 - np.hypot(X[:, 0], X[:, 1])
        return expit(self.level + self.slope * index) * (0.7 if self.kind == "bounded" else 1.0)


@dataclass(frozen=True)
class Simulated:
    """A world of the package, by its name; the label frequency is that of its positives."""

    name: str

    def draw(self, rng):
        cohort = wh.simulate(self.name, n=N, seed=int(rng.integers(2**31)))
        return cohort.X, cohort.y, float(cohort.y.sum() / cohort.positive.sum())


ANCHORED = (
    PriorWorld("linear, c 0.5"),
    PriorWorld("linear, c 0.2", c=0.2),
    PriorWorld("linear, c 0.8", c=0.8),
    PriorWorld("linear, c 0.95", c=0.95),
    PriorWorld("linear, steep", slope=10.0),
    PriorWorld("linear, flatter", slope=2.0),
    PriorWorld("linear, 30 features", d=30),
    PriorWorld("linear, 10 % positive", level=-6.0),
    PriorWorld("binary, 6 features", d=6, kind="binary"),
    Simulated("feature-independent"),
)
NOT_ANCHORED = (
    PriorWorld("linear, flat", slope=1.0),
    PriorWorld("bounded, c 0.5", kind="bounded"),
    PriorWorld("ring, c 0.5", kind="ring"),
    PriorWorld("corners, c 0.6", c=0.6, kind="corners"),
    PriorWorld("skewed, c 0.3", c=0.3, kind="skewed"),
)
NOT_CONSTANT = tuple(
    Simulated(name) for name in ("baseline", "partially-dependent", "positive-correlation", "negative-correlation")
)
GROUPS = {
    "constant propensity, some people surely positive": ANCHORED,
    "constant propensity, nobody surely positive, or no line": NOT_ANCHORED,
    "labeling depends on features": NOT_CONSTANT,
}


def measure(world, method, replicate):
    start = time.process_time()
    X, y, c = world.draw(np.random.default_rng([replicate, 17]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = asdict(wh.label_frequency(X, y, method=method, random_state=replicate))
    kept = {name: found[name] for name in ("estimate", "lower", "upper", "lowest", "purity", "assumptions_agree")}
    seconds = round(time.process_time() - start, 3)
    return {"world": world.name, "method": method, "replicate": replicate, "c": c, **kept, "cpu_seconds": seconds}


def tell(rows):
    """Estimate, share of intervals that hold c, median width; a star where groups mostly are not pure."""
    estimate, width = (np.median([one(row) for row in rows]) for one in (lambda r: r["estimate"], _width))
    held = np.mean([row["lower"] <= row["c"] <= row["upper"] for row in rows])
    star = "*" if np.mean([row["purity"] < 0.9 for row in rows]) > 0.5 else " "
    return f"{estimate:.2f} / {held:.2f} / {width:.2f}{star}"


def _width(row):
    return row["upper"] - row["lower"]


def tell_any_shape(rows):
    """Median lower limit under a constant propensity alone, how often c is above it, how often the line falls."""
    lowest = np.median([row["lowest"] for row in rows])
    held = np.mean([row["lowest"] <= row["c"] for row in rows])
    fallen = np.mean([not row["assumptions_agree"] for row in rows])
    return f"{lowest:.2f} / {held:.2f}", f"{fallen:.2f}"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks priors")
    parser.add_argument("replicates", type=int, nargs="?", default=20)
    parser.add_argument("--worlds", nargs="*", default=[""], help="how their names begin")
    parser.add_argument("--methods", nargs="*", default=list(ESTIMATORS), choices=list(ESTIMATORS))
    parser.add_argument("--results", type=Path)
    options = parser.parse_intermixed_args(arguments)
    kept = {(row["world"], row["method"], row["replicate"]): row for row in read_rows(options.results)}
    groups = {title: [world for world in worlds if world.name.startswith(tuple(options.worlds))]
              for title, worlds in GROUPS.items()}  # fmt: skip
    for replicate in range(options.replicates):  # all worlds once, then all again: who stops a run has some of each
        for world in (world for worlds in groups.values() for world in worlds):
            for method in options.methods:
                if (key := (world.name, method, replicate)) not in kept:
                    kept[key] = measure(world, method, replicate)
                    append_row(options.results, kept[key])
    for title, worlds in groups.items():
        if worlds:
            _print_group(title, worlds, options, kept)


def _print_group(title, worlds, options, kept):
    print(f"\n{title}: estimate / share of intervals that hold c / median width (* group often not pure);")
    print("any shape: lower limit / share in which c is above; line: share of cohorts in which it is given up")
    print(f"{'world':24s}{'n':>4s}{'c':>6s}" + "".join(f"{name:>20s}" for name in options.methods)
          + f"{'any shape':>14s}{'line':>6s}")  # fmt: skip
    total = {name: [] for name in options.methods}
    for world in worlds:
        by_method = {
            name: [
                kept[key] for replicate in range(options.replicates) if (key := (world.name, name, replicate)) in kept
            ]
            for name in options.methods
        }
        first = by_method[options.methods[0]]
        cells = "".join(f"{tell(rows):>20s}" for rows in by_method.values())
        lowest, fallen = tell_any_shape(first)
        c = np.mean([row["c"] for row in first])
        print(f"{world.name:24s}{len(first):4d}{c:6.2f}{cells}{lowest:>14s}{fallen:>6s}", flush=True)
        for name, rows in by_method.items():
            total[name] += [row["lower"] <= row["c"] <= row["upper"] for row in rows]
    print(f"{'intervals that hold c':34s}" + "".join(f"{np.mean(total[name]):20.3f}" for name in options.methods))
