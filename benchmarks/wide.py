"""Linear fits with hundreds of features beside scikit-learn's, by processor time in one run; and sparse codes.

python -m benchmarks wide          # 33,000 x 256, penalties given and chosen, drawn features
python -m benchmarks wide codes    # a sparse matrix of one-hot codes: time, and memory beside what it holds
"""

import gc
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV

import whether as wh
from benchmarks.speed import make_cohort, peak_resident

ASKED = {"given": 5, "chosen": 2}


def seconds(call):
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def measure(n=33_000, d=256):
    """Print the ratios; the classifiers of scikit-learn are timed before and after each of ours."""
    X, y, event_time, follow_up = make_cohort(n, d)
    few = slice(4_000)  # a fit to few people, as wide, loads everything
    wh.MixtureCureClassifier(shrinkage=100.0).fit(X[few], y[few], time=event_time[few])
    print(f"{n:,} x {d}, seconds of a processor")
    rivals = {"given": LogisticRegression(), "chosen": LogisticRegressionCV(max_iter=200)}
    for kind, settings in (("given", {"shrinkage": 100.0}), ("chosen", {})):
        for model in (wh.MixtureCureClassifier(**settings), wh.FollowUpCureClassifier(**settings)):
            _, before = seconds(lambda kind=kind: rivals[kind].fit(X, y))
            fitted, spent = seconds(lambda model=model: model.fit(X, y, time=event_time, follow_up=follow_up))
            _, after = seconds(lambda kind=kind: rivals[kind].fit(X, y))
            rival = min(before, after)
            print(
                f"{type(model).__name__:24s} penalties {kind:7s} {spent:7.2f}; {type(rivals[kind]).__name__:20s} "
                f"{rival:6.3f}; ratio {spent / rival:5.1f} (asked {ASKED[kind]}); objective "
                f"{fitted.fit_result_.objective:.3f}, {fitted.fit_result_.status.name.lower()}"
            )


def measure_codes():
    """Codes of people in a sparse matrix, more and more of them."""
    for n, n_codes, per_person in ((2_000, 5_000, 12), (100_000, 500, 12), (100_000, 5_000, 12)):
        rng = np.random.default_rng(0)
        places = np.repeat(np.arange(n), per_person), rng.integers(0, n_codes, n * per_person)
        table = sparse.csr_array((np.ones(n * per_person), places), shape=(n, n_codes))
        positive = rng.random(n) < 1 / (1 + np.exp(-(table @ (0.7 * rng.standard_normal(n_codes)))))
        event, follow_up = np.exp(rng.standard_normal((2, n)))
        y = (positive & (event <= follow_up)).astype(int)
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak of making the data
        before = peak_resident()
        model = wh.FollowUpCureClassifier(shrinkage=100.0, ridge=30.0)
        fitted, spent = seconds(lambda: model.fit(table, y, follow_up=follow_up))  # noqa: B023
        held = (table.data.nbytes + table.indices.nbytes + table.indptr.nbytes) / 2**20
        print(
            f"{n:,} x {n_codes:,}, {per_person} codes a person: {spent:6.1f} s; the matrix holds {held:.1f} MiB, peak "
            f"above it {(peak_resident() - before) / 1024:.0f} MiB, written out it would be "
            f"{8 * n * n_codes / 2**20:,.0f} MiB; {fitted.fit_result_.status.name.lower()}"
        )


def main(arguments):
    warnings.simplefilter("ignore")
    measure_codes() if arguments[:1] == ["codes"] else measure()
