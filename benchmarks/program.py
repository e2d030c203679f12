"""A million people by 20 features from Parquet: time and peak memory of `whether fit` and `whether predict`.

Time is a ratio to a process that reads the file and fits scikit-learn's LogisticRegression to the same rows. Both are
whole processes; the last column leaves the start of the other one out, though the program's own is counted.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from benchmarks.speed import make_cohort

N, D = 1_000_000, 20
LIMIT_RATIO, LIMIT_GIB = 4.0, 3.0
BASELINE = """
import sys, time
import pandas as pd
from sklearn.linear_model import LogisticRegression
start = time.perf_counter()
table = pd.read_parquet(sys.argv[1])
read = time.perf_counter() - start
LogisticRegression().fit(table.filter(like="x"), table["event"])
print(read, time.perf_counter() - start)
"""
PROGRAM = [sys.executable, "-c", "from whether.cli import main; main()"]


def write_cohort(path, n):
    X, event, times, follow_up = make_cohort(n, D)
    columns = {f"x{i}": X[:, i] for i in range(D)}
    columns |= {"event": event, "time": times, "follow_up": follow_up}
    pyarrow.parquet.write_table(pa.table(columns), path)


def measure(arguments):
    """Seconds and peak memory in GiB of a process, and what it printed."""
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments[3:]} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 2**20, printed


def baseline(path):
    """Seconds of the whole process, of reading and fitting in it, and of reading; the fastest of three runs."""
    runs = []
    for _ in range(3):
        seconds, _, printed = measure([sys.executable, "-c", BASELINE, path])
        read, whole = map(float, printed.split())
        runs.append((seconds, whole, read))
    return min(runs)


def main(arguments):
    n = int(arguments[0]) if arguments else N
    with tempfile.TemporaryDirectory() as folder:
        path, model, risks = (str(Path(folder) / name) for name in ("cohort.parquet", "m.whether", "risks.parquet"))
        write_cohort(path, n)
        process, inside, read = baseline(path)
        print(f"{n:,} x {D}, {os.path.getsize(path) / 2**20:.0f} MiB of Parquet")
        print(f"reading {read:.2f} s, reading and LogisticRegression {inside:.2f} s, the whole process {process:.2f} s")
        print(
            f"{'command':22s} {'seconds':>8s} {'ratio':>6s} {'limit':>6s} {'peak GiB':>9s} {'limit':>6s} {'strict':>7s}"
        )
        times = ["--event", "event", "--time", "time", "--follow-up", "follow_up"]
        runs = {
            "fit --method AFTMC-F": ["fit", path, *times, "--method", "AFTMC-F", "-o", model],
            "fit (FUMC-F)": ["fit", path, *times, "-o", model],
            "predict": ["predict", model, path, "-o", risks],
            "predict to CSV": ["predict", model, path, "-o", str(Path(folder) / "risks.csv")],
        }
        for name, run in runs.items():
            seconds, peak, _ = min((measure([*PROGRAM, *run]) for _ in range(2)), key=lambda result: result[0])
            print(f"{name:22s} {seconds:8.2f} {seconds / process:6.2f} {LIMIT_RATIO:6.1f} {peak:9.2f} {LIMIT_GIB:6.1f} "
                  f"{seconds / inside:7.2f}")  # fmt: skip
