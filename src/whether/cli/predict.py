"""``whether predict``: from a model file and a table to risks."""

from __future__ import annotations

from typing import Annotated, Any

from whether.cli.options import (
    AsJson,
    Force,
    ModelPath,
    Query,
    Sheet,
    TableOutput,
    TablePath,
    Text,
    Texts,
    option,
    split,
)
from whether.validate import check_between


def predict(
    model: ModelPath,
    table: TablePath,
    output: TableOutput,
    id: Annotated[Texts, option("Columns to copy, as a,b; by default the ids of the model.", "COLUMNS")] = None,
    level: Annotated[float, option("Confidence level of the intervals.", "SHARE", shows=True)] = 0.95,
    within: Annotated[
        float | None, option("Also the probability of the event within this time from now (risk_within).", "NUMBER")
    ] = None,
    event_free_for: Annotated[
        Text,
        option("Column that says for how long each person has been without the event (adds still_to_come)."),
    ] = None,
    query: Query = None,
    sheet: Sheet = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the risk of every person in a table: the probability that the event ever happens.

    Each risk comes with its confidence interval (risk_lower, risk_upper), which says how well the risk is known, not
    whether the event happens; where a model has none, that is said. Models of event times also say when: within the
    next years, and to whom the event still comes who has been without it for some time.

    \b
    Example:
      whether predict model.whether new.csv --id patient -o risks.csv
      whether predict model.whether new.csv --within 5 --event-free-for years_seen -o risks.csv
    """  # noqa: D301
    import pyarrow as pa

    from whether.cli.output import check_output, gathered_warnings, make_notes, refuse_names
    from whether.files.model import load_model
    from whether.files.table import check_format, open_table, write_table
    from whether.files.table.encoder import BeyondTraining
    from whether.files.table.roles import check_column

    check_output(output, table, model, force=force)
    check_format(output)
    check_between(level, "level")
    opened = load_model(model)
    encoder, source = opened.table_encoder(), open_table(table, query=query, sheet=sheet)
    wanted = encoder.columns_among(source.column_names)
    own_ids = [name for name in encoder.ids if name in source.column_names]
    copied = split(id, source.column_names) or own_ids
    read = [*copied, *wanted] if event_free_for is None else [*copied, *wanted, event_free_for]
    for name in read:
        check_column(name, source.column_names)
    cells, findings = source.read(list(dict.fromkeys(read))), list(source.findings)
    with gathered_warnings() as warned:
        risks = opened.predict_rows(cells, level, findings, within, event_free_for)
    refuse_names(copied, risks.columns)
    columns = [*copied, *risks.columns]
    write_table(pa.table([*(cells[name] for name in copied), *(risks[name] for name in risks)], names=columns), output)
    about: dict[str, Any] = {"command": "predict", "output": str(output), "method": opened.method}
    about |= {"columns": columns, "level": level if "risk_lower" in columns else None, "within": within}
    about["beyond_training"] = [one.column for one in findings if isinstance(one, BeyondTraining)]
    method = opened.method or type(opened.model).__name__
    _tell_predictions(risks, method, about, make_notes(findings, warned), as_json)


def _tell_predictions(
    risks: Any, method: str, about: dict[str, Any], notes: list[dict[str, Any]], as_json: bool
) -> None:
    """Tell how many people were predicted, and what came out on average."""
    from whether.cli.output import tell
    from whether.telling.prediction_words import prediction_sentences

    asked = [name for name in ("risk", "still_to_come", "risk_within") if name in risks.columns]
    means = {name: float(risks[name].to_numpy().mean()) for name in asked}
    has_intervals = "risk_lower" in risks.columns
    sentences = prediction_sentences(
        len(risks), method, means, about["within"], about["output"], has_intervals=has_intervals
    )
    result = {**about, "people": len(risks), **{f"mean_{name}": mean for name, mean in means.items()}}
    tell(sentences, result, notes, as_json)
