"""Worlds in which several records come together and no distribution is ours: does the number, and its interval, hold?

    python -m benchmarks records mixed [COHORTS] [WORLD ...]

Each world is a function of a random generator. The number is that of people who are still to have the event, as
`wh.analyze` states it.
"""

import warnings

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit, ndtr

import whether as wh

N_PEOPLE = 2_000
LIMIT = 5.0


def families(rng):
    """Families of one to six with something in common, who are seen at visits, and of whom those without it die."""
    group = np.repeat(np.arange(N_PEOPLE), rng.integers(1, 7, size=N_PEOPLE))[:N_PEOPLE]
    arm, marker = rng.random(N_PEOPLE) < 0.4, rng.exponential(1.0, size=N_PEOPLE)
    shared = rng.normal(size=N_PEOPLE)[group]
    X = np.column_stack([arm, marker, shared]).astype(float)
    # Rows of a family have chance in common, which nobody recorded.
    score = np.sqrt(0.4) * rng.normal(size=N_PEOPLE)[group] + np.sqrt(0.6) * rng.normal(size=N_PEOPLE)
    risk = expit(-0.7 - 0.8 * arm + 0.7 * (marker - 1) + 0.5 * shared)
    positive = ndtr(score) < risk
    event = 1.5 * np.exp(0.3 * shared - 0.3 * arm) * rng.weibull(1.4, size=N_PEOPLE)
    death = np.where(positive, np.inf, 4.0 * np.exp(-0.3 * marker) * rng.weibull(1.2, size=N_PEOPLE))
    end = 5 * rng.random(N_PEOPLE) + 0.2
    gap = 0.3 + rng.random(N_PEOPLE)  # each person has visits of its own
    last = np.minimum(end, death)
    lower = gap * np.floor(event / gap)
    seen = positive & (event <= last)
    time = np.where(seen, np.minimum(lower + gap, last), last)
    known = {"time_lower": np.where(seen, lower, np.nan), "competing": ~seen & (death <= end), "groups": group}
    return X, seen, time, known, positive & ~seen


def age_scale(rng):
    """People come in at an age that goes with a feature, and nobody has the event after a certain age."""
    n = 4 * N_PEOPLE
    X = np.column_stack([rng.normal(size=n), rng.random(n) < 0.5, rng.standard_t(5, size=n)]).astype(float)
    risk = expit(-0.3 + 0.8 * X[:, 0] - 0.6 * X[:, 1])
    event = LIMIT * expit(0.5 * X[:, 0] + 0.5 * X[:, 2] + 0.7 * rng.logistic(size=n) - 0.4)
    positive = rng.random(n) < risk
    entry = np.maximum(1.0 + 0.5 * X[:, 0] + 0.8 * rng.normal(size=n), 0.0)
    end = np.minimum(entry + 4.5 * rng.random(n) + 0.05, 1.6 * LIMIT)
    came = (np.where(positive, event, np.inf) > entry) & (entry < LIMIT)
    rows = np.flatnonzero(came)[:N_PEOPLE]
    X, event, positive, entry, end = (values[rows] for values in (X, event, positive, entry, end))
    seen = positive & (event <= end)
    known = {"entry_time": entry, "known_negative": ~seen & (end >= LIMIT)}
    return X, seen, np.where(seen, event, np.minimum(end, LIMIT)), known, positive & ~seen


def two_causes(rng):
    """Two causes of death: one by a feature, and one that takes those who will have the event three times as often."""
    X = rng.normal(size=(N_PEOPLE, 4))
    positive = rng.random(N_PEOPLE) < expit(0.2 + X @ [0.8, -0.6, 0.0, 0.0])
    event = np.exp(0.3 + X @ [0.0, 0.3, -0.4, 0.0] + 0.6 * rng.normal(size=N_PEOPLE))
    by_age = 5.0 * np.exp(-0.5 * X[:, 3]) * rng.weibull(1.5, size=N_PEOPLE)
    by_outcome = rng.exponential(np.where(positive, 5.0, 15.0))
    death, end = np.minimum(by_age, by_outcome), 5 * rng.random(N_PEOPLE) + 0.1
    last = np.minimum(death, end)
    seen = positive & (event <= last)
    still = positive & ~seen & (event < death) & (end < death)
    return X, seen, np.where(seen, event, last), {"competing": ~seen & (death <= end)}, still


WORLDS = {"families": families, "age scale": age_scale, "two causes of death": two_causes}


def run(name, seed):
    """Relative error of the number, whether its interval holds, its width, and whether a number was given at all."""
    X, seen, time, known, still = WORLDS[name](np.random.default_rng([seed, 16]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = wh.analyze(X, seen.astype(int), time=time, backtest=False, sensitivity=False, **known)
    found, truth = answer.unseen, int(np.count_nonzero(still))
    settles = answer.settles and not answer.recommendation.refused
    return found.estimate / truth - 1, found.lower <= truth <= found.upper, (found.upper - found.lower) / truth, settles


def mixed(arguments):
    n_cohorts, names = int(arguments[0]) if arguments else 60, arguments[1:] or WORLDS
    print(f"{n_cohorts} cohorts of {N_PEOPLE:,} people; the number still to come, relative to the truth; holds in %")
    print(f"{'world':24s}    bias +- error    rms  holds  width  estimates")
    for name in names:
        drawn = Parallel(n_jobs=-1)(delayed(run)(name, seed) for seed in range(n_cohorts))
        error, held, width, settles = np.array(drawn, dtype=float).T
        deviation = error.std(ddof=1) / np.sqrt(error.size)
        print(
            f"{name:24s} {error.mean():+7.3f} +- {deviation:.3f} {np.sqrt(np.mean(error**2)):6.3f} "
            f"{100 * held.mean():5.1f}% {np.median(width):6.2f} {100 * settles.mean():8.0f}%",
            flush=True,
        )
