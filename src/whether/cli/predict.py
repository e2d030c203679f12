"""``whether predict``: from a model file and a table to risks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whether.cli import options
from whether.cli.problems import CommandError

if TYPE_CHECKING:
    import pyarrow as pa

    from whether.files.model import ModelFile
    from whether.files.table import Notes


def predict(
    model: options.ModelPath,
    table: options.TablePath,
    output: options.TableOutput,
    ids: Annotated[
        list[str] | None,
        typer.Option("--id", metavar="COLUMNS", help="Columns to copy, as a,b; by default the ids of the model."),
    ] = None,
    level: Annotated[float, typer.Option("--level", metavar="SHARE", help="Confidence level of the intervals.")] = 0.95,
    query: options.Query = None,
    as_json: options.AsJson = False,
) -> None:
    """Write the risk of every person in a table: the probability that the event ever happens.

    Linear models also give a confidence interval of each risk (risk_lower, risk_upper).

    \b
    Example:
      whether predict model.whether new.csv --id patient -o risks.csv
    """  # noqa: D301
    from whether.cli.output import check_output, gathered_warnings, tell
    from whether.files.model import read
    from whether.files.table import check_format, read_table, write_table

    check_output(output, table, model)
    check_format(output)
    if not 0 < level < 1:
        raise CommandError(f"--level must lie between 0 and 1, got {level:g}.")
    opened = read(model)
    choice = _Choice(opened, ids)
    people, notes = read_table(table, query=query, choose=choice.choose)
    with gathered_warnings(notes):
        risks = predict_table(opened, people, choice.ids, level, notes)
    write_table(risks, output)
    mean = float(risks["risk"].to_numpy().mean())
    tell(
        [
            f"Risks of {risks.num_rows:,} people by {opened.method or type(opened.model).__name__}, {100 * mean:.1f} % "
            f"on average, written to {output}."
        ],
        {
            "command": "predict",
            "output": str(output),
            "method": opened.method,
            "people": risks.num_rows,
            "mean_risk": mean,
            "columns": risks.column_names,
            "level": level if "risk_lower" in risks.column_names else None,
        },
        notes,
        as_json,
    )


class _Choice:
    """The columns that the model needs, and those to copy."""

    def __init__(self, opened: ModelFile, ids: Sequence[str] | None) -> None:
        if opened.encoder is None:
            raise CommandError(
                "The model was not made by `whether fit`, so it does not know how to read a table. Open it in Python "
                "with whether.files.model.load."
            )
        self.encoder, self.wanted = opened.encoder, ids
        self.ids: list[str] = []

    def choose(self, names: Sequence[str]) -> list[str]:
        """Columns to read, of those that the table has."""
        from whether.cli.roles import split_names

        self.encoder.check_columns(names)
        given = split_names(self.wanted, names)
        self.ids = [name for name in self.encoder.ids if name in names] if given is None else given
        return list(dict.fromkeys([*self.ids, *self.encoder.columns]))


def predict_table(opened: ModelFile, table: pa.Table, ids: Sequence[str], level: float, notes: Notes) -> pa.Table:
    """Risks of the people in a table, with intervals where the model has them.

    Parameters
    ----------
    opened : ModelFile
        With an encoder.
    table : pyarrow.Table
    ids : sequence of str
        Columns to copy.
    level : float
    notes : Notes
    """
    import pandas as pd
    import pyarrow as pa

    from whether.estimators.intervals import risk_intervals
    from whether.learners.parallel import one_blas_thread

    assert opened.encoder is not None, "checked when the columns were chosen"
    features = opened.encoder.encode_table(table, notes)
    frame: Any = pd.DataFrame(features, columns=list(opened.encoder.features), copy=False)
    with one_blas_thread():  # threads would divide the rows otherwise and change a risk's last digit
        columns = {"risk": opened.model.predict_proba(frame)[:, 1]}
    intervals = risk_intervals(opened.model, features, level)
    if intervals is not None:
        columns["risk_lower"], columns["risk_upper"] = intervals
    twice = next((name for name in ids if name in columns), None)
    if twice is not None:
        raise CommandError(f"The id column {twice!r} would have the name of a column of results. Rename it.")
    return pa.table({**{name: table[name] for name in ids}, **columns})
