"""Fits to rows that do not fit into memory, and on a cluster: passes, time beside reading alone, memory, agreement.

python -m benchmarks rows FOLDER 20000000         # makes the files there unless they exist, then fits
python -m benchmarks rows FOLDER 2000000 --check  # and compares with the fit in memory
python -m benchmarks rows FOLDER 2000000 --dask   # one worker process, two, and two of which one is killed
"""

import os
import resource
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import whether as wh
from whether.blocks import LocalBlocks
from whether.files.rows.parquet_rows import Piece, find_pieces

D, FILE_ROWS, GROUP_ROWS = 20, 1_000_000, 250_000
FEATURES = [f"x{i:02d}" for i in range(D)]


def make_files(folder, n):
    """Write the cohort, a file at a time: the first features drive the outcome, the next ones the times."""
    folder.mkdir(parents=True, exist_ok=True)
    streams = np.random.SeedSequence([2026, n]).spawn(-(-n // FILE_ROWS))
    for number, stream in enumerate(streams):
        path = folder / f"{number:04d}.parquet"
        if path.exists():
            continue
        rng, rows = np.random.default_rng(stream), min(FILE_ROWS, n - number * FILE_ROWS)
        X = rng.standard_normal((rows, D))
        positive = rng.random(rows) < 1 / (1 + np.exp(-(X[:, 0] - X[:, 1] + 0.3 * X[:, 4:12].sum(axis=1))))
        event = np.exp(0.7 * X[:, 2] - 0.7 * X[:, 3] + rng.standard_normal(rows))
        follow_up = np.exp(1.5 * rng.standard_normal(rows))
        seen = positive & (event <= follow_up)
        columns = {name: X[:, i] for i, name in enumerate(FEATURES)}
        columns |= {"seen": seen.astype(np.int8), "years": np.where(seen, event, follow_up), "followed": follow_up}
        pq.write_table(pa.table(columns), path.with_suffix(".part"), row_group_size=GROUP_ROWS)
        path.with_suffix(".part").rename(path)


class Passes:
    """Counts how often all blocks are gone through to their end, and how many row groups are read with features."""

    def __init__(self):
        self.count, self.pieces, each, tables = 0, 0, LocalBlocks.each, Piece.tables

        def counted(blocks, *arguments, **named):
            yield from each(blocks, *arguments, **named)
            self.count += 1

        def read(piece, columns):
            self.pieces += len(columns) > D
            return tables(piece, columns)

        LocalBlocks.each, Piece.tables = counted, read


class Spent(NamedTuple):
    """Seconds of a clock, and of processors."""

    clock: float
    processor: float


def seconds(call):
    start, before = time.perf_counter(), time.process_time()
    result = call()
    return result, Spent(time.perf_counter() - start, time.process_time() - before)


def read_once(folder, columns):
    for piece in find_pieces(folder):
        for _ in piece.tables(columns):
            pass


def fits(**settings):
    return {
        "mixture cure": (wh.MixtureCureClassifier(**settings), {"time": "years"}, "years"),
        "follow-up": (wh.FollowUpCureClassifier(**settings), {"follow_up": "followed"}, "followed"),
    }


def largest_difference(one, other):
    return float(np.max(np.abs(one.model_.coefficients / other.model_.coefficients - 1)))


def measure(folder, check):
    passes = Passes()
    for name, (model, clock, column) in fits().items():
        columns = ["seen", column, *FEATURES]
        passes.count = passes.pieces = 0
        (rows, fitted), spent = seconds(lambda: _fit(model, folder, clock))  # noqa: B023
        # Labels and times alone are gone through once, too: the look at the columns, which reads all, stands for that.
        n_passes, n_read = passes.count, passes.pieces / len(rows.pieces)
        reads = [seconds(lambda: read_once(folder, columns))[1] for _ in range(2)]  # noqa: B023
        once, processor = min(read.clock for read in reads), min(read.processor for read in reads)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{name:13s} {rows.n_rows:,} x {D}: {spent.clock:.1f} s, {spent.processor:.1f} s of processors, in "
            f"{n_passes} passes, for which files were read {n_read:.1f} times; reading alone {once:.2f} s a pass, "
            f"{processor:.2f} s of processors; ratio {spent.clock / (n_passes * once):.2f}, of processors "
            f"{spent.processor / (n_passes * processor):.2f}; peak memory so far {peak:.2f} GiB; "
            f"{fitted.fit_result_.message}"
        )
        if check:
            frame = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]).to_pandas()
            again = fits()[name][0].fit(frame[FEATURES], frame["seen"], **{k: frame[v] for k, v in clock.items()})
            print(
                f"{'':13s} largest relative difference from the fit in memory {largest_difference(fitted, again):.1e}"
            )


def _fit(model, folder, clock, **where):
    rows = wh.ParquetRows(folder, event="seen", features=FEATURES, **clock, **where)
    return rows, model.fit_rows(rows)


def measure_cluster(folder):
    from distributed import Client, LocalCluster

    settings = {"threads_per_worker": 1, "processes": True, "dashboard_address": None}
    alone = {name: _fit(model, folder, clock)[1] for name, (model, clock, _) in fits().items()}
    for workers, kills in ((1, False), (2, False), (2, True)):
        with LocalCluster(n_workers=workers, silence_logs=50, **settings) as cluster, Client(cluster) as client:
            for name, (model, clock, _) in fits().items():
                rows = wh.ParquetRows(folder, event="seen", features=FEATURES, client=client, **clock)
                if kills:
                    victim = next(iter(client.run(os.getpid).values()))
                    threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
                fitted, spent = seconds(lambda: model.fit_rows(rows))  # noqa: B023
                print(
                    f"{workers} worker(s){', one killed' if kills else '':12s} {name:13s} {spent.clock:6.1f} s, "
                    f"largest relative difference {largest_difference(fitted, alone[name]):.1e}"
                )


def main(arguments):
    warnings.simplefilter("ignore")
    if len(arguments) < 2:
        sys.exit(__doc__)
    folder, n = Path(arguments[0]) / arguments[1], int(arguments[1])
    make_files(folder, n)
    if "--dask" in arguments:
        measure_cluster(folder)
    else:
        measure(folder, "--check" in arguments)
