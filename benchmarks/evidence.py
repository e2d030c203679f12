"""Level and power of the tests of evidence, and what tests of sufficient follow-up make of follow-up that is not.

    python -m benchmarks evidence levels [replicates] [world or test ...] [--results FILE] [--jobs N] [--tell]
    python -m benchmarks evidence records [replicates] [kind or version ...] [--results FILE] [--tell]
    python -m benchmarks evidence follow-up [replicates]

Levels go by cells, a test in a world: of each two cohorts are run, and then the rest, the cheapest cells first. Cohorts
are appended to the file as they are done, and those in it are not run again. The file knows nothing of the program's
version: begin a new one after a change.
"""

import sys
import warnings
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed

import whether as wh
from benchmarks import record_levels
from benchmarks.levels import LEVEL, levels
from benchmarks.null_worlds import NULL_WORLDS, ROUNDED, WRONG_RECORDS, draw
from whether.advise.evidence.agreement import examine_agreement
from whether.advise.evidence.compared_models import compare_models
from whether.advise.evidence.cure_fraction import estimate_cure_fraction
from whether.advise.evidence.dependence import check_event_times, check_follow_up
from whether.advise.evidence.follow_up import last_events
from whether.advise.evidence.hypothesis import HypothesisTest
from whether.advise.evidence.label_check import check_labels_against_times
from whether.advise.evidence.linearity import examine_linearity
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import EventTimeFits, design_probe, event_time_candidates, follow_up_candidates
from whether.advise.evidence.scar import bootstrap_scar_test, check_constant
from whether.advise.evidence.seen_longer import check_seen_longer
from whether.advise.evidence.shape import examine_shape
from whether.advise.evidence.time_trust import measure_end_mass, measure_heaping
from whether.cohort import Cohort
from whether.simulation.noise import NormalNoise
from whether.simulation.worlds import WORLDS

N_REPLICATES = 500

EXACT = replace(WORLDS["late-reporting"], name="exact-reporting", title="Exact reporting", reporting="exact")
# Two fifths of its noise: little, but enough for the comparison of both time models.
LITTLE_NOISE = replace(EXACT, name="little-noise", title="Little noise", event_noise=NormalNoise(0.2))
OWN_WORLDS = {world.name: world for world in (EXACT, LITTLE_NOISE)}


def of_event_times(material, candidates, seed):
    design = design_probe(material.cohort, candidates(material.cohort))
    return check_event_times(design, candidates(material.cohort), np.random.default_rng([seed, 3]))


def of_end_mass(material):
    cohort = material.cohort
    times, ends = cohort.required("time")[cohort.labeled], cohort.required("follow_up")[cohort.labeled]
    found = measure_end_mass(times, ends)
    # Of fewer people nothing is told.
    return found if found.n_near_end >= 11 else HypothesisTest("events do not pile up at the end of follow-up")


def of_heaping(material):
    # Not a test at 5 %: whether any value is said to stand out.
    heaped = measure_heaping(material.cohort.required("time")[material.cohort.labeled]).values
    return HypothesisTest("no value has more events than its neighbours", p_value=0.0 if heaped else 1.0)


def of_linearity(material, trust_times=True):
    return examine_linearity(material, EventTimeFits(material.cohort), trust_times=trust_times)


def of_constant(material, seed):
    return check_constant(material, np.random.default_rng([seed, 2]))


def of_bootstrap(material, seed):
    return bootstrap_scar_test(material.cohort, of_constant(material, seed)[1], np.random.default_rng([seed, 1]))


TESTS = {
    "times-lr": lambda material, seed: of_event_times(material, event_time_candidates, seed),
    "times-lr-labels": lambda material, seed: of_event_times(material, follow_up_candidates, seed),
    "follow-up-cox": lambda material, seed: check_follow_up(material)[0],
    "scar-lr": lambda material, seed: of_constant(material, seed)[0],
    "scar-bootstrap": of_bootstrap,
    "seen-longer": lambda material, seed: check_seen_longer(material),
    "labels-vs-times": lambda material, seed: check_labels_against_times(
        material.cohort, EventTimeFits(material.cohort)
    ),
    "hausman": lambda material, seed: compare_models(
        material, EventTimeFits(material.cohort), np.random.default_rng([seed, 4])
    )[0],
    "shape": lambda material, seed: examine_shape(material, EventTimeFits(material.cohort)).test,
    "agreement": lambda material, seed: examine_agreement(material, EventTimeFits(material.cohort)).test,
    "end-mass": lambda material, seed: of_end_mass(material),
    "heaping": lambda material, seed: of_heaping(material),
    "curved-outcome": lambda material, seed: of_linearity(material).outcome,
    "curved-times": lambda material, seed: of_linearity(material).propensity,
    "curved-outcome-labels": lambda material, seed: of_linearity(material, trust_times=False).outcome,
    "curved-times-labels": lambda material, seed: of_linearity(material, trust_times=False).propensity,
}

# In each world the tests whose null holds there, then those whose null does not.
CASES = {
    "feature-independent": (
        ["times-lr", "times-lr-labels", "follow-up-cox", "scar-lr", "scar-bootstrap", "labels-vs-times", "hausman",
         "curved-outcome", "curved-times", "shape", "agreement"], [],
    ),
    "exact-reporting": (
        ["follow-up-cox", "labels-vs-times", "hausman", "curved-outcome", "curved-times", "shape"],
        ["times-lr", "times-lr-labels", "scar-lr"],
    ),
    "little-noise": (["labels-vs-times", "hausman"], []),
    "partially-dependent": (
        ["follow-up-cox", "labels-vs-times", "hausman", "shape", "agreement"],
        ["times-lr", "times-lr-labels", "scar-lr"],
    ),
    "baseline": (["follow-up-cox", "labels-vs-times", "hausman"], ["times-lr", "scar-lr"]),
    "small-sample": (["follow-up-cox", "labels-vs-times", "hausman"], ["times-lr", "scar-lr"]),
    "two-humps": (["labels-vs-times", "hausman"], ["shape"]),
    "heavy-tails": (["labels-vs-times"], ["shape"]),
    "wide-50": (["shape", "agreement"], []),
    "short-follow-up-independent": (["times-lr", "times-lr-labels", "scar-lr", "labels-vs-times", "hausman"], []),
    "dependent-censoring": (["labels-vs-times", "hausman"], ["follow-up-cox"]),
    "late-reporting": ([], ["labels-vs-times", "hausman"]),
    "noisy-times": ([], ["labels-vs-times", "hausman"]),
    "batch-reporting": ([], ["labels-vs-times", "hausman"]),
    "informative-censoring": ([], ["labels-vs-times", "hausman"]),
    "nonlinear-risk": ([], ["curved-outcome", "agreement"]),
    "nonlinear-times": ([], ["curved-times"]),
}  # fmt: skip
ANY_TIMES = ["labels-vs-times", "end-mass"]
CURVED = ["curved-outcome", "curved-times", "curved-outcome-labels", "curved-times-labels"]
STRAIGHT = [*ANY_TIMES, "hausman", "shape", *CURVED]


def sort_tests(world):
    """Return the tests whose null holds in a world of right records, and some of those whose null does not."""
    true, false = ["follow-up-cox"], ["seen-longer"]
    if world.dependence != "none":
        true, false = false[:0], [*true, *false]
    if world.seen != "clock":
        constant = ["scar-lr"] if world.seen != "features" and not world.is_risk_curved else []
        return [*true, *constant, "seen-longer"], [name for name in false if name != "seen-longer"]
    true += ANY_TIMES if world.times == "curved" or world.residual == "gamma" else STRAIGHT
    if world.times != "independent":
        return true, [*false, "times-lr"]
    return [*true, "times-lr", "times-lr-labels", *(["scar-lr"] if world.dependence == "none" else [])], false


CASES |= {name: sort_tests(world) for name, world in NULL_WORLDS.items()}
CASES |= {name: (["heaping"], []) for name in ROUNDED}
CASES |= {name: ([], ["labels-vs-times", "hausman"]) for name in WRONG_RECORDS}


def gather_world(world, seed):
    if found := (NULL_WORLDS | ROUNDED | WRONG_RECORDS).get(world):
        features, y, time, follow_up = draw(found, seed)
        return gather(features, y, time=time, follow_up=follow_up)
    cohort = wh.simulate(OWN_WORLDS.get(world, world), seed=50_000 + seed)
    return gather(cohort.X, cohort.y, time=cohort.time, follow_up=cohort.follow_up)


def run(world, seed, name):
    warnings.simplefilter("ignore")
    return TESTS[name](gather_world(world, seed), seed).p_value


def insufficient(seed, n, cured):
    """Exponential times, some cured, uniform follow-up to the median event time: never sufficient."""
    rng = np.random.default_rng([seed, 77])
    event = np.where(rng.random(n) < cured, np.inf, rng.exponential(size=n))
    follow_up = rng.uniform(0, np.log(2) if cured else 3.0, size=n)
    labeled = event <= follow_up
    time = np.where(labeled, event, follow_up)
    people = Cohort(np.empty((n, 0)), labeled, (), time=time)
    found, fraction = last_events(labeled, time, rng), estimate_cure_fraction(people)
    return (
        found.alpha_n < LEVEL, found.shen < LEVEL, found.q_n_p_value < LEVEL,
        fraction.ratio < 0.05 and fraction.cured > 0.025,
    )  # fmt: skip


def follow_up(replicates):
    print(f"share of {replicates} replicates, 1,000 people, that call insufficient follow-up sufficient")
    print(f"{'case':52s} {'alpha_n':>8s} {'Shen':>8s} {'q_n':>8s} {'RECeUS':>8s}")
    cases = {
        "nobody cured, exponential, follow-up U(0, 3 means)": 0.0,
        "half cured, exponential, follow-up U(0, median)": 0.5,
    }
    for title, cured in cases.items():
        found = Parallel(n_jobs=-1)(delayed(insufficient)(seed, 1000, cured) for seed in range(replicates))
        print(f"{title:52s} " + " ".join(f"{100 * share:7.1f}%" for share in np.mean(found, axis=0)))


def main(arguments):
    warnings.simplefilter("ignore")
    what = arguments[0] if arguments else "levels"
    if what == "levels":
        levels(arguments[1:], CASES, TESTS, run, N_REPLICATES)
    elif what == "records":
        record_levels.main(arguments[1:])
    elif what == "follow-up":
        follow_up(int(arguments[1]) if len(arguments) > 1 else N_REPLICATES)
    else:
        sys.exit(f"unknown part {what!r}: levels, records or follow-up")
