"""A first look at a table: what each column seems to be, how to read it, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whether.facts import Worded
from whether.files.table.findings import Finding, Held, LeftOut, Suspected, TableError, UsedAsCategories, UsedAsNumbers
from whether.files.table.missing_codes import find_code
from whether.files.table.names import nearest
from whether.files.table.proposal import Hurdle, Obstacle, Proposal, say_columns
from whether.files.table.roles import check_column
from whether.files.table.sights import Sight, look_at
from whether.files.table.table_cohort import read_cohort
from whether.files.table.table_file import open_table
from whether.validate import ArgumentError, DataError

# Uses of columns that are no role: lists of names, and single ones.
USES = ("id", "drop", "features", "keep", "categorical", "propensity_features", "by")
SINGLE = (
    "event", "event_date", "time", "follow_up", "entry", "last_contact", "entry_time", "time_lower", "group",
)  # fmt: skip


@dataclass(frozen=True)
class SeenColumn:
    """What a column seems to be.

    Attributes
    ----------
    name : str
    kind : str
        What its cells are: "number", "text", "date", "empty", "other" or "unreadable".
    part : str
        The option under which it is read ("event", "time", "id", ...), "feature", "left out", or "" where the table
        could not be read.
    finding : Finding or None
        Why it is left out, or may give the outcome away.
    code : Held or None
        A value that is likely to be a code for "not known".
    values : tuple of Held
        Of the event column: its values.
    """

    name: str
    kind: str
    part: str
    finding: Finding | None = None
    code: Held | None = None
    values: tuple[Held, ...] = ()


@dataclass(frozen=True, repr=False)
class TableCheck(Worded):
    """What a first look at a table found; print it.

    Attributes
    ----------
    name : str
        What the table is called.
    people, events : int
        Number of rows, and of those with the event; None where that is not known yet.
    columns : tuple of SeenColumn
    options : dict
        Parameters for `read_cohort`: those that were given, and those that were guessed. While something stands in
        the way, they hold a first guess of it.
    obstacles : tuple of Obstacle
        What stands in the way.
    findings : tuple of Finding
        What reading found, where nothing stands in the way.
    """

    name: str
    people: int
    events: int | None
    columns: tuple[SeenColumn, ...]
    options: dict[str, Any]
    obstacles: tuple[Obstacle, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether the table can be read with these options."""
        return not self.obstacles


def check_table(table: Any, *, query: str | None = None, sheet: str | None = None, **given: Any) -> TableCheck:
    """Look at a table: what each column seems to be, with which options it is read, and what stands in the way.

    Columns are judged by their names and by their cells. What cannot be told, such as which of two columns is the
    event, is not decided but said.

    Parameters
    ----------
    table : path-like, list of these, data frame or pyarrow.Table
        See `read_cohort`.
    query, sheet : str, optional
        See `read_cohort`.
    **given
        What is known already, by the parameters of `read_cohort`.

    Returns
    -------
    TableCheck

    Examples
    --------
    >>> import pandas as pd
    >>> import whether as wh
    >>> frame = pd.DataFrame({"relapse": ["yes", "no", "no"] * 20, "years": range(1, 61), "stage": ["I", "II"] * 30})
    >>> found = wh.check_table(frame)
    >>> found.is_ready, found.options
    (True, {'event': 'relapse', 'time': 'years'})
    >>> cohort = wh.read_cohort(frame, **found.options)
    """
    opened = open_table(table, query=query, sheet=sheet)
    given = {name: value for name, value in given.items() if value is not None}
    cells, name = opened.read(), Path(opened.name).name
    sights = look_at(cells)
    given, absent = _settle_names(given, opened.column_names)
    proposal = Proposal(sights, given)
    obstacles, options = [*absent, *proposal.obstacles], proposal.options
    people, events, findings = cells.num_rows, None, tuple[Finding, ...]()
    if not obstacles:
        try:
            cohort = read_cohort(opened, **options)
            people, events, findings = cohort.y.size, int(cohort.y.sum()), cohort.findings
        except (DataError, ArgumentError) as error:
            obstacles = [Obstacle(Hurdle.REFUSED, reason=str(error))]
    return TableCheck(name, people, events, _see(sights, options, findings), options, tuple(obstacles), findings)


def _settle_names(given: Mapping[str, Any], names: list[str]) -> tuple[dict[str, Any], list[Obstacle]]:
    """Put the nearest names in place of those that the table has not, and say which these were."""
    settled, obstacles = dict(given), []
    for use in (*SINGLE, *USES):
        kept = []
        for name in _listed(given.get(use)):
            try:
                check_column(name, names)
            except TableError as error:
                obstacles.append(Obstacle(Hurdle.REFUSED, reason=str(error)))
            kept += [close] if (close := name if name in names else nearest(name, names)) is not None else []
        if use in given and kept:
            settled[use] = kept[0] if use in SINGLE else kept
        elif _listed(given.get(use)):
            del settled[use]
    return settled, obstacles


def _listed(names: Iterable[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _see(
    sights: Mapping[str, Sight], options: Mapping[str, Any], findings: tuple[Finding, ...]
) -> tuple[SeenColumn, ...]:
    parts = dict(reversed(list(say_columns(options))))  # the first use counts
    reasons: dict[str, Finding] = {}
    for found in findings:
        if isinstance(found, UsedAsNumbers):
            parts |= dict.fromkeys(found.columns, "feature")
        elif isinstance(found, UsedAsCategories):
            parts[found.column] = "feature"
        elif isinstance(found, (LeftOut, Suspected)):
            reasons[found.column] = found
    if "group" in options and options["group"] in _listed(options.get("id")):
        parts[options["group"]] = "id and group"
    for name, reason in reasons.items():
        parts.setdefault(name, "feature" if isinstance(reason, Suspected) else "left out")
    return tuple(
        SeenColumn(
            name,
            sight.kind,
            parts.get(name, ""),
            reasons.get(name),
            None if sight.column is None else find_code(sight.column),
            sight.held if parts.get(name) == "event" else (),
        )
        for name, sight in sights.items()
    )
