"""The program ``whether``; also ``python -m whether``, where its script is not on the path."""

from whether.cli.app import app, main
from whether.serve.command import serve

app.command()(serve)  # here, because the page stands above the commands that it runs

if __name__ == "__main__":
    main()
