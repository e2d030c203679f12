"""Level and power of the tests of evidence where more is known than a label and a time.

Cohorts of 3,000 people with deaths, late entry, visits, known negatives or clusters, as tests see them. In each kind of
cohort records are right in four ways: nothing but the risk depends on features ("flat"), event times do too
("sloped"); and wrong in two: dates are late ("late"), or the risk is curved and follow-up goes with a feature
("curved").
"""

import argparse
import math
import sys
import warnings
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import whether as wh
from benchmarks.kept_rows import append_row, read_rows
from benchmarks.levels import LEVEL
from whether.advise.evidence.agreement import examine_agreement
from whether.advise.evidence.compared_models import compare_models
from whether.advise.evidence.dependence import check_event_times, check_follow_up
from whether.advise.evidence.label_check import check_labels_against_times
from whether.advise.evidence.linearity import examine_linearity
from whether.advise.evidence.material import gather
from whether.advise.evidence.probes import EventTimeFits, design_probe, event_time_candidates
from whether.advise.evidence.scar import examine_scar
from whether.advise.evidence.shape import examine_shape
from whether.advise.evidence.time_trust import measure_end_mass
from whether.advise.evidence.watched import take_apart, watch_on
from whether.simulation import RECORD_WORLDS, RecordWorld
from whether.simulation.signals import Curve, Linear, steep_wave_and_steep_valley

N_PEOPLE = 3_000


@dataclass(frozen=True)
class Kind:
    """A kind of cohort: its world, whether potential follow-up is known, and which question is asked."""

    world: str
    has_follow_up: bool = True
    question: str | None = None


KINDS = {
    "deaths, net": Kind("deaths", has_follow_up=False, question="net"),
    "deaths, lifetime": Kind("deaths-by-risk"),
    "deaths, lifetime, no follow-up": Kind("deaths-by-risk", has_follow_up=False),
    "late entry": Kind("late-entry"),
    "late entry, no follow-up": Kind("late-entry", has_follow_up=False),
    "late entry and deaths": Kind("late-entry-deaths"),
    "visits": Kind("visits"),
    "visits and late entry": Kind("visits-late-entry"),
    "known negatives": Kind("never-after"),
    "known negatives, no follow-up": Kind("never-after", has_follow_up=False),
    "clusters": Kind("clusters"),
}
# The tests that are looked at in each version, and whether they should reject.
VERSIONS = {
    "flat": {"times-lr": False, "scar-lr": False},
    "sloped": {
        "follow-up-cox": False, "labels-vs-times": False, "hausman": False, "end-mass": False, "shape": False,
        "agreement": False, "curved-outcome": False, "curved-times": False, "times-lr": True,
    },
    "late": {"labels-vs-times": True, "hausman": True},
    "curved": {"curved-outcome": True, "agreement": True, "follow-up-cox": True},
}  # fmt: skip


def change(world: RecordWorld, version: str) -> RecordWorld:
    """Return the world in a version; followed a bit longer, so that there are enough events to compare models."""
    people = replace(world.people, censoring_shift=0.5)
    if version == "flat":
        people = replace(people, event=Linear())
    if version == "curved":
        risk = Curve(("x1", "x2"), steep_wave_and_steep_valley)
        people = replace(people, outcome=risk, censoring=Linear(("x3",), (0.4,)))
    return replace(world, people=people)


def draw(kind: Kind, version: str, seed: int):
    """The cohort as tests see it."""
    made = wh.simulate(change(RECORD_WORLDS[kind.world], version), n=N_PEOPLE, seed=70_000 + seed)
    rng = np.random.default_rng([seed, 70])
    time = made.time
    if version == "late":
        time = np.where(made.y == 1, time + rng.random(time.size) * (made.follow_up - time), time)
    known = {"time": time, **made.records}
    if kind.has_follow_up:
        known["follow_up"] = made.follow_up
    return take_apart(watch_on(gather(made.X, made.y, question=kind.question, **known), rng), rng), rng


def run_tests(material, rng, wanted):
    """P-values by test, NaN where one was not run."""
    cohort, fits = material.cohort, EventTimeFits(material.cohort)
    design = design_probe(cohort, event_time_candidates(cohort))
    found, lines = {}, None
    some_died = material.question == "lifetime"
    if {"curved-outcome", "curved-times"} & set(wanted):
        lines = examine_linearity(material, fits)
    exact = cohort.labeled if cohort.time_lower is None else cohort.labeled & np.isnan(cohort.time_lower)
    ends = material.has_follow_up and exact.any()
    calls = {
        "times-lr": lambda: check_event_times(design, event_time_candidates(cohort), rng),
        "scar-lr": lambda: examine_scar(material, rng).likelihood_ratio,
        "follow-up-cox": lambda: check_follow_up(material)[0],
        "labels-vs-times": lambda: check_labels_against_times(cohort, fits) if material.has_follow_up else None,
        "hausman": lambda: compare_models(material, fits, rng)[0] if material.has_follow_up else None,
        "end-mass": lambda: (
            measure_end_mass(cohort.required("time")[exact], cohort.required("follow_up")[exact]) if ends else None
        ),
        "shape": lambda: examine_shape(material, fits).test,
        "agreement": lambda: examine_agreement(material, fits, some_died=some_died).test,
        "curved-outcome": lambda: lines.outcome,
        "curved-times": lambda: lines.propensity,
    }
    for name in wanted:
        test = calls[name]()
        found[name] = math.nan if test is None else float(test.p_value)
    return found


def run(kind, version, seed):
    """One row of results: p-values of the tests of a version in one cohort."""
    warnings.simplefilter("ignore")
    found = run_tests(*draw(KINDS[kind], version, seed), VERSIONS[version])
    p_values = {name: value if math.isfinite(value) else None for name, value in found.items()}
    return {"kind": kind, "version": version, "seed": seed, "p_values": p_values}


def tell(rows):
    """Print how often each test rejects, kind by kind."""
    print(f"share of cohorts that reject at {100 * LEVEL:g} %; cohorts in which the test was run")
    print(f"{'records':32s} {'version':8s} {'test':17s} {'should':>7s} {'rejects':>8s} {'cohorts':>8s}")
    cells = defaultdict(list)
    for row in rows:
        for test, value in row["p_values"].items():
            cells[row["kind"], row["version"], test].append(math.nan if value is None else value)
    for (kind, version, test), values in cells.items():
        done = np.array(values)[np.isfinite(values)]
        share = f"{100 * np.mean(done < LEVEL):7.1f}%" if done.size else f"{'not run':>8s}"
        should = "yes" if VERSIONS[version][test] else "no"
        print(f"{kind:32s} {version:8s} {test:17s} {should:>7s} {share} {done.size:8d}")


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks evidence records")
    parser.add_argument("replicates", type=int, nargs="?", default=100)
    parser.add_argument("name", nargs="*", help="kinds of cohorts, and versions")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--tell", action="store_true", help="print what the file has, and run nothing")
    options = parser.parse_intermixed_args(arguments)
    if unknown := set(options.name) - {*KINDS, *VERSIONS}:
        sys.exit(f"no kind of cohort or version: {', '.join(sorted(unknown))}")
    kinds = [name for name in options.name if name in KINDS] or list(KINDS)
    versions = [name for name in options.name if name in VERSIONS] or list(VERSIONS)
    rows = [row for row in read_rows(options.results) if row["kind"] in kinds and row["version"] in versions]
    done = {(row["kind"], row["version"], row["seed"]) for row in rows}
    keys = [(kind, version, seed) for kind in kinds for version in versions for seed in range(options.replicates)]
    keys = [] if options.tell else [key for key in keys if key not in done]
    for row in Parallel(n_jobs=-1, return_as="generator")(delayed(run)(*key) for key in keys):
        append_row(options.results, row)
        rows.append(row)
    tell(rows)
