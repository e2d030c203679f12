"""``whether simulate``: a cohort from a world whose truth is known."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from whether.cli.options import AsJson, Force, Seed, TableOutput, flag, option

TRUTH = "Add what nobody knows in practice: positive, true_risk, true_propensity; before death and at entry, too."


def simulate(
    world: Annotated[str, typer.Argument(metavar="WORLD", help="Name of a world, such as baseline.")],
    output: TableOutput,
    n: Annotated[int | None, option("Number of people; by default, the world's own.", "NUMBER")] = None,
    seed: Seed = 0,
    truth: Annotated[bool, flag("--truth", TRUTH)] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a simulated cohort: features, event (1 if seen), time and follow_up.

    Worlds in which more is known add time_lower, entry_time, known_negative, competing or groups.

    \b
    Example:
      whether simulate baseline --n 4000 --seed 1 -o cohort.csv
    """  # noqa: D301
    import pyarrow as pa

    from whether.cli.output import check_output, tell
    from whether.files.table import check_format, write_table
    from whether.simulation import simulate as draw

    check_output(output, force=force)
    check_format(output)
    cohort = draw(world, n=n, seed=seed)
    columns: dict[str, Any] = {name: cohort.X[:, position] for position, name in enumerate(cohort.feature_names)}
    columns |= {"event": cohort.y, "time": cohort.time, "follow_up": cohort.follow_up, **cohort.records}
    if truth:
        known = {
            "positive": cohort.positive,
            "true_risk": cohort.outcome_proba,
            "true_propensity": cohort.propensity,
            "lifetime_positive": cohort.lifetime_positive,
            "true_lifetime_risk": cohort.lifetime_proba,
            "true_risk_at_entry": cohort.entry_proba,
        }
        columns |= {name: values for name, values in known.items() if values is not None}
    # What is not known of a person is an empty cell.
    cells = {name: pa.array(values, from_pandas=True) for name, values in columns.items()}
    write_table(pa.table(cells), output)
    # To the dead nothing happens any more.
    happens = cohort.positive if cohort.lifetime_positive is None else cohort.lifetime_positive
    result = {
        "command": "simulate",
        "output": str(output),
        "world": world,
        "seed": seed,
        "people": int(cohort.y.size),
        "events": int(cohort.y.sum()),
        "positive": int(happens.sum()),
        "columns": list(columns),
    }
    seen = f"the event happens to {result['positive']:,} and was seen in {result['events']:,}"
    tell([f"{result['people']:,} people of {world!r} written to {output}: {seen}."], result, [], as_json)
