"""Class priors: how often the interval of the label frequency holds it, how wide it is, and what happens without SCAR.

python -m benchmarks priors [replicates] [world] [method]

Cohorts of 2,000. In worlds "linear" a logistic model is right, and the slope says how sure the surest are; in "bounded"
nobody's risk exceeds 0.7; in "ring" no line tells positives from negatives; in "binary" all features are 0 or 1. All
are labeled completely at random, but for the last group.
"""

import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

import whether as wh
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
        used = min(self.d, 4)
        index = (X - X.mean(axis=0))[:, :used] @ np.resize([1.0, -1.0], used) / (np.sqrt(used) * X.std())
        if self.kind == "ring":
            index = 1.2 - np.hypot(X[:, 0], X[:, 1])
        risk = expit(self.level + self.slope * index) * (0.7 if self.kind == "bounded" else 1.0)
        positive = rng.random(N) < risk
        return X, (positive & (rng.random(N) < self.c)).astype(int), self.c


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
)
NOT_CONSTANT = tuple(
    Simulated(name) for name in ("baseline", "partially-dependent", "positive-correlation", "negative-correlation")
)


def measure(world, method, replicates):
    rows, start = [], time.perf_counter()
    for replicate in range(replicates):
        X, y, c = world.draw(np.random.default_rng([replicate, 17]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            found = wh.label_frequency(X, y, method=method, random_state=replicate)
        covered = found.lower <= c <= found.upper
        rows.append((c, found.estimate, covered, found.upper - found.lower, found.is_pure))
    return np.array(rows, dtype=float), (time.perf_counter() - start) / replicates


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    replicates = int(arguments[0]) if arguments else 20
    chosen = [name for name in ESTIMATORS if len(arguments) < 3 or name == arguments[2]]
    for title, worlds in (
        ("constant propensity, some people surely positive", ANCHORED),
        ("constant propensity, nobody surely positive or no line", NOT_ANCHORED),
        ("labeling depends on features", NOT_CONSTANT),
    ):
        worlds = [world for world in worlds if len(arguments) < 2 or world.name.startswith(arguments[1])]
        if not worlds:
            continue
        print(
            f"\n{title}: estimate / share of {replicates} intervals that hold c / mean width (* group often not pure)"
        )
        print(f"{'world':24s}{'c':>6s}  " + "".join(f"{name:>20s}" for name in chosen))
        total = {name: [] for name in chosen}
        seconds = dict.fromkeys(chosen, 0.0)
        for world in worlds:
            cells = []
            for name in chosen:
                rows, took = measure(world, name, replicates)
                c, estimate, covered, width, pure = rows.mean(axis=0)
                total[name].extend(rows[:, 2])
                seconds[name] += took / len(worlds)
                cells.append(f"{estimate:.2f} / {covered:.2f} / {width:.2f}{'*' if pure < 0.5 else ' '}")
            print(f"{world.name:24s}{c:6.2f}  " + "".join(f"{cell:>20s}" for cell in cells), flush=True)
        print(f"{'intervals that hold c':32s}" + "".join(f"{np.mean(total[name]):20.3f}" for name in chosen))
        print(f"{'seconds per call':32s}" + "".join(f"{seconds[name]:20.2f}" for name in chosen))
