"""Events within some time from when people were last seen: number and interval, beside the truth of worlds.

The truth is the number of people without a recorded event whose event does come within the window: before death, where
the lifetime question is asked. `python -m benchmarks windows 50`, the number of replicates.
"""

import warnings
from functools import partial

import numpy as np
from joblib import Parallel, delayed

import whether as wh
from benchmarks.level_worlds import OWN_WORLDS, ageing, causes, registry

N_PEOPLE = 1_000
WORLDS = ("partially-dependent", "baseline", "late-entry", "deaths-by-risk-latent", "short-follow-up")
OWN = {
    "correlated, weibull": partial(OWN_WORLDS["weibull, follow-up by features"], n=N_PEOPLE),
    "registry, gamma times": partial(registry, n=N_PEOPLE),
    "ageing, Gompertz times": partial(ageing, n=N_PEOPLE),
    "hidden causes": partial(causes, n=N_PEOPLE),
}


def run(world, seed):
    """Estimate, truth, whether the interval holds it, its width and the share beyond follow-up, for each window."""
    if world in OWN:
        X, labeled, time, follow_up, positive, _, event = OWN[world](np.random.default_rng([seed, 19]))
        known = {"time": time, "follow_up": follow_up}
    else:
        drawn = wh.simulate(world, n=N_PEOPLE, seed=seed)
        X, labeled, time, event = drawn.X, drawn.y == 1, drawn.time, drawn.event_time
        known = {"time": time, "follow_up": drawn.follow_up, **drawn.records}
        positive = (drawn.positive if drawn.lifetime_positive is None else drawn.lifetime_positive) == 1
        if "competing" in known:
            known.pop("follow_up")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = wh.analyze(X, labeled.astype(int), **known, backtest=False, sensitivity=False)
    still_open = answer.evidence.material.open_people
    found = []
    for window in answer.windows:
        truth = np.count_nonzero(still_open & positive & (event <= time + window.length))
        expected = window.expected
        holds = expected.lower <= truth <= expected.upper
        found.append((expected.estimate, truth, holds, expected.upper - expected.lower, window.beyond))
    return found


def main(arguments):
    replicates = int(arguments[0]) if arguments else 50
    worlds = arguments[1:] or [*WORLDS, *OWN]
    print(
        f"{replicates} cohorts of {N_PEOPLE:,} people each; windows from the shortest to the longest of each answer\n"
    )
    print(f"{'world':24s}  window   truth    bias  root mean square    held   width  beyond")
    for world in worlds:
        results = Parallel(n_jobs=-1)(delayed(run)(world, seed) for seed in range(replicates))
        for number in range(3):
            rows = np.array([result[number] for result in results if len(result) > number], dtype=float)
            if not rows.size:
                continue
            estimate, truth, held, width, beyond = rows.T
            error = (estimate - truth) / truth.mean()
            print(f"{world:24s} {number + 1:7d} {truth.mean():7.0f} {error.mean():+7.3f} "
                  f"{np.sqrt(np.mean(error**2)):17.3f} {100 * held.mean():5.0f} % {width.mean() / truth.mean():7.2f} "
                  f"{100 * beyond.mean():5.0f} %")  # fmt: skip
