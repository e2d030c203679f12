"""Waiting for other processes, and whether they live."""

import time

PATIENCE = 120  # seconds, on a busy machine


def wait_until(holds, what):
    """Wait for something to hold."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def alive(process):
    """Whether a process lives, by its number, as Linux tells it."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
