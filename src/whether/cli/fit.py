"""``whether fit``: from a table to a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whether.cli import options
from whether.cli.problems import CommandError

if TYPE_CHECKING:
    from whether.cli.roles import Roles
    from whether.methods import Method

LEARNERS = ("linear", "boosted", "neural", "auto")


def fit(
    table: options.TablePath,
    event: options.EventColumn,
    output: options.ModelOutput,
    time: options.TimeColumn = None,
    follow_up: options.FollowUpColumn = None,
    entry: options.EntryColumn = None,
    endpoint: options.Endpoint = None,
    event_value: options.EventValue = None,
    method: options.MethodName = None,
    learner: options.LearnerName = "linear",
    propensity_features: options.PropensityFeatures = None,
    features: options.Features = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    ids: options.Ids = None,
    query: options.Query = None,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Learn from a table how likely the event is ever to happen, and write a model file.

    Without --method it is FUMC if the length of follow-up is known, else AFTMC if there are times, else SARPU if the
    columns that decide who is seen are named; -R where they are named, else -F.

    \b
    Example:
      whether simulate baseline --n 4000 --seed 1 -o cohort.csv
      whether fit cohort.csv --event event --time time --follow-up follow_up -o model.whether
      whether predict model.whether cohort.csv -o risks.csv

    \b
    With dates:
      whether fit patients.parquet --event relapse --entry surgery --endpoint 2020-12-31 --id patient -o model.whether
    """  # noqa: D301
    from whether.cli.columns import Columns
    from whether.cli.output import check_output, tell
    from whether.cli.roles import Roles
    from whether.cli.training import fit_table

    check_output(output, table)
    roles = Roles(event, time, follow_up, entry, endpoint, event_value)
    chosen = choose_method(method, roles, named=propensity_features is not None)
    if learner not in LEARNERS:
        raise CommandError(f"--learner must be one of {', '.join(LEARNERS)}, got {learner!r}.")
    wishes = Columns(features, drop, categorical, ids, propensity_features)
    done = fit_table(table, query, roles, wishes, chosen, learner, seed)
    done.save(output)
    result = done.describe()
    tell(
        [
            f"{chosen.name} ({chosen.restriction}), {learner}: fitted to {result['people']:,} people, of whom "
            f"{result['events']:,} had the event seen.",
            f"Mean risk {100 * result['mean_risk']:.1f} %, against {100 * result['seen_share']:.1f} % seen; about "
            f"{result['expected_unseen']:,.0f} of those without it are expected to be positive.",
            f"Model written to {output}.",
        ],
        {"command": "fit", "output": str(output), **result},
        done.notes,
        as_json,
    )


def choose_method(name: str | None, roles: Roles, *, named: bool) -> Method:
    """Return the method by its name, or the one that fits what is known; refuse one that needs more."""
    from whether.files.table import suggest
    from whether.methods import METHODS

    has_follow_up = roles.follow_up is not None or roles.endpoint is not None
    if name is None:
        name = _usual_method(has_follow_up, roles.time is not None, named)
    found = next((method for method in METHODS.values() if method.name.lower() == name.lower()), None)
    if found is None:
        raise CommandError(f"There is no method {name!r} (there are {', '.join(METHODS)}).{suggest(name, METHODS)}")
    if "time" in found.needs and roles.time is None:
        raise CommandError(f"{found.name} works through event times: give the column as --time.")
    if "follow_up" in found.needs and not has_follow_up:
        raise CommandError(
            f"{found.name} works through the length of follow-up: give the column as --follow-up, or --entry and "
            "--endpoint."
        )
    if found.feature_parameter and not named:
        raise CommandError(f"{found.name} needs --propensity-features, the columns that decide who is seen.")
    if named and not found.feature_parameter:
        raise CommandError(f"{found.name} has no use for --propensity-features. Methods that end in -R have.")
    return found


def _usual_method(has_follow_up: bool, has_time: bool, named: bool) -> str:
    if has_follow_up or has_time:
        return ("FUMC" if has_follow_up else "AFTMC") + ("-R" if named else "-F")
    if named:
        return "SARPU-R"
    raise CommandError(
        "Labels alone cannot tell 'will not happen' from 'was not seen'. Give --follow-up (or --entry and --endpoint), "
        "--time or --propensity-features; or take what --method assumes, such as LR: every event was seen."
    )
