"""Our maximum likelihood fits beside the recorded results of other programs."""

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.reference.agreement import COEFFICIENT, compare_all, profile_at, tell_agreement
from tests.reference.cases import Case, find_case
from tests.reference.cox_direct import step_of_package
from tests.reference.readings import read_package
from tests.reference.records import FOLDER_VARIABLE, read_records, reference_folder

PAGE = Path(__file__).parents[2] / "docs" / "agreement.md"

pytestmark = pytest.mark.skipif(
    reference_folder() is None, reason=f"no results of other programs: set {FOLDER_VARIABLE} to their folder"
)


@pytest.fixture(scope="module")
def compared_and_others():
    return compare_all()


def test_every_record_that_is_the_same_model_agrees(compared_and_others):
    compared, _ = compared_and_others
    assert len(compared) > 220
    assert [(one.record["id"], one.distance) for one in compared if not one.agrees] == []


def test_a_second_program_is_asked_only_where_a_package_stopped_short_or_failed(compared_and_others):
    compared, _ = compared_and_others
    asked = [one for one in compared if one.target != "package"]
    assert len(asked) < 0.1 * len(compared)
    assert all("below the maximum" in one.note or "failed" in one.note for one in asked)


@pytest.mark.parametrize("name", ["right", "knowncured", "lefttrunc"])
def test_curephem_stays_where_it_is_by_a_step_of_two_rules_for_ties(name):
    """Its results follow from Efron's rule in one step of EM and Breslow's in the other."""
    record = next(one for one in read_records() if one["id"] == f"curephEM_e1684_{name}")
    case = find_case(record)
    read = read_package(record, case)
    theirs = [read["outcome", term][0] for term in ("intercept", *case.outcome)]
    theirs = np.array([*theirs, *(read["hazard", term][0] for term in case.time)])
    np.testing.assert_allclose(step_of_package(case.cox_people(), theirs), theirs, rtol=1e-6)
    if name != "lefttrunc":  # where it prints the likelihood that it climbs
        loglik, errors = profile_at(case, read)
        assert loglik == pytest.approx(record["loglik"], abs=1e-8)
        their_errors = [read[part, term][1] for part in ("outcome", "hazard") for term in case.time]
        np.testing.assert_allclose(errors, their_errors, rtol=1e-4)


def test_every_other_record_has_its_reason(compared_and_others):
    compared, others = compared_and_others
    assert all(reason for _, reason in others)
    told = Counter(record["id"] for record, _ in others) + Counter(one.record["id"] for one in compared)
    assert set(told) >= {record["id"] for record in read_records()}


def test_the_comparison_tells_another_model_apart(compared_and_others):
    """A coefficient that is off by twice the tolerance is a disagreement."""
    record = next(one for one in read_records() if one["id"] == "ltic_right_e1684_weibull_both")
    case = find_case(record)
    assert isinstance(case, Case)
    moved = [{**row, "estimate": row["estimate"] * (1 + 2 * COEFFICIENT)} for row in record["coefficients"]]
    assert read_package(record, case).keys() == read_package({**record, "coefficients": moved}, case).keys()
    (changed,), _ = compare_all([{**record, "coefficients": moved}])
    assert not changed.agrees
    (other,), _ = compare_all([{**record, "distribution": "lnorm"}])
    assert not other.agrees
    assert other.distance.loglik > 1
    assert dataclasses.asdict(changed.distance)["loglik"] < 1e-6


def test_the_page_shows_what_the_command_prints(compared_and_others):
    """Numbers of differences depend on the machine in their last digits, so the page is held to the rest."""
    page = PAGE.read_text(encoding="utf-8")
    lines = tell_agreement(*compared_and_others)
    assert lines[0] in page
    for _, reason in compared_and_others[1]:
        assert reason in page
