"""The program `whether`: one subcommand a module, each a thin shell over the library."""

from whether.cli.app import main

__all__ = ["main"]
