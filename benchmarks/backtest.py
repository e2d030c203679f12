"""What a backtest says of methods, and of the true risks, by how people count.

    python -m benchmarks backtest [people] [world]

All who can be scored may count alike, or by their chance to be scored, or only those followed long enough do; beside
it, the truth.
"""

import warnings

import numpy as np

import whether as wh
from whether.advise.endpoint_choice import plan_endpoint
from whether.evaluate import evaluate_risks


def compare(people, world):
    warnings.simplefilter("ignore")
    made = wh.simulate(world, n=people, seed=0)
    plans = [plan_endpoint(made.y == 1, made.time, follow_up=known) for known in (None, made.follow_up)]
    # The same draws of the endpoint; training on what everybody's follow-up says was known then.
    anybody, followed = (plan.impose(np.random.default_rng(0)) for plan in plans)
    training = np.random.default_rng(1).random(people) < 0.7
    risks = {"true risk": made.outcome_proba}
    for name in ("LR", "DTMC", "FUMC-F", "AFTMC-F"):
        model = wh.METHODS[name].build(random_state=0)
        known = {"time": followed.time[training], "follow_up": followed.follow_up[training]}
        risks[name] = model.fit(made.X[training], followed.y[training], **known).predict_proba(made.X)[:, 1]
    ways = {
        "alike": (anybody.positive, ~training & anybody.scorable, np.ones(people)),
        "by chance": (anybody.positive, ~training & anybody.scorable, anybody.weight),
        "followed": (followed.positive, ~training & followed.scorable, np.ones(people)),
        "truth": (made.positive, ~training, np.ones(people)),
    }
    print(f"{world}, {people:,} people. Horizon {plans[0].horizon:.3g}, entry spread over {plans[0].stagger:.3g}.")
    print(f"{'AUC':10s} " + " ".join(f"{way:>10s}" for way in ways))
    for name, risk in risks.items():
        found = (evaluate_risks(truth[rows], risk[rows], sample_weight=weight[rows])["auc"]
                 for truth, rows, weight in ways.values())  # fmt: skip
        print(f"{name:10s} " + " ".join(f"{auc:10.3f}" for auc in found))
    shares = (np.average(truth[rows], weights=weight[rows]) for truth, rows, weight in ways.values())
    print(f"{'positive':10s} " + " ".join(f"{share:10.3f}" for share in shares))


def main(arguments):
    compare(int(arguments[0]) if arguments else 30_000, arguments[1] if len(arguments) > 1 else "baseline")
