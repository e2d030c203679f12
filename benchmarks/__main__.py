"""Run a measurement by name."""

import importlib
import sys

BENCHMARKS = {
    "speed": "fit time as a ratio to scikit-learn's LogisticRegression on the same rows, and peak memory",
    "costs": "every method with every learner, by number of people: time, memory and growth in one table",
    "worlds": "AUC of every method in the 13 simulated worlds, beside the oracle",
    "learners": "AUC of boosted, neural or auto in worlds that are not linear, beside it trained on the true outcome",
    "boosting": "time of boosted fits as a ratio to LightGBM's own classifier with early stopping",
    "xgboost_candidate": "XGBoost under the same likelihood, beside our boosted trees: time, AUC and mean risk",
    "curved": "AUC and mean risk of boosted trees where nothing is linear, beside trees on the true outcome",
    "contributions": "time of feature contributions as a ratio to LightGBM's own, and how far off their sums are",
    "ablation": "from the published AUC of the all-features mixture cure model to ours, one change at a time",
    "neural": "time of the discrete-time neural network as a ratio to a plain PyTorch classifier with as many epochs",
    "neural_worlds": "AUC of the neural methods in the 13 simulated worlds, beside the published ones",
    "stress": "mean risk in the worlds with wrong event times",
    "hindsight": "labels corrected by looking back, in the 13 worlds and where times follow no usual distribution",
    "level": "number of unseen positives and mean risk with intervals, beside the truth of worlds and real cohorts",
    "windows": "events within some time from when people were last seen, with intervals, beside the truth",
    "records": "deaths, late entry, visits, known negatives and clusters: recovery, default settings, ignored, cost",
    "cohorts": "AUC on real cohorts with masked follow-up, beside LogisticRegression on labels and on the later truth",
    "wide": "linear fits with hundreds of features beside scikit-learn's, and sparse codes: time and memory",
    "rows": "fits to Parquet files that do not fit into memory, and on a cluster: passes, time beside reading, memory",
    "program": "time and memory of `whether fit` and `predict` on a million people, beside LogisticRegression",
    "priors": "class priors: estimate, coverage and width of the interval, with and without a constant propensity",
    "coverage": "coverage of 95 % confidence intervals over 400 replicates",
    "intervals": "coverage of intervals of single risks of new people, by learner, and what they cost",
    "registries": "time of `whether analyze` on two registries, and of `auto` on 250,000 people",
    "advice": "the advised method against the best one, on worlds and on real cohorts put back in time",
    "backtest": "who counts how in a backtest, beside the truth",
    "evidence": "level and power of the tests behind the advice",
    "reference": "maximum likelihood fits beside the results of other programs",
    "tasks": "what a clinician and a statistician would try with the program, each command run and judged",
    "engineers": "what an engineer would try in Python, each call run and judged",
    "e1684": "coefficients for the E1684 trial beside the published ones",
}


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in BENCHMARKS:
        for name, what in BENCHMARKS.items():
            print(f"{name:17s} {what}")
        return 0 if len(sys.argv) < 2 else 2
    benchmark = importlib.import_module(f"benchmarks.{sys.argv[1]}")
    if {"-h", "--help"} & set(sys.argv[2:]):
        print(benchmark.__doc__)
        return 0
    benchmark.main(sys.argv[2:])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
