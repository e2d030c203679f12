"""Pages of what was tried list what their commands run."""

from pathlib import Path

from benchmarks.engineer_list import TRIALS

HOWTO = Path(__file__).parents[2] / "docs" / "howto"


def rows_of(page):
    return [line for line in (HOWTO / page).read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]


def test_the_page_for_engineers_has_every_call_in_order():
    rows = rows_of("engineers.md")
    assert len(rows) == len(TRIALS) >= 25
    for number, (row, trial) in enumerate(zip(rows, TRIALS, strict=True), start=1):
        assert row.startswith(f"| {number} | {trial.aim}")
        assert trial.code.replace("|", "\\|") in row
