"""``whether predict``: from a model file and a table to risks."""

from __future__ import annotations

from typing import Annotated

from whether.cli.options import AsJson, Force, ModelPath, Query, Sheet, TableOutput, TablePath, Texts, option, split
from whether.validate import check_between


def predict(
    model: ModelPath,
    table: TablePath,
    output: TableOutput,
    id: Annotated[Texts, option("Columns to copy, as a,b; by default the ids of the model.", "COLUMNS")] = None,
    level: Annotated[float, option("Confidence level of the intervals.", "SHARE", shows=True)] = 0.95,
    query: Query = None,
    sheet: Sheet = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the risk of every person in a table: the probability that the event ever happens.

    Linear models also give a confidence interval of each risk (risk_lower, risk_upper).

    \b
    Example:
      whether predict model.whether new.csv --id patient -o risks.csv
    """  # noqa: D301
    import pyarrow as pa

    from whether.cli.output import check_output, gathered_warnings, make_notes, refuse_names, tell
    from whether.files.model import load_model
    from whether.files.table import check_format, open_table, write_table
    from whether.files.table.roles import check_column

    check_output(output, table, model, force=force)
    check_format(output)
    check_between(level, "level")
    opened = load_model(model)
    encoder, source = opened.table_encoder(), open_table(table, query=query, sheet=sheet)
    wanted = encoder.columns_among(source.column_names)
    own_ids = [name for name in encoder.ids if name in source.column_names]
    copied = split(id, source.column_names) or own_ids
    for name in copied:
        check_column(name, source.column_names)
    cells, findings = source.read(list(dict.fromkeys([*copied, *wanted]))), list(source.findings)
    with gathered_warnings() as warned:
        risks = opened.predict_rows(cells, level, findings)
    refuse_names(copied, risks.columns)
    columns = [*copied, *risks.columns]
    write_table(pa.table([*(cells[name] for name in copied), *(risks[name] for name in risks)], names=columns), output)
    mean, method = float(risks["risk"].to_numpy().mean()), opened.method or type(opened.model).__name__
    tell(
        [f"Risks of {len(risks):,} people by {method}, {100 * mean:.1f} % on average, written to {output}."],
        {
            "command": "predict",
            "output": str(output),
            "method": opened.method,
            "people": len(risks),
            "mean_risk": mean,
            "columns": columns,
            "level": level if "risk_lower" in columns else None,
        },
        make_notes(findings, warned),
        as_json,
    )
