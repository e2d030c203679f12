"""How long an answer takes on thousands of people, by the clock and by processors.

python -m benchmarks registries            # `whether analyze` on two registries, and `auto` on 250,000 simulated people
python -m benchmarks registries auto       # that alone, or `analyze` alone

The tables are looked for where WHETHER_DATA says. `analyze` is a whole process, with its start and its report.
"""

import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import whether as wh
from benchmarks.boosting import fit_lightgbm
from benchmarks.curved import squares
from whether.simulation.real_tables import data_folder

# Asked, in seconds by the clock.
ASKED = {"analyze": 45, "auto": 180}
TABLES = {"melanoma_registry": [], "fertility": ["--group", "group"]}
PROGRAM = [sys.executable, "-c", "from whether.cli import main; main()"]
N = 250_000


def spent():
    """Seconds of the clock, and of processors, the children's included."""
    used = os.times()
    return time.perf_counter(), used.user + used.system + used.children_user + used.children_system


def analyze():
    """Time the program on each table, with all it does unless told otherwise."""
    folder = data_folder()
    for name, options in TABLES.items():
        with tempfile.TemporaryDirectory() as scratch:
            command = [*PROGRAM, "analyze", str(folder / f"{name}.parquet"), "--event", "event", "--time", "time"]
            command += [*options, "-o", str(Path(scratch) / "report")]
            before = spent()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            tell(f"analyze {name}", before, "analyze")
            print(f"    {done.stdout.strip().splitlines()[0]}")


def auto():
    """Time the choice of a learner and its fit, beside LightGBM's own classifier on the same rows."""
    cohort = squares(N, 0)
    before = spent()
    fit_lightgbm(cohort.X, cohort.y, {})
    tell(f"LightGBM's classifier, {N:,} x 8", before)
    before = spent()
    model = wh.MixtureCureClassifier(learner="auto", random_state=0)
    model.fit(cohort.X, cohort.y, time=cohort.time)
    tell(f"learner='auto', {N:,} x 8", before, "auto")
    print(f"    it took the learner {model.fit_result_.selection.chosen!r}")


def tell(what, before, asked=None):
    """Print what has been spent since."""
    clock, processor = (now - then for now, then in zip(spent(), before, strict=True))
    bound = f" (asked {ASKED[asked]})" if asked else ""
    print(f"{what:34s} {clock:7.1f} s{bound}, {processor:7.1f} s of processors", flush=True)


def main(arguments):
    warnings.simplefilter("ignore")
    for name, measure in (("analyze", analyze), ("auto", auto)):
        if not arguments or name in arguments:
            measure()
