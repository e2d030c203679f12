"""``whether study``: rerun the paper's experiments and ours, and print what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from whether.cli.options import Force, Text, Texts, flag, option, split

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Rerun the paper's experiments and ours: resumable, on one machine or many.",
)

RESULTS = Path("study.sqlite")
QUICK_RESULTS = Path("study-quick.sqlite")
ALL_ROWS = "Autism: keep children not yet seen after 24 months by the endpoint."

ResultsOption = Annotated[
    Path | None, typer.Option(help="File of results. Default: study.sqlite, or study-quick.sqlite with --quick.")
]
QuickOption = Annotated[bool, flag("--quick", "Use the file of a quick run.")]
WorldsOption = Annotated[Texts, typer.Option(help="Only these worlds, separated by commas.")]
MethodsOption = Annotated[
    Texts, typer.Option(help="Only these methods: AFTMC-F, AFTMC-F/linear, DTNN, ..., separated by commas.")
]
StudiesArgument = Annotated[list[str], typer.Argument(help="Names of studies, see `whether study list`.")]


@app.command("list")
def list_studies() -> None:
    """List the studies with their worlds and methods."""
    from whether.study.plan import STUDIES

    for study in STUDIES.values():
        typer.echo(f"{study.name}: {study.title}; {study.replicates} replicates")
        typer.echo(f"  worlds:  {', '.join(study.worlds)}")
        by_learner: dict[str, list[str]] = {}
        for entry in study.entries:
            by_learner.setdefault(entry.learner, []).append(entry.name)
        for learner, methods in by_learner.items():
            typer.echo(f"  {learner + ':':<8} {', '.join(methods)}")


@app.command()
def run(
    studies: StudiesArgument,
    replicates: Annotated[int | None, typer.Option(help="Number of replicates. Default: the study's own.")] = None,
    worlds: WorldsOption = None,
    methods: MethodsOption = None,
    jobs: Annotated[int | None, typer.Option(help="Number of worker processes. Default: one per core.")] = None,
    backend: Annotated[str, typer.Option(help="local, dask or ray.")] = "local",
    address: Annotated[Text, typer.Option(help="Of a Dask scheduler or Ray cluster. Default: a local one.")] = None,
    results: ResultsOption = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the cohort tables. Default: WHETHER_DATA.")] = None,
    quick: Annotated[bool, flag("--quick", "A small version, as a smoke test.")] = False,
    retry_failed: Annotated[bool, flag("--retry-failed", "Run failed cells once more.")] = False,
    all_rows: Annotated[bool, flag("--all-rows", ALL_ROWS)] = False,
) -> None:
    """Run the cells of studies that are not stored yet; the same command goes on after an interruption."""
    from whether.simulation.real_tables import data_folder
    from whether.study.availability import keep_runnable
    from whether.study.plan import find_study, plan_cells
    from whether.study.runner import run_cells

    chosen: dict[str, Any] = {"worlds": split(worlds), "methods": split(methods), "replicates": replicates}
    plans = (plan_cells(find_study(name), quick=quick, all_rows=all_rows, **chosen) for name in studies)
    cells, left_out = keep_runnable([cell for plan in plans for cell in plan])
    for line in left_out:
        typer.echo(line, err=True)
    if {"diabetes", "cohorts"} & set(studies):
        data_folder(data)  # the tables are missed now, before a thousand cells do
    path, folder = _find_results(results, quick), None if data is None else str(data.absolute())
    where: dict[str, Any] = {"jobs": jobs, "backend": backend, "address": address, "data": folder}
    try:
        summary = run_cells(cells, path, retry_failed=retry_failed, **where)
    except KeyboardInterrupt:
        typer.echo("Stopped: what was finished is stored, and the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
    typer.echo(
        f"{summary.done} cells done, {summary.failed} failed, {summary.stored} stored before; results in {path}",
        err=True,
    )
    if summary.failed:
        typer.echo("`whether study status` lists what failed; --retry-failed tries again.", err=True)
        raise typer.Exit(1)


@app.command()
def table(
    studies: StudiesArgument,
    results: ResultsOption = None,
    quick: QuickOption = False,
    form: Annotated[str, typer.Option("--format", help="text, markdown, latex or csv.")] = "text",
    metric: Annotated[Texts, typer.Option(help="auc, brier, calibration_error, ..., separated by commas.")] = None,
    worlds: WorldsOption = None,
    methods: MethodsOption = None,
    output: Annotated[Path | None, option("Write to this file instead of printing.", "FILE", "--output -o")] = None,
    force: Force = False,
) -> None:
    """Print tables of stored results, the paper's numbers beside ours."""
    from whether.cli.output import check_output
    from whether.files.whole_files import write_text
    from whether.study.overview import make_overviews, make_ranked_tables
    from whether.study.plan import find_study
    from whether.study.render import check_format, render
    from whether.study.score_tables import make_records, make_tables
    from whether.study.store import failures, open_existing

    check_format(form)
    if output is not None:
        check_output(output, results, force=force)
    records, tables = [], []
    with open_existing(_find_results(results, quick)) as stored:
        for name in studies:
            study, rows = find_study(name), stored.rows(name)
            some = make_records(study, rows, split(metric), split(worlds), split(methods))
            records += some
            if study.groups:
                tables += [*make_overviews(study, rows), *make_ranked_tables(study, some, rows, len(failures(rows)))]
            else:
                tables += make_tables(study, some, len(failures(rows)))
    text = render(tables, records, form)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)


@app.command()
def status(results: ResultsOption = None, quick: QuickOption = False) -> None:
    """Say how many cells are stored, how long they took, and what failed."""
    from whether.learners.progress import format_duration
    from whether.study.store import failures, open_existing

    with open_existing(_find_results(results, quick)) as stored:
        rows = stored.rows()
    for name in dict.fromkeys(row.study for row in rows):
        some = [row for row in rows if row.study == name]
        seconds = sum(row.fit_seconds or 0.0 for row in some)
        replicates = len({row.seed for row in some})
        typer.echo(
            f"{name}: {len(some)} cells of {replicates} replicates, {len(failures(some))} failed, "
            f"{format_duration(seconds)} of fitting, {format_duration(seconds / replicates)} per replicate"
        )
    for row in failures(rows):
        typer.echo(f"failed: {row.study}/{row.world}/{row.method}/{row.learner}, replicate {row.seed}: {row.error}")


@app.command()
def figures(
    results: ResultsOption = None,
    quick: QuickOption = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write; made if absent.")] = Path("figures"),
) -> None:
    """Draw figures of stored results, as PNG and SVG, for one column and for a page."""
    from whether.study.figures import draw_all
    from whether.study.store import open_existing

    with open_existing(_find_results(results, quick)) as stored:
        rows = stored.rows()
    for path in draw_all(rows, output):
        typer.echo(path)


def _find_results(given: Path | None, quick: bool) -> Path:
    return given or (QUICK_RESULTS if quick else RESULTS)
