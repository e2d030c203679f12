"""A program that is stopped, or whose output goes nowhere, ends with one sentence at whatever moment."""

import os
import signal
import subprocess
import sys

import pytest

STOPPED = "whether: Stopped. Nothing was written.\n"
# A module that says that it is being loaded, and takes long; as a compiled one may, it turns Ctrl-C into an error.
SLOW_MODULE = """
import sys, time
from importlib.abc import MetaPathFinder
class Slow(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            print("loading", flush=True)
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                raise ImportError("initialization failed")
sys.meta_path.insert(0, Slow())
from whether.__main__ import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["typer", "whether.cli.fit", "whether.cli.method_choice"])
def test_a_program_that_is_stopped_while_it_loads_says_so(tmp_path, table, module, number):
    arguments = ["fit", table, "--event", "event", "--time", "time", "-o", tmp_path / "m.whether"]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_MODULE.format(module=module), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "loading\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, STOPPED)
    assert [file.name for file in tmp_path.iterdir()] == ["cohort.csv"]


def test_a_program_that_was_started_with_ctrl_c_ignored_ignores_it():
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from whether.cli import stopping; stopping.listen()\n"
        "signal.raise_signal(signal.SIGINT); print('still here')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "still here\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["--version", "--help", "fit --help", "study list", "check", "check --json"])
def test_output_that_has_no_room_is_told_as_that(table, command):
    words = [*command.split(), *([table] if "check" in command else [])]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "whether", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "whether: What is printed could not be written to where it goes (standard output): No space left on device."
    ]
