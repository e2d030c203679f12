"""Tasks as a clinician and a statistician would try them: every command is run on simulated tables, and judged.

``python -m benchmarks tasks`` prints a line for each; ``--markdown`` prints the page of the documentation, and numbers
choose tasks. A task passes if its exit code, its files and a sentence of what it printed are as they have to be.
"""

import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.task_list import TASKS
from benchmarks.task_tables import write_tables

LONGEST = 170
PAGE = """# Tasks, tried one by one

What a clinician (C) and a statistician (S) would try with the program, with the command and what came of it.
`python -m benchmarks tasks --markdown` runs them all on simulated tables and prints this page; a task that does not do
what it should makes it fail.

:::{container} tried

| | who | task | command | exit | what came out |
|---|---|---|---|---|---|"""


def run(task, folder, path):
    """Exit code, what was printed on one line, and seconds."""
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    start = time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", task.command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.stdout + " " + done.stderr)
    return done.returncode, " ".join(said.split()), time.perf_counter() - start


def judge(task, folder, code, said):
    """What is wrong, or nothing."""
    if code != task.code:
        return f"exit {code}, not {task.code}"
    if "Traceback" in said or "this is a bug" in said:
        return "fell"
    if not re.search(task.says, said):
        return f"does not say {task.says}"
    absent = [name for name in task.leaves if not (folder / name).exists()]
    present = [name for name in task.leaves_not if (folder / name).exists()]
    return f"absent {absent}, left behind {present}" if absent or present else ""


def excerpt(task, said):
    """The sentence that was looked for, and what stands round it."""
    found = re.search(task.says, said)
    middle = found.start() if found else 0
    starts = [match.end() for match in re.finditer(r"(?:[.:;] |^)", said[:middle])]
    start = max(starts[-1] if starts else 0, middle - LONGEST // 2)
    text = said[start : start + LONGEST]
    return f"{text.rpartition(' ')[0]} …" if len(said) > start + LONGEST else text


def make_program(folder):
    """PATH with the program as this Python has it."""
    program = folder / "bin" / "whether"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m whether "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return f"{program.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def main(arguments):
    as_page = "--markdown" in arguments
    chosen = [int(one) for one in arguments if one.isdigit()] or range(1, len(TASKS) + 1)
    failed = 0
    if as_page:
        print(PAGE)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "work"
        folder.mkdir()
        path = make_program(Path(scratch))
        write_tables(folder)
        for number in chosen:
            task = TASKS[number - 1]
            code, said, seconds = run(task, folder, path)
            wrong = judge(task, folder, code, said)
            failed += bool(wrong)
            told = excerpt(task, said)
            if as_page:
                cells = [number, task.who, task.aim, f"`` {_cell(task.command)} ``", code, f"`` {_cell(told)} ``"]
                print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
            else:
                print(f"{number:3d} {task.who} {'FAIL' if wrong else 'ok  '} {task.aim}  ({seconds:.0f} s)")
                print(f"      $ {task.command}\n      {wrong or told}", flush=True)
    print("\n:::\n" if as_page else "")
    print(f"{len(list(chosen)) - failed} of {len(list(chosen))} tasks as they should be.")
    if failed:
        raise SystemExit(1)


def _cell(text):
    return text.replace("|", "\\|")
