"""Files that this program wrote, known by what is in them: only these are replaced without being asked.

A model file has its description first, JSON begins with the name of the command, pictures, Parquet and Feather files
carry a mark, and a CSV file of predictions has a column of risks. A simulated CSV file looks like anybody's table.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

MARK = "made by whether"
MODEL = re.compile(rb"PK\x03\x04.{26}whether\.json", re.DOTALL)
JSON = re.compile(rb"\s*\{\s*\"command\": \"")
MARKED = (b"PAR1", b"ARROW1", b"\x89PNG", b"%PDF", b"<?xml")
SAMPLE = 4096
# What a picture says about itself, by its format.
PICTURE_MARKS = {"png": {"Software": MARK}, "svg": {"Creator": MARK}, "pdf": {"Creator": MARK}}


def is_own(path: Path) -> bool:
    """Whether a file was written by this program, by its content, or has none."""
    with open(path, "rb") as file:
        head = file.read(SAMPLE)
        file.seek(max(0, os.fstat(file.fileno()).st_size - SAMPLE))
        tail = file.read(SAMPLE)
    if head.startswith(MARKED):
        return MARK.encode() in head + tail
    return not head or bool(MODEL.match(head) or JSON.match(head)) or _holds_risks(head)


def _holds_risks(head: bytes) -> bool:
    """Whether a CSV file has a column of risks, and a risk in its first row."""
    lines = head.decode("utf-8", errors="replace").splitlines()[:2]
    try:
        names, cells = csv.reader(lines)
        return 0 <= float(dict(zip(names, cells, strict=True))["risk"]) <= 1
    except (ValueError, KeyError, csv.Error):
        return False
