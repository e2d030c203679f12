"""The program `whether`: one subcommand a module, each a thin shell over the library."""

from whether.cli.stopping import listen

__all__ = ["main"]


def main() -> None:
    """Run the program, without its page."""
    listen()
    from whether.cli.app import app  # takes a second, in which it can be stopped

    app()
