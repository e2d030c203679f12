"""How often tests of evidence reject, cell by cell: a test in a world, one row of results for each cohort."""

import argparse
import math
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from benchmarks.kept_rows import append_row, read_rows

LEVEL = 0.05
# Cohorts of each cell that are run first: they tell what a cell costs.
FIRST = 2


class KeptLevels:
    """P-values and processor seconds by cell and seed, kept in a file where one is named."""

    def __init__(self, path):
        self.path, self.cells = path, defaultdict(dict)
        for row in read_rows(path):
            self.cells[row["world"], row["test"]][row["seed"]] = row

    def add(self, row):
        self.cells[row["world"], row["test"]][row["seed"]] = row
        append_row(self.path, row)

    def missing(self, cell, replicates):
        return [seed for seed in range(replicates) if seed not in self.cells[cell]]

    def cost(self, cell, replicates):
        """Processor seconds that the rest of a cell will take, by those that were run."""
        rows = self.cells[cell].values()
        return np.mean([row["cpu_seconds"] for row in rows]) * len(self.missing(cell, replicates)) if rows else 0.0

    def p_values(self, cell, replicates):
        rows = [self.cells[cell][seed] for seed in range(replicates) if seed in self.cells[cell]]
        return np.array([math.nan if row["p_value"] is None else row["p_value"] for row in rows])


def measure(run, world, test, seed):
    start = time.process_time()
    p_value = float(run(world, seed, test))
    return {"world": world, "test": test, "seed": seed, "p_value": p_value if math.isfinite(p_value) else None,
            "cpu_seconds": round(time.process_time() - start, 3)}  # fmt: skip


def fill(kept, cells, replicates, run, jobs):
    """Run what is missing: of every cell the first cohorts, then cell by cell, the cheapest first."""
    rounds = [[(*cell, seed) for cell in cells for seed in kept.missing(cell, min(FIRST, replicates))]]
    while rounds:
        for row in Parallel(n_jobs=jobs, return_as="generator")(delayed(measure)(run, *key) for key in rounds.pop()):
            kept.add(row)
        left = [cell for cell in cells if kept.missing(cell, replicates)]
        if left:
            cell = min(left, key=lambda cell: kept.cost(cell, replicates))
            rounds.append([(*cell, seed) for seed in kept.missing(cell, replicates)])
            print(f"{' '.join(cell)}: about {kept.cost(cell, replicates):.0f} s", file=sys.stderr, flush=True)


def tell(kept, cells, replicates, holds):
    print(f"share of cohorts that reject at {100 * LEVEL:g} %")
    head = ("world", "test", "null holds", "cohorts", "rejects", "s.e.", "not run")
    print("{:28s} {:21s} {:>10s} {:>7s} {:>8s} {:>6s} {:>8s}".format(*head))
    for world, test in cells:
        p_values = kept.p_values((world, test), replicates)
        done = p_values[np.isfinite(p_values)]
        if not p_values.size:
            continue
        rejects, deviates = f"{'-':>8s}", f"{'-':>6s}"
        if done.size:
            share = np.mean(done < LEVEL)
            rejects, deviates = f"{100 * share:7.1f}%", f"{100 * np.sqrt(share * (1 - share) / done.size):5.1f}%"
        answer = "yes" if holds[world, test] else "no"
        not_run = f"{100 * (1 - done.size / p_values.size):7.1f}%"
        print(f"{world:28s} {test:21s} {answer:>10s} {p_values.size:7d} {rejects} {deviates} {not_run}", flush=True)


def levels(arguments, cases, tests, run, replicates):
    """Run and print the cells of the worlds and tests named, of either kind all where none is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks evidence levels")
    parser.add_argument("replicates", type=int, nargs="?", default=replicates)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--tell", action="store_true", help="print what the file has, and run nothing")
    options = parser.parse_intermixed_args(arguments)
    if unknown := set(options.name) - {*cases, *tests}:
        sys.exit(f"no world or test: {', '.join(sorted(unknown))}")
    worlds = [name for name in options.name if name in cases] or list(cases)
    chosen = [name for name in options.name if name in tests] or list(tests)
    holds = {
        (world, test): null
        for world in worlds
        for null, names in zip((True, False), cases[world], strict=True)
        for test in names
        if test in chosen
    }
    kept = KeptLevels(options.results)
    if not options.tell:
        fill(kept, list(holds), options.replicates, run, options.jobs)
    tell(kept, list(holds), options.replicates, holds)
