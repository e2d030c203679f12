"""What the program says when it cannot do what it was asked: one sentence on stderr and an exit code.

=====  =========================================================================
0      done
1      the table, the model file or the disk does not allow it
2      the command line is wrong
70     a bug; ``WHETHER_TRACEBACK=1`` shows where
130    stopped with Ctrl-C
=====  =========================================================================
"""

from __future__ import annotations

import os
from typing import Any

import typer
from typer.core import TyperGroup


class CommandError(ValueError):
    """A command that cannot be carried out as it was given; the message says what to change."""


class Program(TyperGroup):
    """The program: whatever goes wrong in a command becomes a sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        if os.environ.get("WHETHER_TRACEBACK"):
            return super().invoke(ctx)
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _stop("Stopped. Nothing was written.", 130) from None
        except OSError as error:
            raise _stop(_describe_system_error(error), 1) from None
        except MemoryError:
            raise _stop("There is not enough memory for this table.", 1) from None
        # The library raises these for data and settings that it refuses, and for packages that are not installed.
        except (ValueError, ImportError) as error:
            raise _stop(str(error), 2 if isinstance(error, CommandError) else 1) from None
        except Exception as error:
            if _ends_well(error):
                raise
            complaint = getattr(error, "format_message", None)  # of typer, about options
            if complaint is not None:
                raise _stop(f"{complaint()} See 'whether {ctx.invoked_subcommand or ''} --help'.", 2) from None
            what = f"{type(error).__name__}: {error}"
            raise _stop(f"This is a bug in whether ({what}). WHETHER_TRACEBACK=1 shows where.", 70) from error


def _ends_well(error: Exception) -> bool:
    """Whether it is how typer ends a command, or shows help where nothing was asked."""
    return isinstance(error, (typer.Exit, typer.Abort)) or type(error).__name__ == "NoArgsIsHelpError"


def _stop(sentence: str, code: int) -> typer.Exit:
    typer.echo(f"whether: {printable(sentence)}", err=True)
    return typer.Exit(code)


def printable(text: str) -> str:
    """Return text on one line without characters that a terminal would obey."""
    return "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))


def _describe_system_error(error: OSError) -> str:
    where = f"{str(error.filename)!r}: " if error.filename is not None else ""
    return f"{where}{error.strerror or error}."
