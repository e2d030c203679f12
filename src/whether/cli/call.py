"""The command that repeats a run, as it goes into reports."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def describe_call(command: str, table: Path | None, options: Mapping[str, Any], output: Path) -> str:
    """Write a command with its options, quoted for a shell; files without their folders, which tell of the machine.

    None and False are left out, True is the option alone, and a list is the option once per entry.

    Examples
    --------
    >>> describe_call("whether analyze", Path("/data/my cohort.csv"), {"--event": "relapse", "--seed": None}, Path("r"))
    "whether analyze 'my cohort.csv' --event relapse -o r"
    """
    words = [] if table is None else [table.name]
    for name, value in options.items():
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            for entry in value if isinstance(value, (list, tuple)) else [value]:
                words += [name, str(entry)]
    return " ".join([command, *(shlex.quote(word) for word in [*words, "-o", output.name])])
