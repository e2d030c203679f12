"""What the program says when it cannot do what it was asked: one sentence on stderr and an exit code.

=====  =========================================================================
0      done
1      the table, the model file or the computer does not allow it
2      the command line is wrong
70     a bug in whether; ``WHETHER_TRACEBACK=1`` shows all of it
130    stopped with Ctrl-C
=====  =========================================================================
"""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

import whether
from whether.cli import stopping
from whether.validate import ArgumentError, DataError

LONGEST = 4000  # characters of a sentence; a cell may have millions
PACKAGE = Path(whether.__file__).parent
# Parameters of the library that are options of the program, in backticks where an error names them.
PARAMETER = re.compile(
    "`(event|time|follow_up|entry|endpoint|event_value|competing|event_date|last_contact|entry_time|time_lower|"
    "never_after|within|event_free_for|features|drop|keep|categorical|propensity_features|id|group|sheet|output|level|"
    "test_size|prevalence|prevalence_error)`"
)


class CommandError(ArgumentError):
    """A command that cannot be carried out as it was given; the message says what to change."""


class Program(TyperGroup):
    """The program: whatever goes wrong in a command becomes a sentence."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the program; where its help or version cannot be printed, there is no command that could say so."""
        try:
            return super().main(*args, **settings)
        except OSError as error:
            raise SystemExit(_say(error, "")) from None

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with stopping.working():
            try:
                return super().invoke(ctx)
            except (KeyboardInterrupt, Exception) as error:
                if os.environ.get("WHETHER_TRACEBACK") or _ends_well(error):
                    raise
                raise typer.Exit(_say(error, ctx.invoked_subcommand or "")) from None


def _say(error: BaseException, command: str) -> int:
    """Say what is wrong, and return the exit code."""
    sentence, code = explain(error, command)
    with contextlib.suppress(OSError):  # nobody can be told
        typer.echo(f"whether: {on_one_line(sentence)}", err=True)
    return code


def _ends_well(error: BaseException) -> bool:
    """Whether it is how typer ends a command, shows help where nothing was asked, or finds nobody reading (head -1)."""
    return isinstance(error, (typer.Exit, typer.Abort, BrokenPipeError)) or type(error).__name__ == "NoArgsIsHelpError"


def explain(error: BaseException, command: str) -> tuple[str, int]:
    """One sentence and the exit code; what is no fault of the user's or the computer's is a bug."""
    if isinstance(error, KeyboardInterrupt) or stopping.was_asked():
        return stopping.STOPPED, stopping.CODE
    if isinstance(error, (DataError, ArgumentError)):
        return name_options(str(error)), 1 if isinstance(error, DataError) else 2
    if isinstance(error, OSError):
        if error.filename is None and _is_of_printing(error):
            return f"What is printed could not be written to where it goes (standard output): {error.strerror}.", 1
        where = f"{str(error.filename)!r}: " if error.filename is not None else ""
        return f"{where}{error.strerror or error}.", 1
    if isinstance(error, MemoryError):
        return "There is not enough memory for this table.", 1
    if isinstance(error, ImportError):
        return str(error), 1
    complaint = getattr(error, "format_message", None)  # of typer, about options
    if complaint is not None:
        said = complaint()
        stop = "" if said.endswith((".", "?", "!")) else "."
        return f"{said}{stop} See 'whether {command} --help'.", 2
    what = f"{type(error).__name__}: {error}"
    return (
        f"This is a bug in whether {whether.__version__}, not in your data. Please report this line: "
        f"`whether {command}` raised {what[:300]} ({_place(error)}). WHETHER_TRACEBACK=1 shows more.",
        70,
    )


def _is_of_printing(error: OSError) -> bool:
    """Whether printing failed: the system names no file then, as the disk behind ``>`` is not ours to know."""
    return any(step.name == "echo" for step in traceback.extract_tb(error.__traceback__))


def _place(error: BaseException) -> str:
    """File and line of the innermost step of ours."""
    steps = [step for step in traceback.extract_tb(error.__traceback__) if Path(step.filename).is_relative_to(PACKAGE)]
    return f"{Path(steps[-1].filename).relative_to(PACKAGE)}:{steps[-1].lineno}" if steps else "unknown place"


def name_options(message: str) -> str:
    """Name options where a message of the library names its parameters."""
    return PARAMETER.sub(lambda found: "-o" if found[1] == "output" else "--" + found[1].replace("_", "-"), message)


def printable(line: str) -> str:
    """Return a line without characters that a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in line)


def on_one_line(text: str) -> str:
    """Return text as one such line, which is never longer than a screen."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."
