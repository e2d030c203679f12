"""Fits to rows that do not fit into memory, and on a cluster: passes, time beside reading alone, memory, agreement.

python -m benchmarks rows FOLDER 20000000         # makes the files there unless they exist, then fits
python -m benchmarks rows FOLDER 2000000 --check  # and compares with the fit in memory
python -m benchmarks rows FOLDER 20000000 --paper # and says what a billion rows on a hundred workers would take
python -m benchmarks rows FOLDER 2000000 --dask   # one worker process, two, and two of which one is killed
"""

import os
import pickle
import re
import signal
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

import whether as wh
from whether.blocks import LocalBlocks, add_parts
from whether.files.rows.dask_rows import DaskBlocks
from whether.files.rows.parquet_rows import Piece, find_pieces
from whether.learners.linear.penalized import Evaluation

D, FILE_ROWS, GROUP_ROWS = 20, 1_000_000, 250_000
PAPER_ROWS, PAPER_WORKERS = 10**9, 100
N_RUNS = 3  # of which the median counts
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
        total = LocalBlocks.total

        def counted(blocks, *arguments, **named):
            yield from each(blocks, *arguments, **named)
            self.count += 1

        def read(piece, columns):
            self.pieces += len(columns) > D
            return tables(piece, columns)

        def counted_there(blocks, function, beside=None, add=add_parts):
            if blocks._in_processes is not None:  # nothing of it is seen here
                self.count, self.pieces = self.count + 1, self.pieces + len(blocks._places)
            return total(blocks, function, beside, add)

        LocalBlocks.each, LocalBlocks.total, Piece.tables = counted, counted_there, read


class Spent(NamedTuple):
    """Seconds of a clock, and of processors."""

    clock: float
    processor: float


def seconds(call):
    start, before = time.perf_counter(), processor_seconds()
    result = call()
    return result, Spent(time.perf_counter() - start, processor_seconds() - before)


def processes():
    """This process and those that it started and that live."""
    this = psutil.Process()
    return [this, *this.children()]


def processor_seconds():
    return sum(process.cpu_times().user + process.cpu_times().system for process in processes())


def peak_gibibytes():
    """Memory of all processes, each at its largest so far."""
    status = "".join(Path(f"/proc/{process.pid}/status").read_text() for process in processes())
    return sum(int(peak) for peak in re.findall(r"VmHWM:\s+(\d+) kB", status)) / 2**20


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


def measure(folder, check, on_paper):
    passes = Passes()
    for name, (model, clock, column) in fits().items():
        columns = ["seen", column, *FEATURES]
        passes.count = passes.pieces = 0
        (rows, fitted), spent = seconds(lambda: _fit(model, folder, clock))  # noqa: B023
        # Labels and times alone are gone through once, too: the look at the columns, which reads all, stands for that.
        n_passes, n_read = passes.count, passes.pieces / len(rows.pieces)
        reads = [seconds(lambda: read_once(folder, columns))[1] for _ in range(2)]  # noqa: B023
        once, processor = min(read.clock for read in reads), min(read.processor for read in reads)
        peak = peak_gibibytes()
        print(
            f"{name:13s} {rows.n_rows:,} x {D}: {spent.clock:.1f} s, {spent.processor:.1f} s of processors, in "
            f"{n_passes} passes, for which files were read {n_read:.1f} times; reading alone {once:.2f} s a pass, "
            f"{processor:.2f} s of processors; ratio {spent.clock / (n_passes * once):.2f}, of processors "
            f"{spent.processor / (n_passes * processor):.2f}; peak memory of all processes so far {peak:.2f} GiB; "
            f"{fitted.fit_result_.message}"
        )
        if on_paper:
            tell_paper(fitted, spent.processor / rows.n_rows)
        if check:
            frame = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("*.parquet"))]).to_pandas()
            again = fits()[name][0].fit(frame[FEATURES], frame["seen"], **{k: frame[v] for k, v in clock.items()})
            print(
                f"{'':13s} largest relative difference from the fit in memory {largest_difference(fitted, again):.1e}"
            )


def _fit(model, folder, clock, **where):
    rows = wh.ParquetRows(folder, event="seen", features=FEATURES, **clock, **where)
    return rows, model.fit_rows(rows)


def tell_paper(fitted, per_row):
    """What a billion rows would take on a hundred workers of one core, by the seconds for a row just measured."""
    size, groups = fitted.model_.coefficients.size, PAPER_ROWS // GROUP_ROWS
    sums = len(pickle.dumps(Evaluation(0.0, np.zeros(size), np.zeros((size, size)))))
    print(
        f"{'':13s} on paper, {PAPER_ROWS:,} rows on {PAPER_WORKERS} workers of one core: {1e6 * per_row:.1f} µs for "
        f"a row and a whole fit are {per_row * PAPER_ROWS / PAPER_WORKERS:.0f} s on each; sums with the Hessian of "
        f"{size} coefficients are {sums / 1e3:.0f} kB a row group, {groups * sums / 1e6:.0f} MB a pass of "
        f"{groups:,} row groups"
    )


class Rounds:
    """Counts how often sums are asked of a cluster, and kills a worker in the middle of one of these rounds."""

    def __init__(self):
        self.count, self.fatal, self.victim, self.killed_at, each = 0, 0, 0, None, DaskBlocks.each

        def counted(blocks, *arguments, **named):
            self.count += 1
            is_fatal = self.count == self.fatal
            for part in each(blocks, *arguments, **named):
                if is_fatal and self.killed_at is None:  # the first block is done, the others are not
                    os.kill(self.victim, signal.SIGKILL)
                    self.killed_at = time.perf_counter()
                yield part

        DaskBlocks.each = counted

    def start(self, fatal=0, victim=0):
        """Count anew; a worker process dies in this round, if any."""
        self.count, self.fatal, self.victim, self.killed_at = 0, fatal, victim, None


def measure_cluster(folder):
    from distributed import Client, LocalCluster

    settings = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "silence_logs": 50}
    alone = {name: _fit(model, folder, clock)[1] for name, (model, clock, _) in fits().items()}
    rounds, medians, usual = Rounds(), {}, {}
    for workers in (1, 2):
        with LocalCluster(n_workers=workers, **settings) as cluster, Client(cluster) as client:
            for name in fits():
                runs = []
                for _ in range(N_RUNS):
                    rounds.start()
                    fitted, spent = _fit_there(name, folder, client)
                    runs.append(spent.clock)
                medians[workers, name], usual[name] = statistics.median(runs), rounds.count
                print(
                    f"{workers} worker(s) {name:13s} median {medians[workers, name]:.1f} s of {min(runs):.1f} to "
                    f"{max(runs):.1f}, largest relative difference {largest_difference(fitted, alone[name]):.1e}"
                )
    for name in fits():
        print(f"{name:13s} two workers are {medians[1, name] / medians[2, name]:.2f} times as fast as one")
    for name in fits():
        with LocalCluster(n_workers=2, **settings) as cluster, Client(cluster) as client:
            address, victim = next(iter(client.run(os.getpid).items()))
            rounds.start(-(-usual[name] // 2), victim)
            fitted, spent = _fit_there(name, folder, client)
            before = time.perf_counter() - rounds.killed_at
            is_lost = address not in client.scheduler_info(n_workers=-1)["workers"]
            print(
                f"one of 2 killed {name:13s} {spent.clock:.1f} s, killed in round {rounds.fatal} of {usual[name]}, "
                f"{before:.1f} s before the end; {'lost' if is_lost else 'NOT LOST'} to the scheduler; largest "
                f"relative difference {largest_difference(fitted, alone[name]):.1e}"
            )


def _fit_there(name, folder, client):
    model, clock, _ = fits()[name]
    rows = wh.ParquetRows(folder, event="seen", features=FEATURES, client=client, **clock)
    return seconds(lambda: model.fit_rows(rows))


def main(arguments):
    warnings.simplefilter("ignore")
    if len(arguments) < 2:
        sys.exit(__doc__)
    folder, n = Path(arguments[0]) / arguments[1], int(arguments[1])
    make_files(folder, n)
    if "--dask" in arguments:
        measure_cluster(folder)
    else:
        measure(folder, "--check" in arguments, "--paper" in arguments)
