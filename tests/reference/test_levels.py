"""Our levels of kernel-weighted curves beside the recorded ones of npcure and npcurePK."""

import pytest

from tests.reference.levels import LEVEL, compare_levels
from tests.reference.records import FOLDER_VARIABLE, read_records, reference_folder

pytestmark = pytest.mark.skipif(
    reference_folder() is None, reason=f"no results of other programs: set {FOLDER_VARIABLE} to their folder"
)


def test_levels_are_those_of_npcure_and_npcurepk():
    compared = compare_levels(read_records())
    assert len(compared) >= 20
    assert any(record.get("known_cured", "none") != "none" for record, _ in compared)
    assert [(record["id"], difference) for record, difference in compared if difference > LEVEL] == []


def test_another_bandwidth_is_a_disagreement():
    record = next(one for one in read_records() if one["id"] == "npcure_probcure_nwts_h2")
    ((_, difference),) = compare_levels([{**record, "bandwidth": 2.1}])
    assert difference > 1e-4
