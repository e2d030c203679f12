"""The subcommands, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from whether.cli.advice_commands import backtest, examine, recommend, sensitivity
from whether.cli.analyze import analyze
from whether.cli.check import check
from whether.cli.fit import fit
from whether.cli.predict import predict
from whether.cli.problems import Program
from whether.cli.simulate import simulate
from whether.cli.study import app as study

app = typer.Typer(
    cls=Program,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 bad table, model file or disk, 2 bad command, 70 our bug, 130 stopped with Ctrl-C.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        import whether

        typer.echo(f"whether {whether.__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Will this person ever have the event? From cohorts whose follow-up ended early."""


for command in (check, analyze, examine, recommend, backtest, sensitivity, fit, predict, simulate):
    app.command()(command)
app.add_typer(study, name="study")
