"""What every method costs with every learner that it takes, by number of people: one table.

python -m benchmarks costs FILE                  # measures what FILE (one line of JSON per cell) lacks, then prints
python -m benchmarks costs FILE --print          # prints what there is
python -m benchmarks costs FILE --cap 300        # processor seconds that a fit may take, 20 unless said otherwise
python -m benchmarks costs FILE --learner EM     # measures the cells of one learner

Each cell is a process of its own, held to one thread. Seconds are those of a processor; the ratio is to scikit-learn's
LogisticRegression (linear, EM) or to LightGBM's own classifier with early stopping (boosted, neural) on the same rows,
in the same process. Memory is the peak above what was held before the fit, over the size of the input. The exponent is
that by which seconds grow with people between two sizes: 1 is in proportion. The methods that most people will use come
first. A fit is stopped at the cap, and is not started where the smaller ones let expect that it would be: if seconds go
on in proportion to people, or by their growth so far where that was steeper.
"""

import gc
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import whether as wh
from benchmarks.boosting import fit_lightgbm
from benchmarks.speed import make_cohort, peak_resident

D, SIZES, LARGEST = 8, (4_000, 100_000, 1_000_000), 10_000_000
LEARNERS = ("linear", "EM", "boosted", "neural")
FIRST = ("AFTMC-F", "FUMC-F", "LR", "SARPU-F", "AFTPT")
CAP = 20.0
OK, OVER, NOT_TAKEN, NOT_TRIED, FAILED = "ok", "over", "not taken", "not tried", "failed"


def build(method, learner):
    features = [2, 3] if wh.METHODS[method].feature_parameter else None
    chosen = LogisticRegression() if learner == "EM" else learner
    return wh.METHODS[method].build(features, learner=chosen, random_state=0)


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(method, learner, n, cap):
    """Fit in this process and print what it took, as JSON."""
    warnings.simplefilter("ignore")
    sample = make_cohort(500, D, seed=1)
    try:
        build(method, learner).fit(sample[0], sample[1], time=sample[2], follow_up=sample[3])  # loads everything
    except (TypeError, ValueError) as error:
        return {"status": NOT_TAKEN, "why": str(error)[:200]}
    X, y, event_time, follow_up = make_cohort(n, D)
    uses_trees = learner in ("boosted", "neural")
    rival = (lambda: fit_lightgbm(X, y, {})) if uses_trees else (lambda: LogisticRegression().fit(X, y))
    repeats = 5 if n <= 4_000 else 1
    beside = float(np.median([seconds(rival) for _ in range(repeats)]))
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what came before
    before, limit = peak_resident(), int(time.process_time() + cap) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    fits = []
    for _ in range(repeats):
        fits.append(seconds(lambda: build(method, learner).fit(X, y, time=event_time, follow_up=follow_up)))
        if sum(fits) > cap / 10:
            break
    held = sum(part.nbytes for part in (X, y, event_time, follow_up)) / 1024
    spent = float(np.median(fits))
    return {"status": OK, "seconds": spent, "rival": beside, "memory": (peak_resident() - before) / held}


def cells():
    """Learner, method and size, the cheap ones first: a linear fit to ten times the people costs less than trees."""
    dear = {learner: place for place, learner in enumerate(LEARNERS)}
    kinds = [(learner, n) for learner in LEARNERS for n in sizes_of(learner)]
    kinds.sort(key=lambda kind: (kind[1] * 10.0 ** (dear[kind[0]] / 2) * (kind[1] > 4_000), dear[kind[0]]))
    for methods in (FIRST, [method for method in wh.METHODS if method not in FIRST]):
        yield from ((learner, method, n) for learner, n in kinds for method in methods)


def sizes_of(learner):
    return (*SIZES, LARGEST) if learner == "linear" else SIZES


def run(learner, method, n, cap, known):
    """What a process of its own says of a cell, or why there is none."""
    smaller = [known[learner, method, size] for size in sizes_of(learner) if size < n]
    for status in (NOT_TAKEN, FAILED):
        if smaller and smaller[-1]["status"] == status:
            return {"status": status, "why": smaller[-1]["why"]}
    expected = forecast(smaller, n)
    if expected > cap:
        return {"status": NOT_TRIED, "expected": expected, "is_least": any(cell["status"] == OVER for cell in smaller)}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks", "costs", "--cell", method, learner, str(n), str(cap)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode < 0:  # ended by the limit on processor time
        return {"status": OVER, "cap": cap}
    if done.returncode:
        return {"status": FAILED, "why": done.stderr.strip().splitlines()[-1][:200]}
    return json.loads(done.stdout.splitlines()[-1])


def forecast(smaller, n):
    """Seconds of a fit to n people, by those of the two largest that were started; one alone tells no growth."""
    started = [(cell["n"], cell.get("seconds", cell.get("cap"))) for cell in smaller if cell["status"] in (OK, OVER)]
    if len(started) < 2:
        return 0.0
    (few, before), (many, after) = started[-2:]
    power = max(np.log(after / before) / np.log(many / few), 1.0)
    return float(after * (n / many) ** power)


def read(path):
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(row["learner"], row["method"], row["n"]): row for row in rows}


def tell(cell, smaller):
    """A cell in a few characters: seconds, ratio, memory, exponent."""
    if cell is None:
        return "not measured"
    if cell["status"] == FAILED:
        return f"failed: {cell['why']}"
    if cell["status"] == OVER:
        return f"over {cell['cap']:.0f} s"
    if cell["status"] == NOT_TRIED:
        expected = float(f"{cell['expected']:.1g}")
        return f"{'over' if cell['is_least'] else 'about'} {expected:,.0f} s by growth, not run"
    words = f"{cell['seconds']:.2f} s, {cell['seconds'] / cell['rival']:.0f} x, {cell['memory']:.1f}"
    if smaller is not None and smaller["status"] == OK:
        steps = np.log(cell["n"] / smaller["n"])
        words += f", n^{np.log(cell['seconds'] / smaller['seconds']) / steps:.1f}"
    return words


def print_table(known):
    sizes = (*SIZES, LARGEST)
    print(f"seconds, ratio to the rival, peak memory over the input, growth; people x {D}\n")
    print("| learner | method | " + " | ".join(f"{n:,}" for n in sizes) + " |\n" + "|---" * (2 + len(sizes)) + "|")
    for learner in LEARNERS:
        for method in wh.METHODS:
            row = [known.get((learner, method, n)) for n in sizes]
            if row[0] is None or row[0]["status"] == NOT_TAKEN:
                continue
            told = [tell(cell, row[i - 1] if i else None) for i, cell in enumerate(row)]
            if learner != "linear":
                told[-1] = ""
            print(f"| {learner} | {method} | " + " | ".join(told) + " |")


def option(arguments, name, default):
    return arguments[arguments.index(name) + 1] if name in arguments else default


def main(arguments):
    if arguments[:1] == ["--cell"]:
        method, learner, n, cap = arguments[1:]
        print(json.dumps(measure(method, learner, int(n), float(cap))))
        return
    path, cap = Path(arguments[0]), float(option(arguments, "--cap", CAP))
    known, only = read(path), option(arguments, "--learner", None)
    for learner, method, n in cells() if "--print" not in arguments else ():
        if (learner, method, n) not in known and only in (None, learner):
            found = {"learner": learner, "method": method, "n": n, **run(learner, method, n, cap, known)}
            known[learner, method, n] = found
            with path.open("a") as file:
                file.write(json.dumps(found) + "\n")
    print_table(known)
