"""The subcommands, gathered."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Will this person ever have the event?")


@app.callback()
def _root() -> None:
    """Say what the program is for; the subcommands do the work."""


def main() -> None:
    """Run the program."""
    app()
