"""From the start of the server to its end, however it ends: nothing is left behind."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time

import pytest

from tests.processes import alive, wait_until
from tests.serve.served import Served
from whether.files.private_folders import clear_stale
from whether.serve import workspace

OWN = "whether-serve-"


def memory(process):
    """Memory of a process in kB."""
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def children(process):
    """Processes that a process started."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == process:
            found.append(int(entry))
    return found


def test_ctrl_c_ends_it_with_a_sentence_and_no_remains(start, cohort, tmp_path):
    served = start()
    work = served.drop("cohort.csv", cohort)
    connection, stream = served.watch(work)  # an open page does not hold it up
    stream.readline()
    started = children(served.process.pid)
    (folder,) = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    before = time.monotonic()
    assert served.stop(signal.SIGINT) == 0
    assert time.monotonic() - before < 20
    connection.close()
    assert "have been removed" in served.process.stderr.read()
    assert list(tmp_path.iterdir()) == []
    wait_until(lambda: not any(map(alive, started)), "a process is left")


@pytest.mark.parametrize("analysing", [False, True])
def test_killed_in_the_middle_it_leaves_nothing(start, cohort, tmp_path, analysing):
    served = start()
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    if analysing:
        served.ask("POST", f"{work}/analysis")
        served.wait(work, until=lambda state: state["progress"])
    started = children(served.process.pid)
    served.stop(signal.SIGKILL)
    wait_until(lambda: not list(tmp_path.iterdir()), "files are left")
    wait_until(lambda: not any(map(alive, started)), "a process is left")


def test_what_a_computer_that_went_off_left_is_removed_by_the_next_start(start, cohort, tmp_path):
    served = start()
    served.wait(served.drop("cohort.csv", cohort))
    for process in [served.process.pid, *children(served.process.pid)]:  # the keeper too
        os.kill(process, signal.SIGKILL)
    served.process.wait()
    (remains,) = tmp_path.iterdir()
    foreign, other = tmp_path / "whether-serve-notours-at-all", tmp_path / "other"
    foreign.mkdir()
    other.mkdir()
    (tmp_path / f"{OWN}abcd1234").symlink_to(other)
    start()
    assert not remains.exists()
    assert foreign.exists()
    assert other.exists()


def test_a_folder_in_use_is_left_alone(start, tmp_path, monkeypatch):
    start()
    (folder,) = tmp_path.iterdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert clear_stale(workspace.PREFIX) == []
    assert folder.exists()


def test_twenty_tables_leave_neither_memory_nor_files(start, cohort):
    served = start()

    def once():
        work = served.drop("cohort.csv", cohort)
        served.wait(work)
        assert served.ask("DELETE", work)[0].status == 204

    for _ in range(3):
        once()
    wait_until(lambda: not served.files(), "files are left")
    before = memory(served.process.pid)
    for _ in range(20):
        once()
    wait_until(lambda: not served.files(), "files are left")
    assert memory(served.process.pid) - before < 4_000
    assert len(children(served.process.pid)) == 2  # the keeper, and one that waits for work


def test_a_large_table_is_never_in_the_memory_of_the_server(start):
    served = start()
    before = memory(served.process.pid)
    content = b"event,time,note\n" + b"1,2.5,abcdefghijklmnopqrstuvwxyz\n" * 1_500_000
    assert len(content) > 48e6
    work = served.drop("large.csv", content)
    assert memory(served.process.pid) - before < 20_000
    assert max(path.stat().st_size for path in served.files()) == len(content)
    served.ask("DELETE", work)
    wait_until(lambda: not served.files(), "files are left")


def test_a_table_that_breaks_off_is_not_kept(start):
    import socket

    served = start()
    with socket.create_connection(("127.0.0.1", served.port)) as half:
        head = f"POST {served.root}tables?name=a.csv HTTP/1.1\r\nHost: {served.host}\r\nContent-Length: 1000000\r\n\r\n"
        half.sendall(head.encode() + b"a,b\n" * 1000)
        wait_until(served.files, "nothing arrived")
    wait_until(lambda: not served.files(), "a part is left")


def test_a_table_is_forgotten_when_its_page_was_closed(start, cohort, monkeypatch):
    monkeypatch.setenv("WHETHER_FORGET_AFTER", "1")
    served = start()
    work = served.drop("cohort.csv", cohort)
    served.wait(work)
    served.ask("POST", f"{work}/analysis")
    connection, stream = served.watch(work)
    stream.readline()
    time.sleep(2.5)  # somebody watches
    assert served.files()
    stream.close()
    connection.close()
    wait_until(lambda: not served.files(), "files are left")


def test_a_port_that_is_taken_is_told(start, tmp_path):
    served = start()
    again = subprocess.run(
        [sys.executable, "-m", "whether", "serve", "--no-browser", "--port", str(served.port)],
        capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert again.returncode == 2
    assert f"Port {served.port} cannot be used" in again.stderr


def test_the_page_says_what_is_missing(tmp_path):
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'starlette' else find(name, *rest)\n"
        "from whether.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "serve"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "whether[serve]"' in done.stderr


def test_two_servers_stand_side_by_side(start, tmp_path):
    one, other = start(), start()
    assert one.port != other.port
    assert one.ask("GET", other.root)[0].status == 403
    assert isinstance(one, Served)
