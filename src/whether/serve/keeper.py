"""Waits until the server has ended, however it ended, and removes its folder.

Run as a script, with the folder as its argument, and the server at the other end of standard input: that end closes
with the server, even if it was killed. Standard library only, so that it is small.
"""

import os
import shutil
import sys
import time

TRIES, PAUSE = 100, 0.1  # processes that still write end a moment after the server


def keep(folder: str) -> None:
    """Wait for the end of standard input, then remove the folder."""
    while os.read(0, 1024):
        pass
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(PAUSE)


if __name__ == "__main__":
    keep(sys.argv[1])
