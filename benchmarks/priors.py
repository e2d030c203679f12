"""Class priors: how often the interval of the label frequency holds it, how wide it is, and what happens without SCAR.

    python -m benchmarks priors [replicates] [--worlds NAME ...] [--methods NAME ...] [--results FILE]

Cohorts of 2,000. In worlds "linear" a logistic model is right, and the slope says how sure the surest are; in "bounded"
nobody's risk exceeds 0.7; in "ring" no line tells positives from negatives; in "binary" all features are 0 or 1. Two
were made to differ in kind from those on which the rules were made: in "corners" the risk jumps between 0.03 and 0.96
where signs of two features change, and in "skewed" it is a complementary log-log function of correlated, log-normal
features. The "other shapes" are no lines either, each in a way of its own; those that "were fresh" were drawn for the
first time when nothing was changed any more. All are labeled completely at random, but for the last group. "Any shape"
is the range from the lower limit that a constant propensity alone allows up to 1. Rows are appended to the file and not
run again.
"""

import argparse
import time
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np

import whether as wh
from benchmarks.kept_rows import append_row, read_rows
from benchmarks.prior_worlds import GROUPS, NOT_CONSTANT
from whether.estimators.priors import ESTIMATORS


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
    held = np.mean(_holds(rows))
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
    _print_worlds_that_hold(groups, options, kept)


def _print_group(title, worlds, options, kept):
    print(f"\n{title}: estimate / share of intervals that hold c / median width (* group often not pure);")
    print("any shape: lower limit / share in which c is above; line: share of cohorts in which it is given up")
    print(f"{'world':24s}{'n':>4s}{'c':>6s}" + "".join(f"{name:>20s}" for name in options.methods)
          + f"{'any shape':>14s}{'line':>6s}")  # fmt: skip
    total = {name: [] for name in options.methods}
    for world in worlds:
        by_method = {name: _rows_of(world, name, options, kept) for name in options.methods}
        first = by_method[options.methods[0]]
        cells = "".join(f"{tell(rows):>20s}" for rows in by_method.values())
        lowest, fallen = tell_any_shape(first)
        c = np.mean([row["c"] for row in first])
        print(f"{world.name:24s}{len(first):4d}{c:6.2f}{cells}{lowest:>14s}{fallen:>6s}", flush=True)
        for name, rows in by_method.items():
            total[name] += _holds(rows)
    print(f"{'intervals that hold c':34s}" + "".join(f"{np.mean(total[name]):20.3f}" for name in options.methods))


def _print_worlds_that_hold(groups, options, kept):
    worlds = [world for group in groups.values() for world in group if group[0] not in NOT_CONSTANT]
    print(f"\nof {len(worlds)} worlds with a constant propensity, the interval holds c in at least 90 % of cohorts in")
    for name in options.methods:
        shares = {world.name: np.mean(_holds(_rows_of(world, name, options, kept))) for world in worlds}
        below = ", ".join(f"{world} {share:.2f}" for world, share in shares.items() if share < 0.9)
        print(f"{name:12s}{sum(share >= 0.9 for share in shares.values()):4d}   below: {below or 'none'}")


def _rows_of(world, method, options, kept):
    keys = ((world.name, method, replicate) for replicate in range(options.replicates))
    return [kept[key] for key in keys if key in kept]


def _holds(rows):
    return [row["lower"] <= row["c"] <= row["upper"] for row in rows]
