"""Every record beside our fit: does it agree, with what, and if not, why."""

import math
import warnings
from collections import Counter
from dataclasses import dataclass

import whether as wh
from tests.reference.cases import Case, find_case
from tests.reference.readings import read_check, read_package
from tests.reference.records import read_records

# Log-likelihoods agree to this number; coefficients and standard errors relatively.
LOGLIK, COEFFICIENT, ERROR = 1e-4, 1e-3, 1e-3
# Log-likelihood by which a program fell short of the maximum, if it did.
SHORT = 1e-8


@dataclass(frozen=True)
class Distance:
    """Largest differences between our fit and a target; relative ones of coefficients and standard errors."""

    loglik: float | None  # None where it was not published
    coefficient: float
    error: float

    @property
    def agrees(self):
        return (self.loglik or 0.0) <= LOGLIK and self.coefficient <= COEFFICIENT and self.error <= ERROR


@dataclass(frozen=True)
class Compared:
    """A record beside our fit."""

    record: dict
    case: Case
    # "package", or where that does not agree "check", the independent optimiser, or "Stata", if it fitted the same
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
        own = _distance(model, record["loglik"], read_package(record, case))
        if own.agrees:
            return Compared(record, case, "package", own)
    if referee is None:
        return Compared(record, case, "package", own, "it differs, and no second program decides")
    name, loglik, coefficients = referee
    return Compared(record, case, name, _distance(model, loglik, coefficients), _explain(record, own, model))


def _explain(record, own, model):
    if own is None:
        return f"the package failed: {record['failed']}"
    short = 0.0 if record["loglik"] is None else model.loglik_ - record["loglik"]
    if short > SHORT:
        where = f"the package stopped {short:.1e} below the maximum"
    else:
        where = "the package reached the maximum"
    parts = [f"coefficients differ by {own.coefficient:.1e}"] * (own.coefficient > COEFFICIENT)
    parts += [f"standard errors, from a numerical Hessian, by {own.error:.1e}"] * (own.error > ERROR)
    return "; ".join([where, *parts])


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
    error = max(relative_difference(mine, theirs) for _, mine, _, theirs in pairs if theirs is not None)
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
