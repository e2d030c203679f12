"""The program ``whether``; also ``python -m whether``, where its script is not on the path."""

from whether.cli.stopping import listen


def main() -> None:
    """Run the program."""
    listen()
    from whether.cli.app import app  # takes a second, in which it can be stopped
    from whether.serve.command import serve

    app.command()(serve)  # here, because the page stands above the commands that it runs
    app()


if __name__ == "__main__":
    main()
