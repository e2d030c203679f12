"""Processes that share work out do not outlive the one that they work for."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.processes import alive, wait_until

CALLER = textwrap.dedent(
    """
    import os, sys, time
    from pathlib import Path
    from whether.learners.parallel import MANY_NUMBERS, in_processes

    def work(item):
        (Path(sys.argv[1]) / str(os.getpid())).touch()
        return item

    for result in in_processes(work, range(4), MANY_NUMBERS):
        pass
    (Path(sys.argv[1]) / "done").touch()
    time.sleep(60)
    """
)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up as on Linux")
def test_when_the_caller_is_killed_its_idle_workers_end(tmp_path):
    script, workers = tmp_path / "caller.py", tmp_path / "workers"
    script.write_text(CALLER)
    workers.mkdir()
    caller = subprocess.Popen([sys.executable, str(script), str(workers)])
    wait_until((workers / "done").exists, "the work was not done")
    started = [int(path.name) for path in workers.iterdir() if path.name != "done"]
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    wait_until(lambda: not any(map(alive, started)), "a worker is left")
