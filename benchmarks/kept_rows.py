"""Rows of results in a file, one line each, so that a measurement can be stopped and goes on where it was."""

import json


def read_rows(path):
    """Return the rows of a file; none where there is no file, and not the last line of a run that was stopped."""
    rows = []
    for line in path.read_text().splitlines() if path is not None and path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return rows


def append_row(path, row):
    """Write a row to the end of a file; nothing where there is none."""
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
