"""No small count and no person can be found in what the program tells of cohorts with small groups."""

import pytest

from tests.disclosure.attack import attack
from tests.disclosure.cohorts import MAKERS, write_outputs
from tests.disclosure.truth import find_truth


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_small_can_be_derived(name, tmp_path):
    cohort = MAKERS[name]()
    write_outputs(cohort, tmp_path)
    leaks = attack(tmp_path, find_truth(cohort.table, cohort.roles))
    assert not leaks, "\n".join(map(str, leaks))
