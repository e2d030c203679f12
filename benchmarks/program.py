"""A million people by 20 features from Parquet: time and peak memory of `whether fit` and `whether predict`.

Time is a ratio to reading the file and fitting scikit-learn's LogisticRegression to the same rows, both without the
start of Python, which the program's time includes.
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
    """Seconds to read and to fit; the faster of two runs."""
    return min((tuple(map(float, measure([sys.executable, "-c", BASELINE, path])[2].split())) for _ in range(2)),
               key=lambda pair: pair[1])  # fmt: skip


def main(arguments):
    n = int(arguments[0]) if arguments else N
    with tempfile.TemporaryDirectory() as folder:
        path, model, risks = (str(Path(folder) / name) for name in ("cohort.parquet", "m.whether", "risks.parquet"))
        write_cohort(path, n)
        read, whole = baseline(path)
        print(f"{n:,} x {D}, {os.path.getsize(path) / 2**20:.0f} MiB of Parquet")
        print(f"reading {read:.2f} s, reading and LogisticRegression {whole:.2f} s")
        print(f"{'command':34s} {'seconds':>8s} {'ratio':>6s} {'limit':>6s} {'peak GiB':>9s} {'limit':>6s}")
        times = ["--event", "event", "--time", "time", "--follow-up", "follow_up"]
        runs = {
            "fit --method AFTMC-F": ["fit", path, *times, "--method", "AFTMC-F", "-o", model],
            "fit (FUMC-F)": ["fit", path, *times, "-o", model],
            "predict": ["predict", model, path, "-o", risks],
            "predict to CSV": ["predict", model, path, "-o", str(Path(folder) / "risks.csv")],
        }
        for name, run in runs.items():
            seconds, peak, _ = measure([*PROGRAM, *run])
            print(f"{name:34s} {seconds:8.2f} {seconds / whole:6.2f} {LIMIT_RATIO:6.1f} {peak:9.2f} {LIMIT_GIB:6.1f}")
