"""Pages of what was tried: they list what their commands run, and say that all of it came out as it should."""

from pathlib import Path

from benchmarks.engineer_list import TRIALS
from benchmarks.task_list import TASKS

HOWTO = Path(__file__).parents[2] / "docs" / "howto"


def rows_of(page):
    return [line for line in (HOWTO / page).read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]


def test_the_page_of_tasks_has_every_command_in_order_and_the_exit_code_it_has_to_have():
    rows = rows_of("tasks.md")
    assert len(rows) == len(TASKS) >= 30
    for number, (row, task) in enumerate(zip(rows, TASKS, strict=True), start=1):
        command = task.command.replace("|", "\\|")
        assert row.startswith(f"| {number} | {task.who} | {task.aim} | `` {command} `` | {task.code} |")


def test_the_page_for_engineers_has_every_call_in_order():
    rows = rows_of("engineers.md")
    assert len(rows) == len(TRIALS) >= 25
    for number, (row, trial) in enumerate(zip(rows, TRIALS, strict=True), start=1):
        assert row.startswith(f"| {number} | {trial.aim}")
        assert trial.code.replace("|", "\\|") in row
