"""Every record beside our fit: does it agree, with what, and if not, why."""

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import whether as wh
from tests.reference.cases import Case, find_case
from tests.reference.cox_direct import search_directly
from tests.reference.readings import read_check, read_directly, read_package
from tests.reference.records import read_records
from whether.cohort import Cohort
from whether.learners import Task
from whether.learners.linear.profiled import ProfiledObjective
from whether.propensity import FreeBaseline

# Log-likelihoods agree to this number; coefficients and standard errors relatively.
LOGLIK, COEFFICIENT, ERROR = 1e-4, 1e-3, 1e-3
# Log-likelihood by which a program fell short of the maximum, if it did.
SHORT = 1e-8
# What a package does differently, by a word of the record's name.
WHY = {
    "smcure": "it stops after 50 steps of EM unless told otherwise",
    "intsurv": "at any tolerance; the cause was not found",
    "curephEM": "it takes Efron's rule for ties in one of its steps and Breslow's in the other",
    "lefttrunc": "the share that never entered is a sum over jumps, not that of the likelihood which it prints",
}


@dataclass(frozen=True)
class Distance:
    """Largest differences between our fit and a target; relative ones of coefficients and standard errors."""

    loglik: float | None  # None where it was not published
    coefficient: float
    error: float | None

    @property
    def agrees(self):
        return (self.loglik or 0.0) <= LOGLIK and self.coefficient <= COEFFICIENT and (self.error or 0.0) <= ERROR


@dataclass(frozen=True)
class Compared:
    """A record beside our fit."""

    record: dict
    case: Case
    # "package", or where that does not agree "check", the independent optimiser, "Stata", if it fitted the same, or for
    # Cox models "direct", a search over coefficients and baseline
    target: str
    distance: Distance
    note: str = ""

    @property
    def agrees(self):
        return self.distance.agrees


def compare_all(records=None):
    """Compare all records; return those compared, and the others with the reason why they are another model."""
    records = read_records() if records is None else records
    cases = [(record, find_case(record)) for record in records]
    referees = {
        case: _referee(record, case) for record, case in cases if isinstance(case, Case) and _can_decide(record)
    }
    fits, compared, others = {}, [], []
    for record, case in cases:
        if isinstance(case, Case):
            fits[case] = fits.get(case) or _fit(case)
            compared.append(_compare(record, case, fits[case], referees.get(case)))
        else:
            others.append((record, case))
    return compared, others


def _can_decide(record):
    return record["package"] == "Stata" or "loglik" in record.get("check", {})


def _referee(record, case):
    """Another result for the same model: its name, log-likelihood and coefficients."""
    if record["package"] == "Stata":
        return "Stata", None, read_package(record, case)
    return "check", record["check"]["loglik"], read_check(record["check"], record, case)


def _fit(case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wh.FollowUpWarning)
        return case.fit()


def _compare(record, case, model, referee):
    """The package's own numbers first; those of a second program where these do not agree."""
    own = None
    if not record.get("failed"):
        own = _distance(model, _loglik(record), read_package(record, case))
        if own.agrees:
            return Compared(record, case, "package", own)
    if case.family == "Cox mixture cure":
        referee = _search(case)
    if referee is None:
        return Compared(record, case, "package", own, "it differs, and no second program decides")
    name, loglik, coefficients = referee
    return Compared(record, case, name, _distance(model, loglik, coefficients), _explain(record, case, own, model))


def _loglik(record):
    """The record's log-likelihood; penPHcure has it on another scale."""
    return None if record["package"] == "penPHcure" else record.get("loglik")


@lru_cache
def _search(case):
    loglik, estimates, errors = search_directly(case.cox_people())
    return "direct", loglik, read_directly(estimates, errors, case)


def _shortfall(record, case, model):
    """Log-likelihood that a package left; over a free baseline, that of its coefficients with the best baseline."""
    if case.family == "Cox mixture cure":
        return model.loglik_ - profile_at(case, read_package(record, case))[0]
    return 0.0 if record["loglik"] is None else model.loglik_ - record["loglik"]


def profile_at(case, coefficients):
    """Our log-likelihood of a Cox model at other coefficients, over its best baseline there, and errors of slopes."""
    people, tail = case.cox_people(), case.cured_from is None
    known = {"known_negative": None if tail else people.cured, "entry_time": people.entry if case.late else None}
    cohort = Cohort(people.features, people.event, case.time, time=people.time, **known)
    task = Task(cohort, [FreeBaseline(tail, case.distribution == "efron")], np.arange(len(case.time)))
    objective = ProfiledObjective(task, 0.0)
    outcome, hazard = (np.array([coefficients[part, name][0] for name in case.time]) for part in ("outcome", "hazard"))
    _, mean, scale = objective.standardization
    level = coefficients["outcome", "intercept"][0] + outcome @ mean
    at = objective.evaluate(np.concatenate([[level, 0.0], outcome * scale, hazard * scale]))
    free = np.delete(np.arange(at.gradient.size), 1)  # the level of the hazard is the baseline's
    errors = np.sqrt(np.diag(np.linalg.inv(at.hessian[np.ix_(free, free)])))[1:]
    return -at.value, errors / np.concatenate([scale, scale])


def _explain(record, case, own, model):
    if own is None:
        return f"the package failed: {record['failed']}"
    short = _shortfall(record, case, model)
    if short > SHORT:
        where = f"the package stopped {short:.1e} below the maximum"
    else:
        where = "the package reached the maximum"
    parts = [f"coefficients differ by {own.coefficient:.1e}"] * (own.coefficient > COEFFICIENT)
    how = "by Louis's formula" if case.family == "Cox mixture cure" else "from a numerical Hessian"
    if own.error is not None and own.error > ERROR:
        parts.append(f"standard errors, {how}, by {own.error:.1e}")
    why = [reason for word, reason in WHY.items() if word in record["id"]]
    return "; ".join([where, *parts, *why])


def _distance(model, loglik, target):
    table = model.summary().to_frame()
    ours = {
        (part, term): (estimate, error)
        for part, term, estimate, error in zip(
            table.part, table.term, table.estimate, table.standard_error, strict=True
        )
    }
    assert ours.keys() == target.keys(), (sorted(ours), sorted(target))
    pairs = [(*ours[name], *target[name]) for name in ours]
    coefficient = max(relative_difference(mine, theirs) for mine, _, theirs, _ in pairs)
    errors = [relative_difference(mine, theirs) for _, mine, _, theirs in pairs if theirs is not None]
    error = max(errors, default=None)
    return Distance(None if loglik is None else abs(model.loglik_ - loglik), coefficient, error)


def relative_difference(mine, theirs):
    """Difference of two numbers relative to the second; infinite where that is not a number."""
    return math.inf if theirs is None or math.isnan(theirs) else abs(mine - theirs) / abs(theirs)


def tell_agreement(compared, others):
    """The table of agreement, as lines of Markdown."""
    agreeing = [one for one in compared if one.agrees]
    total, own = len(compared) + len(others), sum(one.target == "package" for one in agreeing)
    largest = list(_largest([one.distance for one in compared]))
    lines = [
        f"{total} results; {len(compared)} are of the same model as one of ours, and of these {len(agreeing)} agree: "
        f"{own} with the package itself, {len(agreeing) - own} with a second program where the package stopped short.",
        "",
        f"Largest difference: log-likelihood {largest[0]}, coefficients {largest[1]}, standard errors {largest[2]}.",
        "",
        *_tell_groups(compared),
        "",
        "Where the package is not the target:",
        "",
        *_tell_notes(compared),
        "",
        "Not the same model:",
        "",
        "| records | packages | what differs |",
        "|---|---|---|",
    ]
    reasons = Counter(reason for _, reason in others)
    for reason, count in reasons.most_common():
        packages = sorted({record["package"] for record, why in others if why == reason})
        lines.append(f"| {count} | {', '.join(packages)} | {reason} |")
    return lines


def _tell_groups(compared):
    yield "| package | family | records | agree | log-likelihood | coefficients | standard errors |"
    yield "|---|---|---|---|---|---|---|"
    groups = {}
    for one in compared:
        groups.setdefault((one.record["package"], one.case.family), []).append(one)
    for (package, family), members in [*groups.items(), (("all", ""), compared)]:
        largest, agree = _largest([one.distance for one in members]), sum(one.agrees for one in members)
        yield f"| {package} | {family} | {len(members)} | {agree} | {' | '.join(largest)} |"


def _largest(distances):
    for part in ("loglik", "coefficient", "error"):
        known = [getattr(one, part) for one in distances if getattr(one, part) is not None]
        yield f"{max(known):.1e}" if known else "not published"


def _tell_notes(compared):
    yield "| record | target | what differs |"
    yield "|---|---|---|"
    for one in compared:
        if one.note:
            yield f"| {one.record['id']} | {one.target} | {one.note} |"
