"""``whether serve``: the page to work with, as a command."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from whether.cli.options import flag, option

STOPPED = "Stopped. Tables, reports and models that were not downloaded have been removed."


def serve(
    port: Annotated[int, option("Port to use; 0 takes any that is free.", "NUMBER", shows=True, min=0, max=65535)] = 0,
    no_browser: Annotated[bool, flag("--no-browser", "Only print the address, and open no browser.")] = False,
) -> None:
    """Open a page in the browser on which to drop a table, correct what its columns are, and read the report.

    The page can be reached from this computer only, with the address that is printed, and does not use the network.
    Tables and results lie in a private temporary folder, which is removed at the end: download what you want to keep.
    Ctrl-C ends it.

    \b
    Example:
      whether serve
      whether serve --no-browser --port 8765
    """  # noqa: D301
    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise ImportError('The page needs Starlette and uvicorn: pip install "whether[serve]".')
    from whether.serve.server import run

    try:
        run(port, opens_browser=not no_browser, say=lambda line: typer.echo(line))
    except KeyboardInterrupt:  # the usual way to end
        typer.echo(STOPPED, err=True)
